"""Half-open byte intervals, and how many bytes they cover over time.

Every number of the report rests on one question: how many distinct bytes are under at least one live
value at moment t. A sum of value sizes counts bytes twice wherever an operand hands its buffer to a
result, so the answer must be a union of intervals.

Bytes are half-open intervals [low, high); moments are inclusive ranges first..last, as XLA prints them.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

Interval = tuple[int, int]


class Occupancy(NamedTuple):
    """A slice of bytes [low, high) held from moment `first` to moment `last`, both inclusive."""

    first: int
    last: int
    low: int
    high: int


def merge(intervals: Iterable[Interval]) -> list[Interval]:
    """The same bytes as disjoint intervals in order; touching ones become one, empty ones vanish."""
    merged: list[Interval] = []
    for low, high in sorted(interval for interval in intervals if interval[0] < interval[1]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def gaps(intervals: Iterable[Interval], low: int, high: int) -> list[Interval]:
    """The bytes of [low, high) that no interval covers, in order."""
    free = []
    for start, end in merge(intervals):
        if low < min(start, high):
            free.append((low, min(start, high)))
        low = max(low, end)
    if low < high:
        free.append((low, high))
    return free


def length(intervals: Iterable[Interval]) -> int:
    """How many bytes the union of the intervals has."""
    return sum(high - low for low, high in merge(intervals))


def overlap(one: Interval, other: Interval) -> int:
    """How many bytes two intervals share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest value of a step function: `amount` bytes, first at `moment`, at `ties` moments in all."""

    amount: int
    moment: int
    ties: int


@dataclass(frozen=True, slots=True)
class StepFunction:
    """An amount for each moment of [0, length): `amounts[i]` holds from `moments[i]` to the next one.

    `moments` starts with 0 and grows strictly.
    """

    moments: tuple[int, ...]
    amounts: tuple[int, ...]
    length: int

    @classmethod
    def from_changes(cls, changes: Iterable[tuple[int, int]], length: int) -> "StepFunction":
        """The running sum of (moment, change) pairs in any order; changes outside [0, length) are cut."""
        at: defaultdict[int, int] = defaultdict(int, {0: 0})
        for moment, change in changes:
            if moment < length:
                at[max(moment, 0)] += change
        moments = [moment for moment in sorted(at) if moment == 0 or at[moment]]
        return cls(tuple(moments), tuple(accumulate(at[moment] for moment in moments)), length)

    def changes(self) -> Iterator[tuple[int, int]]:
        before = 0
        for moment, amount in zip(self.moments, self.amounts, strict=True):
            yield moment, amount - before
            before = amount

    def at(self, moment: int) -> int:
        return self.amounts[bisect_right(self.moments, moment) - 1]

    def pieces(self) -> Iterator[tuple[int, int, int]]:
        """(first moment, moment behind the last, amount) for each stretch of equal amount."""
        ends = (*self.moments[1:], max(self.length, self.moments[-1]))
        return zip(self.moments, ends, self.amounts, strict=True)

    def peak(self) -> Peak:
        """The maximum over [0, length); an empty time axis has its peak at moment 0 with no ties."""
        amount = max(self.amounts)
        ties = sum(end - first for first, end, value in self.pieces() if value == amount)
        return Peak(amount, self.moments[self.amounts.index(amount)], ties)


def covered_over_time(occupancies: Iterable[Occupancy], moments: int) -> StepFunction:
    """The number of distinct bytes covered at each moment of [0, `moments`); O(n log n).

    Slices that many values take in turn are first joined over time; what is left overlaps rarely, but
    any overlap is counted once, by a tree over the elementary byte intervals.
    """
    changes: list[tuple[int, int]] = []
    for group in _groups_sharing_bytes(_joined_over_time(occupancies)):
        changes.extend(_changes_of_one(group) if len({o[2:] for o in group}) == 1 else _changes_of_many(group))
    return StepFunction.from_changes(changes, moments)


def _joined_over_time(occupancies: Iterable[Occupancy]) -> list[Occupancy]:
    """One occupancy for each slice and unbroken stretch of time, ordered by slice."""
    by_slice: defaultdict[Interval, list[Interval]] = defaultdict(list)
    for first, last, low, high in occupancies:
        if low < high and first <= last:
            by_slice[low, high].append((first, last + 1))
    return [
        Occupancy(first, behind - 1, low, high)
        for (low, high), times in sorted(by_slice.items())
        for first, behind in merge(times)
    ]


def _groups_sharing_bytes(occupancies: Sequence[Occupancy]) -> Iterator[list[Occupancy]]:
    """Split what is ordered by slice where no slice reaches across."""
    group: list[Occupancy] = []
    reach = 0
    for occupancy in occupancies:
        if group and occupancy.low >= reach:
            yield group
            group = []
        group.append(occupancy)
        reach = max(reach, occupancy.high)
    if group:
        yield group


def _changes_of_one(group: Sequence[Occupancy]) -> Iterator[tuple[int, int]]:
    for first, last, low, high in group:
        yield first, high - low
        yield last + 1, low - high


def _changes_of_many(group: Sequence[Occupancy]) -> Iterator[tuple[int, int]]:
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


class CoverageTree:
    """How many bytes are under at least one interval, while intervals come and go; O(log n) each.

    `edges` are all the ends that will occur. Leaves are the elementary intervals between them; a node
    knows how often it is covered as a whole and how many of its bytes are covered at all.
    """

    def __init__(self, edges: Iterable[int]) -> None:
        points = sorted(edges)
        self._leaf = {point: number for number, point in enumerate(points)}
        self._size = size = 1 << max(len(points) - 2, 0).bit_length()
        self._count = [0] * (2 * size)
        self._bytes = [0] * (2 * size)
        self._width = [0] * (2 * size)
        for number in range(len(points) - 1):
            self._width[size + number] = points[number + 1] - points[number]
        for node in range(size - 1, 0, -1):
            self._width[node] = self._width[2 * node] + self._width[2 * node + 1]

    @property
    def covered_bytes(self) -> int:
        return self._bytes[1]

    def cover(self, low: int, high: int, change: int) -> None:
        """Cover [low, high) once more (`change` 1) or once less (-1)."""
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

    def _refresh(self, node: int) -> None:
        if self._count[node]:
            self._bytes[node] = self._width[node]
        elif node >= self._size:
            self._bytes[node] = 0
        else:
            self._bytes[node] = self._bytes[2 * node] + self._bytes[2 * node + 1]

    def _refresh_above(self, node: int) -> None:
        while node > 1:
            node >>= 1
            self._refresh(node)
