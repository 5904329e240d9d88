"""Compare the dumps with the disk, and read and judge those that have changed.

A scan has four steps: find the dumps, note which of their files have changed, read each dump whose files have settled,
and hand it on if it is complete and new. Until then, and after the dump is removed, its last good build stays.

Redaction numbers its tokens over all dumps, so a new folder can rename the others. A dump is therefore known by the
label under which it was found, which stays. All of this runs in the thread of the loop.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import time
from typing import Literal, Protocol

from reportgen.analyse.logged_errors import LoggedError
from reportgen.errors import OutputRefused, ReportgenError
from reportgen.failures import problem_of
from reportgen.input.discover import Discovered, discover
from reportgen.input.dump_contents import Contents, read_note
from reportgen.input.names import split_part
from reportgen.input.reading import DumpFiles, Problem
from reportgen.live.completeness import Completeness, completeness
from reportgen.live.listing import Listing, Stamps, files_of, listing, newest_ns, stamp_of, stamps_of
from reportgen.live.tracked import Outdated, Retry, Timing, TrackedDump
from reportgen.options import WatchOptions
from reportgen.pipeline import DumpReading
from reportgen.redact.contents import published_errors
from reportgen.search import SearchResult, named
from reportgen.work import Settings, garbage_collection_paused

_MAY_PASS = (OSError, MemoryError, ReportgenError)
"""Errors that may not recur at the next try, unlike a defect of ours."""

_NOTHING = Discovered((), (), None)


class Display(Protocol):
    """The display of the dumps that were read."""

    def is_known(self, dump: TrackedDump, reading: DumpReading) -> bool:
        """Show a dump whose pages are on disk already, if they are up to date."""
        ...

    def show(self, dump: TrackedDump, reading: DumpReading, verdict: Completeness) -> None:
        """Show a dump that is complete and new. Raises OutputRefused."""
        ...


@dataclass(slots=True)
class ScanResult:
    """What a scan found, as labels of dumps.

    `built` have new figures, `unchanged` were rewritten with the same content, and `outdated` are being written,
    removed or unreadable. `refusal` is why a page could not be written; dumps after that one were not read.
    """

    built: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    has_other_changes: bool = False
    refusal: OutputRefused | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether the scan found no change."""
        return not (self.built or self.unchanged or self.outdated or self.has_other_changes)


