"""The builds of one function over a history, one series by its name whatever its shapes, and what changed in them.

Two modules of one build are two functions, also under one name. From build to build, modules are paired as two builds
are compared: equal shapes first, then what is left of one name, the most similar in their arguments first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.compare.argument_changes import cause_words, shape_change, shape_words
from reportgen.compare.figures import FIGURES
from reportgen.compare.history import Amounts, Arguments, History, ModuleKey, ModuleRecord, PeakOrigin, Record, Spaces
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.formats import change_words

PEAK, NEEDED = FIGURES.index("peak_resident"), FIGURES.index("needed")

_LEAST_SIMILARITY = 0.2


class Point(NamedTuple):
    """A build at which a function changed, by its position in the history; `spaces` is None where it is gone.

    `key` is that of its module in this build, or in the last one that had it.
    """

    build: int
    key: ModuleKey
    spaces: Spaces | None
    arguments: Arguments = ()


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
            point = Point(build, key, module.spaces, module.arguments)
            if not series.points or series.last[1:] != point[1:]:
                series.points.append(point)
        alive = set(map(id, continued.values()))
        for series in functions if made.is_whole else ():
            if id(series) not in alive and series.last.spaces is not None:
                series.points.append(series.last._replace(build=build, spaces=None))
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


class State(NamedTuple):
    """What a build needs in a memory space and in the main one, what it takes, and where its peak comes from."""

    record: Record
    space: Amounts | None = None
    main: Amounts | None = None
    arguments: Arguments = ()
    origin: PeakOrigin = PeakOrigin()
    remarks: str = ""

    @property
    def shapes(self) -> frozenset[tuple[str, str, int]]:
        """Return what tells whether two builds are of equal shapes."""
        return frozenset((group.name, group.shape, group.arrays) for group in self.arguments)


@record(slots=False)
class Change:
    """A build that changed a memory space, by its position in the history; `figure` is the one that is told of it.

    `like` is the last build of equal shapes before it, if it `before` has others. `against` is the build that it is
    compared with, if that is not the one before. `shapes` are the arguments from then on, empty if they are as before.
    """

    build: int
    before: State
    now: State
    figure: int
    like: State | None = None
    against: Record | None = None
    shapes: str = ""

    @property
    def record(self) -> Record:
        """Return the build."""
        return self.now.record

    @property
    def amount(self) -> int | None:
        """Return the figure; None where there is none any more."""
        return self.now.space[self.figure] if self.now.space else None

    @property
    def by_bytes(self) -> int | None:
        """Return by how much the figure changed; None where there was none or none is left."""
        was = self.before.space[self.figure] if self.before.space else None
        return None if was is None or self.amount is None else self.amount - was

    @property
    def words(self) -> str:
        """Return how the figure changed, in words that stand next to it."""
        if self.amount is None:
            return "gone" if self.before.space else "unknown"
        if self.by_bytes is None:
            return "new"
        was = self.amount - self.by_bytes
        return change_words(was, self.amount) if self.by_bytes else "as before, with other figures changed"

    @cached_property
    def causes(self) -> Sequence[str]:
        """Return what made the change, the main cause first; empty where that is not known."""
        before, now = self.before, self.now
        if not before.space or not now.space:
            return ()
        main_change = (now.main[NEEDED] or 0) - (before.main[NEEDED] or 0) if now.main and before.main else 0
        spaces, origins = (before.space, now.space), (before.origin, now.origin)
        return cause_words(before.arguments, now.arguments, spaces, origins, main_change)

    @cached_property
    def resized(self) -> str:
        """Return an argument of another shape, with that shape; empty if none has."""
        return self._resized(self.before, self.now)

    @property
    def resized_from(self) -> str:
        """Return the same argument with its shape before."""
        return self._resized(self.now, self.before)

    def _resized(self, before: State, now: State) -> str:
        return shape_change(before.arguments, now.arguments) if before.space and now.space else ""

    @cached_property
    def alike(self) -> "Change | None":
        """Return the change against the last build of equal shapes, if the one before has others."""
        if self.like is None:
            return None
        return Change(build=self.build, before=self.like, now=self.now, figure=self.figure, against=self.like.record)

    @property
    def judged(self) -> "Change":
        """Return the change against a build of equal shapes, if there is one that differs."""
        return self.alike if self.alike and self.alike.by_bytes else self


def changes_of(history: History, series: Series, color: int, figure: int) -> Iterator[Change]:
    """Yield the builds at which a memory space of a function came, went or changed in any figure."""
    before = State(history.records[0])
    of_shapes: dict[frozenset[tuple[str, str, int]], State] = {}
    shown = ""
    for point in series.points:
        now = _state(history.records[point.build], point, color)
        if now.space != before.space:
            shapes = shape_words(point.arguments) if now.space else ""
            is_resized = before.space and now.space and shape_change(before.arguments, point.arguments)
            yield Change(
                build=point.build,
                before=before,
                now=now,
                figure=figure,
                like=of_shapes.get(now.shapes) if is_resized else None,
                shapes="" if shapes == shown else shapes,
            )
            shown = shapes
        # A space that does not change in a build has nothing of that build as a cause later.
        before = now
        if now.space:
            of_shapes[now.shapes] = now


def _state(build: Record, point: Point, color: int) -> State:
    """Return what is known of a memory space of a function in a build."""
    space, main = ((point.spaces or {}).get(one) for one in (color, MAIN_SPACE))
    module = build.modules.get(point.key, ModuleRecord({}))
    remarks = [f"unsound, {module.unsound}"] if module.unsound else []
    if build.accepted:
        remarks.append(f"accepted: {build.accepted}")
    # The line is that of the peak of the main memory.
    origin = module.origin if color == MAIN_SPACE else module.origin._replace(line="")
    return State(build, space, main, point.arguments, origin, "; ".join(remarks))
