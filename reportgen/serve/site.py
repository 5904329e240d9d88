"""The site as it is served: exchanged as a whole between two requests, so that no page is half of one build.

Pages of a module that was just analysed are made when they are asked for; those of the others lie on disk. Only what
belongs to the site is ever opened: a path is looked up among the pages of the build, never on the disk.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

from reportgen.render import routes
from reportgen.render.on_request import PagesOnRequest

News = Mapping[str, Any]
"""What is told to a page, ready for JSON."""

_STARTING_SECONDS = 60.0
_PARTS_OF_FOLDER = 2


@dataclass(frozen=True, slots=True)
class ServedModule:
    """A module's pages, in memory or on disk; `version` differs whenever one of them may."""

    version: str
    pages: PagesOnRequest | None
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of the site. Modules are by folder (`m/jit-step-0a1b2c3d/`), `successors` too.

    `common` are the pages of no module. `news` gives what is to be told to the page at a path. `is_starting` until
    every dump has been looked at once: what is not there yet may still come.
    """

    common: Mapping[str, bytes] = field(default_factory=dict)
    modules: Mapping[str, ServedModule] = field(default_factory=dict)
    successors: Mapping[str, str] = field(default_factory=dict)
    news: Callable[[str], News] = lambda path: {}
    is_starting: bool = True


class Place(NamedTuple):
    """Where a page leads that is gone or stands for something else now, and what to tell there."""

    path: str
    why: str


class LiveSite:
    """Holds the newest generation; any thread may ask, one publishes."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._changed = Condition()
        self._generation = Generation()
        self._number = 0
        self._is_closed = False
        self._in_flight = 0

    def publish(self, generation: Generation) -> None:
        with self._changed:
            self._generation = generation
            self._number += 1
            self._changed.notify_all()

    def exchange(self, modules: Mapping[str, ServedModule]) -> None:
        """The same pages from elsewhere: nobody needs to hear of it."""
        with self._changed:
            self._generation = replace(self._generation, modules=modules)

    def close(self) -> None:
        """Whoever waits is let go."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def wait(self, after: int, seconds: float) -> int | None:
        """The number of a generation later than `after`, or `after` when none came; None when there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > after or self._is_closed, seconds)
            return None if self._is_closed else self._number

    def news(self, path: str) -> News:
        return self._generation.news(path)

    @contextmanager
    def request(self) -> Iterator[None]:
        """While a page is made and sent, whoever writes pages that nobody waits for can step aside."""
        with self._changed:
            self._in_flight += 1
        try:
            yield
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    def wait_for_requests(self, seconds: float) -> None:
        """Until no request is being answered, at most `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._in_flight, seconds)

    def page(self, path: str) -> bytes | None:
        """The page at `path`, None if there is none; at the start it is waited for."""
        found = self._page(path, self._generation)
        if found is None and self._generation.is_starting:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or not self._generation.is_starting, _STARTING_SECONDS)
            found = self._page(path, self._generation)
        return found

    def _page(self, path: str, generation: Generation) -> bytes | None:
        if path in generation.common:
            return generation.common[path]
        module = generation.modules.get(folder_of(path))
        if module is None:
            return None
        if module.pages is not None:
            return module.pages.page(path)
        return self._read(path) if path in module.paths else None

    def _read(self, path: str) -> bytes | None:
        try:
            return (self._output / path).read_bytes()
        except OSError:  # removed since: it is not in the newest generation either, or made there
            generation = self._generation
            module = generation.modules.get(folder_of(path))
            return module.pages.page(path) if module and module.pages else None

    def version(self, path: str) -> str:
        """What tells whether the page at `path` was loaded from what is there now."""
        generation = self._generation
        module = generation.modules.get(folder_of(path))
        if module:
            return module.version
        content = generation.common.get(path)
        return hashlib.blake2b(content, digest_size=16).hexdigest() if content is not None else ""

    def is_starting(self) -> bool:
        return self._generation.is_starting

    def place(self, path: str, name: str = "") -> Place:
        """Where the reader of the page at `path` is to be: there, or at the nearest thing that still exists.

        `name` is that of the value or allocation that the page was about: ids are given anew by each compilation.
        """
        generation, folder = self._generation, folder_of(path)
        if not folder:
            return Place(path, "") if path in generation.common else Place(routes.OVERVIEW, "that page is gone")
        if folder in generation.successors:
            new = generation.successors[folder]
            return self._in_module(new + path[len(folder) :], new, name)
        if folder not in generation.modules:
            return Place(routes.OVERVIEW, "that module is gone")
        return self._in_module(path, folder, name)

    def _in_module(self, path: str, folder: str, name: str) -> Place:
        if path.startswith(folder + routes.VALUES_FOLDER):
            return self._value(path, folder, name)
        if self._exists(path):
            return Place(path, "")
        first = routes.first_page(path)
        if first != path and self._exists(first):
            return Place(first, "that page of the table is gone")
        if path.startswith(folder + routes.ALLOCATIONS_FOLDER):
            return Place(f"{folder}allocations.html", "that allocation is gone")
        return Place(f"{folder}index.html", "that page is gone")

    def _value(self, path: str, folder: str, name: str) -> Place:
        if not name:
            return Place(path, "") if self._exists(path) else Place(f"{folder}index.html", "that value is gone")
        columns = self._columns(folder)
        texts = (one + index for one, index in zip(columns["name"], columns["index"], strict=True))
        for text, page in zip(texts, columns["page"], strict=True):
            if text == name:
                new = f"{folder}{routes.VALUES_FOLDER}{page}.html"
                return Place(new, "" if new == path else f"{name} has another number now")
        return Place(f"{folder}index.html", f"{name} is gone")

    def _columns(self, folder: str) -> Mapping[str, Any]:
        """The module's values, as its pages read them."""
        script = self._page(f"{folder}data/values.js", self._generation) or b'("",{"name":[],"index":[],"page":[]});'
        columns: Mapping[str, Any] = json.loads(script[script.index(b",") + 1 : script.rindex(b")")])
        return columns

    def _exists(self, path: str) -> bool:
        module = self._generation.modules.get(folder_of(path))
        if module is None:
            return False
        return module.pages.page(path) is not None if module.pages else path in module.paths


def folder_of(path: str) -> str:
    """`m/jit-step-0a1b2c3d/` for what lies in it; empty for pages of no module."""
    parts = path.split("/")
    is_in_module = len(parts) > _PARTS_OF_FOLDER and parts[0] == "m"
    return f"m/{parts[1]}/" if is_in_module else ""
