"""The pages of one module: its own page, the long tables, the allocations and the values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from reportgen.analyse.classes import HELD_CLASSES, MemoryClass, memory_class
from reportgen.analyse.records import Share, Space
from reportgen.render import reasons
from reportgen.render.allocation_pages import AllocationRenderer
from reportgen.render.chart_data import memory_over_time
from reportgen.render.data_shards import instructions_shard, timeline_shard, values_shard
from reportgen.render.findings_page import findings_page
from reportgen.render.histogram import Histogram, histogram
from reportgen.render.lifetimes_page import lifetimes_page
from reportgen.render.links import Links
from reportgen.render.module import Module, allocation_kinds
from reportgen.render.notes import note_markup
from reportgen.render.padding_page import padding_page
from reportgen.render.page import Page
from reportgen.render.peak_page import peak_page
from reportgen.render.routes import pages_of, rows_of
from reportgen.render.schedule_pages import schedule_pages
from reportgen.render.summing_up import badge_of, finding_counts
from reportgen.render.templates import render
from reportgen.render.value_pages import ValueRenderer

_PAGES_IN_GROUP = 1_000
_SHOWN_SHARES = 20
_SHOWN_VALUES = 20
_SHOWN_ALLOCATIONS = 20


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A share of the peak with the class of its allocation."""

    share: Share
    memory_class: MemoryClass


@dataclass(frozen=True, slots=True)
class AllocationRow:
    """An allocation as a row of a table."""

    number: int
    kinds: list[str]
    memory_class: MemoryClass
    space: str
    size_bytes: int
    values: int


@dataclass(frozen=True, slots=True)
class Rest:
    """What a table leaves to another page: how many rows, how many bytes, and where they are."""

    count: int
    size_bytes: int
    href: str


PageGroup = Callable[[], Iterator[Page]]


def module_pages(module: Module, site_title: str) -> Iterator[Page]:
    """Every page of a module."""
    for group in page_groups(module, site_title):
        yield from group()


def page_groups(module: Module, site_title: str) -> list[PageGroup]:
    """Every page of a module, in groups that can be made in any order and by different processes."""
    values = cache(partial(ValueRenderer, module, site_title))
    allocations = cache(partial(AllocationRenderer, module, site_title))
    return [
        *views(module, site_title).values(),
        *(partial(_several, allocations, some) for some in _portions(range(len(module.analysis.dump.allocations)))),
        *(partial(_several, values, some) for some in _portions(module.by_instruction)),
    ]


def views(module: Module, site_title: str) -> dict[str, PageGroup]:
    """What makes the pages and shards of the module as a whole, by the path of the first of them."""
    at, data = module.routes.listing, f"{module.routes.folder}data/"
    made: dict[str, PageGroup] = {
        module.routes.index: partial(_alone, _index, module, site_title),
        f"{data}values.js": partial(_alone, values_shard, module),
        f"{data}timeline.js": partial(_alone, timeline_shard, module),
        f"{data}instructions.js": partial(_alone, instructions_shard, module),
        at("peak"): partial(_alone, peak_page, module, site_title),
        at("padding"): partial(_alone, padding_page, module, site_title),
        at("lifetimes"): partial(_alone, lifetimes_page, module, site_title),
        at("findings"): partial(_alone, findings_page, module, site_title),
        at("schedule"): partial(schedule_pages, module, site_title),
        at("values"): partial(_values_listing, module, site_title),
        at("allocations"): partial(_allocations_listing, module, site_title),
    }
    for space in module.analysis.spaces.values():
        if space.composition:
            made[at(_peak_kind(space))] = partial(_peak_listing, module, space, site_title)
    return made


def _alone(make: Callable[..., Page], *arguments: object) -> Iterator[Page]:
    yield make(*arguments)


def _several(renderer: Callable[[], ValueRenderer | AllocationRenderer], numbers: Sequence[int]) -> Iterator[Page]:
    """The renderer is made by the first group that needs it."""
    for number in numbers:
        yield from renderer().pages(number)


def _portions(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[start : start + _PAGES_IN_GROUP] for start in range(0, len(numbers), _PAGES_IN_GROUP))


