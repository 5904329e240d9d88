"""The difference of two peaks in terms that add up exactly, each byte in one of them.

Arguments, outputs and constants are compared as allocations, because which value of a donated argument is live at a
moment is an accident of the moment. Temporaries are compared as values, by the composition at one place of the
program, in which each byte belongs to one value. The sum does not depend on which values were matched; the matching
only decides under which kind a byte is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Measured, Space
from reportgen.analyse.spaces import is_static
from reportgen.compare.evidence import Match
from reportgen.compare.graph import Graph, elements, shape_parts
from reportgen.compare.schedule_alignment import MomentPair
from reportgen.compare.signature import arguments
from reportgen.compare.terms import KINDS, Kind, Term, cancel

_Role = Literal["argument", "result", "constant"]
_Spaces = tuple[Space | None, Space | None]
"""A memory space before and after."""

_Sizes = Mapping[int, int]
"""Bytes of temporaries by value."""

_Fate = Literal["argument", "result", "constant", "donated", "temporary", "space"]
"""What an argument, output or constant without a partner is, or where it lies on the other side."""

_Absence = Literal["none", "space", "static", "idle", "sharing"]
"""Why the partner of a temporary has no bytes among those of the other side."""

_RESIZED: Mapping[_Role, Kind] = {
    "argument": "argument resized",
    "result": "result resized",
    "constant": "constant resized",
}
_ALONE: Mapping[_Fate, tuple[Kind, Kind]] = {
    "argument": ("argument gone", "argument new"),
    "result": ("result gone", "result new"),
    "constant": ("constant gone", "constant new"),
    "donated": ("result donated", "result not donated"),
    "temporary": ("result is temporary", "result was temporary"),
    "space": ("to another space", "from another space"),
}
"""What became of an argument, output or constant before, and of one after."""
_ABSENT: Mapping[_Absence, tuple[Kind, Kind]] = {
    "none": ("gone", "new"),
    "space": ("to another space", "from another space"),
    "static": ("held or temporary", "held or temporary"),
    "idle": ("not live any more", "live now"),
    "sharing": ("sharing", "sharing"),
}
"""What became of a temporary before, and of one after."""


class MatchedBuild:
    """One build of a module: its arguments and results, and the partner of each of its values in the other build."""

    def __init__(self, graph: Graph, partners: Sequence[Match | None]) -> None:
        self.analysis: Measured = graph.analysis
        self.partners = partners
        self.results = graph.analysis.program.results
        self.arguments = frozenset(arguments(graph).values())

    def static_allocations(self, space: Space | None) -> list[int]:
        """Return the allocations of a space that are arguments, outputs or constants."""
        allocations = self.analysis.dump.allocations
        return [number for number in (space.allocations if space else ()) if is_static(allocations[number])]

    def size(self, allocation: int) -> int:
        return self.analysis.dump.allocations[allocation].size_bytes

    def allocation(self, value: int) -> int:
        return self.analysis.dump.values.allocations[value]

    def role(self, allocation: int) -> _Role:
        """Return whether an allocation is that of an argument, an output or a constant."""
        memory = memory_class(self.analysis.dump.allocations[allocation])
        if memory == "constant":
            return "constant"
        return "argument" if memory == "parameter" else "result"

    def representative(self, allocation: int) -> int | None:
        """Return the value that stands for an allocation: its argument, else its result, else its first value."""
        occupants = self.analysis.occupants[allocation]
        known = self.arguments.intersection(occupants) or set(occupants).intersection(self.results.values())
        return min(known or occupants, default=None)

    def temporaries(self, space: Space | None, moment: int) -> _Sizes:
        """Return the bytes of each temporary value at a moment; each byte counts for one value."""
        analysis = self.analysis
        allocations = analysis.dump.allocations
        temporary = [n for n in (space.allocations if space else ()) if allocations[n].is_preallocated_temp]
        shares = composition(analysis.dump, temporary, analysis.facts, analysis.occupants, moment)
        return {share.value: share.size_bytes for share in shares if share.value is not None and share.size_bytes}


def difference_terms(before: MatchedBuild, after: MatchedBuild, spaces: _Spaces, place: MomentPair) -> tuple[Term, ...]:
    """Return the terms that lead from the peak of one side to that of the other, in the order of `KINDS`."""
    temporaries = before.temporaries(spaces[0], place.before), after.temporaries(spaces[1], place.after)
    # How much farther the peak of `after` is from the place than that of `before`.
    distances = [
        space.temp.peak.amount - sum(sizes.values()) if space and space.temp else 0
        for space, sizes in zip(spaces, temporaries, strict=True)
    ]
    terms = [
        Term(kind="elsewhere", change_bytes=distances[1] - distances[0]),
        *_static_terms(before, after, spaces),
        *_temporary_terms(before, after, temporaries, place),
    ]
    order = {kind: number for number, kind in enumerate(KINDS)}
    changes = (term for term in terms if term.change_bytes)
    return tuple(sorted(changes, key=lambda term: (order[term.kind], -abs(term.change_bytes))))


# Arguments, outputs and constants


def _static_terms(before: MatchedBuild, after: MatchedBuild, spaces: _Spaces) -> Iterator[Term]:
    """Compare arguments, outputs and constants, allocation by allocation."""
    numbers_before, numbers_after = before.static_allocations(spaces[0]), after.static_allocations(spaces[1])
    pairs = _allocation_pairs(before, after, numbers_before, numbers_after)
    for number, partner in pairs.items():
        yield Term(
            kind=_RESIZED[after.role(partner)],
            change_bytes=after.size(partner) - before.size(number),
            before=before.representative(number),
            after=after.representative(partner),
            before_allocation=number,
            after_allocation=partner,
        )
    for number in numbers_before:
        if number not in pairs:
            yield Term(
                kind=_ALONE[_fate(before, number, after)][0],
                change_bytes=-before.size(number),
                before=before.representative(number),
                before_allocation=number,
            )
    for number in sorted(set(numbers_after) - set(pairs.values())):
        yield Term(
            kind=_ALONE[_fate(after, number, before)][1],
            change_bytes=after.size(number),
            after=after.representative(number),
            after_allocation=number,
        )


def _allocation_pairs(
    before: MatchedBuild, after: MatchedBuild, numbers_before: Sequence[int], numbers_after: Sequence[int]
) -> dict[int, int]:
    """Pair static allocations by argument, by place in the result, by the values they share, then by role and size."""
    open_before, open_after = set(numbers_before), set(numbers_after)
    pairs: dict[int, int] = {}
    results = before.results if before.results.keys() == after.results.keys() else {}
    unmatched_before, unmatched_after = _unmatched(before, numbers_before), _unmatched(after, numbers_after)
    # The surest evidence first, because what is paired stays paired.
    for number, partner in (
        *_by_values(before, after, sorted(before.arguments)),
        *((before.allocation(value), after.allocation(after.results[place])) for place, value in results.items()),
        *_by_values(before, after, sorted(before.results.values())),
        *_by_shared(before, after, numbers_before),
        *(
            pair
            for key, numbers in unmatched_before.items()
            for pair in zip(numbers, unmatched_after.get(key, ()), strict=False)
        ),
    ):
        if number in open_before and partner in open_after:
            pairs[number] = partner
            open_before.remove(number)
            open_after.remove(partner)
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


def _unmatched(build: MatchedBuild, allocations: Sequence[int]) -> Mapping[tuple[_Role, int], Sequence[int]]:
    """Return the allocations without a matched value by role and size, which are all that is left to pair them by."""
    numbers: defaultdict[tuple[_Role, int], list[int]] = defaultdict(list)
    for number in allocations:
        if not any(build.partners[value] for value in build.analysis.occupants[number]):
            numbers[build.role(number), build.size(number)].append(number)
    return numbers


def _fate(build: MatchedBuild, allocation: int, opposite: MatchedBuild) -> _Fate:
    """Return the role of an allocation without a partner, or where its content is on the opposite side."""
    role = build.role(allocation)
    if _is_in_another_space(build, allocation, opposite):
        return "space"
    if role != "result":
        return role
    # Without a match, a result is looked for at the same index, if both sides have the same indexes.
    counterparts = opposite.results if build.results.keys() == opposite.results.keys() else {}
    for index, value in build.results.items():
        if build.allocation(value) != allocation:
            continue
        match = build.partners[value]
        partner = match.value if match else counterparts.get(index)
        if partner is not None:
            target = opposite.analysis.dump.allocations[opposite.allocation(partner)]
            if target.is_preallocated_temp:
                return "temporary"
            if target.parameter is not None:
                return "donated"
    return "result"


def _is_in_another_space(build: MatchedBuild, allocation: int, opposite: MatchedBuild) -> bool:
    """Return whether the same argument or output lies in another memory space on the other side."""
    value = build.representative(allocation)
    match = build.partners[value] if value is not None else None
    if match is None or match.grade == "in its place":
        return False
    target = opposite.analysis.dump.allocations[opposite.allocation(match.value)]
    return is_static(target) and target.color != build.analysis.dump.allocations[allocation].color


# Temporaries


def _temporary_terms(
    before: MatchedBuild, after: MatchedBuild, temporaries: tuple[_Sizes, _Sizes], place: MomentPair
) -> Iterator[Term]:
    """Compare the composition of both sides at the place, value by value."""
    sizes_before, sizes_after = temporaries
    on_both_sides = set()
    for value, size in sizes_before.items():
        match = before.partners[value]
        partner_size = sizes_after.get(match.value) if match else None
        # Something of quite another size is not in the place of this value.
        if match and partner_size and (match.grade != "in its place" or cancel(-size, partner_size)):
            on_both_sides.add(match.value)
            yield from _pair_terms(before, value, size, after, match, partner_size)
        else:
            absence = _absence(before, value, match, after, place.after)
            partner = match.value if match and absence != "none" else None
            yield Term(kind=_ABSENT[absence][0], change_bytes=-size, before=value, after=partner)
    for value, size in sizes_after.items():
        if value not in on_both_sides:
            match = after.partners[value]
            absence = _absence(after, value, match, before, place.before)
            partner = match.value if match and absence != "none" else None
            yield Term(kind=_ABSENT[absence][1], change_bytes=size, before=partner, after=value)


def _pair_terms(
    before: MatchedBuild, value: int, size: int, after: MatchedBuild, match: Match, partner_size: int
) -> Iterator[Term]:
    """Split the difference of two values that are both there into shape, padding and bytes given to others."""
    partner = match.value
    if match.grade == "in its place":
        yield Term(kind="replaced", change_bytes=partner_size - size, before=value, after=partner)
        return
    (dense, needed), (partner_dense, partner_needed) = _sizes(before, value), _sizes(after, partner)
    has_same_dimensions = _dimensions(before, value) == _dimensions(after, partner)
    changes: tuple[tuple[Kind, int], ...] = (
        ("element type" if has_same_dimensions else "shape", partner_dense - dense),
        ("padding", (partner_needed - partner_dense) - (needed - dense)),
        ("sharing", (partner_size - partner_needed) - (size - needed)),
    )
    for kind, change in changes:
        yield Term(kind=kind, change_bytes=change, before=value, after=partner)


def _dimensions(build: MatchedBuild, value: int) -> str:
    return shape_parts(build.analysis.dump.values.shapes[value])[3]


def _sizes(build: MatchedBuild, value: int) -> tuple[int, int]:
    """Return a value's bytes without padding and with it; a slice that another value enlarged is not counted."""
    facts = build.analysis.facts
    dense, padded = facts.dense[value], facts.padded[value]
    needed = facts.values.sizes[value] if facts.owners[value] is None or padded is None else padded
    return needed if dense is None else dense, needed


def _absence(build: MatchedBuild, value: int, match: Match | None, opposite: MatchedBuild, moment: int) -> _Absence:
    """Return why a temporary at a peak has no partner at the opposite peak, which is at `moment`."""
    if match is None or match.grade == "in its place":
        return "none"
    target = opposite.analysis.dump.allocations[opposite.allocation(match.value)]
    color = build.analysis.dump.allocations[build.allocation(value)].color
    if target.is_thread_local or target.color != color:
        # What is larger or smaller there is not what was here: the bytes of this one did not move.
        has_same_size = elements(_dimensions(build, value)) == elements(_dimensions(opposite, match.value))
        return "space" if has_same_size else "none"
    if is_static(target):
        return "static"
    facts = opposite.analysis.facts
    # A value without a live range starts at -1.
    return "sharing" if 0 <= facts.starts[match.value] <= moment <= facts.ends[match.value] else "idle"
