"""The builds of one function over a history, one series by its name whatever its shapes, and what changed in them.

Two modules of one build are two functions, also under one name. From build to build, modules are paired as two builds
are compared: equal shapes first, then what is left of one name, the most similar in their arguments first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.compare.argument_changes import cause_words, shape_change, shape_words
from reportgen.compare.figures import FIGURES
from reportgen.compare.history import Amounts, Arguments, History, ModuleKey, ModuleRecord, Record, Spaces
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.formats import change_words

PEAK, NEEDED = FIGURES.index("peak_resident"), FIGURES.index("needed")

_LEAST_SIMILARITY = 0.2


class Point(NamedTuple):
    """A build at which a function changed, also by its position in the history; `spaces` is None where it is gone.

    `key` is that of its module in this build, or in the last one that had it.
    """

    build: int
    record: Record
    key: ModuleKey
    spaces: Spaces | None = None
    arguments: Arguments = ()

    @property
    def module(self) -> ModuleRecord:
        """Return what the build has of the function."""
        return self.record.modules.get(self.key, ModuleRecord({}))

    @property
    def shapes(self) -> frozenset[tuple[str, str, int]]:
        """Return what tells whether two builds are of equal shapes."""
        return frozenset((group.name, group.shape, group.arrays) for group in self.arguments)


@dataclass(slots=True)
class Series:
    """One function over the builds; `number` counts the functions of one name, from 1."""

    backend: Backend
    name: str
    number: int
    points: list[Point] = field(default_factory=list)

    @property
    def last(self) -> Point:
        """Return the last change."""
        return self.points[-1]

    def __str__(self) -> str:
        name = f"{self.backend} {self.name}"
        return f"{name} {self.number}" if self.number > 1 else name


def series_of(history: History) -> Sequence[Series]:
    """Return each function that a build of the history has, in the order of their first builds."""
    functions: list[Series] = []
    before: Record | None = None
    for build, made in enumerate(history.records):
        if before and before.modules == made.modules:
            continue
        before = made
        continued = _continued(functions, made)
        for key, module in made.modules.items():
            series = continued.get(key)
            if series is None:
                number = 1 + sum((known.backend, known.name) == (key.backend, key.name) for known in functions)
                series = continued[key] = Series(key.backend, key.name, number)
                functions.append(series)
            point = Point(build, made, key, module.spaces, module.arguments)
            if not series.points or series.last[2:] != point[2:]:
                series.points.append(point)
        alive = set(map(id, continued.values()))
        for series in functions if made.is_whole else ():
            if id(series) not in alive and series.last.spaces is not None:
                series.points.append(series.last._replace(build=build, record=made, spaces=None))
    return functions


def _continued(known: Sequence[Series], record: Record) -> dict[ModuleKey, Series]:
    """Return which series each module of a build continues."""
    pairs: dict[ModuleKey, Series] = {}
    free = list(known)
    for is_same in (_is_at, _was_at):
        for key in record.modules:
            match = None if key in pairs else next((series for series in free if is_same(series, key)), None)
            if match is not None:
                pairs[key] = match
                free.remove(match)
    for _, key, series in sorted(_candidates(free, pairs, record), key=itemgetter(0)):
        if key not in pairs and series in free:
            pairs[key] = series
            free.remove(series)
    return pairs


def _is_at(series: Series, key: ModuleKey) -> bool:
    return series.last.key == key and series.last.spaces is not None


def _was_at(series: Series, key: ModuleKey) -> bool:
    return any(point.key == key for point in series.points)


def _candidates(
    free: Sequence[Series], paired: Mapping[ModuleKey, Series], record: Record
) -> Iterator[tuple[tuple[float, bool, int], ModuleKey, Series]]:
    """Yield the modules and series of one name that may be one function, each with its rank; the lowest comes first."""
    for order, (key, module) in enumerate(record.modules.items()):
        for series in free if key not in paired else ():
            if (series.backend, series.name) == (key.backend, key.name):
                similarity = _similarity(series.last.arguments, module.arguments)
                if similarity >= _LEAST_SIMILARITY:
                    # Of those that are equally similar, first what the last build had, then in their order.
                    yield (-similarity, series.last.spaces is None, order), key, series


def _similarity(before: Arguments, after: Arguments) -> float:
    """Return the part of their arguments, by name, that two modules have in common: 1 where they are not known."""
    names_before, names_after = {group.name for group in before}, {group.name for group in after}
    if not names_before or not names_after:
        return 1.0
    return 2 * len(names_before & names_after) / (len(names_before) + len(names_after))


@record(slots=False)
class Change:
    """What a build, `now`, changed in the memory space of a `color`; `figure` is the one that is told of it.

    `like` is the last build of equal shapes before it, if it `before` has others. `against` is the build that it is
    compared with, if that is not the one before. `shapes` are the arguments from then on, empty if they are as before.
    """

    before: Point
    now: Point
    color: int
    figure: int
    like: Point | None = None
    against: Record | None = None
    shapes: str = ""

    @property
    def record(self) -> Record:
        """Return the build."""
        return self.now.record

    @cached_property
    def spaces(self) -> tuple[Amounts | None, Amounts | None]:
        """Return what is known of the memory space before and now; None where a build does not have it."""
        before, now = ((point.spaces or {}).get(self.color) for point in (self.before, self.now))
        return before, now

    @property
    def amount(self) -> int | None:
        """Return the figure; None where there is none any more."""
        return self.spaces[1][self.figure] if self.spaces[1] else None

    @property
    def by_bytes(self) -> int | None:
        """Return by how much the figure changed; None where there was none or none is left."""
        was = self.spaces[0][self.figure] if self.spaces[0] else None
        return None if was is None or self.amount is None else self.amount - was

    @property
    def words(self) -> str:
        """Return how the figure changed, in words that stand next to it."""
        if self.amount is None:
            return "gone" if self.spaces[0] else "unknown"
        if self.by_bytes is None:
            return "new"
        was = self.amount - self.by_bytes
        return change_words(was, self.amount) if self.by_bytes else "as before, with other figures changed"

    @property
    def remarks(self) -> str:
        """Return what else is known of the build: that its dump is unsound, and why its growth is accepted."""
        slug, accepted = self.now.module.unsound, self.record.accepted
        return "; ".join([*([f"unsound, {slug}"] if slug else []), *([f"accepted: {accepted}"] if accepted else [])])

    @cached_property
    def causes(self) -> Sequence[str]:
        """Return what made the change, the main cause first; empty where that is not known."""
        before, now = self.spaces
        if before is None or now is None:
            return ()
        points = self.before, self.now
        was, main = ((point.spaces or {}).get(MAIN_SPACE) for point in points)
        main_change = (main[NEEDED] or 0) - (was[NEEDED] or 0) if main and was else 0
        # The line is that of the peak of the main memory.
        of_before, of_now = (
            point.module.origin if self.color == MAIN_SPACE else point.module.origin._replace(line="")
            for point in points
        )
        return cause_words(self.before.arguments, self.now.arguments, (before, now), (of_before, of_now), main_change)

    @cached_property
    def resized(self) -> str:
        """Return an argument of another shape, with that shape; empty if none has."""
        return shape_change(self.before.arguments, self.now.arguments) if all(self.spaces) else ""

    @property
    def resized_from(self) -> str:
        """Return the same argument with its shape before."""
        return shape_change(self.now.arguments, self.before.arguments) if self.resized else ""

    @cached_property
    def alike(self) -> "Change | None":
        """Return the change against the last build of equal shapes, if the one before has others."""
        if self.like is None:
            return None
        return replace(self, before=self.like, like=None, against=self.like.record, shapes="")

    @property
    def judged(self) -> "Change":
        """Return the change against a build of equal shapes, if there is one that differs."""
        return self.alike if self.alike and self.alike.by_bytes else self


def changes_of(history: History, series: Series, color: int, figure: int) -> Iterator[Change]:
    """Yield the builds at which a memory space of a function came, went or changed in any figure."""
    before = Point(0, history.records[0], series.last.key)
    of_shapes: dict[frozenset[tuple[str, str, int]], Point] = {}
    shown = ""
    for now in series.points:
        change = Change(before=before, now=now, color=color, figure=figure)
        was, space = change.spaces
        if space != was:
            shapes = shape_words(now.arguments) if space else ""
            like = of_shapes.get(now.shapes) if change.resized else None
            yield replace(change, like=like, shapes="" if shapes == shown else shapes)
            shown = shapes
        # A space that does not change in a build has nothing of that build as a cause later.
        before = now
        if space:
            of_shapes[now.shapes] = now
