"""Hold the site as it is served: one generation after another, each replaced as a whole.

A request sees one generation, so no page mixes two builds. The pages of a module that was just analysed are rendered
when they are requested; those of the others are read from disk. Only paths that a generation lists are opened.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

from reportgen.record import record
from reportgen.render import routes
from reportgen.render.module.on_request import PagesOnRequest

_STARTING_SECONDS = 60.0


@record
class ServedModule:
    """The pages of one module.

    `version` differs whenever a page may differ. `value_paths` maps the names of values to where they are, page and
    id. `pages` renders the pages; it is None after all of them are on disk.
    """

    version: str
    paths: frozenset[str]
    value_paths: Mapping[str, str]
    pages: PagesOnRequest | None


@record
class Generation:
    """One state of the site.

    `common` has the content of the pages that belong to no module. `modules` are by folder (`m/jit-step-0a1b2c3d/`);
    `successors` maps a folder that is gone to the one that replaced it, which may be gone as well. `changes` returns
    what the page at a path must show, ready for JSON. `is_starting` is true until each dump has been read once: a
    missing page may still appear.
    """

    common: Mapping[str, bytes] = field(default_factory=dict)
    modules: dict[str, ServedModule] = field(default_factory=dict)
    successors: Mapping[str, str] = field(default_factory=dict)
    changes: Callable[[str], Mapping[str, Any]] = lambda path: {}
    is_starting: bool = True

    def module(self, path: str) -> ServedModule | None:
        """Return the module that a path belongs to; None for other pages, and for modules that are gone."""
        return self.modules.get(routes.module_folder(path))

    def has(self, path: str) -> bool:
        """Return whether the site has a page at `path`."""
        module = self.module(path)
        return path in module.paths if module else path in self.common

    def followed(self, path: str) -> str:
        """Return `path` in the module that replaces its own; unchanged if none does."""
        folder = routes.module_folder(path)
        newest = folder
        while newest in self.successors:
            newest = self.successors[newest]
        return newest + path.removeprefix(folder)


class Nearest(NamedTuple):
    """The page to show instead of another, and the reason; the reason is empty if it is the same page.

    `place` is the id on the page of the value that was asked for, empty for other pages.
    """

    path: str
    why: str
    place: str = ""


class LiveSite:
    """Hold the newest generation. One thread publishes; any thread may ask."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._changed = Condition()
        self._generation = Generation()
        self._number = 0
        self._is_closed = False

    def publish(self, generation: Generation) -> None:
        """Serve `generation` from now on, and wake every thread that waits for a new one."""
        with self._changed:
            self._generation = generation
            self._number += 1
            self._changed.notify_all()

    def exchange(self, modules: dict[str, ServedModule]) -> None:
        """Serve the same pages from another place, without waking any page."""
        with self._changed:
            self._generation = replace(self._generation, modules=modules)

    def read_from_disk(self, folder: str, version: str) -> None:
        """Read the pages of a module from disk from now on, if it is still served in this version."""
        with self._changed:
            modules = self._generation.modules
            if (module := modules.get(folder)) and module.version == version:
                modules[folder] = replace(module, pages=None)

    def close(self) -> None:
        """End every wait."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def wait(self, last: int, seconds: float) -> int | None:
        """Wait for a generation after `last`, at most `seconds`; return the newest number, or None once closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > last or self._is_closed, seconds)
            return None if self._is_closed else self._number

    def changes(self, path: str) -> Mapping[str, Any]:
        """Return what the page at `path` must show, ready for JSON."""
        return self._generation.changes(path)

    def is_starting(self) -> bool:
        """Return whether some dumps have not been read yet."""
        return self._generation.is_starting

    def page(self, path: str) -> bytes | None:
        """Return the page at `path`; None if there is none. While the site is starting, wait for the page."""
        found = self._page(path)
        if found is None and self.is_starting():
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or not self.is_starting(), _STARTING_SECONDS)
            found = self._page(path)
        return found

    def _page(self, path: str) -> bytes | None:
        generation = self._generation  # once, because another thread may publish a new one meanwhile
        module = generation.module(path)
        if module is None:
            return generation.common.get(path)
        if path not in module.paths:
            return None
        if module.pages:
            return module.pages.page(path)
        try:
            return (self._output / path).read_bytes()
        except OSError:  # removed meanwhile, because a newer generation has no such page
            return None

    def version(self, path: str) -> str:
        """Return a text that changes whenever the page at `path` may have changed; empty if the page does not exist."""
        generation = self._generation
        if module := generation.module(path):
            return module.version
        content = generation.common.get(path)
        return "" if content is None else hashlib.blake2b(content, digest_size=16).hexdigest()

    def nearest(self, path: str, name: str = "") -> Nearest:
        """Return the page at `path`, or the nearest one that exists.

        `name` is the name of the value that the reader asked for. Values are followed by name, because every
        compilation assigns new ids.
        """
        generation = self._generation
        path = generation.followed(path)
        module = generation.module(path)
        if name and module and routes.is_value(path):
            if name not in module.value_paths:
                return Nearest(next(routes.alternatives(path))[0], f"{name} is gone")
            new, _, place = module.value_paths[name].partition("#")
            return Nearest(new, "" if new == path else f"{name} has a new number", place)
        if generation.has(path):
            return Nearest(path, "")
        others = ((other, f"that {missing} is gone") for other, missing in routes.alternatives(path))
        return next((Nearest(*other) for other in others if generation.has(other[0])), Nearest(routes.OVERVIEW, ""))
