"""How many bytes values cover over time.

Every number of the report rests on one question: how many distinct bytes are under at least one live
value at moment t. A sum of value sizes counts bytes twice wherever an operand hands its buffer to a
result, so the answer must be a union of intervals.

Bytes are half-open intervals [low, high); moments are inclusive ranges first..last, as XLA prints them.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Generic, NamedTuple, Protocol, TypeVar

from reportgen.spans import Change

_PIECES_PER_SLICE = 8
_MOST_PIECES = 50_000


class Slice(Protocol):
    """Anything that has the bytes [low, high)."""

    @property
    def low(self) -> int: ...

    @property
    def high(self) -> int: ...


Held = TypeVar("Held", bound=Slice)
Content = TypeVar("Content")


class Occupancy(NamedTuple):
    """A slice of bytes [low, high) held from moment `first` to moment `last`, both inclusive."""

    first: int
    last: int
    low: int
    high: int


def covered_changes(occupancies: Iterable[Occupancy]) -> list[Change]:
    """How the number of distinct bytes covered changes, in any order; O(n log n).

    Changes of separate bytes can be added up.
    """
    changes: list[Change] = []
    held = [one for one in occupancies if one.low < one.high and one.first <= one.last]
    for group in groups_sharing_bytes(held):
        if len(group) == 1:
            first, last, low, high = group[0]
            changes += ((first, high - low), (last + 1, low - high))
        else:
            changes += _changes_by_reach(sorted(group)) or _changes_by_tree(group)
    return changes


def groups_sharing_bytes(slices: Iterable[Held]) -> Iterator[list[Held]]:
    """The slices in order of their bytes, parted where no slice reaches across."""
    group: list[Held] = []
    reach = 0
    for one in sorted(slices, key=attrgetter("low")):
        if one.low >= reach and group:
            yield group
            group = []
        group.append(one)
        reach = max(reach, one.high) if len(group) > 1 else one.high
    if group:
        yield group


def _changes_by_reach(group: Sequence[Occupancy]) -> list[Change] | None:
    """Changes of the covered length of what is ordered by time; None where slices overlap too much for this.

    Each piece knows the last moment that it is covered to, and a slice adds what lies behind that. A slice makes
    one piece of those it outlives, which keeps them few; it cannot where they outlive it.
    """
    low, high = min(one.low for one in group), max(one.high for one in group)
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
    """Changes of the covered length, by a tree that counts covers of elementary intervals."""
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
        """The number of the piece that begins at byte `at`, cut off the one before where there is none yet."""
        piece = bisect_left(self.edges, at)
        if self.edges[piece] != at:
            self.edges.insert(piece, at)
            self.contents.insert(piece, self.contents[piece - 1])
        return piece

    def join(self, start: int, end: int, content: Content) -> None:
        """Make one piece of those from `start` to before `end`."""
        self.edges[start + 1 : end] = []
        self.contents[start:end] = [content]


class CoverTree(ABC):
    """How often bytes are covered, while intervals come and go; O(log n) each.

    `edges` are all the ends that will occur. Leaves are the elementary intervals between them; node n has the
    children 2 n and 2 n + 1. A node knows how many bytes it has and how often it is covered as a whole; what else
    it knows follows from that and from its children.
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
        """What `node` knows, after its count or what its children know has changed."""

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
    """How many bytes are under at least one interval."""

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
