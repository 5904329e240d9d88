"""Run `reportgen watch`: the builder of `reportgen build` in a loop, with its state in this process.

    events ── scan ── DumpReading ── judged ─── pages written ── overview ── published ─── manifest
              (tracker)          (completeness)       (shown_site)        (served, server)  (shown_site)

Three kinds of threads work together:

- The loop, in the main thread, makes all changes: it scans, writes, publishes and prints. This gives all events one
  order, and Ctrl-C ends the loop at once.
- watchdog's threads only wake the loop when files may have changed (see `events`).
- The server's threads, one for each request, only read what was published and the files on disk (see `served`).
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from time import monotonic

from reportgen.errors import NoDumpFound, OutputRefused
from reportgen.live.completeness import Completeness
from reportgen.live.events import FileEvents, Wakeup
from reportgen.live.messages import LastBuild, page_changes, terminal_lines, unchanged_message
from reportgen.live.served import Published, Served
from reportgen.live.server import LiveServer
from reportgen.live.shown_site import ShownSite
from reportgen.live.tracked import Timing, TrackedDump
from reportgen.live.tracker import ScanResult, Tracker
from reportgen.options import WatchOptions
from reportgen.pipeline import DumpReading
from reportgen.site import SiteBuilder, settings_of

_PUBLISHED_EVERY = 0.25  # seconds, because a reader should see the first modules while hundreds are being read
_PAUSE_PER_PUBLISHING = 10  # because the overview of hundreds takes time: at most a tenth of the first scan
_PAUSE_PER_SCAN = 10  # because scanning a large tree takes time: scans without a reason get at most a tenth of it
_RETRY_SECONDS = 2.0


class Watcher:
    """Keep the site up to date with `options.paths`, on disk and on the server, until interrupted.

    `say` prints a line in the terminal. Raises NoDumpFound when the paths are in the output directory.
    """

    def __init__(
        self,
        options: WatchOptions,
        say: Callable[[str], None],
        timing: Timing | None = None,
        *,
        clock: Callable[[], float] = monotonic,
        time_of_day: Callable[[], str] = lambda: f"{datetime.now().astimezone():%H:%M:%S}",
    ) -> None:
        """Prepare everything that needs no thread; `running` starts the server and the events."""
        output = options.output.resolve()
        if any(path.resolve().is_relative_to(output) for path in options.paths):
            raise NoDumpFound(f"The dumps are in the output directory {options.output}. Choose another one with -o.")
        self._output = options.output  # as people call it
        self._options = replace(options, output=output)
        self._say = say
        self._time_of_day = time_of_day
        self.timing = timing or Timing()
        self.wakeup = Wakeup()
        self.served = Served(output)
        self.tracker = Tracker(options, settings_of(self._options), self.timing, clock=clock, time_of_day=time_of_day)
        self._events = FileEvents(
            self.wakeup,
            output,
            lambda why: say(f"{why}: scanning every {self.timing.polling:g} s instead of waiting for events"),
        )
        self._site: ShownSite | None = None
        self._last = LastBuild()
        self._message = ""
        self._retry_at = 0.0
        self._trouble = ""
        self._published_at = self._publishing_seconds = self._scan_began = self._scan_seconds = 0.0
        self._is_stopped = False

    @contextmanager
    def running(self) -> Iterator[LiveServer | None]:
        """Start the server and the events, and stop both at the end.

        Raises PortTaken, and OutputRefused when the directory is not ours or another build writes into it.
        """
        with ExitStack() as stack:
            builder = stack.enter_context(SiteBuilder.opened(self._options))
            self._site = ShownSite(builder, self.tracker, publish=self._publish_modules, time_of_day=self._time_of_day)
            stack.callback(gc.unfreeze)
            server = None
            if self._options.serves:
                server = LiveServer(self.served, self._options.host, self._options.port)
                server.start()
                stack.callback(server.close)
            stack.callback(self._events.stop)
            if not self._options.polls:
                self._events.start()
            yield server

    @property
    def site(self) -> ShownSite:
        """The site while it is `running`."""
        assert self._site is not None, "running"
        return self._site

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
        site = self.site
        self._scan_began = monotonic()
        if self._events.is_on and self._events.follow(self._options.paths):
            self.wakeup.give()  # because files may have changed before the subscription
        if site.is_lost:
            self._say(f"{self._time_of_day()} {self._output} was removed; its pages are made again")
            site.write_again()
        result = self.tracker.scan(self)
        if result.refusal:
            self._note_trouble(result.refusal)
        if result.is_empty:  # only then, because any other scan also spends time on reading dumps
            self._scan_seconds = monotonic() - self._scan_began
        is_first, site.is_starting = site.is_starting, False
        if is_first or not result.is_empty:
            self._show_result(result)
        if is_first and not self.tracker.dumps:
            self._say(f"{self._time_of_day()} no dump yet, waiting")
        return result

    def _show_result(self, result: ScanResult) -> None:
        """Give what a scan has built the next number, publish the state, and print what has changed."""
        site = self.site
        if result.built:
            site.build += 1
            self._last = LastBuild(number=site.build, time=self._time_of_day(), labels=result.built)
        self._message = unchanged_message(result, self.tracker.dumps, self._time_of_day())
        site.is_stale |= result.has_other_changes
        self._publish()
        seconds = monotonic() - self._scan_began
        for line in terminal_lines(result, self.tracker.dumps, site.build, self._time_of_day(), seconds):
            self._say(line)

    def wait(self) -> None:
        """Wait until the next scan or the next try to write is due; finish the site meanwhile.

        A changed file ends the wait early, once its directory has been quiet for a moment.
        """
        until = self._next_scan_at()
        self._finish_site(until)
        if self._trouble and not self.site.is_written:
            until = min(until, self._retry_at)
        if self.wakeup.wait(max(0.0, until - monotonic())):
            self.wakeup.take_when_quiet(self.timing.quiet, self.timing.at_most)

    def _next_scan_at(self) -> float:
        """Return when to scan again if no event arrives, on the clock of `monotonic`."""
        pause = self.timing.safety if self._events.is_on else self.timing.polling
        regular = monotonic() + max(pause, _PAUSE_PER_SCAN * self._scan_seconds)
        due = self.tracker.next_due()
        # A dump that is due could not be written before the next try.
        return regular if due is None else min(regular, max(due, self._retry_at))

    def _finish_site(self, until: float) -> None:
        """Finish the site, then analyse dumps of earlier processes, until a time or an event.

        After a failure nothing is written before `_retry_at`.
        """
        if not self.site.is_written and monotonic() >= self._retry_at and not self.wakeup.wait(0):
            self.finish()
        if self.site.is_written:
            self.site.remember(lambda: monotonic() >= until or self.wakeup.wait(0))

    def finish(self) -> None:
        """Write what is not on disk yet: the overview, if it is stale, and the manifest."""
        try:
            self.site.finish()
            self._trouble = ""
        except OutputRefused as refusal:
            self._note_trouble(refusal)

    def is_known(self, dump: TrackedDump, reading: DumpReading) -> bool:
        """Show a dump whose pages are on disk already, if they are up to date."""
        if is_known := self.site.is_known(dump, reading):
            self._publish_now_and_then()
        return is_known

    def show(self, dump: TrackedDump, reading: DumpReading, verdict: Completeness) -> None:
        """Show a dump that is complete and new. Raises OutputRefused."""
        self.site.show(dump, reading, verdict)
        self._publish_now_and_then()

    def _publish_now_and_then(self) -> None:
        """Publish while a scan goes on, because the first one can go through hundreds of dumps."""
        pause = max(_PUBLISHED_EVERY, _PAUSE_PER_PUBLISHING * self._publishing_seconds)
        if monotonic() - max(self._published_at, self._scan_began) > pause:
            self._publish()

    def _note_trouble(self, refusal: OutputRefused) -> None:
        """Try again after some seconds; the last good pages stay meanwhile."""
        if not self._trouble:
            self._say(f"{self._time_of_day()} {refusal}; the pages stay as they are until it can be written")
        self._retry_at, self._trouble = monotonic() + _RETRY_SECONDS, str(refusal)

    def _publish(self) -> None:
        """Show the state to open pages: first the modules' own pages, then the overview."""
        began = monotonic()
        if self.site.is_stale:
            self._publish_modules()
            try:
                self.site.write_common()
            except OutputRefused as refusal:
                self._note_trouble(refusal)
        self._publish_modules()
        self._published_at = monotonic()
        self._publishing_seconds = self._published_at - began

    def _publish_modules(self) -> None:
        """Show the state to open pages, without a new overview."""
        common, dumps = self.site.common, self.tracker.dumps
        builds = [dump.shown for dump in dumps.values() if dump.shown]
        pages = [build.change.page for build in builds if build.change.page]
        self.served.publish(
            Published(
                common=common,
                compared={page.path: page.content for page in pages},
                modules={build.folder: build for build in builds},
                successors=self.tracker.successors,
                changes=page_changes(dumps, self._last, self._message),
                is_starting=self.site.is_starting or not common,  # an overview may still appear
            )
        )
