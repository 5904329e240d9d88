"""Find chains of values that hand one buffer on: the same slice, each value starting where the previous one ends.

In-place updates and aliases look like this in a dump, which does not name them. Values that merely reuse the
bytes later form no chain, because the buffer was free in between.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.model import Values


def chains(values: Values, starts: Sequence[int], ends: Sequence[int], gap: int = 0) -> Mapping[int, tuple[int, ...]]:
    """Return the chain, in time order, of each value that took over or handed on its buffer.

    A chain breaks wherever the buffer stays free for longer than `gap` instructions.
    """
    slices: defaultdict[tuple[int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
    places = zip(values.allocations, values.offsets, values.sizes, starts, ends, strict=True)
    for number, (allocation, offset, size, start, end) in enumerate(places):
        if start >= 0 and size:
            slices[allocation, offset, size].append((start, end, number))
    links: list[list[int]] = []
    for occupants in slices.values():
        reach = -1 - gap
        for start, end, number in sorted(occupants):
            if start > reach + gap:
                links.append([])
            links[-1].append(number)
            reach = max(end, reach)
    return {number: chain for chain in map(tuple, links) if len(chain) > 1 for number in chain}
