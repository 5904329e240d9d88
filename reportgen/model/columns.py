"""Store the repeated lines of a dump as columns: one list per attribute, in the order of the text.

A large dump has a hundred thousand values. A record for each would take four times the memory and most of the time
of a check, so records are created only for rows that are requested. Code that visits every value reads the columns.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from operator import eq
from typing import TypeVar, overload

from reportgen.input.dump_text import TextOffset
from reportgen.model.rows import LiveRange, Scheduled, UsedValue, Value, ValueKey

Row = TypeVar("Row")


class Columns(Sequence[Row]):
    """A sequence of rows, stored as one list per attribute; all lists have the same length.

    A subclass is a dataclass whose fields are its columns; `row` returns one row as a record.
    """

    @abstractmethod
    def row(self, number: int) -> Row:
        """Return the record of row `number`."""

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            return tuple(map(self.row, range(len(self))[index]))
        return self.row(index if index >= 0 else range(len(self))[index])

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


@dataclass(slots=True, eq=False)
class Values(Columns[Value]):
    """The ` value:` lines; the number of a value is its row.

    A key is a name followed by an index, as in `fusion.1{0}`; `allocations` are positions in `Dump.allocations`.
    """

    ids: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    phis: list[bool] = field(default_factory=list)
    colors: list[int | None] = field(default_factory=list)
    allocations: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    text_offsets: list[TextOffset] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)

    def key(self, number: int) -> ValueKey:
        """Return the key of row `number` without the rest of it."""
        return _key(self.names[number], self.keys[number])

    def shape_index(self, number: int) -> str:
        """Return the shape index of row `number`, as in `{0}`."""
        return self.keys[number][len(self.names[number]) :]

    def row(self, number: int) -> Value:
        """Return one row as a record, for a reader that wants a few values and not whole columns."""
        return Value(
            id=self.ids[number],
            key=self.key(number),
            is_phi=self.phis[number],
            color=self.colors[number],
            allocation=self.allocations[number],
            size_bytes=self.sizes[number],
            offset_bytes=self.offsets[number],
            shape=self.shapes[number],
            text_offset=self.text_offsets[number],
        )


@dataclass(slots=True, eq=False)
class UsedValues(Columns[UsedValue]):
    """The entries of `Used values:`, with positions and uses as printed."""

    ids: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    phis: list[bool] = field(default_factory=list)
    colors: list[int | None] = field(default_factory=list)
    positions: list[bytes] = field(default_factory=list)
    uses: list[bytes] = field(default_factory=list)
    instruction_starts: list[TextOffset | None] = field(default_factory=list)
    instruction_ends: list[TextOffset | None] = field(default_factory=list)
    text_offsets: list[TextOffset] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)

    def row(self, number: int) -> UsedValue:
        """Return one row as a record, whose texts of positions and uses are parsed when they are asked for."""
        return UsedValue(
            id=self.ids[number],
            key=_key(self.names[number], self.keys[number]),
            is_phi=self.phis[number],
            color=self.colors[number],
            positions_text=self.positions[number],
            uses_text=self.uses[number],
            instruction_start=self.instruction_starts[number],
            instruction_end=self.instruction_ends[number],
            text_offset=self.text_offsets[number],
        )

    def append(self, row: UsedValue) -> None:
        """Add a record as the last row."""
        self.ids.append(row.id)
        self.keys.append(str(row.key))
        self.names.append(row.key.name)
        self.phis.append(row.is_phi)
        self.colors.append(row.color)
        self.positions.append(row.positions_text)
        self.uses.append(row.uses_text)
        self.instruction_starts.append(row.instruction_start)
        self.instruction_ends.append(row.instruction_end)
        self.text_offsets.append(row.text_offset)

    def pop(self) -> UsedValue:
        """Remove the last row and return it."""
        last = self[-1]
        for column in fields(self):
            getattr(self, column.name).pop()
        return last


@dataclass(slots=True, eq=False)
class LiveRanges(Columns[LiveRange]):
    """The `BufferLiveRange` rows; both moments are inclusive."""

    keys: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    text_offsets: list[TextOffset] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.keys)

    def row(self, number: int) -> LiveRange:
        name, brace, index = self.keys[number].partition("{")
        return LiveRange(
            key=ValueKey(name, brace + index),
            start=self.starts[number],
            end=self.ends[number],
            text_offset=self.text_offsets[number],
        )


@dataclass(slots=True, eq=False)
class Schedule(Columns[Scheduled]):
    """The `InstructionSequence` rows."""

    moments: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)

    def row(self, number: int) -> Scheduled:
        return Scheduled(self.moments[number], self.names[number])


def _key(name: str, key: str) -> ValueKey:
    return ValueKey(name, key[len(name) :])
