"""The views of allocations, each as if it were a page: what one is, how it is packed and reused, and what it holds."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Space
from reportgen.analyse.spaces import occupancies
from reportgen.intervals.step_function import StepFunction
from reportgen.intervals.union import union_over_time
from reportgen.model import Allocation
from reportgen.render.drawings.conflicts import overlap_box, real_conflicts
from reportgen.render.drawings.packing import MOST_BLOCKS, largest_boxes, packing
from reportgen.render.drawings.svg import Box
from reportgen.render.explore.value_rows import ValueRows, value_groups
from reportgen.render.html.excerpts import excerpt, excerpt_table
from reportgen.render.html.links import Links
from reportgen.render.html.marks import chip
from reportgen.render.html.page_table import PageTable
from reportgen.render.routes import allocation_id
from reportgen.render.view import Module
from reportgen.reports.formats import exact_bytes
from reportgen.reports.report import allocation_kind

MOST_ROWS = 40
"""Groups of values that an allocation lists; the table of all values has the others."""


class AllocationViews:
    """The views of one module's allocations; what they share is looked up once."""

    def __init__(self, module: Module, links: Links, rows: ValueRows) -> None:
        self._module, self._analysis, self._links, self._rows = module, module.analysis, links, rows
        self.occupants, self.most_drawn = module.analysis.occupants, MOST_BLOCKS

    def id(self, number: int) -> str:
        """Return the id of an allocation's view."""
        return allocation_id(self._module.routes.allocation_names[number])

    def allocation(self, number: int) -> Allocation:
        return self._analysis.dump.allocations[number]

    def space(self, number: int) -> Space:
        return self._analysis.spaces[self.allocation(number).color]

    def kind(self, number: int) -> Markup:
        """Return the color of an allocation's class of memory, and what it is for."""
        return Markup(chip(f"class-{memory_class(self.allocation(number))}", allocation_kind(self._module, number)))

    def uses(self, number: int) -> Iterator[tuple[str, Markup]]:
        """Yield how much is used and free at the space's peak and, if that is more, where it is fullest."""
        peak, allocation, values = self.space(number).peak_resident, self.allocation(number), self.occupants[number]
        if peak is None or not allocation.size_bytes:
            return
        used = StepFunction.from_changes(
            union_over_time(occupancies(self._analysis.facts, values)), self._analysis.moments
        )
        yield "At the peak", self._use(used, peak.moment, allocation.size_bytes)
        fullest = used.moments[used.amounts.index(max(used.amounts))]
        if used.at(fullest) > used.at(peak.moment):
            yield "Fullest", self._use(used, fullest, allocation.size_bytes)

    def _use(self, used: StepFunction, moment: int, size_bytes: int) -> Markup:
        # A value may lie beyond the end in a damaged dump.
        amount = min(used.at(moment), size_bytes)
        words = f"{exact_bytes(amount)} used, {size_bytes - amount:,} free, at instruction"
        return Markup(f"{words} {self._links.moment(moment)}")

    def picture(self, number: int) -> Markup:
        """Return the largest values over address and time; empty for fewer than two values, or without live ranges."""
        peak, values = self.space(number).peak_resident, self.occupants[number]
        if peak is None or len(values) < 2:
            return Markup("")
        boxes = largest_boxes(self._module, self._links, values, peak.moment)
        height = self.allocation(number).size_bytes
        return Markup(packing(boxes, self._analysis.moments, height, peak.moment, self.conflicts(number)))

    def conflicts(self, number: int) -> Sequence[Box]:
        """Return the bytes that two values hold at once."""
        return self._conflicts.get(number, ())

    @cached_property
    def _conflicts(self) -> dict[int, list[Box]]:
        found: defaultdict[int, list[Box]] = defaultdict(list)
        for conflict in real_conflicts(self._analysis):
            allocation = self._analysis.facts[conflict.later].value.allocation
            found[allocation].append(overlap_box(self._analysis, conflict))
        return found

    def table(self, number: int) -> PageTable:
        """Return the table of the largest groups of values."""
        return self._rows.table(value_groups(self._module, self.occupants[number]), MOST_ROWS)

    def place(self, number: int) -> Markup:
        """Return where the dump describes an allocation, with its lines, folded."""
        offset, text = self.allocation(number).text_offset, self._analysis.dump.text
        location = text.locate(offset)
        lines = excerpt_table(excerpt(self._module, offset), location.file)
        words = Markup("<code>{}:{}</code>").format(location.file, location.line)
        return Markup(f"{words}<details><summary>These lines</summary>{lines}</details>")
