"""Choose the author of each buffer: one answer, whichever of its values is asked about.

1. The place comes first: an argument is its own author, and a result in an argument's memory is named after both.
2. Of several writers the author is one that does not only fill in zeros, then one with a name, then one that can have
   run by the peak, then one in a loop, then the last.
3. Where no writer has a name, the first reader says what the bytes are for.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from reportgen.program.author import Author
from reportgen.program.opcodes import WRITES_NOTHING
from reportgen.program.program import Program
from reportgen.program.readers import Readers
from reportgen.program.writers import Writer


class _Choice(NamedTuple):
    """The author of a buffer, and the value of it that led to the author."""

    author: Author
    number: int


class Authors:
    """The authors of the buffers of a program; `peaks` are the moments of the peaks of its memory spaces, by color."""

    def __init__(self, program: Program, peaks: Mapping[int, int]) -> None:
        self._program, self._dump, self._peaks = program, program.dump, peaks
        self._writers = program.writers
        self._readers = Readers(self._writers)
        self._chosen: dict[int, _Choice] = {}
        self._of: dict[int, Author] = {}

    def of(self, number: int) -> Author:
        """Return the author of the buffer that a value is part of, with the way from the value to it."""
        if number not in self._of:
            self._of[number] = self._seen_from(number, self._choice(number))
        return self._of[number]

    def _seen_from(self, number: int, choice: _Choice) -> Author:
        author = choice.author
        if choice.number == number or author.rule in ("argument", "new value", "read", "not known"):
            return author
        return replace(author, rule="in place", path=(self._dump.values.names[choice.number], *author.path))

    def _choice(self, number: int) -> _Choice:
        members = self._program.buffers.members(number)
        if members[0] not in self._chosen:
            self._chosen[members[0]] = self._find(members)
        return self._chosen[members[0]]

    def _find(self, members: Sequence[int]) -> _Choice:
        """Return the author of a buffer: the argument itself, else the writer, else the first reader with a name."""
        argument = self._program.arguments.get(self._dump.values.allocations[members[0]])
        own = argument if argument in members else None
        choice = self._written(members) if own is None else self._of_value(own)
        if not self._says_enough(choice):
            choice = self._read(members, choice) or choice
        elif own is not None:
            choice = self._with_reader(choice)
        # XLA lends the memory of a donated argument to other data, too, so only a result is the argument's new value.
        if argument is None or own is not None or self._results.isdisjoint(members):
            return choice
        name = self._program.argument_name(argument)
        return choice._replace(author=replace(choice.author, argument=name, rule="new value"))

    def _of_value(self, number: int) -> _Choice:
        """Return the writer of a single value."""
        return _Choice(self._writer(number).author, number)

    def _says_enough(self, choice: _Choice) -> bool:
        """Return whether readers would add nothing: to a name, to the result of a loop, or to bytes without data."""
        author = choice.author
        return author.is_named or author.is_of_loop or self._writers.is_signal(self._program.place(choice.number))

    def _with_reader(self, argument: _Choice) -> _Choice:
        """Return an argument as its own author, with its first reader."""
        reader = self._readers.first(argument.number, argument.author.argument)
        return argument._replace(author=replace(argument.author, reader=reader[1])) if reader else argument

    @cached_property
    def _results(self) -> Set[int]:
        return frozenset(self._program.results.values())

    def _writer(self, number: int) -> Writer:
        return self._writers.of(self._program.place(number))

    def _written(self, members: Sequence[int]) -> _Choice:
        """Return the best of the writers; values that a loop or call only carries are left out where others write."""
        names = self._dump.values.names
        writing = [member for member in members if self._program.opcode(names[member]) not in WRITES_NOTHING] or members
        if len(writing) == 1:
            return self._of_value(writing[0])
        candidates = [(self._writer(member), member) for member in writing]
        writer, number = min(candidates, key=lambda pair: self._rank(pair[0], pair[1], members))
        return _Choice(writer.author, number)

    def _rank(self, writer: Writer, number: int, members: Sequence[int]) -> tuple[bool, bool, bool, bool, int]:
        name = self._dump.values.names[number]
        in_loop = self._is_in_loop(name, members)
        return (
            writer.is_zero,
            not writer.author.is_named,
            not self._can_have_run(number),
            not in_loop,
            -self._dump.starts[number],
        )

    def _can_have_run(self, number: int) -> bool:
        """Return whether the instruction of a value can have run by the peak of its memory space.

        One in a loop that runs at the peak can, in an earlier step, and one in another branch cannot.
        """
        values = self._dump.values
        color = self._dump.allocations[values.allocations[number]].color
        peak, name = self._peaks.get(color), values.names[number]
        at_peak = None if peak is None else self._dump.name_at.get(peak)
        if peak is None or at_peak is None:
            return True
        if self._program.exclude_each_other(name, at_peak):
            return False
        return self._dump.starts[number] <= peak or not set(self._program.loops_around(name)).isdisjoint(
            self._program.loops_around(at_peak)
        )

    def _is_in_loop(self, name: str, members: Sequence[int]) -> bool:
        """Return whether an instruction is in a loop; without HLO text, whether in one that carries the buffer."""
        if self._program.module:
            return bool(self._program.loops_around(name))
        op_name, names = self._program.op_name(name), {self._dump.values.names[member] for member in members}
        loops = (self._program.op_name(carrier) for carrier in names if self._program.opcode(carrier) == "while")
        return any(loop and op_name.startswith(f"{loop}/") for loop in loops)

    def _read(self, members: Sequence[int], written: _Choice) -> _Choice | None:
        """Return the first reader with a name, for a buffer whose writer has none; None where no reader has one."""
        for number in members:
            if reader := self._readers.first(number):
                name, author = reader
                own = written.author if written.number == number else self._writer(number).author
                return _Choice(
                    Author(
                        operation=own.operation,
                        opcode=author.opcode,
                        scope=author.scope or author.argument,
                        argument=own.argument,
                        stack=author.stack,
                        rule="read",
                        path=(name, *author.path),
                    ),
                    number,
                )
        return None
