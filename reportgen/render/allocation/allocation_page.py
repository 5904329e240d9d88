"""Render the pages of allocations: what each is, how it is packed and reused, what is free in it, and its values."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.notable import MOST_IN_ROW, notable_allocations
from reportgen.analyse.records import Space
from reportgen.model import Allocation
from reportgen.render.allocation.allocation_row import COLUMNS, allocation_row
from reportgen.render.allocation.usage import AllocationUsage, Usage
from reportgen.render.html.excerpts import ExcerptLine, excerpt
from reportgen.render.html.links import Links
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.html.templates import render
from reportgen.render.html.value_columns import NumberedValue, value_columns_in_allocation
from reportgen.render.routes import ALLOCATIONS_FOLDER, ROWS_ON_PAGE, allocation_id
from reportgen.render.view import Module
from reportgen.reports.report import allocation_kinds
from reportgen.work import Page


class AllocationSection(NamedTuple):
    """What a page shows of an allocation; `table` has the first of its `values`."""

    id: str
    number: int
    allocation: Allocation
    memory_class: MemoryClass
    kinds: Sequence[str]
    space: Space
    usage: Usage
    location: str
    file: str
    excerpt: Sequence[ExcerptLine]
    values: int
    table: PageTable


class AllocationRenderer:
    """Renders the allocation pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module, self._site_title = module, site_title
        self._links = Links(module, 1, ALLOCATIONS_FOLDER)
        self._usage = AllocationUsage(module, self._links)
        self._is_notable = notable_allocations(module.analysis)

    def page(self, numbers: Sequence[int]) -> Page:
        """Return the page of some allocations: one, or those of a group."""
        path, allocations = self._module.routes.allocation_page(numbers[0]), self._module.analysis.dump.allocations
        runs = [*self._runs(numbers)]
        alone = None
        if len(numbers) == 1 and self._is_notable[numbers[0]]:
            [(_, [alone])] = runs
        content = render(
            "pages/allocation.html",
            path,
            tab="",
            site_title=self._site_title,
            module=self._module,
            links=self._links,
            first_file=self._module.analysis.dump.text.parts[0].label,
            first=allocations[numbers[0]].index,
            last=allocations[numbers[-1]].index,
            count=len(numbers),
            runs=runs,
            alone=alone,
            columns=COLUMNS,
            most_in_row=MOST_IN_ROW,
            has_rows=not all(self._is_notable),
        )
        return Page(path, content)

    def _runs(self, numbers: Sequence[int]) -> Iterator[tuple[bool, Sequence[object]]]:
        """Yield the allocations in their order: sections one after another, or rows of one table."""
        for is_notable, run in groupby(numbers, key=self._is_notable.__getitem__):
            is_alone = len(numbers) == 1
            yield is_notable, [self._section(one, is_alone=is_alone) if is_notable else self._row(one) for one in run]

    def _row(self, number: int) -> str:
        return allocation_row(self._module, self._links, number)

    def _section(self, number: int, *, is_alone: bool) -> AllocationSection:
        """Return what a page shows of an allocation, which may be the only one there."""
        module, analysis = self._module, self._module.analysis
        allocation, facts = analysis.dump.allocations[number], analysis.facts
        # As on the map: by place, then by time.
        values = sorted(
            analysis.occupants[number], key=lambda n: (facts.values.offsets[n], facts.starts[n], facts.values.ids[n])
        )
        place = analysis.dump.text.locate(allocation.text_offset)
        location = file = f"{place.file}:{place.line}"
        # Nearly all allocations are in the first file of a dump, which the page names once.
        if place.file == analysis.dump.text.parts[0].label:
            location, file = f"line {place.line}", "the dump"
        return AllocationSection(
            id=allocation_id(module.routes.allocation_names[number]),
            number=number,
            allocation=allocation,
            memory_class=memory_class(allocation),
            kinds=allocation_kinds(module, number),
            space=analysis.spaces[allocation.color],
            usage=self._usage.of(number),
            location=location,
            file=file,
            excerpt=excerpt(module, allocation.text_offset),
            values=len(values),
            table=table(
                value_columns_in_allocation(self._links),
                [NumberedValue(value, facts[value]) for value in values[:ROWS_ON_PAGE]],
                for_scripts=is_alone,
            ),
        )
