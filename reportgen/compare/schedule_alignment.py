"""Where a moment of one build lies in the program of the other, and the place at which two builds are compared.

Matched instructions that run in the same order on both sides anchor the two schedules to each other. One that the
scheduler moved would map a place to the wrong half of the program, so only the longest chain that keeps its order
is used.

The peaks of two builds are at different moments. A comparison of those would be noise of two different moments, so
both sides are looked at where the higher peak is, and one term says how far the other side's own peak is from there.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from reportgen.analyse.records import Space
from reportgen.compare.graph import Graph
from reportgen.intervals.step_function import StepFunction

Chain = Sequence[tuple[int, int]]
"""Moments before and after of instructions that are the same, growing on both sides."""


class MomentPair(NamedTuple):
    """One place of the program, as a moment of each side."""

    before: int
    after: int


def longest_chain(before: Graph, after: Graph, partner: Sequence[int]) -> list[tuple[int, int]]:
    """Return the moments of matched instructions that grow strictly on both sides, as many of them as possible.

    `partner` has the partner of each value of `before`, -1 for none.
    """
    moments: dict[int, int] = {}
    for value, image_value in enumerate(partner):
        if image_value >= 0 and (moment := before.moment(value)) >= 0 and (image := after.moment(image_value)) >= 0:
            moments.setdefault(moment, image)  # of several values of an instruction, the first decides
    # Patience sorting: the end of the best chain of each length, and the point before each.
    points = sorted(moments.items())
    ends: list[int] = []
    at: list[int] = []
    previous = [-1] * len(points)
    for number, (_, image) in enumerate(points):
        place = bisect_left(ends, image)
        previous[number] = at[place - 1] if place else -1
        # A point ends a longer chain than any before it, or a chain of that length at a lower image.
        ends[place : place + 1], at[place : place + 1] = [image], [number]
    chain: list[tuple[int, int]] = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(points[number])
        number = previous[number]
    return chain[::-1]


def place_of(before: Space, after: Space, chain: Chain) -> MomentPair | None:
    """Return the place of the higher peak, or None where a side has no live ranges."""
    if before.temp is None or after.temp is None or before.peak_resident is None or after.peak_resident is None:
        return None
    peak_before, peak_after = before.peak_resident, after.peak_resident
    if peak_after.amount > peak_before.amount:
        moment, image = _image(after.temp, before.temp, [(late, early) for early, late in chain])
        return MomentPair(image, moment)
    if peak_after.amount < peak_before.amount:
        return MomentPair(*_image(before.temp, after.temp, chain))
    return MomentPair(peak_before.moment, peak_after.moment)


def _image(higher: StepFunction, lower: StepFunction, chain: Chain) -> tuple[int, int]:
    """Return a moment of the first stretch of the peak of `higher`, and the same place on the other side."""
    peak = higher.peak.moment
    end = next(end for first, end, _ in higher.pieces() if first == peak)
    # -1 is before every moment of the other side.
    low, high = bisect_left(chain, (peak, -1)), bisect_left(chain, (end, -1))
    inside = chain[low:high]
    if not inside:
        # No instruction of the stretch is on both sides, so the nearest ones around it stand in.
        inside = [(peak, image) for _, image in chain[max(0, low - 1) : low + 1]]
    if not inside:
        return peak, lower.peak.moment
    return max(inside, key=lambda point: (lower.at(point[1]), -point[0]))
