"""From one peak to the other in terms that add up exactly, each byte in one of them.

What the caller holds is compared as allocations, because which value of a donated argument is live at a moment is an
accident of the moment. Temporaries are compared as values, by the composition at one place of the program, in which
each byte belongs to one value. The sum does not depend on which values were matched; the matching only decides under
which kind a byte is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Measured, Space
from reportgen.analyse.spaces import is_static
from reportgen.compare.boundary import arguments, results
from reportgen.compare.graph import Graph, shape_parts
from reportgen.compare.place import Place
from reportgen.compare.records import Match

Kind = Literal[
    "elsewhere",
    "argument new",
    "argument gone",
    "argument resized",
    "result new",
    "result gone",
    "result resized",
    "result donated",
    "result not donated",
    "result was temporary",
    "result is temporary",
    "constant new",
    "constant gone",
    "constant resized",
    "gone",
    "new",
    "replaced",
    "shape",
    "element type",
    "padding",
    "sharing",
    "not live any more",
    "live now",
    "held now",
    "held before",
    "to another space",
    "from another space",
]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order of a page: the place first, then what the caller holds, then temporaries."""


Role = Literal["argument", "result", "constant"]
Fate = Literal["argument", "result", "constant", "donated", "temporary"]
Spaces = tuple[Space | None, Space | None]
"""A memory space before and after."""

Rows = Mapping[int, int]
"""Bytes of temporaries by value."""

Absence = Literal["none", "space", "held", "idle", "sharing"]

