"""Compare the memory that the caller holds, allocation by allocation.

Values are no help here, because which value of a donated argument is live at a moment is an accident of the moment.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from reportgen.analyse.spaces import is_static
from reportgen.compare.matched_build import Fate, MatchedBuild, Role, Spaces
from reportgen.compare.terms import Kind, Term

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
