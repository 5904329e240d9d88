"""Define the records of out-of-memory errors as compilers and allocators print them.

A text has rounded sizes, no offsets and no live ranges, so nothing of it enters the analysis of a dump.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from reportgen.record import record

Kind = Literal[
    "compile", "allocation", "load", "data", "execution", "allocator", "rematerialization", "arguments", "fragment"
]
"""When memory ran out: at compile time, at compile time for one buffer larger than the memory, while the program was
loaded, while data was put on the device, or during execution. An "allocator" is the state of the runtime's own.
"rematerialization" is a warning that a program is still too large, and "arguments" that they alone are; both compile
nevertheless. A "fragment" is a list or a table whose beginning is missing."""

_SIZE = re.compile(r"(-?\d{1,25})(?:\.(\d{1,9}))?(?:([KMGTPE])(?:i?B)?|( ?B| bytes))?")
_UNITS = {unit: 1024**power for power, unit in enumerate("KMGTPE", 1)}
_LONGEST_SIZE = 64  # more than the pattern can match


@record(kw_only=False)
class SizeRange:
    """The bytes that a printed size may stand for, from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    @property
    def middle(self) -> int:
        return (self.low + self.high) // 2

    def __contains__(self, size: int) -> bool:
        return self.low <= size <= self.high

    def __add__(self, other: "SizeRange") -> "SizeRange":
        return SizeRange(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "SizeRange") -> "SizeRange":
        return SizeRange(self.low - other.high, self.high - other.low)


def read_size(text: str, *, needs_unit: bool = True) -> SizeRange | None:
    """Return the bytes that `66.00G`, `384.0KiB` or `512B` stands for: units are binary, and a decimal means rounding.

    A number without a unit is None, because its end was cut off; where XLA prints bytes without one, say so.
    """
    return _range_of(text.strip()[:_LONGEST_SIZE], needs_unit)


@lru_cache(maxsize=1024)  # because a list repeats most of its sizes
def _range_of(text: str, needs_unit: bool) -> SizeRange | None:
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    whole, decimals, unit, exact = match.groups()
    if unit:
        decimals = decimals or ""
        twice, scale, steps = 2 * int(whole + decimals), _UNITS[unit], 2 * 10 ** len(decimals)
        # Half of the last printed digit to both sides, rounded inwards.
        return SizeRange(-((1 - twice) * scale // steps), (twice + 1) * scale // steps)
    if decimals or (needs_unit and not exact):
        return None
    return SizeRange(int(whole), int(whole))


class Total(NamedTuple):
    """A row of a table: `head` is the line above it. `size` is None where the text says that it is unknown."""

    head: str
    name: str
    size: SizeRange | None
    detail: str = ""


class LoggedBuffer(NamedTuple):
    """An entry of a list of the largest buffers; what the text does not say is None or empty.

    `is_cut` is true unless the end of the entry was found, so that a later field may be missing.
    """

    number: int | None = None
    size: SizeRange | None = None
    unpadded: SizeRange | None = None
    shape: str = ""
    instruction: str = ""
    opcode: str = ""
    op_name: str = ""
    source_file: str = ""
    source_line: int | None = None
    stack_frame_id: int | None = None
    kind: str = ""
    is_parameter: bool = False
    is_cut: bool = True


class OutOfMemory(NamedTuple):
    """One event: `line` is its first line in the text, from 1, and `times` how often it is there.

    `needed` is what did not fit. `capacity` is all the memory that may be used, `free` what was left of it, and
    `reservable` the part of that in one piece.
    """

    kind: Kind
    message: str = ""
    code: str = ""
    space: str = ""
    needed: SizeRange | None = None
    capacity: SizeRange | None = None
    excess: SizeRange | None = None
    free: SizeRange | None = None
    reservable: SizeRange | None = None
    module: str = ""
    device: str = ""
    totals: tuple[Total, ...] = ()
    buffers: tuple[LoggedBuffer, ...] = ()
    line: int = 1
    times: int = 1
