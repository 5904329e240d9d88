"""Sizes and growth as people write them: `15.5 GiB`, `1%`.

They are apart from the budgets, because the command line reads them before anything is analysed.
"""

import re
from fractions import Fraction
from typing import Any

from reportgen.analyse.devices import MOST_BYTES
from reportgen.errors import InvalidBudget, quoted
from reportgen.record import record

_UNITS = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate(("k", "M", "G", "T"), start=1)},
    "KB": 1000,
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate(("K", "M", "G", "T"), start=1)},
}
_AMOUNT = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([A-Za-z]+|%)\s*", re.ASCII)


@record(kw_only=False)
class Growth:
    """How much a figure may grow: a share of the baseline, or a number of bytes."""

    share: Fraction = Fraction(0)
    size_bytes: int = 0

    def allowed(self, before_bytes: int) -> int:
        """Return the bytes by which a figure of `before_bytes` may grow."""
        return max(int(self.share * before_bytes), self.size_bytes)


def parse_size(text: Any, where: str, what: str = 'a size with a unit, such as "15.5 GiB" or "64 KiB"') -> int:
    """Return the bytes of `15.5 GiB`. Raises InvalidBudget, beginning with `where`, for anything without a unit."""
    amount = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if amount is None or amount[2] not in _UNITS:
        raise InvalidBudget(f"{where}: {quoted(text)} is not {what}")
    # Exact, because a limit in floats could be a byte off.
    size = int(Fraction(amount[1]) * _UNITS[amount[2]])
    if size > MOST_BYTES:
        raise InvalidBudget(f"{where}: {quoted(text)} is more than any memory has")
    return size


def parse_share(text: Any, where: str) -> Fraction:
    """Return the part of `5%`. Raises InvalidBudget for anything else."""
    amount = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if amount is None or amount[2] != "%":
        raise InvalidBudget(f'{where}: {quoted(text)} is not a share, such as "5%"')
    return Fraction(amount[1]) / 100


def parse_growth(text: Any, where: str) -> Growth:
    """Return the growth of `1%` or `64 KiB`. Raises InvalidBudget for anything else."""
    if str(text).rstrip().endswith("%"):
        return Growth(share=parse_share(text, where))
    return Growth(size_bytes=parse_size(text, where, 'a share or a size with a unit, such as "1%" or "64 KiB"'))
