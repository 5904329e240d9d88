"""Define the record of a dump: everything that its text says, before any computation or judgment."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import field
from functools import cached_property
from itertools import repeat

from reportgen.input.dump_text import DumpText, TextOffset
from reportgen.model.columns import LiveRanges, Schedule, UsedValues, Values
from reportgen.model.rows import (
    WHOLE,
    Allocation,
    PrintedPeak,
    StackTrace,
    Unparsed,
    UsedValue,
    users_in,
)
from reportgen.record import record


@record(slots=False)
class Dump:
    """Everything that a dump says. A section that the dump lacks, which is normal, is None or empty."""

    allocations: tuple[Allocation, ...] = ()
    values: Values = field(default_factory=Values)
    total_bytes: int | None = None
    total_text_offset: TextOffset = field(default=0, compare=False)
    used_values: UsedValues | None = None
    schedule_length: int | None = None
    schedule: Schedule = field(default_factory=Schedule)
    schedule_text_offset: TextOffset = field(default=0, compare=False)
    live_ranges: LiveRanges | None = None
    live_range_note: str | None = None
    printed_peak: PrintedPeak | None = None
    stack_trace: StackTrace | None = None
    unparsed: tuple[Unparsed, ...] = field(default=(), compare=False)
    unparsed_count: int = field(default=0, compare=False)
    text: DumpText = field(compare=False)

    @cached_property
    def has_addresses(self) -> bool:
        """Return whether allocations have addresses, which XLA printed until d35412bdbd (2022-09-07)."""
        return bool(self.allocations) and ": 0x" in self.text.line(self.allocations[0].text_offset)

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """Return the number of each value by its key; of values with one key, which only damage makes, the last."""
        return self._rows_of(self.values.keys)

    @cached_property
    def used_rows(self) -> list[int]:
        """Return the row of each value in `used_values`; -1 for a value without one."""
        rows = self._rows_of(self.used_values.keys if self.used_values else ())
        return list(map(rows.get, self.values.keys, repeat(-1)))

    def used(self, number: int) -> UsedValue | None:
        """Return the entry of a value in “Used values”."""
        row = self.used_rows[number]
        return None if self.used_values is None or row < 0 else self.used_values.row(row)

    @cached_property
    def made_by(self) -> Mapping[str, Sequence[int]]:
        """Return the numbers of the values that each instruction defines, by its name."""
        made: defaultdict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self.values.names):
            made[name].append(number)
        return dict(made)

    @cached_property
    def occupants(self) -> Sequence[Sequence[int]]:
        """Return the numbers of the values in each allocation."""
        occupants: list[list[int]] = [[] for _ in self.allocations]
        for number, allocation in enumerate(self.values.allocations):
            occupants[allocation].append(number)
        return occupants

    @cached_property
    def carried_at(self) -> Mapping[str, int]:
        """Return the number of each value with several positions, by each of them, spelled like a key.

        What is passed on, such as an element of a tuple, has no value of its own there. The last value wins.
        """
        used, number_of = self.used_values or UsedValues(), self.number_of
        several = ((key, text) for key, text in zip(used.keys, used.positions, strict=True) if text.count(b"\n") > 1)
        return {
            position if position.endswith("}") else position + WHOLE: number_of[key]
            for key, text in several
            if key in number_of
            for position in text.decode("utf-8", "replace").replace(" ", "").split()
        }

    @cached_property
    def carriers(self) -> Set[str]:
        """Return the instructions that make no value and carry one of another, as `get-tuple-element` does."""
        return {key.partition("{")[0] for key in self.carried_at} - self.made_by.keys()

    def number_at(self, position: str) -> int | None:
        """Return the number of the value that is defined at a position, or passed on there."""
        return self.number_of.get(position, self.carried_at.get(position))

    def users(self, number: int) -> Sequence[bytes]:
        """Return the names of the instructions that read a value, in UTF-8."""
        used, row = self.used_values, self.used_rows[number]
        return users_in(used.uses[row]) if used is not None and row >= 0 else ()

    @cached_property
    def range_rows(self) -> list[int]:
        """Return the row of each value in `live_ranges`; -1 for a value without one."""
        rows = self._rows_of(self.live_ranges.keys if self.live_ranges else ())
        return list(map(rows.get, self.values.keys, repeat(-1)))

    @cached_property
    def starts(self) -> list[int]:
        """Return the first moment of each value; -1 for a value without a live range."""
        starts = [*(self.live_ranges or LiveRanges()).starts, -1]  # row -1 is the last
        return [starts[row] for row in self.range_rows]

    @cached_property
    def ends(self) -> list[int]:
        """Return the last moment of each value, inclusive; -1 for a value without a live range."""
        ends = [*(self.live_ranges or LiveRanges()).ends, -1]  # row -1 is the last
        return [ends[row] for row in self.range_rows]

    @cached_property
    def first_used_row(self) -> Mapping[str, int]:
        """Map each defining instruction, in order, to its first row in `used_values`; all its rows print one text."""
        names = self.used_values.names if self.used_values else []
        first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
        return dict(zip(names, map(first.__getitem__, names), strict=True))

    def instruction_text(self, name: str, most_bytes: int | None = None) -> bytes | None:
        """Return the text of the instruction that defines the values `name{…}`, or its beginning; None if unknown."""
        used, row = self.used_values, self.first_used_row.get(name)
        if used is None or row is None:
            return None
        start, end = used.instruction_starts[row], used.instruction_ends[row]
        if start is None or end is None:
            return None
        return self.text.slice(start, end if most_bytes is None else min(end, start + most_bytes))

    @cached_property
    def moment_of(self) -> dict[str, int]:
        """Map each scheduled instruction to its moment."""
        return dict(zip(self.schedule.names, self.schedule.moments, strict=True))

    @cached_property
    def moment_of_user(self) -> dict[bytes, int]:
        """Map each scheduled instruction, by its name in UTF-8 as in `UsedValue.users`, to its moment."""
        return dict(zip(map(str.encode, self.schedule.names), self.schedule.moments, strict=True))

    @cached_property
    def name_at(self) -> dict[int, str]:
        """Map each moment to the name of the instruction that runs then."""
        return dict(zip(self.schedule.moments, self.schedule.names, strict=True))

    def _rows_of(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return the row of each key; of rows with one key, the last."""
        return dict(zip(keys, self._numbers, strict=False))

    @cached_property
    def _numbers(self) -> Sequence[int]:
        """Return the numbers of all rows, because indexes that share them take a third of the memory."""
        tables = (self.values, self.used_values or (), self.live_ranges or ())
        return list(range(max(map(len, tables))))
