"""Tell which places of a program must have the same bytes, whatever the allocator does.

XLA calls values that must share bytes a buffer (`HloBuffer`). What shares by chance, as an instruction that writes over
an operand that nobody reads any more, is no such case. The rules are those of `HloAliasAnalysis` and
`HloDataflowAnalysis` in XLA, read leaf by leaf:

* a loop's operand, result, body parameter and body root are one place, and so are those of calls and branches;
* tuples, their elements, bitcasts and barriers name a place anew;
* an update writes into its first operand, also as the last step of a fusion;
* the end of an asynchronous operation returns what its start has made;
* `output_to_operand_aliasing` says the rest.
"""

import re
from collections.abc import Iterator, Sequence

from reportgen.parse.instruction_parser import Instruction
from reportgen.patterns import repeated
from reportgen.program.computations import Computations
from reportgen.program.opcodes import CALLERS, RENAMES, UPDATES
from reportgen.program.places import ASYNC_OPERANDS, ASYNC_RESULT, Leaf, Place, leaf_of

_INDEX = re.compile(r", index=(\d+)")
_ALIASES = re.compile(r", output_to_operand_aliasing=\{(" + repeated(r"[^{}]++|\{[^{}]*\}") + r")\}")
_ALIAS = re.compile(r"(\{[\d, ]*\}): \((\d+), (\{[\d, ]*\})")
_MOST_STEPS = 100  # because a damaged text may form a cycle


class Storage:
    """The places that share their bytes with a place, one step back towards where the bytes come from."""

    def __init__(self, computations: Computations) -> None:
        self._program = computations

    def same(self, place: Place) -> Sequence[Place]:
        """Return the places that a place has its bytes from; none where its instruction makes new bytes."""
        instruction = self._program.instruction(place.name)
        if instruction is None:
            return ()
        return tuple(self._same(instruction, place.leaf))

    def _same(self, instruction: Instruction, leaf: Leaf) -> Iterator[Place]:
        """Yield the places that a leaf of an instruction's result has its bytes from, by the opcode's rule."""
        opcode, operands = instruction.opcode, instruction.operands
        if opcode == "parameter":
            yield from self._program.outside(Place(instruction.name, leaf))
        elif opcode in CALLERS or self._program.is_wrapper(instruction.name):
            if opcode == "while" and operands:
                yield Place(operands[0], leaf)
            yield from (Place(root, leaf) for root in self._program.roots(instruction.name))
        elif opcode in RENAMES or opcode in UPDATES:
            yield from self.renamed(instruction, leaf)
        elif opcode.endswith("-start"):
            yield from self._started(instruction, leaf)
        elif opcode.endswith("-done"):
            yield from self._finished(instruction, leaf)
        elif opcode == "fusion" and (updated := self._updated_in_fusion(instruction, leaf, iter(range(_MOST_STEPS)))):
            yield updated
        else:
            yield from self._stated(instruction, leaf)

    def renamed(self, instruction: Instruction, leaf: Leaf) -> Iterator[Place]:
        """Yield the place that a tuple, an element, a bitcast or an update renames."""
        operands = instruction.operands
        match instruction.opcode:
            case "get-tuple-element":
                if operands and (index := _INDEX.search(self._program.text(instruction.name))):
                    yield Place(operands[0], (int(index[1]), *leaf))
            case "tuple":
                if leaf and leaf[0] < len(operands):
                    yield Place(operands[leaf[0]], leaf[1:])
            case "scatter":
                # One that updates several arrays has first all arrays, then the indices, then all updates.
                place = leaf[0] if leaf else 0
                if place < len(operands):
                    yield Place(operands[place])
            case opcode if opcode.endswith("-update") and leaf[:1] == (ASYNC_OPERANDS,) and len(operands) > 1:
                # An operation that starts without operands gets them here, after what the start makes.
                if len(leaf) > 1 and leaf[1] + 1 < len(operands):
                    yield Place(operands[leaf[1] + 1], leaf[2:])
            case _:
                if operands:
                    yield Place(operands[0], leaf)

    def _finished(self, done: Instruction, leaf: Leaf) -> Iterator[Place]:
        """Yield the part of the start's result that the end of an asynchronous operation returns."""
        if not done.operands or done.opcode == "send-done":
            return
        match done.opcode:
            case "copy-done":
                leaf = (0, *leaf)
            case "all-reduce-done" | "recv-done":
                # The start of an all-reduce makes what the end returns, and both of a receive begin with the data.
                pass
            case _:
                leaf = (ASYNC_RESULT, *leaf)
        yield Place(done.operands[0], leaf)

    def _started(self, start: Instruction, leaf: Leaf) -> Iterator[Place]:
        """Yield the source of a part of an asynchronous start's result: an operand, or the root of what it runs."""
        if start.opcode == "copy-start":  # which makes the copy, the operand and a context
            operands, rest = (start.operands[:1], leaf[1:]) if leaf[:1] == (1,) else ((), leaf)
        elif start.opcode == "all-reduce-start" or leaf[:1] != (0,):
            operands, rest = (), leaf
        elif start.shape.startswith("(("):  # a tuple of the operands comes first
            operands, rest = start.operands[leaf[1] : leaf[1] + 1] if len(leaf) > 1 else (), leaf[2:]
        else:
            operands, rest = start.operands[:1], leaf[1:]
        if operands:
            yield Place(operands[0], rest)
        elif start.opcode == "async-start" and leaf[:1] == (ASYNC_RESULT,):
            yield from (Place(root, leaf[1:]) for root in self._program.roots(start.name))

    def _stated(self, instruction: Instruction, leaf: Leaf) -> Iterator[Place]:
        """Yield the operand that the text of an instruction says it writes into."""
        match = _ALIASES.search(self._program.text(instruction.name))
        for output, operand, index in _ALIAS.findall(match[1]) if match else ():
            if leaf_of(output) == leaf and int(operand) < len(instruction.operands):
                yield Place(instruction.operands[int(operand)], leaf_of(index))

    def _updated_in_fusion(self, fusion: Instruction, leaf: Leaf, steps: Iterator[int]) -> Place | None:
        """Return the operand that a fusion updates in place; None where it makes new bytes.

        It updates if there are only updates and renames from the root of the fusion back to the operand. Without an
        update the fusion would copy the operand. `steps` limits the search, also in fusions inside.
        """
        root = next(iter(self._program.roots(fusion.name)), None)
        place = Place(root, leaf) if root else None
        has_update = False
        for _ in steps:
            instruction = self._program.instruction(place.name) if place else None
            if place is None or instruction is None:
                return None
            if instruction.opcode == "parameter":
                operand = self._program.operand_of_caller(place.name)
                return Place(operand, place.leaf) if operand and has_update else None
            if instruction.opcode == "fusion":
                place, has_update = self._updated_in_fusion(instruction, place.leaf, steps), True
            elif instruction.opcode in UPDATES or instruction.opcode in RENAMES:
                has_update |= instruction.opcode in UPDATES
                place = next(self.renamed(instruction, place.leaf), None)
            else:
                return None
        return None
