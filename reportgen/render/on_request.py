"""Pages of one module one by one, for a server that shows a module before all its pages are made.

A dump of a megabyte is analysed in a tenth of a second and has two thousand pages, which take a second; a reader
looks at one of them. What is asked for is the very page that `module_pages` makes.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from threading import Lock

from reportgen.render.allocation_pages import AllocationRenderer
from reportgen.render.module import Module
from reportgen.render.module_pages import module_pages, views
from reportgen.render.page import Page
from reportgen.render.routes import ALLOCATIONS_FOLDER, VALUES_FOLDER, first_page
from reportgen.render.value_pages import ValueRenderer


class PagesOnRequest:
    """Any page of a module by its path; several threads may ask. What was made once is kept."""

    def __init__(self, module: Module, site_title: str) -> None:
        self.module = module
        self._site_title = site_title
        self._views = views(module, site_title)
        self._made: dict[str, bytes] = {}
        self._lock = Lock()

    def all(self) -> Iterator[Page]:
        return module_pages(self.module, self._site_title)

    def page(self, path: str) -> bytes | None:
        """The page at `path`, from the site's root; None where the module has none there."""
        with self._lock:
            if path not in self._made:
                self._made.update(self._make(path))
            return self._made.get(path)

    def _make(self, path: str) -> Iterable[Page]:
        first = first_page(path)
        if first in self._views:
            return self._views[first]()
        if path in self._value_numbers:
            return self._value_renderer.pages(self._value_numbers[path])
        if first in self._allocation_numbers:
            return self._allocation_renderer.pages(self._allocation_numbers[first])
        return []

    @cached_property
    def _value_numbers(self) -> dict[str, int]:
        return self._numbers(VALUES_FOLDER, self.module.routes.value_names)

    @cached_property
    def _allocation_numbers(self) -> dict[str, int]:
        return self._numbers(ALLOCATIONS_FOLDER, self.module.routes.allocation_names)

    def _numbers(self, folder: str, names: Iterable[str]) -> dict[str, int]:
        return {f"{self.module.routes.folder}{folder}{name}.html": number for number, name in enumerate(names)}

    @cached_property
    def _value_renderer(self) -> ValueRenderer:
        return ValueRenderer(self.module, self._site_title)

    @cached_property
    def _allocation_renderer(self) -> AllocationRenderer:
        return AllocationRenderer(self.module, self._site_title)
