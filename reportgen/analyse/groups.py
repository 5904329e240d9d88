"""The bytes of a peak in groups that a person thinks in: numbered siblings of one shape, made at one place.

`layer_0/w1 … layer_11/w1` are one group, as are six results that a loop saves in arrays of one shape.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from reportgen.analyse.attribution import Attribution
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import plain_shape, shares
from reportgen.analyse.records import Analysis, Share, Space

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakGroup:
    """Bytes of a peak; `shares` are the largest first, and `name` has `#` for the numbers that differ.

    `name` is empty where the program's name is not known; `is_held` are the bytes of an allocation that is reserved
    although nothing in it is live.
    """

    name: str
    shape: str
    memory_class: MemoryClass
    size_bytes: int
    shares: tuple[Share, ...]
    is_held: bool = False

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(share.value for share in self.shares if share.value is not None)


def peak_groups(analysis: Analysis, space: Space, attribution_of: Callable[[int], Attribution]) -> list[PeakGroup]:
    """Return the groups of a space's peak, the largest first; they add up to it."""
    by_key: dict[tuple[str, str, MemoryClass, bool], list[tuple[Share, str]]] = {}
    for share in shares(space):
        kind = memory_class(analysis.dump.allocations[share.allocation])
        if share.value is None:
            by_key.setdefault(("", "", kind, True), []).append((share, ""))
            continue
        found = attribution_of(share.value)
        name, shape = (found.argument or found.scope), plain_shape(analysis.facts[share.value].value.shape)
        by_key.setdefault((_NUMBER.sub("#", name), shape, kind, False), []).append((share, name))
    groups = [
        PeakGroup(
            name=_joined([name for _, name in members]),
            shape=shape,
            memory_class=kind,
            size_bytes=sum(share.size_bytes for share, _ in members),
            shares=tuple(share for share, _ in members),
            is_held=is_held,
        )
        for (_, shape, kind, is_held), members in by_key.items()
    ]
    return sorted(groups, key=lambda group: (-group.size_bytes, group.shares[0].allocation, group.name))


def _joined(names: list[str]) -> str:
    """Return the name of several that differ in numbers only: each number that differs becomes a `#`."""
    first = names[0]
    if all(name == first for name in names):
        return first
    numbers = zip(*(_NUMBER.findall(name) for name in names), strict=True)
    shown = iter([column[0] if len(set(column)) == 1 else "#" for column in numbers])
    return _NUMBER.sub(lambda _: next(shown), first)
