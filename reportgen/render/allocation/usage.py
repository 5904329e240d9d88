"""Describe how the bytes of an allocation are used over time: when they are free, how they are packed and reused."""

from collections import defaultdict
from itertools import islice
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.byte_ranges import slot_count, slots
from reportgen.analyse.spaces import occupancies
from reportgen.intervals.free_space import Holes, holes
from reportgen.model import LiveRange
from reportgen.record import record
from reportgen.render.drawings.conflicts import overlap_box, real_conflicts
from reportgen.render.drawings.packing import Scale, packing
from reportgen.render.drawings.step_chart import step_chart
from reportgen.render.drawings.svg import Box
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module
from reportgen.reports.formats import shortened
from reportgen.reports.report import key_text

MOST_DRAWN = 400
"""The values up to which an allocation has a map that needs no script."""

_MOST_RANGES = 100
_MOST_OCCUPANTS = 12


class UsageRow(NamedTuple):
    """How an allocation is used at a moment; used + free = size."""

    name: str
    moment: int
    used_bytes: int
    free_bytes: int
    largest_hole: int


class RangeRow(NamedTuple):
    """The bytes [low, high) of an allocation and links to the values that hold all of them, in schedule order."""

    low: int
    high: int
    size_bytes: int
    occupants: Markup


@record(slots=False)
class Drawings:
    """The packing map of an allocation, the numbers in its caption, and its free bytes if any are ever free.

    `packing` is None where only a script draws the values, because there are more than `MOST_DRAWN`. In a reduced
    drawing a column shows several moments.
    """

    packing: Markup | None
    last_moment: int
    conflicts: int
    free_bytes: Markup | None
    is_reduced: bool
    has_too_many_overlaps: bool


@record(slots=False)
class Usage:
    """The use of an allocation: empty without live ranges, and without drawings if it has fewer than two values.

    `ranges` are the first of `range_count` byte ranges.
    """

    rows: tuple[UsageRow, ...] = ()
    drawings: Drawings | None = None
    ranges: tuple[RangeRow, ...] = ()
    range_count: int = 0

    @property
    def ranges_left_out(self) -> int:
        return self.range_count - len(self.ranges)


class AllocationUsage:
    """The use of one module's allocations; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._analysis = module.analysis
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
        over_time = holes(occupancies(analysis.facts, values), allocation.size_bytes, analysis.moments)
        rows = _usage_rows(over_time, allocation.size_bytes, peak.moment) if over_time else ()
        if len(values) < 2:
            return Usage(rows=rows)
        # Only those that are shown are made, because the others can be counted without.
        found = islice(slots(analysis.facts, values, allocation.size_bytes), _MOST_RANGES)
        return Usage(
            rows=rows,
            drawings=self._drawings(number, over_time, peak.moment),
            ranges=tuple(
                RangeRow(low, high, high - low, Markup(listed(occupants, self._links.value, _MOST_OCCUPANTS)))
                for low, high, occupants in found
            ),
            range_count=slot_count(analysis.facts, values, allocation.size_bytes),
        )

    def _drawings(self, number: int, over_time: Holes | None, peak: int) -> Drawings:
        """Return the packing map and, to the same scale, the chart of free bytes."""
        analysis, conflicts = self._analysis, self._conflicts.get(number, ())
        values = analysis.occupants[number]
        scale = Scale(analysis.moments, analysis.dump.allocations[number].size_bytes)
        drawn = None
        if len(values) <= MOST_DRAWN:
            boxes = [self._box(value, live) for value in values if (live := analysis.facts[value].live)]
            drawn = Markup(packing(boxes, scale, peak, conflicts))
        is_ever_free = over_time is not None and max(over_time.free.amounts) > 0
        return Drawings(
            packing=drawn,
            last_moment=max(0, analysis.moments - 1),
            conflicts=len(conflicts),
            free_bytes=Markup(step_chart(*over_time, scale, peak)) if over_time and is_ever_free else None,
            is_reduced=scale.is_reduced,
            has_too_many_overlaps=over_time is None,
        )

    def _box(self, number: int, live: LiveRange) -> Box:
        value = self._analysis.facts[number].value
        low, high = value.offset_bytes, value.end_bytes
        tooltip = f"{shortened(key_text(value.key))}: {live.start:,} to {live.end:,}, bytes {low:,} to {high:,}"
        return Box(live.start, live.end + 1, low, high, tooltip, self._links.value_href(number))


def _usage_rows(over_time: Holes, size_bytes: int, peak: int) -> tuple[UsageRow, ...]:
    """Return the use at the space's peak and, if it ever changes, where the allocation is fullest and emptiest."""
    free = over_time.free
    fullest, emptiest = (free.moments[free.amounts.index(pick(free.amounts))] for pick in (min, max))
    named = {"peak of the memory space": peak, "fullest (first time)": fullest, "emptiest (first time)": emptiest}
    rows = tuple(
        UsageRow(name, moment, size_bytes - free.at(moment), free.at(moment), over_time.largest.at(moment))
        for name, moment in named.items()
    )
    return rows if min(free.amounts) < max(free.amounts) else rows[:1]
