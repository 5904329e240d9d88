"""The long tables of a module: values, allocations, and what is resident at the peak of each memory space.

A page has the first rows of its table, and a script makes the others from the data of the module.
"""

from collections.abc import Sequence
from typing import Any

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Space
from reportgen.model import WHOLE
from reportgen.render.html.links import Links
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.html.value_columns import NumberedValue, value_columns
from reportgen.render.module.peak_rows import peak_kind, whole_peak_table
from reportgen.render.module.view_page import view_page
from reportgen.render.routes import ROWS_ON_PAGE
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import counted, human_bytes, shortened
from reportgen.reports.report import allocation_kinds
from reportgen.work import Page


def values_listing(module: Module, site_title: str) -> Page:
    """Return the page with the table of values."""
    links, rows = Links(module, 0), module.by_size
    values, allocations = module.analysis.dump.values, module.analysis.dump.allocations
    in_all, shared = sum(values.sizes), sum(allocation.size_bytes for allocation in allocations)
    lede = f"{counted(len(rows), 'value')}, {human_bytes(in_all)} in all, in allocations of {human_bytes(shared)}."
    keys, routes = values.keys, module.routes
    names = [shortened(key.removesuffix(WHOLE)) for key in keys]
    pages = [(routes.value_page(group[0]), names[group[0]], names[group[-1]]) for group in routes.value_groups]
    return _listing(
        module,
        site_title,
        "values",
        links,
        heading="Values",
        lede=lede,
        pages=pages,
        count=len(rows),
        table=values_table(module, links, ROWS_ON_PAGE),
    )


def allocations_listing(module: Module, site_title: str) -> Page:
    """Return the page with the table of allocations."""
    links, routes, allocations = Links(module, 0), module.routes, module.analysis.dump.allocations
    names = [f"allocation {allocation.index}" for allocation in allocations]
    in_all = sum(allocation.size_bytes for allocation in allocations)
    holds = f"with {counted(len(module.analysis.facts), 'value')} in them"
    lede = f"{counted(len(names), 'allocation')} of {human_bytes(in_all)} in all, {holds}."
    pages = [
        (routes.allocation_page(group[0]), names[group[0]], names[group[-1]]) for group in routes.allocation_groups
    ]
    return _listing(
        module,
        site_title,
        "allocations",
        links,
        heading="Allocations",
        lede=lede,
        pages=pages,
        count=len(names),
        table=allocations_table(module, links, ROWS_ON_PAGE),
    )


def peak_listing(module: Module, space: Space, site_title: str) -> Page:
    """Return the page with the table of what is resident at the peak of a space that has one."""
    peak, links = space.peak_resident, Links(module, 0)
    assert peak is not None
    return _listing(
        module,
        site_title,
        peak_kind(space),
        links,
        heading=f"Peak of space {space.color} · {space.name}",
        lede=f"The bytes resident at instruction {peak.moment:,}, each counted once, largest first.",
        count=len(space.composition),
        table=whole_peak_table(module, space, links),
        space=space,
    )


def values_table(module: Module, links: Links, most: int) -> PageTable:
    """Return the table of values with its first `most` rows, the largest first."""
    return table(
        value_columns(links),
        [NumberedValue(number, module.analysis.facts[number]) for number in module.by_size[:most]],
        attributes=lambda row: links.value_row_id(row.number),
        for_scripts=True,
    )


def allocations_table(module: Module, links: Links, most: int) -> PageTable:
    """Return the table of allocations with its first `most` rows, the largest first."""
    allocations, spaces = module.analysis.dump.allocations, module.analysis.spaces

    def kinds(number: int) -> tuple[str, str]:
        return f"class-{memory_class(allocations[number])}", ", ".join(allocation_kinds(module, number)) or "no kind"

    def space(number: int) -> str:
        color = allocations[number].color
        return f"{color} · {spaces[color].name}"

    columns: Sequence[Column[int]] = (
        Column("allocation", "Allocation", "allocation", links.allocation, names_rows=True),
        Column("kind", "Kind", "chip", kinds),
        Column("space", "Space", "text", space),
        Column("size", "Size", "bytes", lambda number: allocations[number].size_bytes),
        Column("values", "Values", "count", lambda number: len(module.analysis.occupants[number])),
    )
    largest_first = sorted(range(len(allocations)), key=lambda number: (-allocations[number].size_bytes, number))
    return table(columns, largest_first[:most], for_scripts=True)


def _listing(
    module: Module,
    site_title: str,
    kind: str,
    links: Links,
    *,
    pages: Sequence[tuple[str, str, str]] = (),
    **context: Any,
) -> Page:
    """Return the page of a table.

    `pages` are those that have what the rows are about: the path, the first and the last on it.
    """
    return view_page(
        module,
        site_title,
        kind,
        "pages/listing.html",
        links=links,
        pages=[(links.path(path), first, last) for path, first, last in pages],
        **context,
    )