class Tracker:
    """Hold each dump as it was last shown, by its key; `scan` brings them up to date with the disk.

    `last_search` is the result of the last search, and `readme` the note about all dumps. `retry` says when to search
    again although no file has changed. `successors` maps the folder of the pages of a dump that is gone to that of the
    next dump of its module.
    """

    def __init__(
        self,
        options: WatchOptions,
        settings: Settings,
        timing: Timing,
        *,
        clock: Callable[[], float],
        time_of_day: Callable[[], str],
    ) -> None:
        """Begin without dumps. `clock` is that of the loop, and `time_of_day` returns a time for people."""
        self._options = options
        self._settings = settings
        self.timing = timing
        # The times of files on network drives cannot be compared with this machine's clock.
        self._trusts_times = not options.polls
        self._clock = clock
        self._time_of_day = time_of_day
        self._scanned_at = clock()
        self._listing: Listing | None = None
        self._text_stamps: Stamps = ()
        self.last_search = SearchResult(real=_NOTHING, shown=_NOTHING)
        self.readme = ""
        self.retry = Retry()
        self.dumps: dict[str, TrackedDump] = {}
        self.successors: dict[str, str] = {}

    def scan(self, display: Display) -> ScanResult:
        """Compare the dumps with the disk once, and show what is new on `display`."""
        result, now, front = ScanResult(), self._clock(), self._front
        is_first = self._listing is None
        self._search()
        shown = {files.place: files for files in self.last_search.shown.dumps}
        self._note_gone(result)
        for real_files in self.last_search.real.dumps:
            self._note_files(real_files, shown[real_files.place], now, is_first=is_first)
        self._scanned_at = now
        due = [dump for dump in self.dumps.values() if dump.is_due(now, self.timing)]
        for dump in sorted(due, key=lambda dump: dump.due_at(self.timing) or now):
            if result.refusal is None:
                self._read(dump, display, result)
        result.has_other_changes = self._front != front
        return result

    def next_due(self) -> float | None:
        """Return when the next dump must be read even without an event, on the clock of the loop; None for never.

        What could not be read is not waited for: a later scan tries it again.
        """
        return min((due for dump in self.dumps.values() if (due := dump.due_at(self.timing)) is not None), default=None)

    def read_all_again(self) -> None:
        """Let the next scan show every dump again, because its pages are gone."""
        for key, dump in list(self.dumps.items()):
            if dump.is_gone:
                del self.dumps[key]
            elif dump.shown:
                dump.read, dump.shown.key = None, ""

    def predecessor(self, dump: TrackedDump) -> TrackedDump | None:
        """Return, and forget, a removed dump of the same module in the same folder, whose place this one takes.

        A compiler that puts timestamps into file names writes each build under a new name.
        """
        gone = (tracked for tracked in self.dumps.values() if tracked.is_gone and tracked.identity == dump.identity)
        predecessor = next(gone, None)
        return self.dumps.pop(predecessor.key) if predecessor else None

    def redirect(self, old: str, new: str) -> None:
        """Lead readers of the pages in the folder `old` to those in `new`, which is in use now."""
        moved = {source: new if target == old else target for source, target in self.successors.items()}
        self.successors = {source: target for source, target in (moved | {old: new}).items() if source != new}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the search and of the dumps that cannot be shown."""
        gone = {_stem(dump.files.label) for dump in self.dumps.values() if dump.is_gone} - {None}
        # Leave out the other files of a dump whose first file a compiler has deleted, which is reported already.
        problems = [problem for problem in self.last_search.shown.problems if _stem(problem.file) not in gone]
        return (*problems, *(dump.problem for dump in self.dumps.values() if dump.problem and not dump.shown))

    @property
    def _front(self) -> object:
        """Return what the overview shows besides the dumps."""
        return self.problems, self.readme, self.last_search.errors

    def _search(self) -> None:
        """Search again if a file has changed that may hold something else now, or if it is time to try again."""
        began = self._clock()
        try:
            files = listing(self._options.paths, self._settings.output)
            if not self._must_search(files, began):
                self._listing = files
                return
            self._listing = files
            existing = tuple(path for path in self._options.paths if path.exists())
            real = discover(existing, self._settings.output, self._options.max_dump_bytes)
        except (OSError, ReportgenError):  # a path was deleted during the search, or cannot be read for now
            self.retry.failed(began, self._clock(), self.timing)
            return
        places = {files.place for files in real.dumps}
        removed = [dump.real_files for dump in self.dumps.values() if dump.real_files.place not in places]
        self.last_search = named(real, self._settings.redaction, self._errors(real), removed)
        self.readme = read_note(self.last_search.shown.readme)
        lacks_readme = self.last_search.shown.readme is not None and not self.readme
        if lacks_readme or any(problem.severity != "note" for problem in self.last_search.shown.problems):
            self.retry.failed(began, self._clock(), self.timing)
        else:
            self.retry.forget()

    def _must_search(self, files: Listing, now: float) -> bool:
        """Return whether the files may hold something else than at the last search."""
        if files == self._listing:
            return self.retry.is_due(now)
        self.retry.forget()
        return True

    def _errors(self, real: Discovered) -> tuple[LoggedError, ...]:
        """Return the errors in texts, read again only if one of these has changed or could not be read."""
        known = self._listing or {}
        stamps = tuple(known.get(text.path) for text in real.texts if isinstance(text.path, Path))
        if stamps == self._text_stamps and self.retry.at is None:
            return self.last_search.errors
        self._text_stamps = stamps
        return published_errors(real, self._settings.redaction, self._options.max_dump_bytes)

    def _note_gone(self, result: ScanResult) -> None:
        """Mark dumps that the last search no longer found; forget those that were never shown."""
        present = {files.label for files in self.last_search.real.dumps}
        places = {files.place for files in self.last_search.real.dumps}
        taken = {files.label for files in self.last_search.shown.dumps if files.place in places}
        for key in self.dumps.keys() - present:
            dump = self.dumps[key]
            if self.retry.at is not None and any(stamps_of(dump.files)):
                continue  # it is there, and its folder cannot be listed at the moment
            # A name that redaction has given to another dump belongs to that one.
            if dump.shown is None or dump.files.label in taken:
                del self.dumps[key]
            elif not dump.is_gone:
                dump.is_gone, dump.stamps, dump.read = True, (), None
                self._mark_outdated(dump, "stale", "the dump was removed", result)

    def _note_files(self, real_files: DumpFiles, files: DumpFiles, now: float, *, is_first: bool) -> None:
        """Note whether a dump has changed; `files` are its `real_files` as the site names them."""
        known = self._listing or {}
        stamps = tuple(known.get(path) or stamp_of(path) for path in files_of(files))
        dump = self.dumps.get(real_files.label)
        if dump is None:
            since = self._since(stamps, now, is_new=True, is_first=is_first)
            dump = self.dumps[real_files.label] = TrackedDump(real_files, files, stamps, since)
        elif dump.stamps != stamps or dump.files != files:
            dump.real_files, dump.files, dump.stamps, dump.read = real_files, files, stamps, None
            dump.retry.forget()
            dump.since = self._since(stamps, now, is_new=False, is_first=is_first)
        dump.is_gone = False

    def _since(self, stamps: Stamps, now: float, *, is_new: bool, is_first: bool) -> float:
        """Return when files last changed, on the clock of the loop.

        Their own times are more exact than the time of this scan, so a dump that was finished before the scan need not
        wait. But a change cannot be older than the last scan, which would have noticed it.
        """
        if not self._trusts_times and not is_first:
            return now
        age = max(0.0, time() - newest_ns(stamps) / 1e9)
        return now - age if is_new else max(now - age, min(self._scanned_at, now))

    def _read(self, dump: TrackedDump, display: Display, result: ScanResult) -> None:
        """Read a dump whose files have settled, and show it if it is complete and new."""
        stamps, began = dump.stamps, self._clock()
        try:
            with garbage_collection_paused():
                reading = DumpReading(dump.files, self._settings)
                if dump.shown and dump.shown.key == reading.key:
                    self._keep(dump, result)
                elif dump.shown is None and display.is_known(dump, reading):
                    dump.read, dump.waiting, dump.problem = stamps, None, None
                    result.built.append(dump.key)
                else:
                    self._judge(dump, reading, display, result)
            if _lacks_something(reading.contents):
                dump.retry.failed(began, self._clock(), self.timing)
            else:
                dump.retry.forget()
        except OutputRefused as refusal:
            dump.read = None  # and read again when it can be written
            result.refusal = refusal
        except Exception as error:  # any, because not even a defect of ours may end the watching
            problem = problem_of(dump.files, error, self._settings.redaction)
            dump.read, dump.waiting, dump.problem = stamps, None, problem
            if isinstance(error, _MAY_PASS):
                dump.retry.failed(began, self._clock(), self.timing)
            self._mark_outdated(dump, "stale" if dump.shown else "being written", problem.message, result)

    def _judge(self, dump: TrackedDump, reading: DumpReading, display: Display, result: ScanResult) -> None:
        """Show a dump if it is complete."""
        verdict = completeness(reading.contents, reading.analysis, dump.part_stamps, dump.last)
        if stamps_of(dump.files) != dump.stamps:
            # Read again later, because files that were written meanwhile may have been read in two states.
            dump.since, dump.read = self._clock(), None
        elif (at := dump.accepted_at(verdict, self.timing)) is None or at > self._clock():
            dump.read, dump.waiting, dump.problem = dump.stamps, verdict, None
            self._mark_outdated(dump, "being written", verdict.reason, result)
        else:
            display.show(dump, reading, verdict)
            dump.read, dump.waiting, dump.problem, dump.outdated = dump.stamps, None, None, None
            result.built.append(dump.key)

    def _keep(self, dump: TrackedDump, result: ScanResult) -> None:
        """Keep showing a dump that was rewritten with the same content."""
        shown = dump.shown
        assert shown is not None
        if dump.outdated or (shown.verdict and shown.verdict.parts != dump.part_stamps):
            result.unchanged.append(dump.key)
        if shown.verdict:
            shown.verdict = replace(shown.verdict, parts=dump.part_stamps)
        dump.read, dump.waiting, dump.problem, dump.outdated = dump.stamps, None, None, None

    def _mark_outdated(
        self, dump: TrackedDump, state: Literal["being written", "stale"], reason: str, result: ScanResult
    ) -> None:
        before = dump.outdated
        if before is None or (before.state, before.reason) != (state, reason):
            since = before.since if before and before.state == state else self._time_of_day()
            dump.outdated = Outdated(state, reason, since)
            result.outdated.append(dump.key)


def _lacks_something(contents: Contents) -> bool:
    """Return whether some file of a dump could not be read whole, which may be different soon."""
    has_problems = any(problem.severity != "note" for problem in contents.problems)
    lacks_note = contents.files.notes is not None and not contents.note
    return has_problems or lacks_note or not all(sibling.data for sibling in contents.siblings)


def _stem(label: str) -> str | None:
    split = split_part(label)
    return split.stem if split else None
