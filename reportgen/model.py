"""Records of what a dump SAYS: nothing computed, nothing judged.

Sizes and offsets are bytes as printed. Moments are indexes into the flattened schedule. A `place` is an
address in the dump's text (see `source`). An index such as `{0}` or `{1,0}` selects a leaf of a tuple;
`{}` is the value itself, printed or not (XLA leaves it out where the shape is not a tuple). XLA calls it a
ShapeIndex.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar, dataclass_transform

from reportgen.source import DumpText, Place

WHOLE = "{}"

_Record = TypeVar("_Record")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def record(cls: type[_Record]) -> type[_Record]:
    """A dataclass that only the type checker keeps from being changed.

    For what a dump has one of for every value: making a frozen one takes three times as long.
    """
    return dataclass(slots=True, kw_only=True)(cls)


class ValueKey(NamedTuple):
    """What identifies a value within a dump: the defining instruction's name and the tuple index."""

    name: str
    shape_index: str

    def __str__(self) -> str:
        return self.name + self.shape_index


class Position(NamedTuple):
    """A place in the program where a value lives: an instruction, and the leaf of its result."""

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
    place: Place = field(default=0, compare=False)


@record
class Value:
    """A ` value:` line: a value and the slice of an allocation that it is given.

    `size_bytes` and `offset_bytes` describe the slice; aliased values share one slice, as large as the
    largest of them. `allocation` is a position in `Dump.allocations` (the printed index, unless the dump is
    damaged). `shape` is the shape with its layout, as printed.
    """

    id: int
    key: ValueKey
    is_phi: bool = False
    color: int | None
    allocation: int
    size_bytes: int
    offset_bytes: int
    shape: str
    place: Place = field(default=0, compare=False)

    @property
    def end_bytes(self) -> int:
        return self.offset_bytes + self.size_bytes


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


_POSITION = re.compile(r"  ([^\s,{}]+)(?: (\{[\d,]*\}))?\n?", re.ASCII)
_USER = re.compile(rb"  ([^\s,{}]+), operand ")
_USE = re.compile(r"  ([^\s,{}]+), operand (\d+)(?: (\{[\d,]*\}))?\n?", re.ASCII)


# Several parts of a page ask for the same ones.
@lru_cache(maxsize=16)
def _positions(text: bytes) -> tuple[Position, ...]:
    return tuple(Position(name, index or WHOLE) for name, index in _POSITION.findall(_text(text)))


@lru_cache(maxsize=16)
def _uses(text: bytes) -> tuple[Use, ...]:
    if text.find(b"\n") == len(text) - 1 and text:  # most values have one
        name, _, operand = _text(text).strip().partition(", operand ")
        number, _, index = operand.partition(" ")
        return (Use(name, int(number), index or WHOLE),)
    return tuple(Use(name, int(operand), index or WHOLE) for name, operand, index in _USE.findall(_text(text)))


@record
class UsedValue:
    """An entry of `Used values:`: where a value is, who reads it, and the instruction that defines it.

    Positions and uses are kept as printed and split on demand. `instruction_place` is where the
    instruction's text starts, `instruction_end` where it ends; both None in dialects without it.
    """

    id: int
    key: ValueKey
    is_phi: bool = False
    color: int | None
    positions_text: bytes = b""
    uses_text: bytes = b""
    instruction_place: Place | None = field(default=None, compare=False)
    instruction_end: Place | None = field(default=None, compare=False)
    place: Place = field(default=0, compare=False)

    @property
    def positions(self) -> tuple[Position, ...]:
        return _positions(self.positions_text)

    @property
    def is_only_where_defined(self) -> bool:
        """Whether the only position is that of the instruction that defines the value, as it is of most."""
        name, index = self.key
        return self.positions_text == (f"  {name}\n" if index == WHOLE else f"  {name} {index}\n").encode()

    @property
    def users(self) -> list[bytes]:
        """The names of `uses` in UTF-8: what is needed of every value, most of which have one use."""
        text = self.uses_text
        name_end = text.find(b",")
        if text.find(b"\n", name_end) == len(text) - 1 and name_end > 0:
            return [text[2:name_end]]
        return _USER.findall(text)

    @property
    def uses(self) -> tuple[Use, ...]:
        return _uses(self.uses_text)


