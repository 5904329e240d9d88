"""Render the pages of one module one by one, for a server that shows a module before all its pages are written.

A dump of one megabyte takes a tenth of a second to analyse and a second to render as two thousand pages, of which a
reader opens one. Each page is the very page that `module_pages` yields.
"""

from collections.abc import Iterator
from functools import cache, cached_property, partial
from threading import Lock

from reportgen.render.allocation.allocation_page import AllocationRenderer
from reportgen.render.module.module_pages import later_pages, module_pages, views
from reportgen.render.routes import first_page
from reportgen.render.value.value_page import ValueRenderer
from reportgen.render.view import Module
from reportgen.reports.formats import visible
from reportgen.reports.report import key_text
from reportgen.work import Page


class PagesOnRequest:
    """Render any page of a module by its path, once. Several threads may ask."""

    def __init__(self, module: Module, site_title: str) -> None:
        self.module = module
        self._site_title = site_title
        self._views = views(module, site_title)
        # Cached, so that only the first page that needs a renderer waits for what its pages share.
        self._values = cache(partial(ValueRenderer, module, site_title))
        self._allocations = cache(partial(AllocationRenderer, module, site_title))
        self._rendered: dict[str, bytes] = {}
        self._lock = Lock()

    def all(self) -> Iterator[Page]:
        """Yield every page of the module."""
        return module_pages(self.module, self._site_title)

    def page(self, path: str) -> bytes | None:
        """Return the page at `path`, from the site's root; None if the module has none there."""
        if path not in self.paths:
            return None
        # Held while a page is rendered, so that it is rendered once.
        with self._lock:
            if path not in self._rendered:
                first = first_page(path)
                if first in self._views:
                    made = self._views[first]()
                elif first in self._value_numbers:
                    made = self._values().pages(self._value_numbers[first])
                else:
                    made = self._allocations().pages(self._allocation_numbers[first])
                self._rendered.update(made)
            return self._rendered[path]

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all pages, found without rendering any."""
        return frozenset([*self._views, *self._value_numbers, *self._allocation_numbers, *later_pages(self.module)])

    @cached_property
    def value_paths(self) -> dict[str, str]:
        """The path of each value's page, by the value's name as the page shows it."""
        facts = self.module.analysis.facts
        return {visible(key_text(facts[n].value.key)): path for path, n in self._value_numbers.items()}

    @cached_property
    def _value_numbers(self) -> dict[str, int]:
        return {self.module.routes.value(number): number for number in sorted(self.module.with_page)}

    @cached_property
    def _allocation_numbers(self) -> dict[str, int]:
        numbers = range(len(self.module.analysis.dump.allocations))
        return {self.module.routes.allocation(number): number for number in numbers}
