"""Remember the builds of a module in this run: its first, previous and current figures, and the trend of its peak.

Only this module of `watch` compares builds; the others get the results from here.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from reportgen.analyse.records import Analysis
from reportgen.compare.value_changes import (
    Amounts,
    Build,
    BuildFigures,
    ChangeKind,
    SpaceChange,
    ValueChange,
    amount_changes,
    build_of,
    changes,
)

__all__ = ["Amounts", "ChangeKind", "History", "Point", "SpaceChange", "ValueChange"]

_MOST_POINTS = 50  # as many as a small chart can show, because a day of work must not fill the memory


class Point(NamedTuple):
    """The peak resident bytes of a module in one build, by memory space; None without live ranges."""

    build: int
    time: str
    peak_resident: dict[int, int | None]


@dataclass(slots=True)
class History:
    """One module over the builds in which it was new or had changed.

    `since_previous` is empty after the first build; `since_start` always has all memory spaces but no values.
    """

    first: BuildFigures
    now: Build
    since_previous: tuple[SpaceChange, ...] = ()
    since_start: tuple[SpaceChange, ...] = ()
    trend: deque[Point] = field(default_factory=lambda: deque(maxlen=_MOST_POINTS))

    @classmethod
    def start(cls, analysis: Analysis, build: int, time: str) -> "History":
        """Return the history that begins with the first build of a module."""
        now = build_of(analysis)
        history = cls(now.figures, now, since_start=amount_changes(now.figures, now.figures))
        history._add_point(build, time)
        return history

    def add(self, analysis: Analysis, build: int, time: str) -> None:
        """Add the next build."""
        new = build_of(analysis)
        self.since_previous = changes(self.now, new)
        self.since_start = amount_changes(self.first, new.figures)
        self.now = new
        self._add_point(build, time)

    def _add_point(self, build: int, time: str) -> None:
        peaks = {color: space.amounts.peak_resident for color, space in self.now.figures.items()}
        self.trend.append(Point(build, time, peaks))
