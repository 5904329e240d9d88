"""One side of a comparison as a graph: what each value is, which instruction defines it, and who reads it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache, partial
from math import prod
from typing import NamedTuple

from reportgen.analyse.records import Measured
from reportgen.model import Dump
from reportgen.parse.shape_parser import plain_shape, tuple_arity
from reportgen.record import record

_SUFFIX = re.compile(r"\d+|clone|remat\d*")
_NUMBER = re.compile(r"\d{1,18}")  # a damaged text may have more digits than Python reads as one number
_MAIN = re.compile(r"^(jit\([^()]*\)/)jit\(main\)/")
_PARAMETERS = re.compile(r"\[[^\[\]/=]*=[^\[\]]*\]")

Slot = bytes
"""Which operand of the reader, and which leaf of it, as the dump prints them: `1` or `0 {2}`."""


@record(kw_only=False)
class Operation:
    """What an instruction itself states, by which it is recognised in another build; empty where it states nothing."""

    opcode: str = ""
    op_name: str = ""
    source: str = ""


class Labels(NamedTuple):
    """What a report says about the author of a value's buffer; empty where it says nothing.

    `name` is what pages call it, which is never empty, and `scope` the name that the user's program gives. `part` is
    the scope, function or operation of the program, as a reader of its source would call it.
    """

    name: str
    part: str
    scope: str
    line: str
    argument: str


@record(slots=False, kw_only=False)
class Graph:
    """Values are numbers as in `Dump.values`; instructions are numbered in the order in which they are met.

    `leaves` has the values of each instruction, `operands` what it reads and where, and `uses` the readers of each
    value with the slot that reads it. An instruction that defines no value, such as a bitcast, has no leaves. `labels`
    returns those of a value.
    """

    analysis: Measured
    instructions: Sequence[str]
    instruction: Sequence[int]
    operations: Sequence[Operation]
    leaves: Sequence[Sequence[int]]
    operands: Sequence[Sequence[tuple[int, Slot]]]
    uses: Sequence[Sequence[tuple[int, Slot]]]
    labels: Callable[[int], Labels] = field(repr=False, compare=False)

    def operation(self, value: int) -> Operation:
        """Return the operation of the instruction that defines a value."""
        return self.operations[self.instruction[value]]

    @property
    def size(self) -> int:
        """Return the number of values."""
        return len(self.instruction)

    @cached_property
    def indexes(self) -> Sequence[str]:
        """Return the tuple index of each value."""
        values = self.analysis.dump.values
        return [key[len(name) :] for name, key in zip(values.names, values.keys, strict=True)]

    @cached_property
    def moments(self) -> Sequence[int]:
        """Return when each instruction runs; -1 for one that is not scheduled."""
        moment_of = self.analysis.dump.moment_of
        return [moment_of.get(name, -1) for name in self.instructions]

    @cached_property
    def at_slot(self) -> Sequence[Mapping[Slot, Sequence[int]]]:
        """Return, for each instruction, the values that it reads at each slot."""
        slots: list[dict[Slot, list[int]]] = []
        for operands in self.operands:
            by_slot: dict[Slot, list[int]] = {}
            for value, slot in operands:
                by_slot.setdefault(slot, []).append(value)
            slots.append(by_slot)
        return slots

    def moment(self, value: int) -> int:
        """Return when a value's instruction runs; -1 if the schedule does not list it."""
        return self.moments[self.instruction[value]]


def graph_of(analysis: Measured) -> Graph:
    """Return the read graph of a module."""
    dump = analysis.dump
    numbers: dict[str, int] = {}
    instruction = [numbers.setdefault(name, len(numbers)) for name in dump.values.names]
    program = analysis.program
    operations = [
        Operation(program.opcode(name), plain_op_name(program.op_name(name)), program.stated_source(name))
        for name in numbers
    ]
    leaves: list[list[int]] = [[] for _ in numbers]
    for value, defining in enumerate(instruction):
        leaves[defining].append(value)
    uses = _uses(dump, numbers)
    # Readers that define no value were numbered after all others.
    leaves.extend([] for _ in range(len(numbers) - len(leaves)))
    operands: list[list[tuple[int, Slot]]] = [[] for _ in numbers]
    for value, readers in enumerate(uses):
        for reader, slot in readers:
            operands[reader].append((value, slot))
    return Graph(analysis, tuple(numbers), instruction, operations, leaves, operands, uses, partial(_labels, analysis))


def _labels(analysis: Measured, value: int) -> Labels:
    author = analysis.authors.of(value)
    # What follows it is the line, which is a label of its own, or the pass of a gradient.
    part = author.place.partition(", ")[0]
    return Labels(author.name, part, author.scope_name, author.source, author.argument)


def _uses(dump: Dump, numbers: dict[str, int]) -> list[list[tuple[int, Slot]]]:
    """Return the readers of each value, and number those that define no value themselves."""
    by_bytes = {name.encode(): number for name, number in numbers.items()}
    texts = dump.used_values.uses if dump.used_values else []
    uses: list[list[tuple[int, Slot]]] = []
    for row in dump.used_rows:
        readers: list[tuple[int, Slot]] = []
        for line in texts[row].splitlines() if row >= 0 else ():
            name, _, slot = line[2:].partition(b", operand ")
            reader = by_bytes.get(name)
            if reader is None:
                reader = by_bytes[name] = numbers.setdefault(name.decode("utf-8", "replace"), len(numbers))
            readers.append((reader, slot))
        uses.append(readers)
    return uses


@lru_cache(maxsize=65536)
def plain_op_name(op_name: str) -> str:
    """Return an op_name as every version of JAX would spell it.

    Versions before 0.7 add `jit(main)/`; older ones print parameters, `dot_general[dimension_numbers=…]`.
    """
    plain = _MAIN.sub(r"\1", op_name)
    return _PARAMETERS.sub("", plain) if "=" in plain else plain


@lru_cache(maxsize=65536)
def base_name(name: str) -> str:
    """Return an instruction's name without what the compiler adds to make it unique: `fusion.12.clone` → `fusion`."""
    parts = name.split(".")
    while len(parts) > 1 and _SUFFIX.fullmatch(parts[-1]):
        parts.pop()
    return ".".join(parts)


@lru_cache(maxsize=8192)
def shape_parts(shape: str) -> tuple[str, str, int, str]:
    """Return (shape without layout, element type, rank, dimensions) of a printed shape."""
    plain = plain_shape(shape)
    arity = tuple_arity(shape)
    if arity is not None:
        return plain, "tuple", -1, str(arity)
    element, _, dimensions = plain.partition("[")
    dimensions = dimensions.rstrip("]")
    return plain, element, dimensions.count(",") + 1 if dimensions else 0, dimensions


def elements(dimensions: str) -> int:
    """Return how many elements an array of these dimensions has at most."""
    return prod(map(int, _NUMBER.findall(dimensions)))
