"""What the builds of this run were: the figures of a module at the start, before and now, and the trend of its peak."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from reportgen.analyse.changes import Figures, SpaceChange, changes

MOST_POINTS = 50
"""As many as the trend can show; a day's work must not fill the memory."""


class Point(NamedTuple):
    """The peaks of a module in one build, by memory space; None without live ranges."""

    build: int
    time: str
    peak_resident: dict[int, int | None]


@dataclass(slots=True)
class History:
    """One module over the builds in which it was new or had changed.

    `since_previous` is empty for a module that was not there before; `since_start` has all of its spaces.
    """

    start: Figures
    now: Figures
    since_previous: tuple[SpaceChange, ...] = ()
    since_start: tuple[SpaceChange, ...] = ()
    trend: deque[Point] = field(default_factory=lambda: deque(maxlen=MOST_POINTS))

    @classmethod
    def begun(cls, figures: Figures, build: int, time: str) -> "History":
        history = cls(figures, figures, since_start=changes(figures, figures))
        history._add_point(build, time)
        return history

    def add(self, figures: Figures, build: int, time: str) -> None:
        self.since_previous = changes(self.now, figures)
        self.since_start = changes(self.start, figures)
        self.now = figures
        self._add_point(build, time)

    def _add_point(self, build: int, time: str) -> None:
        peaks = {color: space.amounts.peak_resident for color, space in self.now.items()}
        self.trend.append(Point(build, time, peaks))
