"""What the memory of a moment is made of, every byte exactly once.

An allocation that the caller holds counts in full, a temporary one only where a value is live. A byte
under several live values is given to the one defined last; the others are named as sharers.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from reportgen.analyse.records import Share, ValueFacts
from reportgen.model import Dump


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
        sharers[holders[0]].update(dict.fromkeys(holders[1:]))
    return [
        Share(allocation, value, owned[value], tuple(sharers[value]))
        for value in live
        if owned[value] or not facts[value].value.size_bytes
    ]


def _held(allocation: int, free_bytes: int) -> Iterator[Share]:
    """What is left of an allocation that the caller holds: nothing in it is live."""
    if free_bytes > 0:
        yield Share(allocation, None, free_bytes)


def _pieces(facts: Sequence[ValueFacts], live: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """(low, high, holders in the order of `live`) for each covered elementary interval."""
    spans = [(facts[n].value.offset_bytes, facts[n].value.end_bytes, n) for n in live]
    edges = sorted({edge for low, high, _ in spans for edge in (low, high)})
    holders: list[list[int]] = [[] for _ in edges]
    for low, high, number in spans:
        for piece in range(bisect_left(edges, low), bisect_left(edges, high)):
            holders[piece].append(number)
    for piece, names in enumerate(holders):
        if names:
            yield edges[piece], edges[piece + 1], names
