"""Numbers for people, with the exact number always at hand.

Filters return f-string `Markup`, which is twice as fast as a macro for each table cell; whatever text
goes into one is escaped right beside it.
"""

import re
from functools import lru_cache
from html import escape

from markupsafe import Markup

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


@lru_cache(maxsize=4096)
def human_and_exact(size: int) -> str:
    """`1.50 MiB` with the exact number beside it, where that is another one."""
    return f"{human_bytes(size)} <small>{exact_bytes(size)}</small>" if size >= _STEP else human_bytes(size)


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


LONGEST_NAME = 200
"""Characters of a name in a link or a heading; the whole stands on the page of what it names."""


def shortened(text: str) -> str:
    """A name for a place where many stand: its beginning and its end, where it is longer than people can read."""
    half = LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[:half]}…{text[-half:]}"


def whole_name(name: str) -> Markup:
    """A name that is shortened elsewhere, to be unfolded."""
    return Markup("<details><summary>{:,} characters</summary><code>{}</code></details>").format(len(name), name)


# Controls but for line breaks and tabs, what turns the direction of text around, and what takes no room at all.
_UNSEEN = re.compile("[\0-\b\v-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def visible(text: str) -> str:
    """`text` with a sign for each character that shows nothing and could change how the rest is read."""
    # Nearly all texts pass here, which takes half the time of a search.
    return text if text.replace("\n", "").isprintable() else _UNSEEN.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    """`␇` for a control character, `[U+202E]` for others."""
    code = ord(found[0])
    return chr(0x2421 if code == 0x7F else 0x2400 + code) if code < 0x80 else f"[U+{code:04X}]"


@lru_cache(maxsize=65_536)
def soft_breaks(text: str) -> Markup:
    """Long names may break behind dots, slashes and underscores."""
    return Markup(_BREAKABLE.sub("<wbr>", escape(text)))
