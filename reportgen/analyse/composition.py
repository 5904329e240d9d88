"""What the memory of a moment is made of, every byte exactly once.

An allocation that the caller holds counts in full, a temporary one only where a value is live. A byte
under several live values is given to the one defined last; the others are named as sharers.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from reportgen.analyse.records import Share, ValueFacts
from reportgen.model import Dump

SHARERS_NAMED = 20
"""How many of those who share a value's bytes are named."""


def composition(
    dump: Dump,
    numbers: Sequence[int],
    facts: Sequence[ValueFacts],
    tenants: Sequence[Sequence[int]],
    moment: int,
) -> tuple[Share, ...]:
    """The shares of the allocations `numbers` at `moment`, largest first; they add up to resident(moment)."""
    shares: list[Share] = []
    for number in numbers:
        allocation = dump.allocations[number]
        if allocation.is_thread_local:
            continue
        of_values = _shares_of(number, facts, tenants[number], moment)
        shares.extend(of_values)
        if not allocation.is_preallocated_temp:
            shares.extend(_held(number, allocation.size_bytes - sum(share.size_bytes for share in of_values)))
    return tuple(sorted(shares, key=lambda share: (-share.size_bytes, share.allocation, share.value or 0)))


def live_at(facts: Sequence[ValueFacts], numbers: Sequence[int], moment: int) -> list[int]:
    """Those of the values `numbers` that are live at `moment`, the one defined last first."""
    live = [n for n in numbers if (r := facts[n].live) and r.start <= moment <= r.end]
    return sorted(live, key=lambda n: (facts[n].live.start, facts[n].value.id), reverse=True)  # type: ignore[union-attr]


def _shares_of(allocation: int, facts: Sequence[ValueFacts], tenants: Sequence[int], moment: int) -> list[Share]:
    owned: defaultdict[int, int] = defaultdict(int)
    sharers: defaultdict[int, dict[int, None]] = defaultdict(dict)
    live = live_at(facts, tenants, moment)
    for low, high, holders in _pieces(facts, live):
        owned[holders[0]] += high - low
        if len(sharers[holders[0]]) <= SHARERS_NAMED:
            sharers[holders[0]].update(dict.fromkeys(holders[1:]))
    return [
        Share(
            allocation,
            value,
            owned[value],
            sharers=tuple(sharers[value])[:SHARERS_NAMED],
            has_more_sharers=len(sharers[value]) > SHARERS_NAMED,
        )
        for value in live
        if owned[value] or not facts[value].value.size_bytes
    ]


def _held(allocation: int, free_bytes: int) -> Iterator[Share]:
    """What is left of an allocation that the caller holds: nothing in it is live."""
    if free_bytes > 0:
        yield Share(allocation, None, free_bytes)


def _pieces(facts: Sequence[ValueFacts], live: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """(low, high, the first holders in the order of `live`) for each covered elementary interval.

    Values that lie in each other by the thousand have millions of holders in all, so only the first are told.
    """
    values = [(facts[number].value, rank) for rank, number in enumerate(live)]
    edges = sorted((edge, rank) for value, rank in values for edge in (value.offset_bytes, value.end_bytes))
    inside: list[int] = []
    before = 0
    for edge, rank in edges:
        if inside and before < edge:
            yield before, edge, [live[holder] for holder in inside[: SHARERS_NAMED + 2]]
        before = edge
        place = bisect_left(inside, rank)
        if inside[place : place + 1] == [rank]:
            del inside[place]
        else:
            inside.insert(place, rank)
