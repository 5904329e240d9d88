"""Every page and data shard of one module, each made when it is asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from reportgen.render.allocation.allocation_page import AllocationRenderer
from reportgen.render.explore.explore_page import explore_page
from reportgen.render.module.data_shards import module_shard
from reportgen.render.module.findings_page import findings_page
from reportgen.render.module.index import index_page
from reportgen.render.module.lifetimes_page import lifetimes_page
from reportgen.render.module.source_page import source_page
from reportgen.render.module.suggestions_page import suggestions_page
from reportgen.render.routes import source
from reportgen.render.value.value_page import ValueRenderer
from reportgen.render.view import Module
from reportgen.work import Page

PageMaker = Callable[[], Page]


def module_pages(module: Module, site_title: str) -> Iterator[Page]:
    """Yield every page of a module."""
    for make in page_makers(module, site_title).values():
        yield make()


def page_makers(module: Module, site_title: str) -> dict[str, PageMaker]:
    """Return what makes each page of a module, by its path; in any order, and in different processes."""
    # Cached, so that the first page that needs a renderer makes it, in the process that renders the page.
    values = cache(partial(ValueRenderer, module, site_title))
    allocations = cache(partial(AllocationRenderer, module, site_title))
    routes = module.routes

    def allocation_page(numbers: Sequence[int]) -> Page:
        return allocations().page(numbers)

    def value_page(numbers: Sequence[int]) -> Page:
        return values().page(numbers)

    return {
        **_views(module, site_title),
        **{routes.allocation_page(group[0]): partial(allocation_page, group) for group in routes.allocation_groups},
        **{routes.value_page(group[0]): partial(value_page, group) for group in routes.value_groups},
    }


def _views(module: Module, site_title: str) -> Mapping[str, PageMaker]:
    """Return what makes the views, whose tabs are in `MODULE_VIEWS`, and data shards of the module as a whole."""
    routes = module.routes
    makers: dict[str, PageMaker] = {
        routes.index: partial(index_page, module, site_title),
        **{routes.shard(name): partial(module_shard, module, name) for name in ("values", "timeline", "instructions")},
        routes.listing("suggestions"): partial(suggestions_page, module, site_title),
        routes.listing("lifetimes"): partial(lifetimes_page, module, site_title),
        routes.listing("findings"): partial(findings_page, module, site_title),
        routes.listing("explore"): partial(explore_page, module, site_title),
    }
    for number in range(len(module.source_files_shown)):
        makers[routes.listing(source(number))] = partial(source_page, module, number, site_title)
    if any(advice.suggestions for advice in module.advice.values()):
        makers[routes.shard("advice")] = partial(module_shard, module, "advice")
    return makers
