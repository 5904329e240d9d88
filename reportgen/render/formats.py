"""Numbers for people, with the exact number always at hand.

Filters return f-string `Markup`, which is twice as fast as a macro for each table cell; whatever text
goes into one is escaped right beside it.
"""

import re
from functools import lru_cache

from markupsafe import Markup, escape

UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_STEP = 1024
_BREAKABLE = re.compile(r"(?<=[./_])(?=[^./_])")


def human_bytes(size: int) -> str:
    """`2.52 GiB`: binary units, two decimals; bytes below 1024 in full."""
    if abs(size) < _STEP:
        return f"{size} B"
    amount = float(size)
    for unit in UNITS:
        amount /= _STEP
        if abs(amount) < _STEP - 0.005 or unit == UNITS[-1]:
            return f"{amount:.2f} {unit}"
    raise AssertionError("unreachable: the last unit takes every amount")


def exact_bytes(size: int) -> str:
    """`2,709,520,384 bytes`."""
    return f"{size:,} byte" if size == 1 else f"{size:,} bytes"


@lru_cache(maxsize=65_536)
def bytes_markup(size: int | None) -> Markup:
    """The amount for people, with the exact one in the data and, where it is rounded, in the title."""
    if size is None:
        return Markup('<span class="none" title="not known">–</span>')
    if -_STEP < size < _STEP:
        return Markup(f"<data value={size:d}>{size} B</data>")
    return Markup(f'<data value={size:d} title="{size:,} bytes">{human_bytes(size)}</data>')


def byte_steps_markup(amount: int) -> Markup:
    """Bytes × steps: not an amount of memory, so it never looks like one."""
    return Markup(f'<data value={amount:d} title="{amount:,} byte-steps">{human_bytes(amount)}·steps</data>')


def count_markup(count: int | None) -> Markup:
    """`66,703`, sortable."""
    if count is None:
        return Markup('<span class="none" title="not known">–</span>')
    return Markup(f"<data value={count:d}>{count:,}</data>")


def forget() -> None:
    """Give back what was kept of the texts of one module, of which another one needs little."""
    bytes_markup.cache_clear()
    soft_breaks.cache_clear()


def percent(part: int, whole: int) -> str:
    """`12.5 %`; a dash where there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def factor(padded: int | None, dense: int | None) -> str:
    """`64×`, how many times the dense bytes are needed."""
    if not dense or padded is None:
        return "–"
    times = padded / dense
    return f"{times:.3g}×" if times < 100 else f"{times:,.0f}×"


@lru_cache(maxsize=65_536)
def soft_breaks(text: str) -> Markup:
    """Long names may break behind dots, slashes and underscores."""
    return Markup(_BREAKABLE.sub("<wbr>", str(escape(text))))