@record
class LiveRange:
    """A `BufferLiveRange` row: the moments `start` to `end`, both inclusive."""

    key: ValueKey
    start: int
    end: int
    place: Place = field(default=0, compare=False)


class Scheduled(NamedTuple):
    """An `InstructionSequence` row: the moment, and the instruction that runs then."""

    moment: int
    name: str


class PeakRow(NamedTuple):
    """A row of `Live ranges at T (peak)`. Builds before 2025-04-14 print no index (None)."""

    name: str
    shape_index: str | None
    size_bytes: int
    cumulative_bytes: int | None


class StackFrame(NamedTuple):
    """A node of the stack-trace tree, in printed order; `depth` 0 is the entry computation."""

    depth: int
    label: str
    total_bytes: int
    current_bytes: int
    remaining_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedPeak:
    """XLA's own peak: the moment it chose and the rows it printed there."""

    moment: int
    rows: tuple[PeakRow, ...]
    place: Place = field(default=0, compare=False)

    @property
    def sum_bytes(self) -> int:
        return sum(row.size_bytes for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackTrace:
    """XLA's stack-trace breakdown: its headline and its nodes."""

    total_bytes: int
    frames: tuple[StackFrame, ...]
    place: Place = field(default=0, compare=False)


class Unparsed(NamedTuple):
    """A line that no known line shape matches: where it went wrong, what was expected there, its text."""

    place: Place
    expected: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Dump:
    """Everything a dump says. Sections that are missing are None or empty, which is normal."""

    allocations: tuple[Allocation, ...] = ()
    values: tuple[Value, ...] = ()
    total_bytes: int | None = None
    total_place: Place = field(default=0, compare=False)
    used_values: tuple[UsedValue, ...] | None = None
    schedule_length: int | None = None
    schedule: tuple[Scheduled, ...] = ()
    schedule_place: Place = field(default=0, compare=False)
    live_ranges: tuple[LiveRange, ...] | None = None
    live_range_note: str | None = None
    printed_peak: PrintedPeak | None = None
    stack_trace: StackTrace | None = None
    unparsed: tuple[Unparsed, ...] = field(default=(), compare=False)
    unparsed_count: int = field(default=0, compare=False)
    text: DumpText = field(compare=False)

    @cached_property
    def value_by_key(self) -> dict[ValueKey, Value]:
        return {value.key: value for value in self.values}

    @cached_property
    def first_used_by_name(self) -> dict[str, UsedValue]:
        """For each defining instruction the first entry that prints it; all print the same text."""
        first: dict[str, UsedValue] = {}
        for used in self.used_values or ():
            first.setdefault(used.key.name, used)
        return first

    def instruction_text(self, name: str, most_bytes: int | None = None) -> bytes | None:
        """The text of the instruction that defines values `name{…}`, or its beginning; None where there is no text."""
        used = self.first_used_by_name.get(name)
        if used is None or used.instruction_place is None or used.instruction_end is None:
            return None
        start, end = used.instruction_place, used.instruction_end
        return self.text.slice(start, end if most_bytes is None else min(end, start + most_bytes))

    def instruction_contains(self, name: str, needle: bytes) -> bool | None:
        """Whether that text has `needle` in it; None where there is no text."""
        used = self.first_used_by_name.get(name)
        if used is None or used.instruction_place is None or used.instruction_end is None:
            return None
        return self.text.contains_within(used.instruction_place, used.instruction_end, needle)

    @cached_property
    def used_by_key(self) -> dict[ValueKey, UsedValue]:
        return {used.key: used for used in self.used_values or ()}

    @cached_property
    def range_by_key(self) -> dict[ValueKey, LiveRange]:
        return {live.key: live for live in self.live_ranges or ()}

    @cached_property
    def moment_of(self) -> dict[str, int]:
        """Schedule position of each instruction name."""
        return {name: moment for moment, name in self.schedule}

    @cached_property
    def moment_of_user(self) -> dict[bytes, int]:
        """The same by the names that `UsedValue.users` has."""
        return {name.encode(): moment for moment, name in self.schedule}

    @cached_property
    def name_at(self) -> dict[int, str]:
        """The instruction that runs at each moment."""
        return dict(self.schedule)
