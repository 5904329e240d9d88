"""Count the bytes that values cover over time.

Every figure of the report depends on one question: how many distinct bytes does at least one live value cover at a
moment? Adding up the sizes of values would count bytes twice wherever a result reuses the buffer of its operand, so the
answer is the size of a union of intervals.

Bytes are half-open intervals [low, high); moments are ranges from `first` to `last` inclusive, as XLA prints them.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from reportgen.intervals.step_function import Change

_LOW, _HIGH = itemgetter(2), itemgetter(3)
_PIECES_PER_SLICE = 8  # limits for one pass over the pieces; beyond them the tree takes over, because it stays fast
_MOST_PIECES = 50_000


Item = TypeVar("Item")
Content = TypeVar("Content")


class Occupancy(NamedTuple):
    """A slice of bytes [low, high) held from moment `first` to moment `last`, both inclusive."""

    first: int
    last: int
    low: int
    high: int


def union_over_time(occupancies: Iterable[Occupancy]) -> list[Change]:
    """Return the changes in the number of distinct bytes covered, in any order, in O(n log n).

    The changes of allocations or slices that share no byte can be added up.
    """
    changes: list[Change] = []
    nonempty = [
        occupancy for occupancy in occupancies if occupancy.low < occupancy.high and occupancy.first <= occupancy.last
    ]
    for group in groups_sharing_bytes(nonempty, _LOW, _HIGH):
        if len(group) == 1:
            first, last, low, high = group[0]
            changes += ((first, high - low), (last + 1, low - high))
        else:
            changes += _changes_by_reach(sorted(group)) or _changes_by_tree(group)
    return changes


def groups_sharing_bytes(
    slices: Iterable[Item], low: Callable[[Item], int], high: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Yield slices in the order of their bytes, in groups that share no byte with each other.

    `low` and `high` return the bytes of a slice.
    """
    group: list[Item] = []
    reach = 0
    for slice_ in sorted(slices, key=low):
        if group and low(slice_) >= reach:
            yield group
            group, reach = [], 0
        group.append(slice_)
        reach = max(reach, high(slice_))
    if group:
        yield group


def _changes_by_reach(group: Sequence[Occupancy]) -> list[Change] | None:
    """Return the changes in covered bytes for slices in order of time; None if they overlap too much.

    Each piece knows the last moment at which it is covered, and a slice adds the moments after that. A slice joins
    the pieces that it outlives, which keeps their number low; it cannot join those that outlive it.
    """
    low, high = min(occupancy.low for occupancy in group), max(occupancy.high for occupancy in group)
    pieces = Pieces(low, high, group[0].first - 1)
    edges, reach = pieces.edges, pieces.contents
    changes: list[Change] = []
    budget = _PIECES_PER_SLICE * len(group)
    for first, last, low, high in group:
        start, end = pieces.cut(low), pieces.cut(high)
        budget -= end - start
        if budget < 0 or len(edges) > _MOST_PIECES:
            return None
        for piece in range(start, end):
            covered_to = reach[piece]
            if covered_to < last:
                size = edges[piece + 1] - edges[piece]
                changes += ((first if covered_to < first else covered_to + 1, size), (last + 1, -size))
                reach[piece] = last
        if end - start > 1 and max(reach[start:end]) == last:
            pieces.join(start, end, last)
    return changes


def _changes_by_tree(group: Sequence[Occupancy]) -> Iterator[Change]:
    """Yield the changes in covered bytes by a tree, because it stays fast in a hostile dump of nested slices."""
    events: defaultdict[int, list[tuple[int, Occupancy]]] = defaultdict(list)
    for occupancy in group:
        events[occupancy.first].append((1, occupancy))
        events[occupancy.last + 1].append((-1, occupancy))
    tree = CoverageTree({edge for occupancy in group for edge in occupancy[2:]})
    before = 0
    for moment in sorted(events):
        for count, occupancy in events[moment]:
            tree.cover(occupancy.low, occupancy.high, count)
        yield moment, tree.covered_bytes - before
        before = tree.covered_bytes


class Pieces(Generic[Content]):
    """The bytes [low, high) cut into pieces: piece i is [`edges[i]`, `edges[i + 1]`) and has `contents[i]`."""

    def __init__(self, low: int, high: int, content: Content) -> None:
        self.edges = [low, high]
        self.contents = [content]

    def cut(self, at: int) -> int:
        """Return the number of the piece that begins at byte `at`; split the piece around `at` if none does."""
        piece = bisect_left(self.edges, at)
        if self.edges[piece] != at:
            self.edges.insert(piece, at)
            self.contents.insert(piece, self.contents[piece - 1])
        return piece

    def join(self, start: int, end: int, content: Content) -> None:
        """Join the pieces from `start` up to, but not including, `end`."""
        self.edges[start + 1 : end] = []
        self.contents[start:end] = [content]


class CoverTree(ABC):
    """Count how often bytes are covered while intervals come and go; O(log n) each.

    This is a segment tree. `edges` are all the ends that will occur; leaves are the elementary intervals between them,
    and node n has the children 2 n and 2 n + 1. A node stores its number of bytes and how often it is covered as a
    whole; subclasses derive their figures from these and from the children.
    """

    def __init__(self, edges: Iterable[int]) -> None:
        points = sorted(edges)
        self._leaf = {point: number for number, point in enumerate(points)}
        self._size = size = 1 << max(len(points) - 2, 0).bit_length()
        self._count = [0] * (2 * size)
        widths = [high - low for low, high in pairwise(points)]
        self._widths = [0] * size + widths + [0] * (size - len(widths))
        for node in range(size - 1, 0, -1):
            self._widths[node] = self._widths[2 * node] + self._widths[2 * node + 1]

    @abstractmethod
    def _refresh(self, node: int) -> None:
        """Update `node` after its count or its children have changed."""

    def cover(self, low: int, high: int, change: int) -> None:
        """Cover [low, high), which has bytes, once more (`change` 1) or once less (-1)."""
        left = first = self._leaf[low] + self._size
        right = self._leaf[high] + self._size
        last = right - 1
        while left < right:
            if left & 1:
                self._add(left, change)
                left += 1
            if right & 1:
                right -= 1
                self._add(right, change)
            left >>= 1
            right >>= 1
        self._refresh_above(first)
        self._refresh_above(last)

    def _add(self, node: int, change: int) -> None:
        self._count[node] += change
        self._refresh(node)

    def _refresh_above(self, node: int) -> None:
        while node > 1:
            node >>= 1
            self._refresh(node)


class CoverageTree(CoverTree):
    """Count the bytes under at least one interval."""

    def __init__(self, edges: Iterable[int]) -> None:
        super().__init__(edges)
        self._bytes = [0] * (2 * self._size)

    @property
    def covered_bytes(self) -> int:
        return self._bytes[1]

    def _refresh(self, node: int) -> None:
        if self._count[node]:
            self._bytes[node] = self._widths[node]
        elif node >= self._size:
            self._bytes[node] = 0
        else:
            self._bytes[node] = self._bytes[2 * node] + self._bytes[2 * node + 1]
