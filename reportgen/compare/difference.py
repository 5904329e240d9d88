"""The difference of two peaks in terms that add up exactly, each byte in one of them.

What the caller holds is compared as allocations, because which value of a donated argument is live at a moment is an
accident of the moment. Temporaries are compared as values, by the composition at one place of the program, in which
each byte belongs to one value. The sum does not depend on which values were matched; the matching only decides under
which kind a byte is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Measured, Space
from reportgen.analyse.spaces import is_static
from reportgen.compare.evidence import Match
from reportgen.compare.graph import Graph, shape_parts
from reportgen.compare.schedule_alignment import MomentPair
from reportgen.compare.signature import arguments
from reportgen.compare.terms import KINDS, Kind, Term

Role = Literal["argument", "result", "constant"]
Fate = Literal["argument", "result", "constant", "donated", "temporary", "space"]
Absence = Literal["none", "space", "held", "idle", "sharing"]
Spaces = tuple[Space | None, Space | None]
"""A memory space before and after."""

Rows = Mapping[int, int]
"""Bytes of temporaries by value."""

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
    "space": "to another space",
}
_NEW: Mapping[Fate, Kind] = {
    "argument": "argument new",
    "result": "result new",
    "constant": "constant new",
    "donated": "result not donated",
    "temporary": "result was temporary",
    "space": "from another space",
}
_LEFT: Mapping[Absence, Kind] = {
    "none": "gone",
    "space": "to another space",
    "held": "held or temporary",
    "idle": "not live any more",
    "sharing": "sharing",
}
_CAME: Mapping[Absence, Kind] = {
    "none": "new",
    "space": "from another space",
    "held": "held or temporary",
    "idle": "live now",
    "sharing": "sharing",
}


class MatchedBuild:
    """One build of a module, as the terms need it: its arguments and results, and the partner of each value."""

    def __init__(self, graph: Graph, partners: Sequence[Match | None]) -> None:
        self.analysis: Measured = graph.analysis
        self.partners = partners
        self.results = graph.analysis.program.results
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
        """Return the bytes of each temporary value at a moment; each byte counts for one value."""
        analysis = self.analysis
        allocations = analysis.dump.allocations
        temporary = [n for n in (space.allocations if space else ()) if allocations[n].is_preallocated_temp]
        found = composition(analysis.dump, temporary, analysis.facts, analysis.occupants, moment)
        return {share.value: share.size_bytes for share in found if share.value is not None and share.size_bytes}


def terms(before: MatchedBuild, after: MatchedBuild, spaces: Spaces, place: MomentPair) -> tuple[Term, ...]:
    """Return the terms that lead from the peak of one side to that of the other, in the order of `KINDS`."""
    rows = before.rows(spaces[0], place.before), after.rows(spaces[1], place.after)
    # How much farther the peak of `after` is from the place than that of `before`.
    distances = [
        space.temp.peak.amount - sum(of_values.values()) if space and space.temp else 0
        for space, of_values in zip(spaces, rows, strict=True)
    ]
    elsewhere = Term(kind="elsewhere", change_bytes=distances[1] - distances[0])
    found = [elsewhere, *held_terms(before, after, spaces), *_temporaries(before, after, rows, place)]
    order = {kind: number for number, kind in enumerate(KINDS)}
    changes = (term for term in found if term.change_bytes)
    return tuple(sorted(changes, key=lambda term: (order[term.kind], -abs(term.change_bytes))))


def held_terms(before: MatchedBuild, after: MatchedBuild, spaces: Spaces) -> Iterator[Term]:
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
    before: MatchedBuild | None,
    one: int | None,
    after: MatchedBuild | None = None,
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


def _allocation_pairs(
    before: MatchedBuild, after: MatchedBuild, of_before: Sequence[int], of_after: Sequence[int]
) -> dict[int, int]:
    """Pair held allocations by argument, by place in the result, by the values they share, then by role and size."""
    open_before, open_after = set(of_before), set(of_after)
    pairs: dict[int, int] = {}
    results = before.results if before.results.keys() == after.results.keys() else {}
    silent = _silent(before, of_before), _silent(after, of_after)
    # The surest evidence first, because what is paired stays paired.
    for one, other in (
        *_by_values(before, after, sorted(before.arguments)),
        *((before.allocation(value), after.allocation(after.results[place])) for place, value in results.items()),
        *_by_values(before, after, sorted(before.results.values())),
        *_by_shared(before, after, of_before),
        *(pair for key, numbers in silent[0].items() for pair in zip(numbers, silent[1].get(key, ()), strict=False)),
    ):
        if one in open_before and other in open_after:
            pairs[one] = other
            open_before.remove(one)
            open_after.remove(other)
    return pairs


def _by_values(before: MatchedBuild, after: MatchedBuild, values: Sequence[int]) -> Iterator[tuple[int, int]]:
    for value in values:
        if match := before.partners[value]:
            yield before.allocation(value), after.allocation(match.value)


def _by_shared(before: MatchedBuild, after: MatchedBuild, allocations: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the allocations that share the most values first."""
    shared = Counter(
        (number, after.allocation(match.value))
        for number in allocations
        for value in before.analysis.occupants[number]
        if (match := before.partners[value])
    )
    for pair, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        yield pair


