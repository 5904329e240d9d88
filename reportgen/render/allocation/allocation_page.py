"""Render a page for each allocation: what it is, how it is packed and reused, what is free in it, and its values."""

from collections.abc import Iterator

from reportgen.analyse.classes import memory_class
from reportgen.render.allocation.usage import AllocationUsage
from reportgen.render.html.excerpts import excerpt
from reportgen.render.html.links import Links
from reportgen.render.html.markup import human_and_exact
from reportgen.render.html.templates import PageFrame, fragment
from reportgen.render.html.value_rows import value_rows_in_allocation
from reportgen.render.routes import ALLOCATIONS_FOLDER, pages_of, rows_of
from reportgen.render.view import Module
from reportgen.reports.report import allocation_kinds
from reportgen.work import Page


class AllocationRenderer:
    """Renders the allocation pages of one module; the table of values goes on over further pages."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._links = Links(module, 1, ALLOCATIONS_FOLDER)
        shared = {"tab": "", "site_title": site_title, "module": module, "links": self._links}
        # The path decides only where the site's root is, which is the same for every allocation.
        path = module.routes.allocation(0)
        # Two, because only the first page of an allocation has charts, and only if it has values to draw.
        self._frames = [
            PageFrame("allocation.html", path, has_charts=has_charts, **shared) for has_charts in (False, True)
        ]
        self._usage = AllocationUsage(module, self._links)

    def pages(self, number: int) -> Iterator[Page]:
        """Yield the pages of an allocation; only the first says more than its values."""
        module, analysis = self._module, self._module.analysis
        allocation = analysis.dump.allocations[number]
        facts = analysis.facts
        # As on the map: by place, then by time.
        values = sorted(
            analysis.occupants[number], key=lambda n: (facts.values.offsets[n], facts.starts[n], facts.values.ids[n])
        )
        pages = pages_of(len(values))
        place = analysis.dump.text.locate(allocation.text_offset)
        usage = self._usage.of(number)
        shared = {
            "links": self._links,
            "allocation": allocation,
            "previous": analysis.dump.allocations[number - 1] if number else None,
            "next": analysis.dump.allocations[number + 1] if number + 1 < len(analysis.dump.allocations) else None,
            "number": number,
            "memory_class": memory_class(allocation),
            "kinds": allocation_kinds(module, number),
            "size": human_and_exact(allocation.size_bytes),
            "space": analysis.spaces[allocation.color],
            "usage": usage,
            "location": f"{place.file}:{place.line}",
            "excerpt": excerpt(module, allocation.text_offset),
            "values": len(values),
            "pages": pages,
            "href": lambda page: self._links.path(module.routes.allocation(number, page)),
        }
        for page in range(1, pages + 1):
            rows = [(value, analysis.facts[value]) for value in values[rows_of(page)]]
            table = value_rows_in_allocation(rows, self._links)
            content = fragment("allocation_content.html", page=page, rows=table, **shared)
            frame = self._frames[page == 1 and usage.drawings is not None]
            yield Page(
                module.routes.allocation(number, page), frame.filled(index=str(allocation.index), content=content)
            )
