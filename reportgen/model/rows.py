"""Define the records of a dump, each for one line or one entry.

Sizes and offsets are bytes as printed. Moments are indexes into the flattened schedule. A `text_offset` is a position
in the dump's text (see `reportgen.input.dump_text`). An index (XLA `ShapeIndex`) such as `{0}` or `{1,0}` selects a
leaf of a tuple; `{}` is the value itself. XLA omits it if the shape is no tuple; the records always have it.
"""

import re
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from reportgen.input.dump_text import TextOffset
from reportgen.record import record

WHOLE = "{}"


class ValueKey(NamedTuple):
    """The identity of a value within a dump: the name of the defining instruction and the tuple index."""

    name: str
    shape_index: str

    def __str__(self) -> str:
        return self.name + self.shape_index


class Position(NamedTuple):
    """A position in the program that a value occupies: an instruction, and the leaf of its result."""

    name: str
    shape_index: str


class Use(NamedTuple):
    """A reader of a value: the instruction, which operand, and the leaf inside that operand."""

    name: str
    operand: int
    shape_index: str


@record
class Allocation:
    """An `allocation I:` line. `size_bytes` is what is reserved; `color` is the memory space."""

    index: int
    size_bytes: int
    color: int = 0
    page: int | None = None
    parameter: int | None = None
    parameter_shape: str | None = None
    parameter_shape_index: str | None = None
    output_shape: str | None = None
    is_constant: bool = False
    is_thread_local: bool = False
    is_maybe_live_out: bool = False
    is_preallocated_temp: bool = False
    unknown_attributes: tuple[str, ...] = ()
    text_offset: TextOffset = field(default=0, compare=False)


@record
class Value:
    """A ` value:` line: a value and the slice of an allocation that is assigned to it.

    `size_bytes` and `offset_bytes` describe the slice; aliased values share one slice, which is as large as the
    largest of them. `allocation` is a position in `Dump.allocations`, which equals the printed index unless the
    dump is damaged. `shape` is the shape with its layout, as printed.
    """

    id: int
    key: ValueKey
    is_phi: bool = False
    color: int | None
    allocation: int
    size_bytes: int
    offset_bytes: int
    shape: str
    text_offset: TextOffset = field(default=0, compare=False)

    @property
    def end_bytes(self) -> int:
        return self.offset_bytes + self.size_bytes


_POSITION = re.compile(r"  ([^\s,{}]+)(?: (\{[\d,]*\}))?\n?", re.ASCII)
_USER = re.compile(rb"  ([^\s,{}]+), operand ")
_USE = re.compile(r"  ([^\s,{}]+), operand (\d+)(?: (\{[\d,]*\}))?\n?", re.ASCII)


def users_in(uses: bytes) -> list[bytes]:
    """Return the names of the instructions in the uses of a value as printed; they are in UTF-8."""
    name_end = uses.find(b",")
    # A fast path, because most values have one use.
    if uses.find(b"\n", name_end) == len(uses) - 1 and name_end > 0:
        return [uses[2:name_end]]
    return _USER.findall(uses)


# Cached, because several parts of a page need the positions and uses of the same value. Equal rows are one object,
# because a damaged dump may repeat one a million times.
@lru_cache(maxsize=16)
def _positions(text: bytes) -> tuple[Position, ...]:
    shared: dict[Position, Position] = {}
    matches = _POSITION.finditer(text.decode("utf-8", "replace"))
    rows = (Position(match[1], match[2] or WHOLE) for match in matches)
    return tuple(shared.setdefault(row, row) for row in rows)


@lru_cache(maxsize=16)
def _uses(text: bytes) -> tuple[Use, ...]:
    shared: dict[Use, Use] = {}
    matches = _USE.finditer(text.decode("utf-8", "replace"))
    rows = (Use(match[1], int(match[2]), match[3] or WHOLE) for match in matches)
    return tuple(shared.setdefault(row, row) for row in rows)


@record
class UsedValue:
    """An entry of `Used values:`: the positions of a value, its uses, and the text of its defining instruction.

    Positions and uses are kept as printed and split on demand. The instruction's text is
    [`instruction_start`, `instruction_end`); both are None in dialects without it.
    """

    id: int
    key: ValueKey
    is_phi: bool = False
    color: int | None
    positions_text: bytes = b""
    uses_text: bytes = b""
    instruction_start: TextOffset | None = field(default=None, compare=False)
    instruction_end: TextOffset | None = field(default=None, compare=False)
    text_offset: TextOffset = field(default=0, compare=False)

    @property
    def positions(self) -> tuple[Position, ...]:
        return _positions(self.positions_text)

    @property
    def is_only_where_defined(self) -> bool:
        """Return whether the defining instruction is the only position, as for most values."""
        name, index = self.key
        return self.positions_text == (f"  {name}\n" if index == WHOLE else f"  {name} {index}\n").encode()

    @property
    def users(self) -> list[bytes]:
        """Return the names of `uses` in UTF-8."""
        return users_in(self.uses_text)

    @property
    def uses(self) -> tuple[Use, ...]:
        return _uses(self.uses_text)


@record
class LiveRange:
    """A `BufferLiveRange` row: the moments `start` to `end`, both inclusive."""

    key: ValueKey
    start: int
    end: int
    text_offset: TextOffset = field(default=0, compare=False)


class Scheduled(NamedTuple):
    """An `InstructionSequence` row: the moment, and the instruction that runs then."""

    moment: int
    name: str


class PeakRow(NamedTuple):
    """A row of `Live ranges at T (peak)`; builds before 2025-04-14 print no index (None)."""

    name: str
    shape_index: str | None
    size_bytes: int
    cumulative_bytes: int | None


class StackFrame(NamedTuple):
    """A node of the stack-trace tree, in printed order; `depth` 0 is the entry computation.

    `percent` is the share of `total_bytes` in the peak, as printed.
    """

    depth: int
    label: str
    total_bytes: int
    current_bytes: int
    remaining_bytes: int
    percent: str


@record
class PrintedPeak:
    """XLA's own peak: the moment that it chose, and the values that it lists as live at that moment."""

    moment: int
    rows: tuple[PeakRow, ...]
    text_offset: TextOffset = field(default=0, compare=False)

    @property
    def sum_bytes(self) -> int:
        return sum(row.size_bytes for row in self.rows)


@record
class StackTrace:
    """XLA's stack-trace breakdown: its total and its nodes."""

    total_bytes: int
    frames: tuple[StackFrame, ...]
    text_offset: TextOffset = field(default=0, compare=False)


class Unparsed(NamedTuple):
    """A line that does not match any known shape: where it deviates, what was expected there, and its text."""

    text_offset: TextOffset
    expected: str
    text: str
