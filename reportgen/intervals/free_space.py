"""Follow the free bytes of an allocation over time, and the largest hole among them.

A large value fits into one large hole but not into many small ones with as many bytes, so both figures are needed to
tell fragmentation from spare space.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from reportgen.intervals.step_function import StepFunction
from reportgen.intervals.union import Occupancy, union_over_time

_PIECES_PER_CHANGE = 32  # a limit, because each of many nested values changes all pieces inside it

_Event = tuple[int, int, int]
"""Bytes [low, high), and the change in how many values cover them."""


class Holes(NamedTuple):
    """The bytes that no live value covers at each moment: in total, and in the largest piece."""

    free: StepFunction
    largest: StepFunction


def holes(occupancies: Iterable[Occupancy], size_bytes: int, moments: int) -> Holes | None:
    """Return the holes of an allocation of `size_bytes` over time; used + free = size at each moment.

    Return None if thousands of values are nested in each other, which happens only in a damaged or hostile dump.
    """
    nonempty = [
        occupancy for occupancy in occupancies if occupancy.low < occupancy.high and occupancy.first <= occupancy.last
    ]
    # A fast path, because in most allocations every value fills all bytes: the free space is then one hole or none.
    if all(occupancy.low <= 0 and occupancy.high >= size_bytes for occupancy in nonempty):
        covered = union_over_time(Occupancy(occupancy.first, occupancy.last, 0, size_bytes) for occupancy in nonempty)
        changes_of_free = [(0, size_bytes), *((moment, -change) for moment, change in covered)]
        whole = StepFunction.from_changes(changes_of_free, moments)
        return Holes(whole, whole)
    events: defaultdict[int, list[_Event]] = defaultdict(list)
    for first, last, low, high in nonempty:
        events[first].append((low, high, 1))
        events[last + 1].append((low, high, -1))
    cover, limit = Cover(size_bytes), _PIECES_PER_CHANGE * 2 * len(nonempty)
    free, largest = [(0, size_bytes)], [(0, size_bytes)]
    for moment in sorted(events):
        free_before, largest_before = cover.free_bytes, cover.largest_hole
        for low, high, change in events[moment]:
            cover.change(low, high, change)
            if cover.pieces_changed > limit:
                return None
        free.append((moment, cover.free_bytes - free_before))
        largest.append((moment, cover.largest_hole - largest_before))
    return Holes(StepFunction.from_changes(free, moments), StepFunction.from_changes(largest, moments))


class Cover:
    """Count the values that cover each byte of [0, size), as pieces of equal count; keep the sizes of holes sorted."""

    def __init__(self, size_bytes: int) -> None:
        self._edges = [0, size_bytes]
        self._counts = [0]
        self._hole_sizes = [size_bytes] if size_bytes else []
        self.free_bytes = size_bytes
        self.pieces_changed = 0

    @property
    def largest_hole(self) -> int:
        """Return the bytes of the largest hole; 0 if there is none."""
        return self._hole_sizes[-1] if self._hole_sizes else 0

    def change(self, low: int, high: int, change: int) -> None:
        """Cover [low, high) once more (`change` 1) or once less (-1); ignore bytes outside of the allocation."""
        low, high = max(low, 0), min(high, self._edges[-1])
        while low < high:
            piece = bisect_right(self._edges, low) - 1
            end = min(high, self._edges[piece + 1])
            self._change_within(piece, low, end, change)
            self.pieces_changed += 1
            low = end

    def _change_within(self, piece: int, low: int, high: int, change: int) -> None:
        """Change the part [low, high) of one piece: split it off, or join it to a neighbor of the same count."""
        edges, counts = self._edges, self._counts
        start, end, count = edges[piece], edges[piece + 1], counts[piece]
        changed = count + change
        joins_left = low == start and piece > 0 and counts[piece - 1] == changed
        joins_right = high == end and piece + 1 < len(counts) and counts[piece + 1] == changed
        if not count:
            self._replace_sizes([end - start], [low - start, end - high])
            self.free_bytes -= high - low
        elif not changed:
            hole_start, hole_end = edges[piece - 1] if joins_left else low, edges[piece + 2] if joins_right else high
            self._replace_sizes([low - hole_start, hole_end - high], [hole_end - hole_start])
            self.free_bytes += high - low
        before, after = [low] if low > start else [], [high] if high < end else []
        # A neighbor that is joined is replaced as well, and so is the edge towards it.
        replaced_from, replaced_to = piece - joins_left, piece + 1 + joins_right
        counts[replaced_from:replaced_to] = [count] * len(before) + [changed] + [count] * len(after)
        edges[replaced_from + 1 : replaced_to] = before + after

    def _replace_sizes(self, old: Iterable[int], new: Iterable[int]) -> None:
        """Replace holes of the sizes `old` by holes of the sizes `new`; sizes of 0 do not count."""
        for size in filter(None, old):
            del self._hole_sizes[bisect_left(self._hole_sizes, size)]
        for size in filter(None, new):
            insort(self._hole_sizes, size)
