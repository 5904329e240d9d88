"""Draw a figure over the builds as steps: an amount holds until the build that changes it.

Places are in percent of the chart, so that it fits any width, and texts keep their size.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from reportgen.compare.history import Record
from reportgen.compare.series import Change

_MOST_CHANGES = 200
"""The last changes are drawn; the table has all."""

_MOST_TICKS, _MOST_BUILDS = 6, 5
_AFTER = 0.08
"""The least part of the width after the last build, whose amount is to be seen."""
_CLOSE = 5
"""Percent of the height within which a line beside that of a limit would look like it."""
_LABEL_HEIGHT, _LABEL_WIDTH, _NARROW_LABEL_WIDTH = 14, 10, 30
"""Percent of the chart that a label takes with its dot, and of a narrow chart."""
_MOST_ABOVE = 1.5
"""A limit more times above all amounts than this is only named, at the edge, because the chart would be flat."""
_LEAST_RANGE = 8
"""An axis is broken where the amounts differ by less than this part of the largest."""

Label = Literal["none", "wide", "all"]
"""On which charts a dot has its amount beside it."""

Steps = Sequence[tuple[float, float | None]]
"""Where an amount begins, in percent from the left, and how high it is; None where it is gone."""


class Limit(NamedTuple):
    """What an amount should not exceed: a budget, or the capacity of the device."""

    name: Literal["budget", "capacity"]
    amount: int


class Dot(NamedTuple):
    """A change in percent of the chart from its left and its top.

    Its label is above its dot unless it `is_low`, and begins at it unless it `is_left`.
    """

    x: float
    y: float
    change: Change
    label: Label = "none"
    is_low: bool = False
    is_left: bool = False


class Chart:
    """A stepped `path` of 100 by 100 and the `area` below it; the axis begins at `low` bytes.

    `now` is the last build, where the last change is an earlier one. `rules` are where shapes changed and the path is
    broken, each with its words and the room for these. `ticks` are amounts of the axis, each with its height and
    whether a limit is so close that it has no line. `limits` have their heights and where to name them; those that are
    `far` above have no height. `builds` are some of them with their places.
    """

    def __init__(self, records: Sequence[Record], changes: Sequence[Change], limits: Iterable[Limit]) -> None:
        shown = changes[-_MOST_CHANGES:]
        self.left_out = len(changes) - len(shown)
        amounts = [change.amount for change in shown if change.amount is not None]
        distinct = list(dict.fromkeys(limits))
        near = [limit for limit in distinct if limit.amount <= _MOST_ABOVE * max(amounts)]
        self.far = [limit for limit in distinct if limit not in near]
        ticks = _ticks([*amounts, *(limit.amount for limit in near)])
        self.low, self._high = ticks[0], ticks[-1]
        self._first, self._last = shown[0].now.build, len(records) - 1
        heights = [self._y(limit.amount) for limit in near]
        steps = [(self._x(each.now.build), None if each.amount is None else self._y(each.amount)) for each in shown]
        dots = [Dot(x, y, change) for (x, y), change in zip(steps, shown, strict=True) if y is not None]
        is_later = shown[-1].now.build < self._last and dots[-1].change is shown[-1]
        if is_later:
            dots.append(dots[-1]._replace(x=self._x(self._last)))
        self.dots = _labelled(dots, heights)
        self.now = self.dots.pop() if is_later else None
        self.limits = [(limit, y, self.side(y)) for limit, y in zip(near, heights, strict=True)]
        self.ticks = [(tick, y := self._y(tick), any(abs(y - at) < _CLOSE for at in heights)) for tick in ticks]
        self.rules = list(_rules(shown, steps))
        stretches = [*_stretches(steps, {x for x, _, _ in self.rules})]
        self.path = "".join(path for _, path in stretches)
        self.area = "".join(f"{path}V100H{start}Z" for start, path in stretches)
        self.builds = [(self._x(build), records[build]) for build in _spread(self._first, self._last)]

    def _x(self, build: int) -> float:
        steps = self._last - self._first
        return round((build - self._first) * 100 / max(steps + 0.5, steps / (1 - _AFTER), 1), 2)

    def _y(self, amount: int) -> float:
        return round(100 * (self._high - amount) / (self._high - self.low), 2)

    def side(self, y: float) -> Literal["left", "right"]:
        """Return the side of the chart where to name what is at a height: that where the amount is farther from it."""
        first, last = self.dots[0], self.now or self.dots[-1]
        return "left" if abs(first.y - y) > abs(last.y - y) else "right"


def _labelled(dots: Sequence[Dot], limits: Iterable[float]) -> list[Dot]:
    """Return the dots, the first, the last and the largest of them with labels.

    The largest has none beside the first. A label is below its dot where a limit is just above, and that of the first
    where the next step rises.
    """
    first, last, largest = dots[0], dots[-1], min(dots, key=lambda dot: dot.y)
    has_room = largest.x > _LABEL_WIDTH and largest.y < min(first.y, last.y)

    def labelled(dot: Dot, following: float) -> Dot:
        label: Label = "none"
        if dot is last or (dot is first and first.change is not last.change):
            label = "all"
        elif dot is largest and has_room:
            label = "all" if dot.x > _NARROW_LABEL_WIDTH else "wide"
        is_under_limit = any(0 < dot.y - limit < _LABEL_HEIGHT for limit in limits)
        is_low = (is_under_limit or (dot is first and following < dot.y)) and dot.y + _LABEL_HEIGHT <= 100
        is_left = dot.x > 100 - _NARROW_LABEL_WIDTH and dot is not last
        return dot._replace(label=label, is_low=is_low, is_left=is_left)

    return [labelled(dot, after.y) for dot, after in zip(dots, [*dots[1:], last], strict=True)]


def _rules(shown: Sequence[Change], steps: Steps) -> Iterator[tuple[float, str, float]]:
    """Yield where sections of equal shapes begin, with their words and widths; before the first change the first."""
    places = [(x, change.resized) for (x, _), change in zip(steps, shown, strict=True) if change.resized]
    first = next((change for change in shown if change.resized), None)
    before = [(0.0, first.resized_from)] if first and first is not shown[0] else []
    for (x, words), (after, _) in pairwise([*before, *places, (100.0, "")]):
        yield x, words, round(after - x, 2)


def _ticks(amounts: Sequence[int]) -> range:
    """Return the amounts of the axis, from one at or below all to one at or above all.

    They are multiples of a power of two, which are round in binary units. The axis begins at 0 unless that would hide
    the steps.
    """
    least, most = min(amounts), max(*amounts, 1)
    least = least if 0 < (most - least) * _LEAST_RANGE < most else 0
    step = 1
    while -(-most // step) - least // step > _MOST_TICKS - 1:
        step *= 2
    return range(least // step * step, most + step, step)


def _spread(first: int, last: int) -> list[int]:
    """Return builds at even distances, the first and the last among them."""
    parts = min(last - first, _MOST_BUILDS) or 1
    return sorted({first + (last - first) * part // parts for part in range(parts + 1)})


def _stretches(steps: Steps, breaks: Container[float]) -> Iterator[tuple[float, str]]:
    """Yield each stretch of an SVG path from where it begins; it stops at a break and where the amount is gone."""
    start, path = 0.0, ""
    for x, y in [*steps, (100, None)]:
        if path:
            path += f"H{x}"
            if x in breaks:
                yield start, path
                path = ""
        if y is not None:
            start, path = (start, f"{path}V{y}") if path else (x, f"M{x} {y}")
        elif path:
            yield start, path
            path = ""
