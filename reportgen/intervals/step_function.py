"""Compute with half-open intervals of bytes, and with amounts that change over time."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from operator import itemgetter

from reportgen.record import record

Interval = tuple[int, int]
Change = tuple[int, int]
"""A moment, and the number of bytes that are added at it (or removed, if negative)."""


def merge(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the same bytes as disjoint intervals in order; join touching intervals and drop empty ones."""
    merged: list[Interval] = []
    for low, high in sorted(interval for interval in intervals if interval[0] < interval[1]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def length(intervals: Iterable[Interval]) -> int:
    """Return the number of bytes in the union of the intervals."""
    return sum(high - low for low, high in merge(intervals))


@record(kw_only=False)
class Peak:
    """The maximum of a step function: `amount` bytes, first reached at `moment`, at `ties` moments in total."""

    amount: int
    moment: int
    ties: int


@record(slots=False, kw_only=False)
class StepFunction:
    """An amount for each moment of [0, length): `amounts[i]` applies from `moments[i]` until the next one.

    `moments` starts with 0 and is strictly increasing.
    """

    moments: tuple[int, ...]
    amounts: tuple[int, ...]
    length: int

    @classmethod
    def from_changes(cls, changes: Iterable[Change], length: int) -> "StepFunction":
        """Return the running sum of changes, which may come in any order.

        Changes before moment 0 count from moment 0 on; those from `length` on are dropped.
        """
        at: defaultdict[int, int] = defaultdict(int)
        for moment, change in changes:
            at[moment] += change
        moments = [moment for moment in sorted(at) if at[moment]]  # changes at one moment can cancel each other
        end = bisect_left(moments, length)
        first = min(bisect_right(moments, 0), end)
        start = sum(at[moment] for moment in moments[:first])
        later = moments[first:end]
        return cls((0, *later), tuple(accumulate(map(at.__getitem__, later), initial=start)), length)

    @classmethod
    def from_amounts(cls, amounts: Sequence[int]) -> "StepFunction":
        """Return the step function with the given amount at each moment, of which there is at least one."""
        pieces = [next(equal) for _, equal in groupby(enumerate(amounts), key=itemgetter(1))]
        return cls(tuple(moment for moment, _ in pieces), tuple(amount for _, amount in pieces), len(amounts))

    def changes(self) -> Iterator[Change]:
        """Yield the change at each moment; the first one is the amount at moment 0."""
        before = 0
        for moment, amount in zip(self.moments, self.amounts, strict=True):
            yield moment, amount - before
            before = amount

    def at(self, moment: int) -> int:
        """Return the amount at a moment."""
        return self.amounts[bisect_right(self.moments, moment) - 1]

    def at_each(self, moments: Iterable[int]) -> Iterator[int]:
        """Yield the amount at each of the given moments, which must be in order."""
        piece, last = 0, len(self.moments) - 1
        for moment in moments:
            while piece < last and self.moments[piece + 1] <= moment:
                piece += 1
            yield self.amounts[piece]

    def pieces(self) -> Iterator[tuple[int, int, int]]:
        """Return (first moment, end, amount) for each stretch of equal amount; the end is exclusive."""
        ends = (*self.moments[1:], max(self.length, self.moments[-1]))
        return zip(self.moments, ends, self.amounts, strict=True)

    @cached_property
    def peak(self) -> Peak:
        """Return the maximum over [0, length). An empty range has its peak at moment 0, with 0 ties."""
        amount = max(self.amounts)
        ties = sum(end - first for first, end, value in self.pieces() if value == amount)
        return Peak(amount, self.moments[self.amounts.index(amount)], ties)


def most_at_once(lives: Iterable[tuple[int, int, int]]) -> int:
    """Return the most bytes at a moment; a life is its first and last moment, both inclusive, and its bytes."""
    steps = Counter[int]()
    for first, last, size_bytes in lives:
        steps[first] += size_bytes
        steps[last + 1] -= size_bytes
    return max(accumulate(steps[moment] for moment in sorted(steps)), default=0)
