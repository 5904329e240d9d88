"""Tell which matrix products compute the same: those that are made of the same products and arguments.

What stands in between, as copies and elementwise operations, is passed over, because XLA gives it another form where a
checkpoint computes a product again. What a loop stacks, its backward pass takes slice by slice, so a slice is what was
stacked. What a loop makes of itself in each pass is known by what it begins with.
"""

from collections.abc import Collection, Sequence

from reportgen.program.opcodes import CALLERS, RENAMES
from reportgen.program.places import Place
from reportgen.program.program import Program
from reportgen.program.writers import COMBINED

_SAME = CALLERS | RENAMES | {"async-start", "parameter"}

_Sources = frozenset[int]


class EqualProducts:
    """What the products of a program compute, as numbers that are equal for equal products."""

    def __init__(self, program: Program, products: Collection[str]) -> None:
        self._program = program
        self._products = products
        self._numbers: dict[object, int] = {}
        self._sources: dict[Place, _Sources] = {}
        """The numbers of the products and arguments that each place is made of: a product of itself alone."""

    def number(self, name: str) -> int:
        """Return the number of what a product computes."""
        start = Place(name)
        path = {} if start in self._sources else {start: iter(self._before(start))}
        while path:
            place = next(reversed(path))
            source = next(path[place], None)
            if source is None:
                del path[place]
                self._sources[place] = self._made_of(place)
            elif source in path and source not in self._sources:
                begun = self._begin(list(path)[list(path).index(source) :])
                while begun in path:
                    path.popitem()
            elif source not in self._sources:
                path[source] = iter(self._before(source))
        return next(iter(self._sources[start]))

    def _numbered(self, made: object) -> _Sources:
        return frozenset((self._numbers.setdefault(made, len(self._numbers)),))

    def _made_of(self, place: Place) -> _Sources:
        before = self._before(place)
        found = frozenset[int]().union(*(self._sources[source] for source in before))
        if place.name in self._products:
            return self._numbered(found or place)
        is_argument = not before and self._program.opcode(place.name) == "parameter"
        return self._numbered(place) if is_argument else found

    def _begin(self, circle: Sequence[Place]) -> Place:
        """Note what a loop makes of itself by what it begins with, and return the place; only damage has no loop."""
        for place in circle:
            first, *others = self._before(place)
            if self._program.opcode(place.name) == "parameter" and others and first in self._sources:
                self._sources[place] = self._sources[first]
                return place
        self._sources[circle[0]] = self._numbered(circle[0])
        return circle[0]

    def _before(self, place: Place) -> Sequence[Place]:
        """Return the places that a place is computed from, without single numbers, as an index is one."""
        program, (name, leaf) = self._program, place
        instruction = program.instruction(name)
        if instruction is None:
            return ()
        opcode, operands = instruction.opcode, instruction.operands
        if opcode == "fusion" and name not in self._products:
            return [Place(root, leaf) for root in program.roots(name)]
        same = program.storage.same(place) if opcode in _SAME or opcode.endswith("-done") else ()
        if same or opcode == "parameter":
            return same
        if opcode == "dynamic-update-slice":
            operands = operands[1:2]
        elif leaf and leaf[-1] < len(operands) and opcode.removesuffix("-start") in COMBINED:
            operands = operands[leaf[-1] : leaf[-1] + 1]
        return [Place(operand) for operand in operands if not self._is_number(operand)]

    def _is_number(self, name: str) -> bool:
        instruction = self._program.instruction(name)
        return instruction is not None and "[]" in instruction.shape and not instruction.shape.startswith("(")
