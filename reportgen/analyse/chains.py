"""Values that take over one buffer from each other: the same slice, each beginning where the one before ends.

That is how in-place updates and aliases look in a dump, which does not name them. Values that merely come
later into the same bytes are no chain: the buffer was free in between.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.analyse.records import ValueFacts


def chains(facts: Sequence[ValueFacts]) -> Mapping[int, tuple[int, ...]]:
    """For each value that has taken over or handed on its buffer, all who held it, in time order."""
    slices: defaultdict[tuple[int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for number, fact in enumerate(facts):
        if fact.live and fact.value.size_bytes:
            value, live = fact.value, fact.live
            slices[value.allocation, value.offset_bytes, value.size_bytes].append((live.start, live.end, number))
    found: dict[int, tuple[int, ...]] = {}
    for tenants in slices.values():
        for chain in _split(sorted(tenants)) if len(tenants) > 1 else ():
            if len(chain) > 1:
                found.update(dict.fromkeys(chain, tuple(chain)))
    return found


def _split(tenants: list[tuple[int, int, int]]) -> list[list[int]]:
    """The values cut where the buffer stays free for longer than between one instruction and the next."""
    pieces: list[list[int]] = []
    reach = None
    for start, end, number in tenants:
        if reach is None or start > reach:
            pieces.append([])
        pieces[-1].append(number)
        reach = max(end, reach or 0)
    return pieces
