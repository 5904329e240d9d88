"""Find chains of values that hand one buffer on: the same slice, each value starting where the previous one ends.

In-place updates and aliases look like this in a dump, which does not name them. Values that merely reuse the
bytes later form no chain, because the buffer was free in between.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.analyse.records import ValueFacts


def chains(facts: Sequence[ValueFacts]) -> Mapping[int, tuple[int, ...]]:
    """Return the chain, in time order, of each value that took over or handed on its buffer.

    A chain breaks wherever the buffer stays free for longer than the step from one instruction to the next.
    """
    slices: defaultdict[tuple[int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for number, fact in enumerate(facts):
        if fact.live and fact.value.size_bytes:
            value, live = fact.value, fact.live
            slices[value.allocation, value.offset_bytes, value.size_bytes].append((live.start, live.end, number))
    links: list[list[int]] = []
    for occupants in slices.values():
        reach = -1
        for start, end, number in sorted(occupants):
            if start > reach:
                links.append([])
            links[-1].append(number)
            reach = max(end, reach)
    return {number: tuple(chain) for chain in links if len(chain) > 1 for number in chain}
