"""The free bytes of an allocation over time, and the largest hole among them.

Free bytes that lie in one piece can take a large value, the same number in many pieces cannot; so both are
needed to tell fragmentation from plenty.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from reportgen.coverage import Occupancy
from reportgen.spans import StepFunction


class Holes(NamedTuple):
    """Bytes under no live value, all together and in the largest piece, at each moment."""

    free: StepFunction
    largest: StepFunction


def holes(occupancies: Iterable[Occupancy], size_bytes: int, moments: int) -> Holes:
    """Follow an allocation of `size_bytes` through the program; used + free = size at each moment."""
    events: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for first, last, low, high in occupancies:
        if low < high and first <= last:
            events[first].append((low, high, 1))
            events[last + 1].append((low, high, -1))
    cover = Cover(size_bytes)
    free, largest = [(0, size_bytes)], [(0, size_bytes)]
    for moment in sorted(events):
        for low, high, change in events[moment]:
            cover.change(low, high, change)
        free.append((moment, cover.free_bytes))
        largest.append((moment, cover.largest_hole))
    return Holes(_steps(free, moments), _steps(largest, moments))


def _steps(amounts: list[tuple[int, int]], moments: int) -> StepFunction:
    before = 0
    changes = []
    for moment, amount in amounts:
        changes.append((moment, amount - before))
        before = amount
    return StepFunction.from_changes(changes, moments)


class Cover:
    """How often each byte of [0, size) is covered, as pieces of equal count; the sizes of the holes are kept sorted."""

    def __init__(self, size_bytes: int) -> None:
        self._edges = [0, size_bytes]
        self._counts = [0]
        self._hole_sizes = [size_bytes] if size_bytes else []
        self.free_bytes = size_bytes

    @property
    def largest_hole(self) -> int:
        return self._hole_sizes[-1] if self._hole_sizes else 0

    def change(self, low: int, high: int, change: int) -> None:
        """Cover [low, high) once more (`change` 1) or once less (-1)."""
        first = max(0, bisect_right(self._edges, low) - 2)
        last = min(len(self._counts), bisect_left(self._edges, high) + 1)
        before = self._edges[first : last + 1], self._counts[first:last]
        after = _changed(*before, low, high, change)
        self._count_holes(*before, -1)
        self._count_holes(*after, 1)
        self._edges[first : last + 1], self._counts[first:last] = after

    def _count_holes(self, edges: list[int], counts: list[int], change: int) -> None:
        for place, count in enumerate(counts):
            if count:
                continue
            size = edges[place + 1] - edges[place]
            self.free_bytes += change * size
            if change > 0:
                insort(self._hole_sizes, size)
            else:
                del self._hole_sizes[bisect_left(self._hole_sizes, size)]


def _changed(edges: list[int], counts: list[int], low: int, high: int, change: int) -> tuple[list[int], list[int]]:
    """The pieces with [low, high) changed: cut at its ends, and joined where neighbours became equal."""
    new_edges, new_counts = [edges[0]], list[int]()
    for (start, end), count in zip(pairwise(edges), counts, strict=True):
        cuts = [start, *(cut for cut in (low, high) if start < cut < end), end]
        for left, right in pairwise(cuts):
            changed = count + change if low <= left < high else count
            if new_counts and new_counts[-1] == changed:
                new_edges[-1] = right
            else:
                new_edges.append(right)
                new_counts.append(changed)
    return new_edges, new_counts
