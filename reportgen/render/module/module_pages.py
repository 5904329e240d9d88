"""Every page and data shard of one module, each made when it is asked for."""

from collections.abc import Callable, Iterator
from functools import partial

from reportgen.render.explore.explore_page import explore_page
from reportgen.render.html.links import Links
from reportgen.render.html.templates import view_page
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.data_shards import module_shard
from reportgen.render.module.findings_page import findings_page
from reportgen.render.module.index import index_page
from reportgen.render.module.lifetimes_page import lifetimes_page
from reportgen.render.module.source_page import source_page
from reportgen.render.module.verdict import verdict
from reportgen.render.routes import source
from reportgen.render.view import Module
from reportgen.work import Page

PageMaker = Callable[[], Page]


def module_pages(module: Module, site_title: str) -> Iterator[Page]:
    """Yield every page of a module."""
    for make in page_makers(module, site_title).values():
        yield make()


def page_makers(module: Module, site_title: str) -> dict[str, PageMaker]:
    """Return what makes each page of a module, by its path; in any order, and in different processes."""
    routes = module.routes
    makers: dict[str, PageMaker] = {
        routes.index: partial(index_page, module, site_title),
        **{routes.shard(name): partial(module_shard, module, name) for name in ("values", "timeline", "instructions")},
        routes.listing("suggestions"): partial(suggestions_page, module, site_title),
        routes.listing("lifetimes"): partial(lifetimes_page, module, site_title),
        routes.listing("findings"): partial(findings_page, module, site_title),
        routes.listing("explore"): partial(explore_page, module, site_title),
    }
    for number in range(len(module.annotated_files)):
        makers[routes.listing(source(number))] = partial(source_page, module, number, site_title)
    if any(advice.suggestions for advice in module.advice.values()):
        makers[routes.shard("advice")] = partial(module_shard, module, "advice")
    return makers


def suggestions_page(module: Module, site_title: str) -> Page:
    """Return the page of the suggestions for a module."""
    return view_page(
        module,
        site_title,
        "suggestions",
        "pages/suggestions.html",
        links=Links(module),
        box=advice_box(module),
        verdict=verdict(module),
    )
