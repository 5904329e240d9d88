"""Who held a value's bytes before and after it, and which values hold the same bytes at once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reportgen.analyse.records import Conflict, Tenancy, ValueFacts
from reportgen.coverage import Pieces, groups_sharing_bytes

_MOST_LOOKS = 30_000_000
_MOST_CONFLICTS = 200_000


class _Tenant(NamedTuple):
    """A value with bytes and a live range. As they are ordered, so they move in."""

    start: int
    end: int
    id: int
    number: int
    low: int
    high: int


def is_old_alias(facts: Sequence[ValueFacts], conflict: Conflict) -> bool:
    """Whether two values overlap as one buffer's did before XLA 0b03ff984b: one slice, and one start."""
    one, other = facts[conflict.earlier], facts[conflict.later]
    in_one_slice = one.value.offset_bytes == other.value.offset_bytes and one.value.size_bytes == other.value.size_bytes
    starts = {fact.live.start for fact in (one, other) if fact.live}
    return in_one_slice and len(starts) == 1


def tenancy(facts: Sequence[ValueFacts], tenants: Iterable[Sequence[int]]) -> Tenancy:
    """Follow each allocation through time; `tenants` lists the values of each."""
    before: list[tuple[int, ...]] = [()] * len(facts)
    after: defaultdict[int, list[int]] = defaultdict(list)
    conflicts: list[Conflict] = []
    for numbers in tenants:
        if len(numbers) > 1:
            moving = _moving(facts, numbers)
            groups = [sorted(group) for group in groups_sharing_bytes(moving) if len(group) > 1]
            are_early = [_move_in(group, before, after) for group in groups]
            if any(are_early):
                conflicts.extend(_all_conflicts(sorted(moving)))
    return Tenancy(tuple(before), tuple(tuple(after.get(n, ())) for n in range(len(facts))), tuple(conflicts))


def _moving(facts: Sequence[ValueFacts], numbers: Sequence[int]) -> list[_Tenant]:
    return [
        _Tenant(live.start, live.end, value.id, number, value.offset_bytes, value.offset_bytes + value.size_bytes)
        for number in numbers
        if (value := facts[number].value).size_bytes and (live := facts[number].live)
    ]


def _move_in(group: Sequence[_Tenant], before: list[tuple[int, ...]], after: defaultdict[int, list[int]]) -> bool:
    """Let each value take its bytes from those who hold them; whether any was still needed by its holder.

    The first value that takes bytes before their holder's end meets that holder itself, so where this
    never happens there is no conflict at all, and the costlier search for every pair is not needed.
    """
    is_early = False
    ledger = Pieces[_Tenant | None](min(one.low for one in group), max(one.high for one in group), None)
    for tenant in group:
        start, end = ledger.cut(tenant.low), ledger.cut(tenant.high)
        earlier = _holders(ledger.contents[start:end])
        if end - start == 1:
            ledger.contents[start] = tenant
        else:
            ledger.join(start, end, tenant)
        before[tenant.number] = tuple([one.number for one in earlier])
        for one in earlier:
            after[one.number].append(tenant.number)
            is_early = is_early or one.end > tenant.start
    return is_early


def _holders(contents: Sequence[_Tenant | None]) -> list[_Tenant]:
    """Each once, in order of their bytes."""
    if len(contents) == 1:
        return [one for one in contents if one is not None]
    return [one for one in dict.fromkeys(contents) if one is not None]


def _all_conflicts(moving: Sequence[_Tenant]) -> Iterator[Conflict]:
    """Overlaps of more than the one moment in which an operand hands its bytes to a result.

    Here the ledger keeps whoever holds a byte longest. In a hostile dump each of thousands of values overlaps each
    other one, so the search ends after far more than a dump with mistakes has.
    """
    looks = found = 0
    longest = Pieces[_Tenant | None](min(one.low for one in moving), max(one.high for one in moving), None)
    for tenant in moving:
        start, end = longest.cut(tenant.low), longest.cut(tenant.high)
        looks += end - start
        if looks > _MOST_LOOKS or found > _MOST_CONFLICTS:
            return
        for earlier in _holders(longest.contents[start:end]):
            last = min(earlier.end, tenant.end)
            if tenant.start < last:
                found += 1
                low, high = max(tenant.low, earlier.low), min(tenant.high, earlier.high)
                yield Conflict(earlier.number, tenant.number, low, high, tenant.start, last)
        for piece in range(start, end):
            held = longest.contents[piece]
            if held is None or held.end <= tenant.end:
                longest.contents[piece] = tenant
