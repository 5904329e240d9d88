"""Run `reportgen watch` in tests, with real files, events and a real server; tests wait for events, not for time."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.live.loop import Watcher
from reportgen.live.tracked import ShownBuild, Timing
from reportgen.live.tracker import ScanResult
from reportgen.options import WatchOptions
from tests.support.compiler import WRITING
from tests.support.guards import PATIENCE

QUICK = Timing(quiet=0.05, at_most=0.5, patience=3600.0, polling=0.05, safety=2.0)
"""The timing of users without what would make a test slow; a truncated dump is never shown."""

NO_TIME = Timing(quiet=0.0, patience=0.0)


def free_port() -> int:
    """Return a port that no server has now, and that is not the next free one, which another test could take."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def shown_peak(build: ShownBuild) -> int | None:
    """Return the resident peak of the main memory in a build that is shown."""
    space = build.figures.spaces.get(MAIN_SPACE)
    return space.peak_resident_bytes if space else None


def settle(watcher: Watcher) -> None:
    """Scan and write until nothing is left to do."""
    watcher.scan()
    while watcher.tracker.next_due() is not None:
        watcher.scan()
    watcher.finish()


class Watched(Watcher):
    """Record every peak that was ever shown, by the label's folder, and every line that was printed."""

    def __init__(self, options: WatchOptions, timing: Timing) -> None:
        self.changed = Condition()
        self.lines: list[str] = []
        self.peaks: dict[str, list[int | None]] = {}
        self.scans = 0
        self.failures: list[BaseException] = []
        self.url = ""
        super().__init__(options, self._hear, timing)

    def _hear(self, line: str) -> None:
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def scan(self) -> ScanResult:
        with WRITING:
            result = super().scan()
        with self.changed:
            self.scans += 1
            for label in result.built:
                shown = self.tracker.dumps[label].shown
                assert shown is not None
                self.peaks.setdefault(label.partition("/")[0], []).append(shown_peak(shown))
            self.changed.notify_all()
        return result

    def until(self, holds: Callable[[], bool], what: str = "") -> None:
        """Wait until a condition holds; it is checked after each scan and each line."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.failures or holds(), PATIENCE), (what, self.peaks, self.lines)
            assert not self.failures

    def until_shown(self, folder: str, peak: int) -> None:
        self.until(lambda: self.peaks.get(folder, [None])[-1] == peak, f"{folder}: {peak}")

    def until_printed(self, words: str) -> None:
        self.until(lambda: any(words in line for line in self.lines), words)

    def until_scanned(self, times: int = 2) -> None:
        """Wait for so many more scans; the second one began after the call and saw what was there before."""
        before = self.scans
        self.wakeup.give()
        for number in range(1, times + 1):
            self.until(lambda number=number: self.scans >= before + number, "another scan")  # type: ignore[misc]
            self.wakeup.give()

    def until_written(self) -> None:
        """Wait until every page is on disk."""
        while not self.site.is_written:
            self.until_scanned(1)


@contextmanager
def watching(
    *paths: Path,
    output: Path,
    timing: Timing = QUICK,
    polls: bool = False,
    serves: bool = True,
    port: int | None = None,
) -> Iterator[Watched]:
    """Run in a thread of its own and stop everything at the end; an exception in it fails the test."""
    options = WatchOptions(paths=paths, output=output, title="Memory", polls=polls, serves=serves, port=port)
    watcher = Watched(options, timing)

    def run() -> None:
        try:
            watcher.run()
        except BaseException as failure:
            with watcher.changed:
                watcher.failures.append(failure)
                watcher.changed.notify_all()

    with watcher.running() as server:
        watcher.url = server.url if server else ""
        thread = Thread(target=run, name="watching")
        thread.start()
        try:
            watcher.until(lambda: watcher.scans > 0)
            yield watcher
        finally:
            watcher.stop()
            thread.join()
    if watcher.failures:
        raise watcher.failures[0]


def shown_are(watcher: Watched, folder: str, allowed: Sequence[int]) -> bool:
    """Return whether only allowed peaks were ever shown for the folder's dump."""
    return set(watcher.peaks.get(folder, [])) <= set(allowed)
