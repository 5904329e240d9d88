"""The builds of one function over a history: one series by its name, whatever shapes it was compiled for.

Two modules of one build are two functions, also under one name. From build to build, modules are paired as two builds
are compared: equal shapes first, then what is left of one name, the most similar in their arguments first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reportgen.compare.history import Arguments, History, ModuleKey, Record, Spaces
from reportgen.input.names import Backend

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
    for build, record in enumerate(history.records):
        if before and (before.modules, before.arguments) == (record.modules, record.arguments):
            continue
        before = record
        continued = _continued(functions, record)
        for key, spaces in record.modules.items():
            series = continued.get(key)
            if series is None:
                number = 1 + sum((known.backend, known.name) == (key.backend, key.name) for known in functions)
                series = continued[key] = Series(key.backend, key.name, number)
                functions.append(series)
            # Of a build that is not known whole, the arguments may be unknown.
            arguments = record.arguments.get(key, ())
            point = Point(build, key, spaces, arguments)
            if not series.points or series.last[1:] != point[1:]:
                series.points.append(point)
        alive = set(map(id, continued.values()))
        for series in functions if record.is_whole else ():
            if id(series) not in alive and series.last.spaces is not None:
                series.points.append(series.last._replace(build=build, spaces=None))
    return functions


class _Candidate(NamedTuple):
    """A module of a build and a series that it may continue; the one of the lowest rank comes first."""

    rank: tuple[float, bool, int]
    key: ModuleKey
    series: Series


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
    for _, key, series in sorted(_candidates(free, pairs, record), key=lambda candidate: candidate.rank):
        if key not in pairs and series in free:
            pairs[key] = series
            free.remove(series)
    return pairs


def _is_at(series: Series, key: ModuleKey) -> bool:
    return series.last.key == key and series.last.spaces is not None


def _was_at(series: Series, key: ModuleKey) -> bool:
    return any(point.key == key for point in series.points)


def _candidates(free: Sequence[Series], paired: Mapping[ModuleKey, Series], record: Record) -> Iterator[_Candidate]:
    """Yield the modules and series of one name that may be one function."""
    for order, key in enumerate(record.modules):
        for series in free if key not in paired else ():
            if (series.backend, series.name) == (key.backend, key.name):
                similarity = _similarity(series.last.arguments, record.arguments.get(key, ()))
                if similarity >= _LEAST_SIMILARITY:
                    # Of those that are equally similar, first what the last build had, then in their order.
                    yield _Candidate((-similarity, series.last.spaces is None, order), key, series)


def _similarity(before: Arguments, after: Arguments) -> float:
    """Return the part of their arguments, by name, that two modules have in common: 1 where they are not known."""
    names_before, names_after = {group.name for group in before}, {group.name for group in after}
    if not names_before or not names_after:
        return 1.0
    return 2 * len(names_before & names_after) / (len(names_before) + len(names_after))
