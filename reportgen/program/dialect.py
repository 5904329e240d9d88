"""Tell which forms of the texts of instructions are not known, because a newer XLA has written them.

An unreadable instruction says nothing about a dump. So it is counted, once for each form, and whatever would follow
from it is left out.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import cached_property

from reportgen.program.instructions import Instructions
from reportgen.program.opcodes import is_known

_OPERAND = re.compile(r"([^\w.\-]*)[\w.\-]+(.*)", re.DOTALL)
_DIGITS = re.compile(r"\d+")
_LONGEST_FORM = 40


class Dialect:
    """The forms of one program that are not known, each with the number of times that it occurs."""

    def __init__(self, program: Instructions) -> None:
        self._program, self._module = program, program.module

    @cached_property
    def opcodes(self) -> Mapping[str, int]:
        """Return the opcodes that are not XLA's."""
        counts = Counter(self._opcodes.values())
        return {opcode: count for opcode, count in counts.items() if not is_known(opcode)}

    @cached_property
    def operands(self) -> Mapping[str, int]:
        """Return the forms of operands that name no instruction: `%x@i` for `%fusion.3@1`."""
        return Counter(self._form(operand) for operands in self._unread.values() for operand in operands)

    @cached_property
    def fields(self) -> Mapping[str, int]:
        """Return the fields of the metadata that are not known."""
        return Counter(name for stated in self._program.stated.values() for name in stated.unread)

    @cached_property
    def unread(self) -> Set[str]:
        """Return the instructions of which the opcode or an operand is not known."""
        if not self.opcodes and not self.operands:
            return frozenset()
        return {*self._unread, *(name for name, opcode in self._opcodes.items() if opcode in self.opcodes)}

    @cached_property
    def _opcodes(self) -> Mapping[str, str]:
        of_dump = {name: definition.opcode for name, definition in self._program.printed_definitions.items()}
        return {**of_dump, **self._module.opcode_of} if self._module else of_dump

    @cached_property
    def _unread(self) -> Mapping[str, Sequence[str]]:
        """Return the operands of which the form is not known, by the name of the instruction."""
        if self._module:
            return self._module.unread_operands
        definitions = self._program.printed_definitions.items()
        return {name: (definition.unread,) for name, definition in definitions if definition.unread}

    def _form(self, operand: str) -> str:
        """Return an operand with `x` for the name of an instruction and `i` for each number that follows."""
        match = _OPERAND.fullmatch(operand)
        if match is None:
            return operand[:_LONGEST_FORM]
        before, after = match.groups()
        return f"{before}x{_DIGITS.sub('i', after)}"[:_LONGEST_FORM]
