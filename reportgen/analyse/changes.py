"""What changed in a module from one compilation to the next: the figures of each space, and who is at the peak.

`Figures` is what is remembered of a build for that, small beside its analysis. Values are recognised by their
names; a value that is only numbered anew (`fusion.12` → `fusion.13`) with the same bytes is taken for the same.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.records import Analysis, Space
from reportgen.model import ValueKey

Kind = Literal["new", "gone", "grown", "shrunk", "moved"]

_NUMBERS = re.compile(r"\.[0-9]+")


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
    """One memory space of one build; `held` has the values at the peak."""

    name: str
    amounts: Amounts
    held: Mapping[ValueKey, Held]


Figures = Mapping[int, SpaceFigures]
"""By the number of the memory space."""


class ValueChange(NamedTuple):
    """A value whose part in the peak changed; bytes are 0 where it has none."""

    kind: Kind
    key: ValueKey
    before_bytes: int
    after_bytes: int


@dataclass(frozen=True, slots=True)
class SpaceChange:
    """One memory space in two builds; `before` or `after` is None where it has no such space."""

    color: int
    name: str
    before: Amounts | None
    after: Amounts | None
    values: tuple[ValueChange, ...]

    @property
    def is_none(self) -> bool:
        return self.before == self.after and not self.values


def figures(analysis: Analysis) -> Figures:
    """What to remember of a build."""
    return {color: _of_space(analysis, space) for color, space in analysis.spaces.items()}


def _of_space(analysis: Analysis, space: Space) -> SpaceFigures:
    peak = space.peak_resident
    amounts = Amounts(None if peak is None else peak.amount, space.allocated_bytes, space.padding_bytes)
    held: dict[ValueKey, Held] = {}
    for share in space.composition:
        if share.value is not None:
            value = analysis.facts[share.value].value
            place = memory_class(analysis.dump.allocations[share.allocation])
            known = held.get(value.key)  # a damaged dump repeats one
            size = share.size_bytes + (known.size_bytes if known else 0)
            held[value.key] = Held(size, place, value.offset_bytes)
    return SpaceFigures(space.name, amounts, held)


def changes(before: Figures, after: Figures) -> tuple[SpaceChange, ...]:
    """Every space of either build, by number; what did not change is in it and says so."""
    return tuple(_space_change(color, before.get(color), after.get(color)) for color in sorted({*before, *after}))


def _space_change(color: int, before: SpaceFigures | None, after: SpaceFigures | None) -> SpaceChange:
    found = _value_changes(before.held if before else {}, after.held if after else {})
    # Most bytes first; for equal ones the order of names, so that it does not depend on the dump's.
    values = sorted(found, key=lambda change: (-abs(change.after_bytes - change.before_bytes), change.kind, change.key))
    name = (after or before or SpaceFigures("", Amounts(None, 0, 0), {})).name
    return SpaceChange(color, name, before.amounts if before else None, after.amounts if after else None, tuple(values))


def _value_changes(before: Mapping[ValueKey, Held], after: Mapping[ValueKey, Held]) -> Iterator[ValueChange]:
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    same = {key: key for key in before.keys() & after.keys()} | _renumbered(before, gone, after, new)
    for old, key in same.items():
        if kind := _kind(before[old], after[key]):
            yield ValueChange(kind, key, before[old].size_bytes, after[key].size_bytes)
    for key in gone - same.keys():
        yield ValueChange("gone", key, before[key].size_bytes, 0)
    for key in new - set(same.values()):
        yield ValueChange("new", key, 0, after[key].size_bytes)


def _kind(before: Held, after: Held) -> Kind | None:
    if before.size_bytes != after.size_bytes:
        return "grown" if after.size_bytes > before.size_bytes else "shrunk"
    return None if before == after else "moved"


def _renumbered(
    before: Mapping[ValueKey, Held], gone: Iterable[ValueKey], after: Mapping[ValueKey, Held], new: Iterable[ValueKey]
) -> dict[ValueKey, ValueKey]:
    """Pairs of values whose names differ in nothing but their numbers and which hold as many bytes."""
    free: defaultdict[tuple[str, str, int], list[ValueKey]] = defaultdict(list)
    for key in sorted(new, reverse=True):
        free[_without_numbers(key, after)].append(key)
    pairs = {}
    for key in sorted(gone):
        if candidates := free.get(_without_numbers(key, before)):
            pairs[key] = candidates.pop()
    return pairs


def _without_numbers(key: ValueKey, held: Mapping[ValueKey, Held]) -> tuple[str, str, int]:
    return _NUMBERS.sub("", key.name), key.shape_index, held[key].size_bytes
