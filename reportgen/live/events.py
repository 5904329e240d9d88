"""Learn from the operating system that files in the watched paths may have changed.

Only this module uses watchdog, which calls `_EventHandler` in threads of its own. An event only wakes the loop. The
loop compares the files itself, so it does not matter which file has changed or whether an event was lost.
"""

import logging
import os
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Condition
from time import monotonic
from typing import NamedTuple

from watchdog.events import (
    EVENT_TYPE_CLOSED_NO_WRITE,
    EVENT_TYPE_OPENED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

# Ignored, because our own reading causes them, so the loop would keep waking itself.
_OUR_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})


class Wakeup:
    """Let any thread wake the loop."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._condition = Condition()
        self._last: float | None = None

    def give(self) -> None:
        """Wake the loop, now or when it next waits."""
        with self._condition:
            self._last = self._clock()
            self._condition.notify_all()

    def wait(self, seconds: float | None) -> bool:
        """Wait for a wake-up, at most `seconds`; return whether there is one. It stays until it is taken."""
        with self._condition:
            return self._condition.wait_for(lambda: self._last is not None, seconds)

    def take_when_quiet(self, quiet: float, at_most: float) -> None:
        """Wait until there has been no wake-up for `quiet` seconds, but at most `at_most`; then take them all."""
        until = self._clock() + at_most
        with self._condition:
            while self._last is not None and (left := min(self._last + quiet, until) - self._clock()) > 0:
                self._condition.wait(left)
            self._last = None


class _EventHandler(FileSystemEventHandler):
    """Wake the loop for each event that may be about a changed file outside the site."""

    def __init__(self, wakeup: Wakeup, site: Path) -> None:
        self._wakeup = wakeup
        self._site = os.fspath(site)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Wake the loop unless the event comes from our own reading or writing."""
        if event.event_type in _OUR_READING:
            return
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        # Events of the site's directory itself are ours too, because writing a page changes it.
        if not all(path == self._site or path.startswith(self._site + os.sep) for path in paths):
            self._wakeup.give()


class _Target(NamedTuple):
    """A folder to subscribe to. It has its `inode`, because a replaced folder needs a new subscription."""

    folder: Path
    inode: int
    is_recursive: bool


class FileEvents:
    """Subscribe to the events of some directories, and follow the directories as they come and go.

    `lost` is called once, with the reason, when the system can deliver no more events; none arrive after that.
    """

    def __init__(self, wakeup: Wakeup, site: Path, lost: Callable[[str], None]) -> None:
        self._handler = _EventHandler(wakeup, site)
        self._lost = lost
        self._watches: dict[_Target, ObservedWatch] = {}
        self._observer: BaseObserver | None = None

    @property
    def is_on(self) -> bool:
        """Return whether events arrive."""
        return self._observer is not None

    def start(self) -> None:
        """Start the threads that deliver events."""
        # Silenced, because both are normal here: watchdog warns if it finds a new directory twice, by an event and by a
        # walk, and logs that it was stopped while reading.
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
        """Subscribe to what `paths` lead to now; return whether that has changed and files must be compared again."""
        targets = {target for path in paths if (target := _target(path))}
        gone, new = self._watches.keys() - targets, targets - self._watches.keys()
        for target in gone:
            watch = self._watches.pop(target)
            if self._observer is not None:
                self._observer.unschedule(watch)
        for target in new:
            if self._observer is None:
                break
            try:
                folder, is_recursive = os.fspath(target.folder), target.is_recursive
                self._watches[target] = self._observer.schedule(self._handler, folder, recursive=is_recursive)
            except FileNotFoundError:
                pass  # deleted meanwhile, which the next scan notices
            except OSError as error:  # the system allows no more subscriptions
                self.stop()
                self._lost(error.strerror or str(error))
        return bool(gone or new)

    def stop(self) -> None:
        """Cancel all subscriptions and wait until all threads have ended."""
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None:
            observer.stop()
            observer.join()


def _target(path: Path) -> _Target | None:
    """Return what to subscribe to for `path`: if it does not exist, the nearest folder above, where it will appear."""
    resolved = path.resolve()
    for directory in (resolved, *resolved.parents):
        try:
            if directory.is_dir():
                return _Target(directory, directory.stat().st_ino, directory == resolved)
        except OSError:
            continue
    return None
