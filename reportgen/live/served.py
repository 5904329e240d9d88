"""What the server sends: the files of the site on disk, and what open pages must show.

Only paths that the loop has published are opened. A page that is not written yet is asked for: the loop writes it next.
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
    """One state of the site. `common` are the paths of the pages that belong to no module.

    `modules` are by folder (`m/jit-step-0a1b2c3d/`); `successors` maps folders that are gone to their successors.
    `changes` returns what the page at a path must show, ready for JSON. `is_starting` is true until each dump has been
    read once: a missing page may still appear.
    """

    common: Collection[str] = ()
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
        return path in module.paths if module else path in self.common


class Served:
    """The last published state, for the server's threads. One thread publishes; any thread may ask.

    `awaited` are pages that some thread waits for. While `is_stuck`, no page can be written, so nobody waits for one.
    """

    def __init__(self, output: Path) -> None:
        self._output = output
        self._state = Published()
        self._number = 0
        self._changed = Condition()
        self._is_closed = False
        self._is_stuck = False
        self.awaited: set[str] = set()

    def publish(self, state: Published) -> None:
        """Replace the state, and wake every thread that waits for a new one."""
        with self._changed:
            self._state = state
            self._number += 1
            self._changed.notify_all()

    def written(self, *, is_stuck: bool = False) -> None:
        """Let requests that wait for a page look again; none waits while writing `is_stuck`."""
        with self._changed:
            self._is_stuck = is_stuck
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
        """Return the page at `path`, waiting until it is written; None if there is none."""
        with self._changed:
            if not self._is_written(path):
                self.awaited.add(path)
                self._changed.wait_for(lambda: self._is_written(path), _WAITING_SECONDS)
                self.awaited.discard(path)
        return self._on_disk(path)

    def _on_disk(self, path: str) -> bytes | None:
        try:
            return (self._output / path).read_bytes() if self._state.has(path) else None
        except OSError:  # removed meanwhile, because a newer state has no such page, or never written
            return None

    def _is_written(self, path: str) -> bool:
        """Return whether there is nothing to wait for."""
        if self._is_closed or self._is_stuck:
            return True
        module = self._state.module(path)
        if module and path in module.paths:
            return path not in module.left
        return not self._state.is_starting or self._state.has(path)

    def version(self, path: str) -> str:
        """Return a text that changes whenever the page at `path` may have changed; empty if the page does not exist."""
        module = self._state.module(path)
        if module and path in module.left:
            return module.key
        content = self._on_disk(path)
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
