"""Group the bytes of a peak by what a reader may change: class, opcode, type, shape or source line.

Every grouping starts from the composition, which counts each byte once, so its groups add up to exactly the peak.
Values whose label is missing from the dump form a group of their own, and so do bytes that the caller holds although
no value in them is live: without these two the sum would fall short of the peak.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Literal

from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import CLASSES, MemoryClass, memory_class
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.parse.shape_parser import plain_shape
from reportgen.record import record

GroupKind = Literal["named", "missing", "held"]
"""Whether the dump names the label, lacks it, or the bytes belong to the caller and hold no live value."""

GROUPINGS = ("class", "opcode", "element type", "shape", "source line")


@record
class Group:
    """Bytes of a peak that have a label in common; `label` is empty unless `kind` is "named".

    `members` are the values that own bytes here, the largest first. `classes` divides the bytes among the classes of
    memory.
    """

    kind: GroupKind
    label: str
    size_bytes: int
    classes: tuple[tuple[MemoryClass, int], ...]
    members: tuple[int, ...]

    @property
    def values(self) -> int:
        """The number of values that own bytes here."""
        return len(self.members)

    @property
    def largest(self) -> int | None:
        """The value that owns most bytes here; None where no value is live."""
        return self.members[0] if self.members else None


class Tally:
    """A running total of shares, which must be added largest first, because `members` are in their order."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self.members: list[int] = []
        self._classes: Counter[MemoryClass] = Counter()

    def add(self, share: Share, kind: MemoryClass) -> None:
        self.size_bytes += share.size_bytes
        self._classes[kind] += share.size_bytes
        if share.value is not None:
            self.members.append(share.value)

    @property
    def classes(self) -> tuple[tuple[MemoryClass, int], ...]:
        return tuple((kind, self._classes[kind]) for kind in CLASSES if self._classes[kind])


def groupings(analysis: Analysis, space: Space) -> Mapping[str, tuple[Group, ...]]:
    """Return the composition of a space's peak in each of `GROUPINGS`, largest group first."""
    by_class = {kind: [s for s in shares(space) if _class(analysis, s) == kind] for kind in CLASSES}
    labels: Mapping[str, Callable[[int], str]] = {
        "opcode": lambda value: analysis.program.opcode(analysis.facts.values.names[value]),
        "element type": lambda value: element_type(analysis.facts[value].value.shape),
        "shape": lambda value: plain_shape(analysis.facts[value].value.shape),
    }
    of_classes = [_group(analysis, ("named", kind), members) for kind, members in by_class.items() if members]
    of_labels = {name: by_label(analysis, space, label) for name, label in labels.items()}
    return {"class": _largest_first(of_classes), **of_labels, "source line": by_source_line(analysis, space)}


def by_source_line(analysis: Analysis, space: Space) -> tuple[Group, ...]:
    """Return the composition of a space's peak by the source lines that fill it, largest group first.

    Bytes that hold no live value belong to the line that fills them later, where that is known.
    """

    def line(value: int) -> str:
        return analysis.authors.of(value).source

    filled = []
    for share in shares(space):
        number = held_for(analysis, share)
        filled.append(share if number is None or not line(number) else replace(share, value=number))
    return _by_label(analysis, filled, line)


def by_label(analysis: Analysis, space: Space, label: Callable[[int], str]) -> tuple[Group, ...]:
    """Return the composition of a space's peak by a label of each value, largest group first."""
    return _by_label(analysis, shares(space), label)


def _by_label(analysis: Analysis, parts: Iterable[Share], label: Callable[[int], str]) -> tuple[Group, ...]:
    by_key: dict[tuple[GroupKind, str], list[Share]] = {}
    for share in parts:
        by_key.setdefault(kind_and_label(share, label), []).append(share)
    return _largest_first(_group(analysis, key, members) for key, members in by_key.items())


def shares(space: Space) -> list[Share]:
    """Return the composition without its empty shares."""
    return [share for share in space.composition if share.size_bytes]


def kind_and_label(share: Share, label: Callable[[int], str]) -> tuple[GroupKind, str]:
    """Return the kind and the label of the group that a share belongs to."""
    if share.value is None:
        return "held", ""
    text = label(share.value)
    return ("named", text) if text else ("missing", "")


def _group(analysis: Analysis, key: tuple[GroupKind, str], members: Iterable[Share]) -> Group:
    """Return a group of the peak with the sums over its shares; the key has its kind and its label."""
    tally = Tally()
    for share in members:
        tally.add(share, _class(analysis, share))
    return Group(
        kind=key[0],
        label=key[1],
        size_bytes=tally.size_bytes,
        classes=tally.classes,
        members=tuple(tally.members),
    )


def _class(analysis: Analysis, share: Share) -> MemoryClass:
    return memory_class(analysis.dump.allocations[share.allocation])


def _largest_first(groups: Iterable[Group]) -> tuple[Group, ...]:
    return tuple(sorted(groups, key=lambda group: (-group.size_bytes, group.kind, group.label)))


def element_type(shape: str) -> str:
    """Return the element type of a printed shape, as in `bf16`; "tuple" for a table of pointers."""
    return "tuple" if shape.startswith("(") else plain_shape(shape).partition("[")[0]
