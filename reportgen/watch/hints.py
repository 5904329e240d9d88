"""Hints that something may have happened in the watched paths, and the waiting for them.

The only module that uses watchdog. An event says no more than "look now": which file it was about, and whether all
events arrived, does not matter, because a look finds out by itself.
"""

import logging
import os
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Condition
from time import monotonic
from typing import TYPE_CHECKING

from watchdog.events import (
    EVENT_TYPE_CLOSED_NO_WRITE,
    EVENT_TYPE_OPENED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver, ObservedWatch

_OWN_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})


class Hints:
    """Counts hints; any thread gives them, one waits for them."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._condition = Condition()
        self._last: float | None = None

    def give(self) -> None:
        with self._condition:
            self._last = self._clock()
            self._condition.notify_all()

    def wait(self, seconds: float | None) -> bool:
        """Until there is a hint, at most `seconds`; whether there is one."""
        with self._condition:
            return self._condition.wait_for(lambda: self._last is not None, seconds)

    def take_when_quiet(self, quiet: float, at_most: float) -> None:
        """Until the last hint is `quiet` seconds ago, but no longer than `at_most`: then they all are taken."""
        until = self._clock() + at_most
        with self._condition:
            while self._last is not None and (left := min(self._last + quiet, until) - self._clock()) > 0:
                self._condition.wait(left)
            self._last = None


class _Handler(FileSystemEventHandler):
    """Gives a hint for whatever may have changed a file, unless it lies in the directory `ignored`."""

    def __init__(self, hints: Hints, ignored: Path) -> None:
        self._hints = hints
        self._ignored = os.fspath(ignored)

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _OWN_READING:
            return
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if not all(map(self._is_ignored, paths)):
            self._hints.give()

    def _is_ignored(self, path: str) -> bool:
        """What happens in the site, and that it did: writing there changes the directory itself."""
        return path == self._ignored or path.startswith(self._ignored + os.sep)


class Observation:
    """The operating system's watches on some directories, exchanged as directories come and go.

    `lost` is called once with the reason when the system gives no more watches; from then on there are none.
    """

    def __init__(self, hints: Hints, ignored: Path, lost: Callable[[str], None]) -> None:
        self._handler = _Handler(hints, ignored)
        self._lost = lost
        self._watches: dict[tuple[Path, int, bool], ObservedWatch] = {}
        self._observer: BaseObserver | None = None

    @property
    def is_on(self) -> bool:
        return self._observer is not None

    def start(self) -> None:
        # It says so where a new directory is met twice, by its event and by a walk, which is as it should be.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        # And that it was stopped while it was reading.
        logging.getLogger("watchdog").addHandler(logging.NullHandler())
        observer = Observer()
        try:
            observer.start()
        except OSError as error:  # no more instances
            self._lost(str(error))
            return
        self._observer = observer

    def follow(self, paths: Iterable[Path]) -> bool:
        """Watch what these paths lead to now; whether anything had to be exchanged, so that a look is due."""
        wanted = {target for path in paths if (target := _target(path))}
        changed = False
        for target in self._watches.keys() - wanted:
            changed |= self._remove(target)
        for target in wanted - self._watches.keys():
            changed |= self._add(target)
        return changed

    def stop(self) -> None:
        """Every watch is given back and every thread has ended."""
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None:
            observer.stop()
            observer.join()

    def _add(self, target: tuple[Path, int, bool]) -> bool:
        path, _, is_recursive = target
        if self._observer is None:
            return False
        try:
            self._watches[target] = self._observer.schedule(self._handler, os.fspath(path), recursive=is_recursive)
        except FileNotFoundError:  # gone meanwhile; the next look decides
            return True
        except OSError as error:
            self.stop()
            self._lost(error.strerror or str(error))
        return True

    def _remove(self, target: tuple[Path, int, bool]) -> bool:
        watch = self._watches.pop(target)
        if self._observer is not None:
            self._observer.unschedule(watch)
        return True


def _target(path: Path) -> tuple[Path, int, bool] | None:
    """The directory to watch for `path`, its identity, and whether with all below it.

    Of what is not there (yet, or any more) the nearest directory above, where it will appear.
    """
    resolved = path.resolve()
    for directory in (resolved, *resolved.parents):
        try:
            if directory.is_dir():
                return directory, directory.stat().st_ino, directory == resolved
        except OSError:
            continue
    return None
