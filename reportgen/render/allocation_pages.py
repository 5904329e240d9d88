"""A page for each allocation: what it is, who lives in it, and what is free at the peak."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import live_at
from reportgen.render.links import Links
from reportgen.render.module import Module, allocation_kinds
from reportgen.render.page import Page
from reportgen.render.routes import pages_of, rows_of
from reportgen.render.templates import render
from reportgen.spans import gaps


@dataclass(frozen=True, slots=True)
class AtPeak:
    """How an allocation is used at the moment of its space's peak resident; used + free = size."""

    moment: int
    used_bytes: int
    free_bytes: int
    largest_hole: int


def allocation_pages(module: Module, site_title: str) -> Iterator[Page]:
    links = Links(module, 1)
    for number in range(len(module.analysis.dump.allocations)):
        yield from _pages(module, number, links, site_title)


def _pages(module: Module, number: int, links: Links, site_title: str) -> Iterator[Page]:
    analysis = module.analysis
    allocation = analysis.dump.allocations[number]
    tenants = _in_order(module, number)
    pages = pages_of(len(tenants))
    shared = {
        "tab": "",
        "site_title": site_title,
        "module": module,
        "links": links,
        "allocation": allocation,
        "memory_class": memory_class(allocation),
        "kinds": allocation_kinds(module, number),
        "space": analysis.spaces[allocation.color],
        "at_peak": at_peak(module, number),
        "location": str(analysis.dump.text.locate(allocation.place)),
        "count": len(tenants),
        "pages": pages,
        "href": partial(_href, module, number, links),
    }
    for page in range(1, pages + 1):
        rows = [(value, analysis.facts[value]) for value in tenants[rows_of(page)]]
        path = module.routes.allocation(number, page)
        yield Page(path, render("allocation.html", path, rows=rows, page=page, **shared))


def _href(module: Module, number: int, links: Links, page: int) -> str:
    return links.path(module.routes.allocation(number, page))


def _in_order(module: Module, number: int) -> list[int]:
    facts = module.analysis.facts

    def by_offset_and_time(value: int) -> tuple[int, int, int]:
        fact = facts[value]
        return fact.value.offset_bytes, fact.live.start if fact.live else -1, fact.value.id

    return sorted(module.analysis.tenants[number], key=by_offset_and_time)


def at_peak(module: Module, number: int) -> AtPeak | None:
    """None where nothing is known over time."""
    analysis = module.analysis
    allocation = analysis.dump.allocations[number]
    peak = analysis.spaces[allocation.color].peak_resident
    if peak is None:
        return None
    live = [analysis.facts[value].value for value in live_at(analysis.facts, analysis.tenants[number], peak.moment)]
    holes = gaps([(value.offset_bytes, value.end_bytes) for value in live], 0, allocation.size_bytes)
    free = sum(high - low for low, high in holes)
    largest = max((high - low for low, high in holes), default=0)
    return AtPeak(peak.moment, allocation.size_bytes - free, free, largest)
