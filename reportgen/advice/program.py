"""Read from a dump what advice needs to know of the program: who reads a value, what computed it, what it is called.

Everything here is asked for few values of a large dump, so it is computed on demand. The exceptions are lists over
all values, which are made once.
"""

import re
from collections.abc import Sequence
from functools import cached_property

from reportgen.analyse.records import Analysis
from reportgen.model import WHOLE
from reportgen.parse.instructions import parse_instruction, unquoted
from reportgen.parse.shapes import plain_shape
from reportgen.program.scopes import Direction, direction

_OP_NAME = re.compile(rb'op_name=("(?:[^"\\]|\\.)*+")')
_MOST_STEPS = 100  # because the moves of a damaged dump may form a cycle

MOVES = frozenset(
    (
        "all-gather-done", "all-reduce-done", "async-done", "async-start", "async-update", "bitcast", "copy",
        "copy-done", "copy-start", "domain", "get-tuple-element", "optimization-barrier", "slice-done", "slice-start",
    )
)  # fmt: skip
"""Opcodes that hand on what another instruction computed."""

NAMES_ONLY = MOVES | {"tuple", "while", "call", "conditional", "parameter"}
"""Opcodes that compute nothing themselves."""


class Program:
    """What is known of the values of one dump, by their numbers, and of its instructions, by their names."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.dump = analysis.dump
        self.moments = max(analysis.moments, 1)
        self._op_names: dict[str, str] = {}
        self._roots: dict[int, int] = {}
        self._reads: dict[int, list[int]] = {}

    def _text(self, name: str) -> bytes:
        return self.dump.instruction_text(name) or b""

    def opcode(self, name: str) -> str:
        """Return the opcode of an instruction; empty where the dump does not say it."""
        definition = self.analysis.definitions.get(name)
        return definition.opcode if definition else ""

    def op_name(self, name: str) -> str:
        """Return the op_name of an instruction; empty where the dump does not say it."""
        op_name = self._op_names.get(name)
        if op_name is None:
            text = self._text(name)
            found = _OP_NAME.search(text, max(text.find(b"op_name="), 0))
            op_name = self._op_names[name] = unquoted(found[1].decode("utf-8", "replace")) if found else ""
        return op_name

    def is_table(self, number: int) -> bool:
        """Return whether a value is a tuple's table of pointers, no array."""
        return self.dump.values.shapes[number].startswith("(")

    @cached_property
    def directions(self) -> Sequence[Direction]:
        """Return whether the instruction in each row of the schedule belongs to the forward or to the backward pass."""
        return [direction(self.op_name(name)) for name in self.dump.schedule.names]

    @property
    def has_backward_pass(self) -> bool:
        return "backward" in self.directions and "forward" in self.directions

    def operands(self, name: str) -> tuple[int, ...]:
        """Return the values that an instruction reads, as far as its text names them."""
        text = self._text(name).decode("utf-8", "replace")
        numbers = (self.dump.number_at(operand + WHOLE) for operand in parse_instruction(text).operands)
        return tuple(number for number in numbers if number is not None)

    def root(self, number: int) -> int:
        """Return the value that was computed, behind the copies and slices that only moved it.

        Most temporaries in a TPU's HBM are evictions, `copy-start.7{0}`, whose own name says nothing.
        """
        found = self._roots.get(number)
        if found is None:
            found = self._roots[number] = self._root(number)
        return found

    def _root(self, number: int) -> int:
        for _ in range(_MOST_STEPS):
            name = self.dump.values.names[number]
            operands = self.operands(name) if self.opcode(name) in MOVES else ()
            if not operands or operands[0] == number:
                break
            number = operands[0]
        return number

    def origin(self, number: int) -> str:
        """Return the instruction that computed a value, behind what only moved it."""
        return self.dump.values.names[self.root(number)]

    def scope(self, number: int) -> str:
        """Return the op_name of the instruction that computed a value, or of the value's own where that has none."""
        return self.op_name(self.origin(number)) or self.op_name(self.dump.values.names[number])

    def reads(self, number: int) -> list[int]:
        """Return the moments of a value's live range at which it is read, in order."""
        found = self._reads.get(number)
        if found is None:
            moment_of, start = self.dump.moment_of_user, self.analysis.facts.starts[number]
            moments = {moment_of.get(user, -1) for user in self.dump.users(number)}
            found = self._reads[number] = sorted(moment for moment in moments if moment >= max(start, 0))
        return found

    def positions(self, number: int) -> list[str]:
        """Return where a value lies, as `name` or `name {index}`."""
        row, used = self.dump.used_rows[number], self.dump.used_values
        if used is None or row < 0:
            return []
        return [line.strip() for line in used.positions[row].decode("utf-8", "replace").splitlines()]

    def shape(self, number: int) -> str:
        """Return the shape of a value without its layout."""
        return plain_shape(self.dump.values.shapes[number])

    def dimensions(self, number: int) -> tuple[str, ...]:
        """Return the dimensions of a value, the smallest first, so that transposed arrays agree."""
        return tuple(sorted(self.shape(number).partition("[")[2].rstrip("]").split(","), key=lambda d: (len(d), d)))

    def instruction_at(self, moment: int) -> str:
        """Return the name of the instruction that runs at a moment; empty where the schedule has none."""
        return self.dump.name_at.get(moment, "")
