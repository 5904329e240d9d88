"""The page of all values, allocations and instructions of a module, each a table.

It has the first rows of each, and scripts make the others from the data of the module.
"""

from collections.abc import Sequence
from heapq import nsmallest

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.render.explore.allocation_views import AllocationViews
from reportgen.render.explore.folds import with_fold
from reportgen.render.explore.instruction_rows import InstructionRows
from reportgen.render.explore.value_rows import ValueRows, thing, value_groups
from reportgen.render.html.links import Links
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.html.templates import view_page
from reportgen.render.routes import ROWS_ON_PAGE
from reportgen.render.value.value_views import ValueViews
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.report import allocation_kind
from reportgen.work import Page

_SMALL_PART = 1_000
"""An allocation below this part of the largest is small."""
_MOST_WITH_VIEWS = 400
"""The values and allocations of a module up to which all of them have a view without scripts."""


def explore_page(module: Module, site_title: str) -> Page:
    """Return the page."""
    links, groups, dump = Links(module, "explore"), value_groups(module), module.analysis.dump
    sizes = [allocation.size_bytes for allocation in dump.allocations]
    is_small = len(dump.values) + len(sizes) <= _MOST_WITH_VIEWS
    with_views = largest(dump.values.sizes, len(dump.values) if is_small else ROWS_ON_PAGE)
    rows, instructions = ValueRows(module, links, set(with_views)), InstructionRows(module, links)
    return view_page(
        module,
        site_title,
        "explore",
        "pages/explore.html",
        links=links,
        groups=len(groups),
        values=rows.table(groups, ROWS_ON_PAGE),
        allocations=allocations_table(module, links, ROWS_ON_PAGE),
        instructions=instructions.table(instructions.rows),
        main=instructions.spaces[0].color if instructions.spaces else "",
        peaks=[(space, space.peak_resident.moment) for space in module.large_spaces if space.peak_resident],
        peak=rows.peak,
        moments=max(module.analysis.moments, 1),
        value_views=ValueViews(module, links),
        with_views=with_views,
        allocation_views=AllocationViews(module, links, ValueRows(module, links)),
        allocations_with_views=largest(sizes, len(sizes) if is_small else ROWS_ON_PAGE),
    )


def largest(sizes: Sequence[int], most: int) -> list[int]:
    """Return the numbers of the largest sizes, the largest first."""
    return nsmallest(most, range(len(sizes)), key=lambda number: (-sizes[number], number))


def allocations_table(module: Module, links: Links, most: int) -> PageTable:
    """Return the table of allocations with its first `most` rows, the largest first."""
    allocations, spaces = module.analysis.dump.allocations, module.analysis.spaces
    sizes = module.analysis.dump.values.sizes

    def kinds(number: int) -> tuple[str, str]:
        return f"class-{memory_class(allocations[number])}", allocation_kind(module, number)

    def space(number: int) -> str:
        color = allocations[number].color
        return f"{color} · {spaces[color].name}"

    def look(number: int) -> tuple[str, int]:
        return memory_class(allocations[number]), allocations[number].size_bytes

    def holds(number: int) -> Markup:
        """Return the largest value of an allocation."""
        occupants = module.analysis.occupants[number]
        if not occupants:
            return Markup("")
        return thing(module, links, max(occupants, key=lambda value: (sizes[value], -value)))

    in_order = largest([allocation.size_bytes for allocation in allocations], most)
    columns: Sequence[Column[int]] = (
        Column("size", "Size", "bytes", lambda number: allocations[number].size_bytes),
        Column("bar", "Of the largest", "bar", look),
        Column("thing", "Largest value", "thing", holds, names_rows=True),
        Column("kind", "Kind", "chip", kinds),
        Column("allocation", "Allocation", "allocation", links.allocation),
        Column("values", "Values", "count", lambda number: len(module.analysis.occupants[number])),
        Column("space", "Space", "text", space),
    )
    scale = allocations[in_order[0]].size_bytes if in_order else 0
    rows, attributes = with_fold(in_order, lambda number: allocations[number].size_bytes, _SMALL_PART, len(columns))
    return table(columns, rows, largest=scale, attributes=attributes, for_scripts=True)
