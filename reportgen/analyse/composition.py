"""Divide the memory in use at a moment among values, counting every byte exactly once.

An allocation that the caller holds counts in full, a temporary one only where a value is live. A byte
under several live values goes to the one defined last; the others are listed as sharers.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from reportgen.analyse.records import Facts, Share
from reportgen.model import Dump

SHARERS_NAMED = 20
"""The most sharers that are listed for one value."""


def composition(
    dump: Dump,
    numbers: Sequence[int],
    facts: Facts,
    occupants: Sequence[Sequence[int]],
    moment: int,
) -> tuple[Share, ...]:
    """Return the shares of the allocations `numbers` at `moment`, largest first; they add up to resident(moment)."""
    shares: list[Share] = []
    for number in numbers:
        allocation = dump.allocations[number]
        if allocation.is_thread_local:
            continue
        of_values = _shares_of(number, facts, occupants[number], moment)
        shares.extend(of_values)
        idle_bytes = allocation.size_bytes - sum(share.size_bytes for share in of_values)
        if idle_bytes > 0 and not allocation.is_preallocated_temp:
            shares.append(Share(number, None, idle_bytes))
    return tuple(sorted(shares, key=lambda share: (-share.size_bytes, share.allocation, share.value or 0)))


def live_at(facts: Facts, numbers: Sequence[int], moment: int) -> list[int]:
    """Return the values among `numbers` that are live at `moment`, most recently defined first."""
    starts, ends, ids = facts.starts, facts.ends, facts.values.ids
    live = [n for n in numbers if 0 <= starts[n] <= moment <= ends[n]]
    return sorted(live, key=lambda n: (starts[n], ids[n]), reverse=True)


def _shares_of(allocation: int, facts: Facts, occupants: Sequence[int], moment: int) -> list[Share]:
    """Return what each live value owns at a moment; a byte under several values belongs to the first of `live`.

    Values without bytes stay in the list, and values whose every byte has another owner do not.
    """
    owned: defaultdict[int, int] = defaultdict(int)
    sharers: defaultdict[int, dict[int, None]] = defaultdict(dict)
    live = live_at(facts, occupants, moment)
    for low, high, (owner, *others) in _pieces(facts, live):
        owned[owner] += high - low
        if len(sharers[owner]) <= SHARERS_NAMED:
            sharers[owner].update(dict.fromkeys(others))
    return [
        Share(
            allocation,
            value,
            owned[value],
            sharers=tuple(sharers[value])[:SHARERS_NAMED],
            has_more_sharers=len(sharers[value]) > SHARERS_NAMED,
        )
        for value in live
        if owned[value] or not facts.values.sizes[value]
    ]


def _pieces(facts: Facts, live: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield (low, high, first occupants in the order of `live`) for each covered elementary interval.

    Only the first occupants are yielded because thousands of nested values would have millions of them.
    """
    offsets, sizes = facts.values.offsets, facts.values.sizes
    spans = [(offsets[number], offsets[number] + sizes[number], rank) for rank, number in enumerate(live)]
    edges = sorted((edge, rank) for low, high, rank in spans for edge in (low, high))
    inside: list[int] = []
    before = 0
    for edge, rank in edges:
        if inside and before < edge:
            yield before, edge, [live[holder] for holder in inside[: SHARERS_NAMED + 2]]
        before = edge
        index = bisect_left(inside, rank)
        if inside[index : index + 1] == [rank]:
            del inside[index]
        else:
            inside.insert(index, rank)
