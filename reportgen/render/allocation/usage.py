"""Describe how the bytes of an allocation are used over time, and how they are packed."""

from collections import defaultdict
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.spaces import occupancies
from reportgen.intervals.step_function import StepFunction
from reportgen.intervals.union import union_over_time
from reportgen.record import record
from reportgen.render.drawings.conflicts import overlap_box, real_conflicts
from reportgen.render.drawings.packing import Scale, largest_boxes, packing
from reportgen.render.drawings.svg import Box
from reportgen.render.html.links import Links
from reportgen.render.view import Module

_MOST_DRAWN = 400
"""Values of an allocation, the largest, that its picture has."""


class UsageRow(NamedTuple):
    """How an allocation is used at a moment; used + free = size."""

    name: str
    moment: int
    used_bytes: int
    free_bytes: int


@record
class Drawings:
    """The picture of an allocation, and the numbers in its caption."""

    packing: Markup
    last_moment: int
    conflicts: int


@record
class Usage:
    """The use of an allocation: empty without live ranges, and without drawings if it has fewer than two values."""

    rows: tuple[UsageRow, ...] = ()
    drawings: Drawings | None = None


class AllocationUsage:
    """The use of one module's allocations; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._analysis = module, module.analysis
        self._links = links
        self._peaks = {color: space.peak_resident for color, space in module.analysis.spaces.items()}
        self._conflicts: defaultdict[int, list[Box]] = defaultdict(list)
        for conflict in real_conflicts(module.analysis):
            allocation = module.analysis.facts[conflict.later].value.allocation
            self._conflicts[allocation].append(overlap_box(module.analysis, conflict))

    def of(self, number: int) -> Usage:
        """Return the use of an allocation."""
        analysis = self._analysis
        values, allocation = analysis.occupants[number], analysis.dump.allocations[number]
        peak = self._peaks[allocation.color]
        if peak is None or not allocation.size_bytes:
            return Usage()
        used = StepFunction.from_changes(union_over_time(occupancies(analysis.facts, values)), analysis.moments)
        return Usage(
            rows=_usage_rows(used, allocation.size_bytes, peak.moment),
            drawings=self._drawings(number, peak.moment) if len(values) > 1 else None,
        )

    def _drawings(self, number: int, peak: int) -> Drawings:
        """Return the packing map."""
        analysis, conflicts = self._analysis, self._conflicts.get(number, ())
        boxes = largest_boxes(self._module, self._links, analysis.occupants[number], _MOST_DRAWN)
        scale = Scale(analysis.moments, analysis.dump.allocations[number].size_bytes)
        return Drawings(
            packing=Markup(packing(boxes, scale, peak, conflicts)),
            last_moment=max(0, analysis.moments - 1),
            conflicts=len(conflicts),
        )


def _usage_rows(used: StepFunction, size_bytes: int, peak: int) -> tuple[UsageRow, ...]:
    """Return the use at the space's peak and, if it ever changes, where the allocation is fullest and emptiest."""
    fullest, emptiest = (used.moments[used.amounts.index(pick(used.amounts))] for pick in (max, min))
    named = {"peak of the memory space": peak, "fullest (first time)": fullest, "emptiest (first time)": emptiest}
    # A value may lie beyond the end in a damaged dump.
    at = {name: (moment, min(used.at(moment), size_bytes)) for name, moment in named.items()}
    rows = tuple(UsageRow(name, moment, amount, size_bytes - amount) for name, (moment, amount) in at.items())
    return rows if min(used.amounts) < max(used.amounts) else rows[:1]
