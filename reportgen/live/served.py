"""What the server sends: the files of the site on disk, and what open pages must show.

Only paths that the loop has published are opened.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

from reportgen.live.tracked import ShownBuild
from reportgen.record import record
from reportgen.render import routes

_WAITING_SECONDS = 60.0


def version_of(content: bytes) -> str:
    """Return the version of a page that was sent."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


class Nearest(NamedTuple):
    """The page to show instead of another, and the reason; the reason is empty if it is the same page.

    `place` is the id on the page of the value that was asked for, empty for other pages.
    """

    path: str
    why: str
    place: str = ""


@record
class Published:
    """One state of the site. `common` are the paths of the pages that belong to no module; `compared` are not on disk.

    `modules` are by folder (`m/jit-step-0a1b2c3d/`); `successors` maps folders that are gone to their successors.
    `changes` returns what the page at a path must show, ready for JSON. `is_starting` is true until each dump has been
    read once: a missing page may still appear.
    """

    common: Collection[str] = ()
    compared: Mapping[str, bytes] = field(default_factory=dict)
    modules: Mapping[str, ShownBuild] = field(default_factory=dict)
    successors: Mapping[str, str] = field(default_factory=dict)
    changes: Callable[[str], Mapping[str, Any]] = lambda path: {}
    is_starting: bool = True

    def module(self, path: str) -> ShownBuild | None:
        """Return the module that a path belongs to; None for other pages, and for modules that are gone."""
        return self.modules.get(routes.module_folder(path))

    def has(self, path: str) -> bool:
        """Return whether the site has a page at `path`."""
        module = self.module(path)
        return path in module.paths if module else path in self.common or path in self.compared


class Served:
    """The last published state, for the server's threads. One thread publishes; any thread may ask."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._state = Published()
        self._number = 0
        self._changed = Condition()
        self._is_closed = False

    def publish(self, state: Published) -> None:
        """Replace the state, and wake every thread that waits for a new one."""
        with self._changed:
            self._state = state
            self._number += 1
            self._changed.notify_all()

    def close(self) -> None:
        """End every wait."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def wait(self, last: int, seconds: float) -> int | None:
        """Wait for a state after `last`, at most `seconds`; return the newest number, or None once closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > last or self._is_closed, seconds)
            return None if self._is_closed else self._number

    def is_starting(self) -> bool:
        """Return whether some dumps have not been read yet."""
        return self._state.is_starting

    def changes(self, path: str) -> Mapping[str, Any]:
        """Return what the page at `path` must show, ready for JSON."""
        return self._state.changes(path)

    def page(self, path: str) -> bytes | None:
        """Return the page at `path`; None if there is none. While the site is starting, wait for the page."""
        with self._changed:
            is_there = lambda: self._is_closed or not self._state.is_starting or self._state.has(path)  # noqa: E731
            self._changed.wait_for(is_there, _WAITING_SECONDS)
        return self._content(path)

    def _content(self, path: str) -> bytes | None:
        state = self._state
        if path in state.compared:
            return state.compared[path]
        try:
            return (self._output / path).read_bytes() if state.has(path) else None
        except OSError:  # removed meanwhile, because a newer state has no such page
            return None

    def version(self, path: str) -> str:
        """Return a text that changes whenever the page at `path` has changed; empty if the page does not exist."""
        content = self._content(path)
        return "" if content is None else version_of(content)

    def nearest(self, path: str, name: str = "") -> Nearest:
        """Return the page at `path`, or the nearest page that exists.

        `name` is the name of the value that the reader asked for. Values are followed by name, because every
        compilation assigns new ids.
        """
        state, folder = self._state, routes.module_folder(path)
        path = state.successors.get(folder, folder) + path.removeprefix(folder)
        module = state.module(path)
        if name and module:
            place = module.place_of(name)
            if place is None:
                return Nearest(next(routes.alternatives(path))[0], f"{name} is gone")
            path, _, place = place.partition("#")
            return Nearest(path, "", place)
        if state.has(path):
            return Nearest(path, "")
        candidates = (Nearest(page, f"that {missing} is gone") for page, missing in routes.alternatives(path))
        return next((nearest for nearest in candidates if state.has(nearest.path)), Nearest(routes.OVERVIEW, ""))
