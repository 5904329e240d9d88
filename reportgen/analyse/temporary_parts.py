"""Divide the temporaries of a memory space over time among the source lines, or the scopes, that fill most of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from reportgen.analyse.records import Analysis, Space
from reportgen.intervals.owners import changes_by_owner
from reportgen.intervals.step_function import Change, StepFunction
from reportgen.intervals.union import Occupancy
from reportgen.record import record

MOST_PARTS = 4
_SMALL_PART = 50
"""What fills less than this part of the peak is none of the parts that are named."""

_Label = Callable[[int], str]


@record
class TemporaryPart:
    """The temporaries that a source line or a scope fills: their bytes at the resident peak and at each moment.

    `name` is a line as `step.py:12`, or a scope, and `what` the scope or function of the line, empty where unknown;
    `label` is the line or scope as values have it.
    """

    label: str
    name: str
    what: str
    peak_bytes: int
    steps: StepFunction


@record
class TemporaryParts:
    """The largest parts of the temporaries at the peak, the largest first; `kind` is what they are parts by."""

    kind: Literal["line", "scope"]
    parts: Sequence[TemporaryPart]


def temporary_parts(analysis: Analysis, space: Space) -> TemporaryParts | None:
    """Return the largest parts of the temporaries of a memory space at its resident peak.

    None where the dump names neither lines nor scopes of them, or nests thousands of values in each other.
    """
    if space.temp is None or space.peak_resident is None:
        return None
    allocations = [n for n in space.allocations if analysis.dump.allocations[n].is_preallocated_temp]
    owned = {
        share.value: share.size_bytes
        for share in space.composition
        if share.value is not None and share.allocation in allocations
    }
    by_line, by_scope = (_sizes(owned, label) for label in (_line(analysis), _place(analysis)))
    is_by_line = 2 * by_line.total() >= by_scope.total()
    label, sizes = (_line(analysis), by_line) if is_by_line else (_place(analysis), by_scope)
    least = space.peak_resident.amount / _SMALL_PART
    chosen = [name for name, size in sizes.most_common(MOST_PARTS) if size >= least]
    changes = _changes(analysis, allocations, label, chosen) if chosen else None
    if changes is None:
        return None
    parts = []
    for name in chosen:
        leading = next(value for value in owned if label(value) == name)
        parts.append(
            TemporaryPart(
                label=name,
                name=name.rpartition("/")[2] if is_by_line else name,
                what=analysis.authors.of(leading).place.rpartition(", ")[0] if is_by_line else "",
                peak_bytes=sizes[name],
                steps=StepFunction.from_changes(changes[name], space.temp.length),
            )
        )
    return TemporaryParts(kind="line" if is_by_line else "scope", parts=parts)


def _line(analysis: Analysis) -> _Label:
    return lambda number: analysis.authors.of(number).source


def _place(analysis: Analysis) -> _Label:
    return lambda number: analysis.authors.of(number).place


def _sizes(owned: Mapping[int, int], label: _Label) -> Counter[str]:
    """Return the bytes of each label that the dump names."""
    sizes = Counter[str]()
    for value, size in owned.items():
        if (name := label(value)) and size:
            sizes[name] += size
    return sizes


def _changes(
    analysis: Analysis, allocations: Sequence[int], label: _Label, chosen: Sequence[str]
) -> Mapping[str, list[Change]] | None:
    """Return how the bytes of each chosen part change; None where values are nested too deeply to tell."""
    changes: dict[str, list[Change]] = {name: [] for name in chosen}
    for allocation in allocations:
        found = changes_by_owner(_slices(analysis, allocation, label))
        if found is None:
            return None
        for name in chosen:
            changes[name] += found.get(name, ())
    return changes


def _slices(analysis: Analysis, allocation: int, label: _Label) -> Iterator[tuple[Occupancy, str]]:
    facts, values = analysis.facts, analysis.facts.values
    for number in sorted(analysis.occupants[allocation], key=values.ids.__getitem__):
        if facts.starts[number] >= 0:
            low = values.offsets[number]
            yield Occupancy(facts.starts[number], facts.ends[number], low, low + values.sizes[number]), label(number)
