"""What changed in a module from one compilation to the next: the figures of each space, and who is at the peak.

This is the short form of a comparison, for a panel that is read in passing. Values are recognised as in the long form,
so the graph of the last build is kept until the next one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.records import Measured
from reportgen.compare.graph import Graph, graph_of
from reportgen.compare.matching import match
from reportgen.model import ValueKey

ChangeKind = Literal["new", "gone", "grown", "shrunk", "moved"]


class Amounts(NamedTuple):
    """Bytes of one space; `peak_resident` is None without live ranges."""

    peak_resident: int | None
    allocated: int
    padding: int


class Held(NamedTuple):
    """What a value holds at the peak: how many bytes of it are counted, and where it lies."""

    size_bytes: int
    memory_class: MemoryClass
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class SpaceFigures:
    """One memory space of one build; `held` has the values at the peak, by number."""

    name: str
    amounts: Amounts
    held: Mapping[int, Held]


BuildFigures = Mapping[int, SpaceFigures]
"""By the number of the memory space."""


@dataclass(frozen=True, slots=True)
class Build:
    """What is remembered of a build until the next one."""

    figures: BuildFigures
    graph: Graph


class ValueChange(NamedTuple):
    """A value whose part in the peak changed; `before` or `after` is None where it has none."""

    kind: ChangeKind
    key: ValueKey
    before: Held | None
    after: Held | None

    @property
    def before_bytes(self) -> int:
        """Return the bytes counted before, 0 for a new value."""
        return self.before.size_bytes if self.before else 0

    @property
    def after_bytes(self) -> int:
        """Return the bytes counted now, 0 for a value that is gone."""
        return self.after.size_bytes if self.after else 0


@dataclass(frozen=True, slots=True)
class SpaceChange:
    """One memory space in two builds; `before` or `after` is None where it has no such space."""

    color: int
    name: str
    before: Amounts | None
    after: Amounts | None
    values: tuple[ValueChange, ...]

    @property
    def is_empty(self) -> bool:
        return self.before == self.after and not self.values


def build_of(analysis: Measured) -> Build:
    """Return what to remember of a build."""
    figures = {}
    for color, space in analysis.spaces.items():
        peak = space.peak_resident
        held = {
            share.value: Held(
                share.size_bytes,
                memory_class(analysis.dump.allocations[share.allocation]),
                analysis.facts.values.offsets[share.value],
            )
            for share in space.composition
            if share.value is not None
        }
        amounts = Amounts(peak.amount if peak else None, space.allocated_bytes, space.padding_bytes)
        figures[color] = SpaceFigures(space.name, amounts, held)
    return Build(figures, graph_of(analysis))


def changes(before: Build, after: Build) -> tuple[SpaceChange, ...]:
    """Return every space of either build, by number; one that did not change says so."""
    matches = match(before.graph, after.graph).before
    # A pair that only lies in the same place is two values: one went, another came.
    partners = {value: one.value for value, one in enumerate(matches) if one and one.grade != "in its place"}
    found = []
    for start in amount_changes(before.figures, after.figures):
        of_before, of_after = before.figures.get(start.color), after.figures.get(start.color)
        held = (of_before.held if of_before else {}), (of_after.held if of_after else {})
        values = _value_changes(before.graph, held[0], after.graph, held[1], partners)
        # The largest change first, then the largest value; the name makes the order unique.
        ordered = sorted(
            values, key=lambda one: (-abs(one.after_bytes - one.before_bytes), -one.after_bytes, one.kind, one.key)
        )
        found.append(SpaceChange(start.color, start.name, start.before, start.after, tuple(ordered)))
    return tuple(found)


def amount_changes(before: BuildFigures, after: BuildFigures) -> tuple[SpaceChange, ...]:
    """Return what changed in each space, without values, from figures alone."""
    return tuple(
        SpaceChange(
            color,
            (after.get(color) or before[color]).name,
            before[color].amounts if color in before else None,
            after[color].amounts if color in after else None,
            (),
        )
        for color in sorted({*before, *after})
    )


def _value_changes(
    before: Graph,
    of_before: Mapping[int, Held],
    after: Graph,
    of_after: Mapping[int, Held],
    partners: Mapping[int, int],
) -> Iterator[ValueChange]:
    """Yield the values whose part in the peak changed; `partners` are the same values in the build after."""
    same = {value: partners[value] for value in of_before if partners.get(value) in of_after}
    for value, partner in same.items():
        then, now = of_before[value], of_after[partner]
        if then != now:
            grown_or_shrunk: ChangeKind = "grown" if now.size_bytes > then.size_bytes else "shrunk"
            kind = "moved" if now.size_bytes == then.size_bytes else grown_or_shrunk
            yield ValueChange(kind, _key(after, partner), then, now)
    for value in of_before.keys() - same.keys():
        yield ValueChange("gone", _key(before, value), of_before[value], None)
    for value in of_after.keys() - set(same.values()):
        yield ValueChange("new", _key(after, value), None, of_after[value])


def _key(graph: Graph, value: int) -> ValueKey:
    return ValueKey(graph.analysis.dump.values.names[value], graph.indexes[value])
