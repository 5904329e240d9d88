"""The loop of `reportgen watch`: wait for a hint or a due time, look, show, tell; write pages in between.

One thread does all of it, so that there is one order of things and Ctrl-C ends it at once. The server's threads only
read what this one publishes.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from time import monotonic

from reportgen.errors import NoDumpFound
from reportgen.options import WatchOptions
from reportgen.output import SiteDirectory
from reportgen.render import formats
from reportgen.render.page import Page
from reportgen.render.site_pages import fixed_pages, summary_pages
from reportgen.render.summary import biggest_first
from reportgen.serve.server import LiveServer
from reportgen.serve.site import Generation, LiveSite, ServedModule, folder_of
from reportgen.watch.backlog import Backlog
from reportgen.watch.hints import Hints, Observation
from reportgen.watch.news import News, lines, names
from reportgen.watch.rebuild import Look, Rebuilder
from reportgen.watch.tracked import Timing, Tracked

_PUBLISHED_EVERY = 0.25
_MOST_TEXT_WAITING = 16 << 20
_SHARE_OF_LOOKS = 50
_SHARE_OF_POLLS = 10
_ASIDE_SECONDS = 0.25
_READERS_FIRST_SECONDS = 0.75


def _clock_time() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"


class Watcher:
    """Watches `options.paths` and keeps the site, on disk and as served, up to date until it is interrupted.

    `say` takes lines for the terminal. Raises NoDumpFound when the paths lie in the output directory.
    """

    def __init__(self, options: WatchOptions, say: Callable[[str], None], timing: Timing | None = None) -> None:
        _refuse_own_site(options)
        self._options = options
        self._say = say
        self._timing = timing or Timing()
        output = options.output.resolve()
        self.hints = Hints()
        self.site = LiveSite(output)
        self.rebuilder = Rebuilder(
            options.paths,
            output,
            options.title,
            timing=self._timing,
            trusts_times=not options.polls,
            now_in_words=_clock_time,
        )
        self._observation = Observation(self.hints, output, self._events_lost)
        self.backlog = Backlog(output, lambda: self._common)
        self._fixed = {page.path: page.content for page in fixed_pages(options.title)}
        self._common: Mapping[str, bytes] = self._fixed
        self._news: News | None = None
        self._changed: Sequence[str] = ()
        self._built_at = ""
        self._published_at = 0.0
        self._look_began = self._look_seconds = 0.0
        self._is_starting = True
        self._is_stopped = False

    @contextmanager
    def running(self) -> Iterator[LiveServer | None]:
        """With observers and the server started; all of them are gone at the end.

        Raises OutputRefused when the directory is not ours or somebody else writes into it, PortTaken.
        """
        with ExitStack() as stack:
            opened = SiteDirectory.opened(self._options.output, force=self._options.force)
            self.backlog.write_into(stack.enter_context(opened))
            server = None
            if self._options.serves:
                server = LiveServer(self.site, self._options.host, self._options.port)
                server.start()
                stack.callback(server.close)
            stack.callback(self._observation.stop)
            if not self._options.polls:
                self._observation.start()
            yield server

    def run(self) -> None:
        """Until interrupted, or stopped by another thread."""
        while not self._is_stopped:
            self.look()
            self.wait()

    def stop(self) -> None:
        self._is_stopped = True
        self.hints.give()

    def look(self) -> Look:
        """Look once, and tell what came of it."""
        started = self._look_began = monotonic()
        if self._observation.is_on and self._observation.follow(self._options.paths):
            self.hints.give()  # what happened before the watches were set
        look = self.rebuilder.look(self._shown)
        self._look_seconds = monotonic() - started if look.is_empty else self._look_seconds
        first, self._is_starting = self._is_starting, False
        if first or not look.is_empty:
            self._built(look.shown)
            self._publish(look)
            for line in lines(look, self.rebuilder, _clock_time(), monotonic() - started):
                self._say(line)
        if first and not self.rebuilder.dumps:
            self._say(f"{_clock_time()} no dump yet, waiting")
        return look

    def wait(self) -> None:
        """Until it is time for another look; pages are written meanwhile."""
        until = self._next_look()
        if self._options.serves and not self.backlog.is_empty:
            # Pages that were just told of are asked for now, and writing others would slow them down.
            self.hints.wait(max(0.0, min(until, self._published_at + _READERS_FIRST_SECONDS) - monotonic()))
        while not self.backlog.is_empty and monotonic() < until and not self.hints.wait(0):
            self.write_some()
        if self.hints.wait(max(0.0, until - monotonic())):
            self.hints.take_when_quiet(self._timing.quiet, self._timing.at_most)

    def _next_look(self) -> float:
        """A look costs time: what comes without a reason takes a small share of it at most."""
        has_events = self._observation.is_on
        least, share = (self._timing.safety, _SHARE_OF_LOOKS) if has_events else (self._timing.polling, _SHARE_OF_POLLS)
        regular = monotonic() + max(least, share * self._look_seconds)
        due = self.rebuilder.next_due()
        return regular if due is None else min(regular, due)

    def _events_lost(self, reason: str) -> None:
        self._say(f"{reason}: looking every {self._timing.polling:g} s instead of waiting for events")

    def _shown(self, dump: Tracked) -> None:
        self.backlog.add(dump)
        while len(self.backlog) > 1 and self._text_waiting() > _MOST_TEXT_WAITING:
            self.write_some()
        if monotonic() - max(self._published_at, self._look_began) > _PUBLISHED_EVERY:
            self._built([dump.files.label])
            self._publish(Look(shown=[dump.files.label]))

    def _built(self, labels: Sequence[str]) -> None:
        if labels:
            self._changed, self._built_at = labels, _clock_time()

    def _text_waiting(self) -> int:
        pages = (dump.pages for dump in self.rebuilder.dumps.values() if dump.pages)
        return sum(len(part.data) for one in pages for part in one.module.analysis.dump.text.parts)

    def write_some(self) -> None:
        """Write some of the pages that are not on disk yet."""
        if self.backlog.step(self.rebuilder.dumps, lambda: self.site.wait_for_requests(_ASIDE_SECONDS)):
            self.site.exchange(self._modules())
        if self.backlog.is_empty:
            formats.forget()
            gc.collect()  # now, while nobody waits

    def _publish(self, look: Look) -> None:
        if look.shown or look.has_other_changes or self._news is None:
            self._common = self._fixed | {page.path: page.content for page in self._summary_pages()}
            self.backlog.renew()
        said = _said(look, self.rebuilder) if look.same and not look.shown else ""
        self._news = News(self.rebuilder, self._changed, said, self._built_at, self._news)
        self.site.publish(
            Generation(
                common=self._common,
                modules=self._modules(),
                successors={folder_of(old): folder_of(new) for old, new in self.rebuilder.successors.items()},
                news=self._news.to,
                is_starting=self._is_starting,
            )
        )
        self._published_at = monotonic()

    def _summary_pages(self) -> Iterator[Page]:
        shown = [dump.shown for dump in self.rebuilder.dumps.values() if dump.shown]
        summaries = sorted((one.summary for one in shown), key=biggest_first)
        return summary_pages(self._options.title, summaries, self.rebuilder.problems, self.rebuilder.readme)

    def _modules(self) -> Mapping[str, ServedModule]:
        return {
            folder_of(dump.shown.summary.href): ServedModule(dump.shown.digest, dump.pages, dump.paths)
            for dump in self.rebuilder.dumps.values()
            if dump.shown
        }


def _said(look: Look, rebuilder: Rebuilder) -> str:
    """That the compiler ran and nothing came of it is worth knowing too."""
    called = names(rebuilder.dumps)
    same = ", ".join(called[label] for label in look.same[:3]) + (" and others" if len(look.same) > 3 else "")
    return f"{_clock_time()} {same}: written again, no change"


def _refuse_own_site(options: WatchOptions) -> None:
    output = options.output.resolve()
    if any(path.resolve().is_relative_to(output) for path in options.paths):
        raise NoDumpFound(f"The dumps lie in the output directory {options.output}. Choose another one with -o.")
