"""The bytes of a peak, grouped by what a reader may change: class, opcode, type, shape, source line.

Every grouping starts from the composition, which holds each byte once, so its groups add up to the peak
exactly. What the dump does not say is a group of its own, and so are bytes that the caller holds although
nothing in them is live: a sum that leaves them out would not be the peak.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reportgen.analyse.classes import CLASSES, MemoryClass, memory_class
from reportgen.analyse.origins import Origin
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.parse.shapes import tuple_arity

Kind = Literal["named", "missing", "held"]
OriginOf = Callable[[int], Origin]
GROUPINGS = ("class", "opcode", "element type", "shape", "source line")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Bytes of a peak with something in common; `label` is empty unless `kind` is named.

    `values` counts those that are given bytes here, `largest` is the one that is given most. `classes` says
    how the bytes divide over the classes of memory.
    """

    kind: Kind
    label: str
    size_bytes: int
    values: int
    largest: int | None
    classes: tuple[tuple[MemoryClass, int], ...]


class Tally:
    """Adds up shares; they come largest first, so the first value is the largest."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self.values = 0
        self.largest: int | None = None
        self._classes: Counter[MemoryClass] = Counter()

    def add(self, share: Share, kind: MemoryClass) -> None:
        self.size_bytes += share.size_bytes
        self._classes[kind] += share.size_bytes
        if share.value is not None:
            self.values += 1
            self.largest = share.value if self.largest is None else self.largest

    @property
    def classes(self) -> tuple[tuple[MemoryClass, int], ...]:
        return tuple((kind, self._classes[kind]) for kind in CLASSES if self._classes[kind])


def groupings(analysis: Analysis, space: Space, origin: OriginOf) -> Mapping[str, tuple[Group, ...]]:
    """The composition of a space's peak in each of `GROUPINGS`, the largest group first."""
    by_class = {kind: [s for s in shares(space) if _class(analysis, s) == kind] for kind in CLASSES}
    labels: Mapping[str, Callable[[int], str]] = {
        "opcode": lambda value: origin(value).opcode,
        "element type": lambda value: element_type(analysis.facts[value].value.shape),
        "shape": lambda value: plain_shape(analysis.facts[value].value.shape),
        "source line": lambda value: origin(value).source,
    }
    of_classes = [_group(analysis, ("named", kind), members) for kind, members in by_class.items() if members]
    others = {name: _grouped(analysis, shares(space), label) for name, label in labels.items()}
    return {"class": _largest_first(of_classes), **others}


def shares(space: Space) -> list[Share]:
    """The composition without values that have no bytes."""
    return [share for share in space.composition if share.size_bytes]


def kind_and_label(share: Share, label: Callable[[int], str]) -> tuple[Kind, str]:
    """Which group a share belongs to."""
    if share.value is None:
        return "held", ""
    text = label(share.value)
    return ("named", text) if text else ("missing", "")


def _grouped(analysis: Analysis, members: Iterable[Share], label: Callable[[int], str]) -> tuple[Group, ...]:
    by_key: dict[tuple[Kind, str], list[Share]] = {}
    for share in members:
        by_key.setdefault(kind_and_label(share, label), []).append(share)
    return _largest_first(_group(analysis, key, group) for key, group in by_key.items())


def _group(analysis: Analysis, key: tuple[Kind, str], members: Iterable[Share]) -> Group:
    tally = Tally()
    for share in members:
        tally.add(share, _class(analysis, share))
    return Group(
        kind=key[0],
        label=key[1],
        size_bytes=tally.size_bytes,
        values=tally.values,
        largest=tally.largest,
        classes=tally.classes,
    )


def _class(analysis: Analysis, share: Share) -> MemoryClass:
    return memory_class(analysis.dump.allocations[share.allocation])


def _largest_first(groups: Iterable[Group]) -> tuple[Group, ...]:
    return tuple(sorted(groups, key=lambda group: (-group.size_bytes, group.kind, group.label)))


@lru_cache(maxsize=4096)
def plain_shape(shape: str) -> str:
    """A printed shape without its layout: `bf16[8,128]`; of a tuple only how many elements it has."""
    arity = tuple_arity(shape)
    if arity is not None:
        return f"tuple of {arity}"
    return shape.removeprefix("b(").partition("{")[0].removesuffix(")")


def element_type(shape: str) -> str:
    """`bf16`, or `tuple` for a table of pointers."""
    return "tuple" if shape.startswith("(") else plain_shape(shape).partition("[")[0]