def _index(module: Module, site_title: str) -> Page:
    analysis, links = module.analysis, Links(module, 0)
    largest = module.by_size[:_SHOWN_VALUES]
    space_parts = [_space_part(module, space, links) for space in analysis.spaces.values()]
    content = render(
        "module.html",
        module.routes.index,
        tab="index.html",
        site_title=site_title,
        module=module,
        notes=note_markup(module.notes),
        analysis=analysis,
        backend=analysis.backend,
        finding_counts=finding_counts(analysis),
        badge=badge_of(analysis),
        links=links,
        spaces=list(analysis.spaces.values()),
        missing=[f.message for f in analysis.findings if f.slug in reasons.MISSING_SECTIONS],
        xla=analysis.xla_peak,
        reasons=[(slug, reasons.SENTENCES[slug]) for slug in analysis.xla_peak.reasons] if analysis.xla_peak else [],
        bridge=[(step, reasons.BRIDGE[step.slug]) for step in analysis.xla_peak.bridge] if analysis.xla_peak else [],
        space_parts=space_parts,
        has_charts=any(part["chart"] for part in space_parts),
        moments=max(analysis.moments, 1),
        classes=HELD_CLASSES,
        largest=[(number, analysis.facts[number]) for number in largest],
        allocations=_allocation_rows(module)[:_SHOWN_ALLOCATIONS],
        files=list(dict.fromkeys(part.label for part in analysis.dump.text.parts)),
    )
    return Page(module.routes.index, content)


def _space_part(module: Module, space: Space, links: Links) -> dict[str, Any]:
    rows = _share_rows(module, space)
    hidden = rows[_SHOWN_SHARES:]
    rest = Rest(len(hidden), sum(row.share.size_bytes for row in hidden), links.listing(_peak_kind(space)))
    return {
        "space": space,
        "chart": memory_over_time(module.analysis, space),
        "rows": rows[:_SHOWN_SHARES],
        "rest": rest,
    }


def _peak_kind(space: Space) -> str:
    return f"peak-{space.color}"


def _share_rows(module: Module, space: Space) -> list[ShareRow]:
    allocations = module.analysis.dump.allocations
    return [ShareRow(share, memory_class(allocations[share.allocation])) for share in space.composition]


def _allocation_rows(module: Module) -> list[AllocationRow]:
    analysis = module.analysis
    rows = [
        AllocationRow(
            number,
            allocation_kinds(module, number),
            memory_class(allocation),
            f"{allocation.color} · {analysis.spaces[allocation.color].name}",
            allocation.size_bytes,
            len(analysis.tenants[number]),
        )
        for number, allocation in enumerate(analysis.dump.allocations)
    ]
    return sorted(rows, key=lambda row: (-row.size_bytes, row.number))


def _values_listing(module: Module, site_title: str) -> Iterator[Page]:
    facts = module.analysis.facts
    rows = [(number, facts[number]) for number in module.by_size]
    lede = "Every value of the module that has bytes, the largest first."
    if len(module.with_page) < len(facts):
        lede = f"{lede} Only the largest and those live at a peak have a page of their own: {len(module.with_page):,}."
    sizes = histogram("values", (fact.value.size_bytes for fact in facts))
    yield from _listing(module, site_title, "values", "Values", lede, rows, sizes=sizes)


def _allocations_listing(module: Module, site_title: str) -> Iterator[Page]:
    lede = "Every allocation of the module, the largest first."
    rows = _allocation_rows(module)
    sizes = histogram("allocations", (row.size_bytes for row in rows))
    yield from _listing(module, site_title, "allocations", "Allocations", lede, rows, sizes=sizes)


def _peak_listing(module: Module, space: Space, site_title: str) -> Iterator[Page]:
    assert space.peak_resident is not None
    heading = f"The peak of space {space.color} · {space.name}"
    lede = f"What is resident at moment {space.peak_resident.moment}, every byte once, the largest first."
    rows = _share_rows(module, space)
    yield from _listing(module, site_title, _peak_kind(space), heading, lede, rows, space.peak_resident.amount)


def _listing(
    module: Module,
    site_title: str,
    kind: str,
    heading: str,
    lede: str,
    rows: Sequence[Any],
    total: int = 0,
    sizes: Histogram | None = None,
) -> Iterator[Page]:
    pages, links = pages_of(len(rows)), Links(module, 0)
    href = partial(links.listing, kind)
    for page in range(1, pages + 1):
        shown = rows[rows_of(page)]
        others = sum(row.share.size_bytes for row in rows) - sum(row.share.size_bytes for row in shown) if total else 0
        path = module.routes.listing(kind, page)
        content = render(
            "listing.html",
            path,
            tab=f"{kind}.html",
            site_title=site_title,
            module=module,
            links=links,
            kind=kind,
            heading=heading,
            lede=lede,
            rows=shown,
            rest=Rest(len(rows) - len(shown), others, href(page % pages + 1)),
            total=total,
            sizes=sizes if page == 1 else None,
            page=page,
            pages=pages,
            href=href,
        )
        yield Page(path, content)
