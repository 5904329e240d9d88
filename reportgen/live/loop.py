"""Run `reportgen watch`: wait until files may have changed, scan, publish, and write pages in between.

Three kinds of threads work together:

- The loop, in the main thread, makes all changes: it scans, rebuilds, publishes, prints and writes pages to disk. This
  gives all events one order, and Ctrl-C ends the loop at once.
- watchdog's threads only wake the loop when files may have changed (see `events`).
- The server's threads, one for each request, only read the last published generation and render pages from it (see
  `site`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from time import monotonic

from reportgen.errors import NoDumpFound
from reportgen.live.events import FileEvents, Wakeup
from reportgen.live.live_site import Generation, LiveSite, ServedModule
from reportgen.live.messages import terminal_lines, unchanged_message
from reportgen.live.page_changes import PageChanges
from reportgen.live.rebuild import Rebuilder, ScanResult
from reportgen.live.server import LiveServer
from reportgen.live.tracked import Timing, TrackedDump
from reportgen.live.write_queue import CommonPages, WriteQueue
from reportgen.options import WatchOptions
from reportgen.output.writer import SiteDirectory
from reportgen.render.routes import module_folder
from reportgen.render.site.overview import Front
from reportgen.render.site.site_pages import fixed_pages, varying_pages
from reportgen.reports.summary import biggest_first

_PUBLISHED_EVERY = 0.25  # seconds, because a reader should see the first modules while hundreds are being read
_MOST_TEXT_WAITING = 16 << 20  # bytes, because the analysis of a dump is many times as large as its text
_PAUSE_PER_PUBLISHING = 4  # because the pages about all modules take time: at most a fifth of the first scan
_PAUSE_PER_SCAN = 10  # because scanning a large tree takes time: scans without a reason get at most a tenth of it


class Watcher:
    """Keep the site up to date with `options.paths`, on disk and on the server, until interrupted.

    `say` prints a line in the terminal. Raises NoDumpFound when the paths are in the output directory.
    """

    def __init__(self, options: WatchOptions, say: Callable[[str], None], timing: Timing | None = None) -> None:
        output = options.output.resolve()
        if any(path.resolve().is_relative_to(output) for path in options.paths):
            raise NoDumpFound(f"The dumps are in the output directory {options.output}. Choose another one with -o.")
        self._options = options
        self._say = say
        self._timing = timing or Timing()
        self.wakeup = Wakeup()
        self.site = LiveSite(output)
        self.rebuilder = Rebuilder(options, output, timing=self._timing, time_of_day=_time_of_day)
        self._events = FileEvents(
            self.wakeup,
            output,
            lambda why: say(f"{why}: scanning every {self._timing.polling:g} s instead of waiting for events"),
        )
        self.write_queue = WriteQueue(output, self.rebuilder.settings, lambda: self._common)
        self._fixed = {page.path: page.content for page in fixed_pages(options.title)}
        self._common = CommonPages(self._fixed, Front())
        self._last_built: Sequence[str] = ()
        self._built_at = ""
        self._published_at = self._publish_seconds = self._scan_began = self._scan_seconds = 0.0
        self._is_starting = True
        self._is_stopped = False

    @contextmanager
    def running(self) -> Iterator[LiveServer | None]:
        """Start the server and the events, and stop both at the end.

        Raises PortTaken, and OutputRefused when the directory is not ours or another build writes into it.
        """
        with ExitStack() as stack:
            directory = SiteDirectory.opened(self._options.output, force=self._options.force)
            self.write_queue.open(stack.enter_context(directory))
            server = None
            if self._options.serves:
                server = LiveServer(self.site, self._options.host, self._options.port)
                server.start()
                stack.callback(server.close)
            stack.callback(self._events.stop)
            if not self._options.polls:
                self._events.start()
            yield server

    def run(self) -> None:
        """Scan and wait in turn until interrupted or stopped by another thread."""
        while not self._is_stopped:
            self.scan()
            self.wait()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._is_stopped = True
        self.wakeup.give()

    def scan(self) -> ScanResult:
        """Scan once, publish what has changed, and print it."""
        self._scan_began = monotonic()
        if self._events.is_on and self._events.follow(self._options.paths):
            self.wakeup.give()  # because files may have changed before the subscription
        if self.write_queue.is_lost:
            self._restore()
        result = self.rebuilder.scan(self._on_built)
        if result.is_empty:  # only then, because any other scan also spends time on reading dumps
            self._scan_seconds = monotonic() - self._scan_began
        is_first, self._is_starting = self._is_starting, False
        if is_first or not result.is_empty:
            self._publish(result)
            for line in terminal_lines(result, self.rebuilder, _time_of_day(), monotonic() - self._scan_began):
                self._say(line)
        if is_first and not self.rebuilder.dumps:
            self._say(f"{_time_of_day()} no dump yet, waiting")
        return result

    def wait(self) -> None:
        """Wait until it is time for another scan; write pages meanwhile."""
        pause = self._timing.safety if self._events.is_on else self._timing.polling
        until = monotonic() + max(pause, _PAUSE_PER_SCAN * self._scan_seconds)
        if (due := self.rebuilder.next_due()) is not None:
            until = min(until, due)
        while self.write_queue.can_write and monotonic() < until and not self.wakeup.wait(0):
            self.write_some()
        if self.wakeup.wait(max(0.0, until - monotonic())):
            self.wakeup.take_when_quiet(self._timing.quiet, self._timing.at_most)

    def write_some(self) -> None:
        """Write some of the pages that are not on disk yet."""
        before = self.write_queue.trouble
        if (dump := self.write_queue.step(self.rebuilder.dumps)) and dump.shown:
            self.site.read_from_disk(module_folder(dump.shown.index), dump.shown.digest)
        if self.write_queue.trouble and not before:
            self._say(f"{_time_of_day()} {self.write_queue.trouble}; the pages are served from memory meanwhile")

    def _restore(self) -> None:
        """Queue the pages that were on disk again, because somebody has removed the site."""
        for dump in self.rebuilder.read_again():
            self.write_queue.add(dump)
        self.write_queue.mark_stale()
        self.site.exchange(self._modules())
        self._say(f"{_time_of_day()} {self._options.output} was removed; its pages are made again")

    def _on_built(self, dump: TrackedDump) -> None:
        """Queue a dump's pages, and publish now and then, because the first scan can go through hundreds of dumps."""
        self.write_queue.add(dump)
        while len(self.write_queue) > 1 and self.write_queue.text_bytes > _MOST_TEXT_WAITING:
            self.write_some()
        pause = max(_PUBLISHED_EVERY, _PAUSE_PER_PUBLISHING * self._publish_seconds)
        if monotonic() - max(self._published_at, self._scan_began) > pause:
            self._publish(ScanResult(built=[dump.key]))

    def _publish(self, result: ScanResult) -> None:
        began = monotonic()
        if result.built:
            self._last_built, self._built_at = result.built, _time_of_day()
        if result.built or result.has_other_changes or not self._published_at:
            shown = [dump.shown for dump in self.rebuilder.dumps.values() if dump.shown]
            summaries = sorted((build.summary for build in shown), key=biggest_first)
            front = self._front()
            title = self._options.title
            pages = varying_pages(title, summaries, front)
            self._common = CommonPages(self._fixed | {page.path: page.content for page in pages}, front)
            self.write_queue.mark_stale()
        message = unchanged_message(result, self.rebuilder, _time_of_day())
        changes = PageChanges(self.rebuilder, self._last_built, message, self._built_at)
        self.site.publish(
            Generation(
                common=self._common.pages,
                modules=self._modules(),
                successors={module_folder(old): module_folder(new) for old, new in self.rebuilder.successors.items()},
                changes=changes.for_page,
                is_starting=self._is_starting,
            )
        )
        self._published_at = monotonic()
        self._publish_seconds = self._published_at - began

    def _front(self) -> Front:
        search = self.rebuilder.search
        return Front(
            problems=self.rebuilder.problems,
            readme=search.readme,
            redaction=self._options.redaction,
            errors=search.errors,
            has_trend=self.write_queue.has_trend,
        )

    def _modules(self) -> dict[str, ServedModule]:
        return {
            module_folder(dump.shown.index): ServedModule(
                version=dump.shown.digest,
                paths=dump.shown.paths,
                value_paths=dump.shown.value_paths,
                pages=dump.pages,
            )
            for dump in self.rebuilder.dumps.values()
            if dump.shown
        }


def _time_of_day() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"
