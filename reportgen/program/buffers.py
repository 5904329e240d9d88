"""Group the values of a dump into buffers: those that must share bytes, whatever the allocator does.

A loop's state, an array that is updated in place and the cache of a decoder are each one array to a reader, and many
values to XLA. `Storage` says which places are one. A value belongs to a buffer only together with values of the same
slice, so a wrong link cannot join bytes that lie apart.

Without HLO text two rules on the dump's own text say nearly the same: the values that a loop or a called computation
carries continue those before them in the slice, and an update continues the operand that it reads.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from reportgen.program.computations import Computations
from reportgen.program.opcodes import CALLERS, UPDATES
from reportgen.program.places import Place
from reportgen.program.storage import Storage

_MOST_STEPS = 100  # because the places of a damaged dump may form a cycle

_NEW_BYTES = frozenset(
    (
        "add", "all-reduce", "broadcast", "compare", "concatenate", "constant", "convert", "convolution", "copy",
        "divide", "dot", "dynamic-slice", "exponential", "gather", "iota", "maximum", "multiply", "reduce",
        "reduce-scatter", "reduce-window", "reshape", "rng-bit-generator", "select", "slice", "sort", "subtract",
        "transpose",
    )
)  # fmt: skip
"""Opcodes whose results always have bytes of their own, so that no shared place is looked up."""

_CARRIES = CALLERS | {"parameter"}


class Buffers:
    """The buffers of one dump."""

    def __init__(self, program: Computations, storage: Storage) -> None:
        self._program, self._storage, self._dump = program, storage, program.dump
        self._up = list(range(len(self._dump.values)))
        self._members: dict[int, tuple[int, ...]] = {}
        for tenants in self._slices():
            together = set(tenants)
            for number in self._candidates(tenants):
                self._link(number, together)
        self._collect()

    def members(self, number: int) -> tuple[int, ...]:
        """Return the values of the buffer that a value is part of, in the order of time; itself if it is alone."""
        return self._members.get(number, (number,))

    def one_of_each(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Return the first of some values from each buffer, so that a count of them is a count of buffers."""
        firsts: dict[int, int] = {}
        for number in numbers:
            firsts.setdefault(self.members(number)[0], number)
        return tuple(firsts.values())

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Yield the buffers of several values."""
        return (members for first, members in self._members.items() if members[0] == first)

    def _slices(self) -> Iterator[Sequence[int]]:
        """Yield the values of each slice that several values have."""
        slices: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        values = self._dump.values
        for number, place in enumerate(zip(values.allocations, values.offsets, values.sizes, strict=True)):
            if place[2]:
                slices[place].append(number)
        return (tenants for tenants in slices.values() if len(tenants) > 1)

    def _candidates(self, tenants: Sequence[int]) -> Iterator[int]:
        """Yield the values of a slice that may continue others: they begin by their end, or are carried."""
        starts, ends, names = self._dump.starts, self._dump.ends, self._dump.values.names
        reach = -1
        for number in sorted(tenants, key=lambda tenant: (starts[tenant], ends[tenant], tenant)):
            opcode = self._program.opcode(names[number])
            continues = starts[number] <= reach or starts[number] < 0
            if (continues or opcode in _CARRIES) and opcode not in _NEW_BYTES:
                yield number
            reach = max(reach, ends[number])

    def _link(self, number: int, tenants: Set[int]) -> None:
        """Join a value with those in its slice that must have the same bytes."""
        for value in map(self.value_at, self._storage.same(self._program.place(number))):
            if value is not None and value in tenants:
                self._join(number, value)
        if self._program.module is None:
            for tenant in self._continued(number, tenants):
                self._join(number, tenant)

    def value_at(self, place: Place) -> int | None:
        """Return the value at a place, or at the place that it is another name for."""
        for _ in range(_MOST_STEPS):
            number = self._dump.number_at(place.key)
            if number is not None:
                return number
            if not (same := self._storage.same(place)):
                return None
            place = same[0]
        return None

    def _continued(self, number: int, tenants: Set[int]) -> Iterator[int]:
        """Yield the values that a value continues, as far as the dump alone tells.

        Only those that begin before it, because what comes later may be new data.
        """
        starts, ends, sizes = self._dump.starts, self._dump.ends, self._dump.values.sizes
        name = self._dump.values.names[number]
        opcode = self._program.opcode(name)
        if starts[number] < 0:
            return
        if opcode == "while" or (opcode == "parameter" and not self._is_argument(number)):
            earlier: Set[int] = {
                tenant for tenant in tenants if (starts[tenant], ends[tenant]) <= (starts[number], ends[number])
            }
        elif opcode in UPDATES or (opcode == "fusion" and ("update-slice" in name or "scatter" in name)):
            earlier = tenants & {*self._program.operands(name)}
        else:
            return
        for tenant in earlier - {number}:
            if starts[tenant] >= 0 and ends[tenant] >= starts[number] - 1 and sizes[tenant] == sizes[number]:
                yield tenant

    def _is_argument(self, number: int) -> bool:
        return self._dump.allocations[self._dump.values.allocations[number]].parameter is not None

    def _root(self, number: int) -> int:
        up = self._up
        while up[number] != number:
            up[number] = number = up[up[number]]
        return number

    def _join(self, number: int, above: int) -> None:
        self._up[self._root(number)] = self._root(above)

    def _collect(self) -> None:
        """Fill the table of members from the links."""
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for number, above in enumerate(self._up):
            if above != number:
                groups[self._root(number)].append(number)
        starts, ends = self._dump.starts, self._dump.ends
        for root, below in groups.items():
            members = tuple(sorted((root, *below), key=lambda member: (starts[member], ends[member], member)))
            self._members.update(dict.fromkeys(members, members))


def stretches(members: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Sequence[tuple[int, int]]:
    """Return the stretches of moments at which a buffer is held: the union of the lives of its values, in order."""
    spans: list[tuple[int, int]] = []
    for first, last in sorted((starts[member], ends[member]) for member in members if starts[member] >= 0):
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = spans[-1][0], max(spans[-1][1], last)
        else:
            spans.append((first, last))
    return spans
