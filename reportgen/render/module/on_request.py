"""Render the pages of one module one by one, for a server that shows a module before all its pages are written.

A dump of one megabyte takes a tenth of a second to analyse and a second to render as two thousand pages, of which a
reader opens one. Each page is the very page that `module_pages` yields.
"""

from collections.abc import Iterator
from functools import cached_property
from threading import Lock

from reportgen.render.module.module_pages import module_pages, page_makers
from reportgen.render.view import Module
from reportgen.reports.formats import visible
from reportgen.reports.report import key_text
from reportgen.work import Page


class PagesOnRequest:
    """Render any page of a module by its path, once. Several threads may ask."""

    def __init__(self, module: Module, site_title: str) -> None:
        self.module = module
        self._site_title = site_title
        self._makers = page_makers(module, site_title)
        self._rendered: dict[str, bytes] = {}
        self._lock = Lock()

    def all(self) -> Iterator[Page]:
        """Yield every page of the module."""
        return module_pages(self.module, self._site_title)

    def page(self, path: str) -> bytes | None:
        """Return the page at `path`, from the site's root; None if the module has none there."""
        if path not in self._makers:
            return None
        # Held while a page is rendered, so that it is rendered once.
        with self._lock:
            if path not in self._rendered:
                self._rendered[path] = self._makers[path]().content
            return self._rendered[path]

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all pages, found without rendering any."""
        return frozenset(self._makers)

    @cached_property
    def value_paths(self) -> dict[str, str]:
        """Where each value is, page and id, by the value's name as the page shows it."""
        facts, routes = self.module.analysis.facts, self.module.routes
        return {visible(key_text(fact.value.key)): routes.value(number) for number, fact in enumerate(facts)}
