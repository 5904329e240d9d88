"""The free bytes of an allocation over time, and the largest hole among them.

Free bytes that lie in one piece can take a large value, the same number in many pieces cannot; so both are
needed to tell fragmentation from plenty.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reportgen.analyse.hole_tree import HoleTree
from reportgen.coverage import Occupancy, covered_changes
from reportgen.spans import StepFunction

_PIECES_PER_CHANGE = 32

_Event = tuple[int, int, int]
"""Bytes [low, high), and how many more times they are covered from then on."""


class Holes(NamedTuple):
    """Bytes under no live value, all together and in the largest piece, at each moment."""

    free: StepFunction
    largest: StepFunction


def holes(occupancies: Iterable[Occupancy], size_bytes: int, moments: int) -> Holes:
    """Follow an allocation of `size_bytes` through the program; used + free = size at each moment."""
    held = [one for one in occupancies if one.low < one.high and one.first <= one.last]
    if all(one.low <= 0 and one.high >= size_bytes for one in held):
        return _all_or_nothing(held, size_bytes, moments)
    events: defaultdict[int, list[_Event]] = defaultdict(list)
    for first, last, low, high in held:
        events[first].append((low, high, 1))
        events[last + 1].append((low, high, -1))
    changes = [(moment, events[moment]) for moment in sorted(events)]
    followed = _followed(Cover(size_bytes), changes) or _followed(HoleTree(size_bytes, _edges(changes)), changes)
    assert followed is not None, "a tree has no limit"
    free, largest = ([(0, size_bytes), *amounts] for amounts in followed)
    return Holes(_steps(free, moments), _steps(largest, moments))


def _all_or_nothing(held: Iterable[Occupancy], size_bytes: int, moments: int) -> Holes:
    """Of an allocation that each of its values fills, as those of most do: what is free is one hole."""
    covered = covered_changes(Occupancy(one.first, one.last, 0, size_bytes) for one in held)
    free = StepFunction.from_changes([(0, size_bytes), *((moment, -change) for moment, change in covered)], moments)
    return Holes(free, free)


def _edges(changes: Iterable[tuple[int, list[_Event]]]) -> Iterator[int]:
    return (edge for _, events in changes for low, high, _ in events for edge in (low, high))


def _followed(
    cover: "Cover | HoleTree", changes: Sequence[tuple[int, list[_Event]]]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
    """The free bytes and the largest hole at each moment; None where slices overlap too much for a `Cover`."""
    limit = _PIECES_PER_CHANGE * sum(len(events) for _, events in changes)
    free, largest = [], []
    for moment, events in changes:
        for low, high, change in events:
            cover.change(low, high, change)
            if isinstance(cover, Cover) and cover.pieces_changed > limit:
                return None
        free.append((moment, cover.free_bytes))
        largest.append((moment, cover.largest_hole))
    return free, largest


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
        self.pieces_changed = 0

    @property
    def largest_hole(self) -> int:
        return self._hole_sizes[-1] if self._hole_sizes else 0

    def change(self, low: int, high: int, change: int) -> None:
        """Cover [low, high) once more (`change` 1) or once less (-1); what lies outside of the allocation is cut."""
        low, high = max(low, 0), min(high, self._edges[-1])
        while low < high:
            piece = bisect_right(self._edges, low) - 1
            end = min(high, self._edges[piece + 1])
            self._change_within(piece, low, end, change)
            self.pieces_changed += 1
            low = end

    def _change_within(self, piece: int, low: int, high: int, change: int) -> None:
        """The part [low, high) of one piece: cut off, or joined with a neighbour that it has become equal to."""
        edges, counts = self._edges, self._counts
        start, end, count = edges[piece], edges[piece + 1], counts[piece]
        changed = count + change
        left = low == start and piece > 0 and counts[piece - 1] == changed
        right = high == end and piece + 1 < len(counts) and counts[piece + 1] == changed
        if not count:
            self._take_hole(start, low, high, end)
        elif not changed:
            self._give_hole(edges[piece - 1] if left else low, low, high, edges[piece + 2] if right else high)
        before, after = [low] if low > start else [], [high] if high < end else []
        counts[piece - left : piece + 1 + right] = [count] * len(before) + [changed] + [count] * len(after)
        edges[piece + 1 - left : piece + 1 + right] = before + after

    def _take_hole(self, start: int, low: int, high: int, end: int) -> None:
        """The hole [start, end) loses [low, high)."""
        self._remove_size(end - start)
        self._add_size(low - start)
        self._add_size(end - high)
        self.free_bytes -= high - low

    def _give_hole(self, start: int, low: int, high: int, end: int) -> None:
        """[low, high) becomes free; the holes beside it, if any, reach from `start` and to `end`."""
        self._remove_size(low - start)
        self._remove_size(end - high)
        self._add_size(end - start)
        self.free_bytes += high - low

    def _add_size(self, size: int) -> None:
        if size > 0:
            insort(self._hole_sizes, size)

    def _remove_size(self, size: int) -> None:
        if size > 0:
            del self._hole_sizes[bisect_left(self._hole_sizes, size)]