def _silent(side: MatchedBuild, allocations: Sequence[int]) -> Mapping[tuple[Role, int], Sequence[int]]:
    """Return the allocations that no value speaks for, by role and size, which are all that is left to pair them by."""
    found: defaultdict[tuple[Role, int], list[int]] = defaultdict(list)
    for number in allocations:
        if not any(side.partners[value] for value in side.analysis.occupants[number]):
            found[side.role(number), side.size(number)].append(number)
    return found


def _fate(side: MatchedBuild, allocation: int, other: MatchedBuild) -> Fate:
    """Return what an allocation without a partner is, or where its argument or result lies on the other side."""
    role = side.role(allocation)
    if _is_in_another_space(side, allocation, other):
        return "space"
    if role != "result":
        return role
    has_same_places = side.results.keys() == other.results.keys()
    for index, value in side.results.items():
        if side.allocation(value) != allocation:
            continue
        match = side.partners[value]
        partner = match.value if match else other.results[index] if has_same_places else None
        if partner is not None:
            target = other.analysis.dump.allocations[other.allocation(partner)]
            if target.is_preallocated_temp:
                return "temporary"
            if target.parameter is not None:
                return "donated"
    return "result"


def _is_in_another_space(side: MatchedBuild, allocation: int, other: MatchedBuild) -> bool:
    """Return whether the caller holds the same argument or result on the other side, in another memory space."""
    value = side.representative(allocation)
    match = side.partners[value] if value is not None else None
    if match is None or match.grade == "in its place":
        return False
    target = other.analysis.dump.allocations[other.allocation(match.value)]
    return is_static(target) and target.color != side.analysis.dump.allocations[allocation].color


def _temporaries(
    before: MatchedBuild, after: MatchedBuild, rows: tuple[Rows, Rows], place: MomentPair
) -> Iterator[Term]:
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


def _both(
    before: MatchedBuild, value: int, size: int, after: MatchedBuild, match: Match, other_size: int
) -> Iterator[Term]:
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


def _sizes(side: MatchedBuild, value: int) -> tuple[int, int]:
    """Return a value's bytes without padding and with it; a slice that another value enlarged is not counted."""
    facts = side.analysis.facts
    dense, padded = facts.dense[value], facts.padded[value]
    needed = facts.values.sizes[value] if facts.owners[value] is None or padded is None else padded
    return needed if dense is None else dense, needed


def _absence(side: MatchedBuild, value: int, match: Match | None, other: MatchedBuild, moment: int) -> Absence:
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
    # A value without a live range starts at -1.
    return "sharing" if 0 <= facts.starts[match.value] <= moment <= facts.ends[match.value] else "idle"