_RESIZED: Mapping[Role, Kind] = {
    "argument": "argument resized",
    "result": "result resized",
    "constant": "constant resized",
}
_GONE: Mapping[Fate, Kind] = {
    "argument": "argument gone",
    "result": "result gone",
    "constant": "constant gone",
    "donated": "result donated",
    "temporary": "result is temporary",
}
_NEW: Mapping[Fate, Kind] = {
    "argument": "argument new",
    "result": "result new",
    "constant": "constant new",
    "donated": "result not donated",
    "temporary": "result was temporary",
}
_LEFT: Mapping[Absence, Kind] = {
    "none": "gone",
    "space": "to another space",
    "held": "held now",
    "idle": "not live any more",
    "sharing": "sharing",
}
_CAME: Mapping[Absence, Kind] = {
    "none": "new",
    "space": "from another space",
    "held": "held before",
    "idle": "live now",
    "sharing": "sharing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Bytes of the difference under one kind.

    `before` and `after` are values, `before_allocation` and `after_allocation` allocations of a side; those that a
    term is not about are None.
    """

    kind: Kind
    change_bytes: int
    before: int | None = None
    after: int | None = None
    before_allocation: int | None = None
    after_allocation: int | None = None


class Side:
    """One build of a module, as the terms need it: its arguments and results, and the partner of each value."""

    def __init__(self, graph: Graph, partners: Sequence[Match | None]) -> None:
        self.analysis: Measured = graph.analysis
        self.partners = partners
        self.results = results(graph)
        self.arguments = frozenset(arguments(graph).values())

    def held(self, space: Space | None) -> list[int]:
        """Return the allocations of a space that the caller holds."""
        allocations = self.analysis.dump.allocations
        return [number for number in (space.allocations if space else ()) if is_static(allocations[number])]

    def size(self, allocation: int) -> int:
        return self.analysis.dump.allocations[allocation].size_bytes

    def allocation(self, value: int) -> int:
        return self.analysis.dump.values.allocations[value]

    def role(self, allocation: int) -> Role:
        """Return what an allocation that the caller holds is to it."""
        memory = memory_class(self.analysis.dump.allocations[allocation])
        return "argument" if memory == "parameter" else "constant" if memory == "constant" else "result"

    def representative(self, allocation: int) -> int | None:
        """Return the value that stands for an allocation: its argument, else its result, else its first value."""
        occupants = self.analysis.occupants[allocation]
        known = self.arguments.intersection(occupants) or set(occupants).intersection(self.results.values())
        return min(known or occupants, default=None)

    def rows(self, space: Space | None, moment: int) -> Rows:
        """Return the bytes of each temporary value at a moment, each byte with one value."""
        analysis = self.analysis
        allocations = analysis.dump.allocations
        temporary = [n for n in (space.allocations if space else ()) if allocations[n].is_preallocated_temp]
        found = composition(analysis.dump, temporary, analysis.facts, analysis.occupants, moment)
        return {share.value: share.size_bytes for share in found if share.value is not None and share.size_bytes}


def terms(before: Side, after: Side, spaces: Spaces, place: Place) -> tuple[Term, ...]:
    """Return the terms that lead from the peak of one side to that of the other, in the order of `KINDS`."""
    rows = before.rows(spaces[0], place.before), after.rows(spaces[1], place.after)
    found = [_elsewhere(spaces, rows), *_held(before, after, spaces), *_temporaries(before, after, rows, place)]
    order = {kind: number for number, kind in enumerate(KINDS)}
    changes = (term for term in found if term.change_bytes)
    return tuple(sorted(changes, key=lambda term: (order[term.kind], -abs(term.change_bytes))))


def _elsewhere(spaces: Spaces, rows: tuple[Rows, Rows]) -> Term:
    """Return how much farther the peak of `after` is from the place than that of `before`."""
    distances = [
        space.temp.peak().amount - sum(found.values()) if space and space.temp else 0
        for space, found in zip(spaces, rows, strict=True)
    ]
    return Term(kind="elsewhere", change_bytes=distances[1] - distances[0])


def _held(before: Side, after: Side, spaces: Spaces) -> Iterator[Term]:
    """Compare what the caller holds, allocation by allocation."""
    of_before, of_after = before.held(spaces[0]), after.held(spaces[1])
    pairs = _allocation_pairs(before, after, of_before, of_after)
    for one, other in pairs.items():
        change = after.size(other) - before.size(one)
        yield _held_term(_RESIZED[after.role(other)], change, before, one, after, other)
    for one in of_before:
        if one not in pairs:
            yield _held_term(_GONE[_fate(before, one, after)], -before.size(one), before, one)
    for other in sorted(set(of_after) - set(pairs.values())):
        kind = _NEW[_fate(after, other, before)]
        yield _held_term(kind, after.size(other), None, None, after, other)


def _held_term(
    kind: Kind,
    change: int,
    before: Side | None,
    one: int | None,
    after: Side | None = None,
    other: int | None = None,
) -> Term:
    return Term(
        kind=kind,
        change_bytes=change,
        before=before.representative(one) if before and one is not None else None,
        after=after.representative(other) if after and other is not None else None,
        before_allocation=one,
        after_allocation=other,
    )


def _allocation_pairs(before: Side, after: Side, of_before: Sequence[int], of_after: Sequence[int]) -> dict[int, int]:
    """Pair held allocations by their argument, by their place in the result, then by the values they share."""
    open_before, open_after = set(of_before), set(of_after)
    pairs: dict[int, int] = {}
    for one, other in (
        *_by_values(before, after, sorted(before.arguments)),
        *_by_place(before, after),
        *_by_values(before, after, sorted(before.results.values())),
        *_by_shared(before, after, of_before),
        *_by_size(before, after, of_before, of_after),
    ):
        if one in open_before and other in open_after:
            pairs[one] = other
            open_before.remove(one)
            open_after.remove(other)
    return pairs


def _by_values(before: Side, after: Side, values: Sequence[int]) -> Iterator[tuple[int, int]]:
    for value in values:
        if match := before.partners[value]:
            yield before.allocation(value), after.allocation(match.value)


def _by_place(before: Side, after: Side) -> Iterator[tuple[int, int]]:
    if before.results.keys() == after.results.keys():
        for index, value in before.results.items():
            yield before.allocation(value), after.allocation(after.results[index])


def _by_shared(before: Side, after: Side, allocations: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the allocations that share the most values first."""
    shared = Counter(
        (number, after.allocation(match.value))
        for number in allocations
        for value in before.analysis.occupants[number]
        if (match := before.partners[value])
    )
    for pair, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        yield pair


def _by_size(before: Side, after: Side, one: Sequence[int], other: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield every two allocations of one role and size that no value speaks for, those of equal rank first."""
    of_before, of_after = _silent(before, one), _silent(after, other)
    for key, numbers in of_before.items():
        yield from zip(numbers, of_after.get(key, ()), strict=False)


def _silent(side: Side, allocations: Sequence[int]) -> Mapping[tuple[Role, int], Sequence[int]]:
    """Return the allocations without a matched value, by role and size."""
    found: defaultdict[tuple[Role, int], list[int]] = defaultdict(list)
    for number in allocations:
        if not any(side.partners[value] for value in side.analysis.occupants[number]):
            found[side.role(number), side.size(number)].append(number)
    return found


def _fate(side: Side, allocation: int, other: Side) -> Fate:
    """Return what an allocation without a partner is, or where its result lies on the other side."""
    role = side.role(allocation)
    if role != "result":
        return role
    for index, value in side.results.items():
        if side.allocation(value) != allocation:
            continue
        match = side.partners[value]
        partner = match.value if match else _at_same_place(side, other, index)
        if partner is not None:
            target = other.analysis.dump.allocations[other.allocation(partner)]
            if target.is_preallocated_temp:
                return "temporary"
            if target.parameter is not None:
                return "donated"
    return "result"


def _at_same_place(side: Side, other: Side, index: str) -> int | None:
    return other.results.get(index) if side.results.keys() == other.results.keys() else None


def _temporaries(before: Side, after: Side, rows: tuple[Rows, Rows], place: Place) -> Iterator[Term]:
    """Compare the composition of both sides at the place, value by value."""
    of_before, of_after = rows
    together = set()
    for value, size in of_before.items():
        match = before.partners[value]
        if match and match.value in of_after:
            together.add(match.value)
            yield from _both(before, value, size, after, match, of_after[match.value])
        else:
            kind = _absence(before, value, match, after, place.after)
            yield Term(
                kind=_LEFT[kind],
                change_bytes=-size,
                before=value,
                after=match.value if match and kind != "none" else None,
            )
    for value, size in of_after.items():
        if value not in together:
            match = after.partners[value]
            kind = _absence(after, value, match, before, place.before)
            partner = match.value if match and kind != "none" else None
            yield Term(kind=_CAME[kind], change_bytes=size, before=partner, after=value)


def _both(before: Side, value: int, size: int, after: Side, match: Match, other_size: int) -> Iterator[Term]:
    """Split the difference of two values that are both there into shape, padding and bytes given to others."""
    partner = match.value
    if match.grade == "in its place":
        yield Term(kind="replaced", change_bytes=other_size - size, before=value, after=partner)
        return
    (dense, needed), (other_dense, other_needed) = _sizes(before, value), _sizes(after, partner)
    parts = [shape_parts(side.analysis.dump.values.shapes[one]) for side, one in ((before, value), (after, partner))]
    changes: tuple[tuple[Kind, int], ...] = (
        ("shape" if parts[0][3] != parts[1][3] else "element type", other_dense - dense),
        ("padding", (other_needed - other_dense) - (needed - dense)),
        ("sharing", (other_size - other_needed) - (size - needed)),
    )
    for kind, change in changes:
        yield Term(kind=kind, change_bytes=change, before=value, after=partner)


def _sizes(side: Side, value: int) -> tuple[int, int]:
    """Return a value's bytes without padding and with it; a slice that another value enlarged is not counted."""
    facts = side.analysis.facts
    dense, padded = facts.dense[value], facts.padded[value]
    needed = facts.values.sizes[value] if facts.owners[value] is None or padded is None else padded
    return needed if dense is None else dense, needed


def _absence(side: Side, value: int, match: Match | None, other: Side, moment: int) -> Absence:
    """Return why the partner of a value has no bytes among the temporaries of the other side."""
    if match is None or match.grade == "in its place":
        return "none"
    target = other.analysis.dump.allocations[other.allocation(match.value)]
    color = side.analysis.dump.allocations[side.allocation(value)].color
    if target.is_thread_local or target.color != color:
        return "space"
    if is_static(target):
        return "held"
    facts = other.analysis.facts
    return "sharing" if 0 <= facts.starts[match.value] <= moment <= facts.ends[match.value] else "idle"
