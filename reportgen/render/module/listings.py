"""The long tables of a module: values, allocations, and what is resident at the peak of each memory space.

A page has the first rows of its table, and a script makes the others from the data of the module.
"""

from collections.abc import Sequence
from typing import Any

from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.records import Share, Space, ValueFacts
from reportgen.model import WHOLE
from reportgen.record import record
from reportgen.render.html.links import Links
from reportgen.render.module.view_page import Rest, view_page
from reportgen.render.routes import ROWS_ON_PAGE
from reportgen.render.view import Module
from reportgen.reports.formats import shortened
from reportgen.reports.report import allocation_kinds
from reportgen.work import Page


@record(kw_only=False)
class ShareRow:
    """A share of the peak with the class of its allocation, and the `value` that its bytes are or will be of."""

    share: Share
    memory_class: MemoryClass
    value: int | None


@record
class AllocationRow:
    """An allocation as a row of a table."""

    number: int
    kinds: list[str]
    memory_class: MemoryClass
    space: str
    size_bytes: int
    values: int


def peak_kind(space: Space) -> str:
    """Return the kind of the listing of a space's peak, as routes know it."""
    return f"peak-{space.color}"


def values_listing(module: Module, site_title: str) -> Page:
    """Return the page with the table of values."""
    rows = value_rows(module)
    lede = "Every value with bytes, largest first."
    keys, routes = module.analysis.dump.values.keys, module.routes
    names = [shortened(key.removesuffix(WHOLE)) for key in keys]
    pages = [(routes.value_page(group[0]), names[group[0]], names[group[-1]]) for group in routes.value_groups]
    return _listing(module, site_title, "values", rows, heading="Values", lede=lede, pages=pages)


def allocations_listing(module: Module, site_title: str) -> Page:
    """Return the page with the table of allocations."""
    rows, lede = allocation_rows(module), "Every allocation, largest first."
    routes, names = module.routes, [f"allocation {one.index}" for one in module.analysis.dump.allocations]
    pages = [
        (routes.allocation_page(group[0]), names[group[0]], names[group[-1]]) for group in routes.allocation_groups
    ]
    return _listing(module, site_title, "allocations", rows, heading="Allocations", lede=lede, pages=pages)


def peak_listing(module: Module, space: Space, site_title: str) -> Page:
    """Return the page with the table of what is resident at the peak of a space that has one."""
    peak, rows = space.peak_resident, share_rows(module, space)
    assert peak is not None
    heading = f"Peak of space {space.color} · {space.name}"
    lede = f"The bytes resident at instruction {peak.moment:,}, each counted once, largest first."
    return _listing(
        module, site_title, peak_kind(space), rows, heading=heading, lede=lede, total=peak.amount, space=space
    )


def value_rows(module: Module) -> list[tuple[int, ValueFacts]]:
    """Return the values with their numbers, largest first."""
    return [(number, module.analysis.facts[number]) for number in module.by_size]


def allocation_rows(module: Module) -> list[AllocationRow]:
    """Return the allocations, largest first."""
    analysis = module.analysis
    rows = [
        AllocationRow(
            number=number,
            kinds=allocation_kinds(module, number),
            memory_class=memory_class(allocation),
            space=f"{allocation.color} · {analysis.spaces[allocation.color].name}",
            size_bytes=allocation.size_bytes,
            values=len(analysis.occupants[number]),
        )
        for number, allocation in enumerate(analysis.dump.allocations)
    ]
    return sorted(rows, key=lambda row: (-row.size_bytes, row.number))


def share_rows(module: Module, space: Space) -> list[ShareRow]:
    """Return what is resident at the peak of a space, largest first."""
    analysis = module.analysis
    return [
        ShareRow(share, memory_class(analysis.dump.allocations[share.allocation]), held_for(analysis, share))
        for share in space.composition
    ]


def _listing(
    module: Module,
    site_title: str,
    kind: str,
    rows: Sequence[Any],
    *,
    total: int = 0,
    pages: Sequence[tuple[str, str, str]] = (),
    **context: Any,
) -> Page:
    """Return the page of a table. `total` is the sum of its bytes where the table adds up, and 0 otherwise.

    `pages` are those that have what the rows are about: the path, the first and the last on it.
    """
    shown, links = rows[:ROWS_ON_PAGE], Links(module, 0)
    listed = sum(row.share.size_bytes for row in shown) if total else 0
    return view_page(
        module,
        site_title,
        kind,
        "pages/listing.html",
        links=links,
        pages=[(links.path(path), first, last) for path, first, last in pages],
        count=len(rows),
        rows=shown,
        total=total,
        rest=Rest(count=len(rows) - len(shown), amount=total - listed),
        **context,
    )
