"""Compare the dumps with the disk, and read, judge and rebuild those that have changed.

A scan has four steps: find the dumps, note which of their files have changed, read each dump whose files have
settled, and show it if it is complete. Until then, and after the dump is removed, its last good build stays. Pages are
rendered when they are requested or written, so a dump can be shown as soon as it is analysed.

All of this runs in the thread of the loop.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, time
from typing import Literal

from reportgen.dump_pages import module_of
from reportgen.errors import ReportgenError
from reportgen.failures import problem_of
from reportgen.input.dump_contents import Contents
from reportgen.input.names import split_part
from reportgen.input.reading import Problem
from reportgen.live.completeness import Completeness, completeness
from reportgen.live.listing import Stamps, files_of, newest_ns, stamps_of
from reportgen.live.module_history import ModuleHistory
from reportgen.live.repeated_search import Search
from reportgen.live.tracked import Identity, Outdated, ShownBuild, Timing, TrackedDump
from reportgen.options import WatchOptions
from reportgen.pipeline import DumpReading
from reportgen.record import record
from reportgen.render.module.on_request import PagesOnRequest
from reportgen.render.view import Module
from reportgen.reports.summarise import summary_for_site
from reportgen.site import settings_of
from reportgen.work import garbage_collection_paused

_MAY_PASS = (OSError, MemoryError, ReportgenError)
"""What may be different at the next try, unlike a defect of ours."""


@dataclass(slots=True)
class ScanResult:
    """What a scan found, as labels of dumps.

    `built` have new figures, `unchanged` were rewritten with the same content, and `outdated` are being written,
    removed or unreadable.
    """

    built: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    has_other_changes: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether the scan found no change."""
        return not (self.built or self.unchanged or self.outdated or self.has_other_changes)


