"""The place of the program at which two builds are compared.

Their peaks are at different moments. A comparison of those would be noise of two different moments, so both sides
are looked at where the higher peak is, and one term says how far the other side's own peak is from there.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from reportgen.analyse.records import Space
from reportgen.intervals.step_function import StepFunction

Chain = Sequence[tuple[int, int]]
"""Moments before and after of instructions that are the same, growing on both sides."""


class MomentPair(NamedTuple):
    """One place of the program, as a moment of each side."""

    before: int
    after: int


def place_of(before: Space, after: Space, chain: Chain) -> MomentPair | None:
    """Return the place of the higher peak, or None where a side has no live ranges."""
    if before.temp is None or after.temp is None or before.peak_resident is None or after.peak_resident is None:
        return None
    one, other = before.peak_resident, after.peak_resident
    if other.amount > one.amount:
        moment, image = _image(after.temp, before.temp, [(late, early) for early, late in chain])
        return MomentPair(image, moment)
    if other.amount < one.amount:
        return MomentPair(*_image(before.temp, after.temp, chain))
    return MomentPair(one.moment, other.moment)


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
