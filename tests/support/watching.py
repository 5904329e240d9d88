"""A running `reportgen watch` for tests: real files, a real observer, a real server; nothing is guessed about time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from reportgen.options import WatchOptions
from reportgen.watch.loop import Watcher
from reportgen.watch.rebuild import Look
from reportgen.watch.tracked import Timing

TIMEOUT = 60.0
"""For what must come: long, because it is only waited for in full when the test fails."""

QUICK = Timing(quiet=0.05, at_most=0.5, grace=0.2, patience=3600.0, polling=0.05, safety=2.0)
"""As in earnest but for what would make a test slow; a dump that is cut off is never taken as it is."""


class Watched(Watcher):
    """Keeps every peak that was ever shown, by the label's folder, and every line that was said."""

    def __init__(self, options: WatchOptions, timing: Timing) -> None:
        self.changed = Condition()
        self.lines: list[str] = []
        self.peaks: dict[str, list[int | None]] = {}
        self.looks = 0
        self.url = ""
        super().__init__(options, self._hear, timing)

    def _hear(self, line: str) -> None:
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def look(self) -> Look:
        look = super().look()
        with self.changed:
            self.looks += 1
            for label in look.shown:
                shown = self.rebuilder.dumps[label].shown
                assert shown is not None
                self.peaks.setdefault(label.partition("/")[0], []).append(shown.summary.peak_resident_bytes)
            self.changed.notify_all()
        return look

    def until(self, holds: Callable[[], bool], what: str = "") -> None:
        """Waits until it holds; looked at whenever the watching has looked."""
        with self.changed:
            assert self.changed.wait_for(holds, TIMEOUT), (what, self.peaks, self.lines)

    def until_shown(self, folder: str, peak: int) -> None:
        self.until(lambda: self.peaks.get(folder, [None])[-1] == peak, f"{folder}: {peak}")

    def until_said(self, words: str) -> None:
        self.until(lambda: any(words in line for line in self.lines), words)

    def until_looked(self, times: int = 2) -> None:
        """Until so many more looks are over: what was there before the call has been seen."""
        before = self.looks
        self.hints.give()
        for number in range(1, times + 1):
            self.until(lambda number=number: self.looks >= before + number, "another look")  # type: ignore[misc]
            self.hints.give()

    def until_written(self) -> None:
        """Until every page is on disk."""
        end = monotonic() + TIMEOUT
        while not self.backlog.is_empty:
            assert monotonic() < end
            self.until_looked(1)


@contextmanager
def watching(
    *paths: Path,
    output: Path,
    timing: Timing = QUICK,
    polls: bool = False,
    serves: bool = True,
    port: int | None = None,
) -> Iterator[Watched]:
    """Runs in a thread of its own; everything is stopped at the end, and what went wrong in it fails the test."""
    options = WatchOptions(paths=paths, output=output, title="Memory", polls=polls, serves=serves, port=port)
    watcher = Watched(options, timing)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            watcher.run()
        except BaseException as failure:
            failures.append(failure)
            with watcher.changed:
                watcher.changed.notify_all()

    with watcher.running() as server:
        watcher.url = server.url if server else ""
        thread = Thread(target=run, name="watching")
        thread.start()
        try:
            watcher.until(lambda: watcher.looks > 0 or bool(failures))
            yield watcher
        finally:
            watcher.stop()
            thread.join(TIMEOUT)
            assert not thread.is_alive()
    if failures:
        raise failures[0]


def shown_are(watcher: Watched, folder: str, allowed: Sequence[int]) -> bool:
    """Whether nothing else was ever shown of the folder's dump."""
    return set(watcher.peaks.get(folder, [])) <= set(allowed)
