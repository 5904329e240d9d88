"""All pages and data shards of one module, in groups that different processes can make."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from reportgen.render.allocation.allocation_page import AllocationRenderer
from reportgen.render.module.data_shards import module_shard
from reportgen.render.module.findings_page import findings_page
from reportgen.render.module.index import index_page
from reportgen.render.module.lifetimes_page import lifetimes_page
from reportgen.render.module.listings import allocations_listing, peak_kind, peak_listing, values_listing
from reportgen.render.module.padding_page import padding_page
from reportgen.render.module.peak import peak_page
from reportgen.render.module.schedule_page import schedule_pages
from reportgen.render.routes import pages_of
from reportgen.render.value.value_page import ValueRenderer
from reportgen.render.view import Module
from reportgen.work import Page

_PAGES_IN_GROUP = 1_000

PageGroup = Callable[[], Iterator[Page]]


def module_pages(module: Module, site_title: str) -> Iterator[Page]:
    """Yield every page of a module."""
    for group in page_groups(module, site_title):
        yield from group()


def page_groups(module: Module, site_title: str) -> list[PageGroup]:
    """Return every page of a module, in groups that can be made in any order and by different processes."""
    # Cached, so that the first group that needs a renderer makes it, in the process that renders the group.
    values = cache(partial(ValueRenderer, module, site_title))
    allocations = cache(partial(AllocationRenderer, module, site_title))
    return [
        *views(module, site_title).values(),
        *_groups(allocations, range(len(module.analysis.dump.allocations))),
        *_groups(values, module.by_instruction),
    ]


def views(module: Module, site_title: str) -> dict[str, PageGroup]:
    """Return the views and data shards of the module as a whole, by the path of the first page of each."""
    routes = module.routes
    single: dict[str, Callable[[], Page]] = {
        routes.index: partial(index_page, module, site_title),
        **{routes.shard(name): partial(module_shard, module, name) for name in ("values", "timeline", "instructions")},
        routes.listing("peak"): partial(peak_page, module, site_title),
        routes.listing("padding"): partial(padding_page, module, site_title),
        routes.listing("lifetimes"): partial(lifetimes_page, module, site_title),
        routes.listing("findings"): partial(findings_page, module, site_title),
    }
    if any(advice.moves for advice in module.advice.values()):
        single[routes.shard("advice")] = partial(module_shard, module, "advice")
    paged: dict[str, PageGroup] = {
        routes.listing("schedule"): partial(schedule_pages, module, site_title),
        routes.listing("values"): partial(values_listing, module, site_title),
        routes.listing("allocations"): partial(allocations_listing, module, site_title),
    }
    for space in module.analysis.spaces.values():
        if space.composition:
            paged[routes.listing(peak_kind(space))] = partial(peak_listing, module, space, site_title)
    return {path: partial(_alone, make) for path, make in single.items()} | paged


def page_count(module: Module) -> int:
    """Return how many pages and data shards a module has."""
    # Views are rendered when they are called, so this renders nothing.
    alone = len(views(module, "")) + len(module.analysis.dump.allocations) + len(module.with_page)
    return alone + sum(1 for _ in later_pages(module))


def later_pages(module: Module) -> Iterator[str]:
    """Yield the paths of the pages after the first of each long table."""
    analysis, routes = module.analysis, module.routes
    rows = {"values": len(analysis.facts), "allocations": len(analysis.dump.allocations)}
    rows |= {"schedule": len(module.scheduled_moments)}
    rows |= {peak_kind(space): len(space.composition) for space in analysis.spaces.values()}
    for kind, count in rows.items():
        yield from (routes.listing(kind, page) for page in range(2, pages_of(count) + 1))
    for number, occupants in enumerate(analysis.occupants):
        yield from (routes.allocation(number, page) for page in range(2, pages_of(len(occupants)) + 1))


def _alone(make: Callable[[], Page]) -> Iterator[Page]:
    yield make()


def _groups(
    renderer: Callable[[], ValueRenderer] | Callable[[], AllocationRenderer], numbers: Sequence[int]
) -> Iterator[PageGroup]:
    """Yield groups of pages; the renderer is made when the first group is called."""

    def group(portion: Sequence[int]) -> Iterator[Page]:
        for number in portion:
            yield from renderer().pages(number)

    for start in range(0, len(numbers), _PAGES_IN_GROUP):
        yield partial(group, numbers[start : start + _PAGES_IN_GROUP])