class Rebuilder:
    """Hold each dump as it was last shown, by its key; `scan` brings them up to date with the disk.

    `output` is the directory of the site, resolved. `time_of_day` returns the time as people read it.
    """

    def __init__(
        self,
        options: WatchOptions,
        output: Path,
        *,
        timing: Timing | None = None,
        clock: Callable[[], float] = monotonic,
        time_of_day: Callable[[], str] = lambda: "",
    ) -> None:
        self.settings = settings_of(options)
        self.timing = timing or Timing()
        # The times of files on network drives cannot be compared with this machine's clock.
        self._trusts_times = not options.polls
        self._clock = clock
        self._time_of_day = time_of_day
        self._scanned_at = clock()
        self.search = Search(options, output)
        self.dumps: dict[str, TrackedDump] = {}
        self.successors: dict[str, str] = {}
        """The first page of a dump that is gone, and that of the next one of its module."""
        self._gone: dict[Identity, list[TrackedDump]] = {}
        """The dumps that are gone since the last scan or longer, the first one last."""
        self.build = 0

    def scan(self, built: Callable[[TrackedDump], None] = lambda dump: None) -> ScanResult:
        """Compare the dumps with the disk once; call `built` after each dump that has new figures."""
        result, now, front = ScanResult(), self._clock(), self._front
        self.search.repeat({key: dump.found for key, dump in self.dumps.items()}, self._clock, self.timing)
        self._note_gone(result)
        self._note_changed_files(now)
        self._gone = defaultdict(list)
        for dump in reversed(self.dumps.values()):
            if dump.is_gone:
                self._gone[dump.identity].append(dump)
        self._scanned_at = now
        number = self.build + 1
        due = [dump for dump in self.dumps.values() if dump.is_due(now, self.timing)]
        for dump in sorted(due, key=lambda dump: dump.due_at(self.timing) or now):
            if self._read(dump, number, result):
                self.build = number
                built(dump)
        result.has_other_changes = self._front != front
        return result

    def next_due(self) -> float | None:
        """Return when the next dump must be read even without an event, on the clock of the loop; None for never.

        What could not be read is not waited for: a later scan tries it again.
        """
        return min((due for dump in self.dumps.values() if (due := dump.due_at(self.timing)) is not None), default=None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of the search and of the dumps shown, in the order of a build."""
        gone = {_stem(dump.files.label) for dump in self.dumps.values() if dump.is_gone} - {None}
        # Leave out the other files of a dump whose first file a compiler has deleted, which is reported already.
        found = [problem for problem in self.search.problems if _stem(problem.file) not in gone]
        for dump in self.dumps.values():
            found += dump.shown.problems if dump.shown else [dump.problem] if dump.problem else []
        return tuple(sorted(found, key=lambda problem: (problem.file, problem.message)))

    @property
    def _front(self) -> object:
        """Return what the overview shows besides the dumps."""
        return self.problems, self.search.readme, self.search.errors

    def _note_gone(self, result: ScanResult) -> None:
        names = {files.label for files in self.search.named.values()}
        for key in self.dumps.keys() - self.search.found.keys():
            dump = self.dumps[key]
            # A name that redaction has given to another dump belongs to that one.
            if self.search.is_incomplete and any(stamps_of(dump.files)):
                continue  # it is there, and its folder cannot be listed at the moment
            if dump.shown is None or dump.files.label in names:
                del self.dumps[key]
            elif not dump.is_gone:
                dump.is_gone, dump.stamps, dump.read = True, (), None
                self._mark_outdated(dump, "stale", "the dump was removed", result)

    def _note_changed_files(self, now: float) -> None:
        for key, found in self.search.found.items():
            files = self.search.named[key]
            stamps = self.search.stamps(files_of(files))
            dump = self.dumps.get(key)
            if dump is None:
                dump = self.dumps[key] = TrackedDump(found, files, stamps, self._since(stamps, now, is_new=True))
            elif dump.stamps != stamps or dump.files != files:
                dump.found, dump.files, dump.stamps, dump.read = found, files, stamps, None
                dump.retry.forget()
                dump.since = self._since(stamps, now, is_new=False)
            dump.is_gone = False

    def _since(self, stamps: Stamps, now: float, *, is_new: bool) -> float:
        """Return when files last changed, on the clock of the loop.

        Their own times are more exact than the time of this scan, so a dump that was finished before the scan need not
        wait. But a change cannot be older than the last scan, which would have noticed it.
        """
        if not self._trusts_times and not (is_new and self.build == 0):
            return now
        age = max(0.0, time() - newest_ns(stamps) / 1e9)
        return now - age if is_new else max(now - age, min(self._scanned_at, now))

    def _read(self, dump: TrackedDump, number: int, result: ScanResult) -> bool:
        """Read a dump whose files have settled; return whether it is shown as build `number`: complete and new."""
        stamps, began = dump.stamps, self._clock()
        try:
            reading = self._read_files(dump)
        except Exception as error:  # any, because not even a defect of ours may end the watching
            problem = problem_of(dump.files, error, self.settings.redaction)
            dump.read, dump.waiting, dump.problem = stamps, None, problem
            if isinstance(error, _MAY_PASS):
                dump.retry.failed(began, self._clock(), self.timing)
            self._mark_outdated(dump, "stale" if dump.shown else "being written", problem.message, result)
            return False
        if reading is None:  # its content is shown already
            self._keep(dump, result)
        elif stamps_of(dump.files) != stamps:
            # Read again later, because files that were written meanwhile may have been read in two states.
            dump.since, dump.read = self._clock(), None
        elif (at := dump.accepted_at(reading.verdict, self.timing)) is None or at > self._clock():
            dump.read, dump.waiting, dump.problem = stamps, reading.verdict, None
            self._mark_outdated(dump, "being written", reading.verdict.reason, result)
        else:
            self._show(dump, reading, number)
            result.built.append(dump.key)
            return True
        return False

    def _read_files(self, dump: TrackedDump) -> "_Reading | None":
        """Read and analyse a dump as a build does; None if what it would show is shown already."""
        began = self._clock()
        found = DumpReading(dump.files, self.settings)
        contents = found.contents
        is_shown = dump.shown is not None and dump.shown.digest == found.key and bool(dump.pages or dump.part)
        reading = None
        if is_shown:
            differs = dump.baseline is not None and dump.baseline.siblings_differ
        else:
            module = module_of(found)
            verdict = completeness(contents, module.analysis, dump.part_stamps, dump.baseline)
            differs = verdict.siblings_differ
            reading = _Reading(found.key, found.digests.content, module, contents.problems, verdict)
        if differs or _lacks_something(contents):
            dump.retry.failed(began, self._clock(), self.timing)
        else:
            dump.retry.forget()
        return reading

    def read_again(self) -> Iterator[TrackedDump]:
        """Yield the dumps that are shown, each with its pages; not those that were removed or have changed since."""
        for dump in self.dumps.values():
            if dump.shown and dump.pages is None and not dump.is_gone:
                try:
                    reading = DumpReading(dump.files, self.settings)
                    if reading.key == dump.shown.digest:
                        dump.pages = PagesOnRequest(module_of(reading), self.settings.site_title)
                except _MAY_PASS:
                    dump.part, dump.read = None, None  # read again, and shown then as if it were new
            if dump.pages:
                yield dump

    def _keep(self, dump: TrackedDump, result: ScanResult) -> None:
        """Keep showing a dump that was rewritten with the same content."""
        assert dump.shown is not None
        baseline = replace(dump.shown.baseline, parts=dump.part_stamps)
        if baseline != dump.shown.baseline or dump.outdated:
            result.unchanged.append(dump.key)
        dump.shown = replace(dump.shown, baseline=baseline)
        dump.read, dump.waiting, dump.problem, dump.outdated = dump.stamps, None, None, None

    def _show(self, dump: TrackedDump, reading: "_Reading", number: int) -> None:
        pages, verdict = PagesOnRequest(reading.module, self.settings.site_title), reading.verdict
        build = ShownBuild(
            digest=reading.digest,
            baseline=verdict.baseline(dump.part_stamps),
            summary=summary_for_site(reading.module, reading.content),
            problems=reading.problems,
            number=number,
            time=self._time_of_day(),
            paths=pages.paths,
            value_paths=pages.value_paths,
        )
        dump.shown, dump.pages = build, pages
        dump.read, dump.waiting, dump.problem, dump.outdated = dump.stamps, None, None, None
        if dump.history is None:
            self._take_place_of_predecessor(dump, build)
        if dump.history is None:
            dump.history = ModuleHistory(reading.module, reading.content)
        else:
            with garbage_collection_paused():
                dump.history.add(reading.module, reading.content)

    def _take_place_of_predecessor(self, dump: TrackedDump, build: ShownBuild) -> None:
        """Continue the history of a removed dump of the same module and redirect its pages.

        A compiler that puts timestamps into file names writes each build under a new name.
        """
        self.successors.pop(build.index, None)  # the name of a dump that was gone is in use again
        predecessors = self._gone.get(dump.identity)
        predecessor = predecessors.pop() if predecessors else None
        if predecessor and predecessor.shown:
            dump.history = predecessor.history
            self.successors[predecessor.shown.index] = build.index
            del self.dumps[predecessor.key]

    def _mark_outdated(
        self, dump: TrackedDump, state: Literal["being written", "stale"], reason: str, result: ScanResult
    ) -> None:
        before = dump.outdated
        if before is None or (before.state, before.reason) != (state, reason):
            since = before.since if before and before.state == state else self._time_of_day()
            dump.outdated = Outdated(state, reason, since)
            result.outdated.append(dump.key)


@record(kw_only=False)
class _Reading:
    """One reading of a dump; `content` identifies the dump, `digest` everything that its pages are made from."""

    digest: str
    content: str
    module: Module
    problems: tuple[Problem, ...]
    verdict: Completeness


def _lacks_something(contents: Contents) -> bool:
    """Return whether some file of a dump could not be read whole, which may be different soon."""
    has_problems = any(problem.severity != "note" for problem in contents.problems)
    lacks_note = contents.files.notes is not None and not contents.note
    return has_problems or lacks_note or not all(sibling.data for sibling in contents.siblings)


def _stem(label: str) -> str | None:
    split = split_part(label)
    return split[0] if split else None
