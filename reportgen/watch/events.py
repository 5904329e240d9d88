"""Learn from the operating system that files in the watched paths may have changed.

This is the only module that uses watchdog, which calls `_Handler` in threads of its own. An event only wakes the loop:
which file it was about, and whether some events were lost, does not matter, because the loop compares the files itself.
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

_OUR_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})


class Wakeup:
    """Let any thread wake the one that waits."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._condition = Condition()
        self._last: float | None = None

    def give(self) -> None:
        """Wake the waiting thread, now or when it waits next."""
        with self._condition:
            self._last = self._clock()
            self._condition.notify_all()

    def wait(self, seconds: float | None) -> bool:
        """Wait until woken, at most `seconds`; return whether there was a wake-up. It stays until it is taken."""
        with self._condition:
            return self._condition.wait_for(lambda: self._last is not None, seconds)

    def take_when_quiet(self, quiet: float, at_most: float) -> None:
        """Wait until the last wake-up is `quiet` seconds ago, but no longer than `at_most`, and take them all."""
        until = self._clock() + at_most
        with self._condition:
            while self._last is not None and (left := min(self._last + quiet, until) - self._clock()) > 0:
                self._condition.wait(left)
            self._last = None


class _Handler(FileSystemEventHandler):
    """Wake the loop for every event that may mean a changed file outside the site."""

    def __init__(self, wakeup: Wakeup, site: Path) -> None:
        self._wakeup = wakeup
        self._site = os.fspath(site)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Wake the loop unless the event comes from our own reading or writing."""
        if event.event_type in _OUR_READING:
            return
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        # The directory's own events are ours too, because writing a page also changes the directory.
        if not all(path == self._site or path.startswith(self._site + os.sep) for path in paths):
            self._wakeup.give()


class FileEvents:
    """Subscribe to the events of some directories, and follow the directories as they come and go.

    `lost` is called once, with the reason, when the system cannot give more events; from then on there are none.
    """

    def __init__(self, wakeup: Wakeup, site: Path, lost: Callable[[str], None]) -> None:
        self._handler = _Handler(wakeup, site)
        self._lost = lost
        self._watches: dict[tuple[Path, int, bool], ObservedWatch] = {}
        self._observer: BaseObserver | None = None

    @property
    def is_on(self) -> bool:
        """Tell whether events arrive."""
        return self._observer is not None

    def start(self) -> None:
        """Start the threads that deliver events."""
        # watchdog warns when a new directory is met by its event and by a walk, and logs that it was stopped while
        # reading. Both are normal here.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        logging.getLogger("watchdog").addHandler(logging.NullHandler())
        observer = Observer()
        try:
            observer.start()
        except OSError as error:  # the system allows no more observers
            self._lost(str(error))
            return
        self._observer = observer

    def follow(self, paths: Iterable[Path]) -> bool:
        """Subscribe to what `paths` lead to now; return whether that changed, so that files must be compared again."""
        wanted = {target for path in paths if (target := _target(path))}
        gone, new = self._watches.keys() - wanted, wanted - self._watches.keys()
        for target in gone:
            watch = self._watches.pop(target)
            if self._observer is not None:
                self._observer.unschedule(watch)
        for target in new:
            self._add(target)
        return bool(gone or new)

    def stop(self) -> None:
        """Give back every subscription and wait until every thread has ended."""
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None:
            observer.stop()
            observer.join()

    def _add(self, target: tuple[Path, int, bool]) -> None:
        path, _, is_recursive = target
        if self._observer is None:
            return
        try:
            self._watches[target] = self._observer.schedule(self._handler, os.fspath(path), recursive=is_recursive)
        except FileNotFoundError:
            return  # it was deleted meanwhile, which the next scan sees
        except OSError as error:
            self.stop()
            self._lost(error.strerror or str(error))


def _target(path: Path) -> tuple[Path, int, bool] | None:
    """Return the directory to subscribe to for `path`, its inode, and whether to include everything below it.

    For a path that does not exist, this is the nearest directory above it, where it will appear.
    """
    resolved = path.resolve()
    for directory in (resolved, *resolved.parents):
        try:
            if directory.is_dir():
                return directory, directory.stat().st_ino, directory == resolved
        except OSError:
            continue
    return None
