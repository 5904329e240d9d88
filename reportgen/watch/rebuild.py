"""The seam between watching and building: one look at the paths, and what is read, judged and shown because of it.

A dump is read when its files have settled, and shown when it is complete; until then, and when it is gone, what was
last shown of it stays. The pages are made when they are asked for or written, so showing a dump takes no longer than
analysing it.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, time

from reportgen.analyse.changes import figures
from reportgen.analyse.identity import digests
from reportgen.discover import Discovered, discover
from reportgen.dump_names import split_part
from reportgen.errors import NoDumpFound, ReportgenError
from reportgen.kept import note
from reportgen.one_dump import module_of
from reportgen.reading import Problem, load_text
from reportgen.render.module import Module
from reportgen.render.on_request import PagesOnRequest
from reportgen.render.summing_up import summary_for_site
from reportgen.watch.completeness import Judgement, Known, judge
from reportgen.watch.history import History
from reportgen.watch.scan import Listing, Stamps, files_of, listing, newest_ns, stamp, stamps_of
from reportgen.watch.tracked import Mark, Shown, Timing, Tracked

_NOTHING = Discovered((), (), None)


@dataclass(slots=True)
class Look:
    """What one look brought, by label: `shown` has new figures, `same` was written again and says the same."""

    shown: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    has_other_changes: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.shown or self.same or self.marked or self.has_other_changes)


class Rebuilder:
    """Every dump in `paths` as it was last shown; `look` brings that up to date with the disk."""

    def __init__(
        self,
        paths: Sequence[Path],
        output: Path,
        title: str,
        *,
        timing: Timing | None = None,
        trusts_times: bool = True,
        clock: Callable[[], float] = monotonic,
        now_in_words: Callable[[], str] = lambda: "",
    ) -> None:
        self._paths = paths
        self._output = output
        self._title = title
        self.timing = timing or Timing()
        self.trusts_times = trusts_times
        self._clock = clock
        self._now_in_words = now_in_words
        self._listing: Listing | None = None
        self._looked_at = clock()
        self.found = _NOTHING
        self.dumps: dict[str, Tracked] = {}
        self.successors: dict[str, str] = {}
        self.build = 0
        self.readme = ""

    def look(self, shown: Callable[[Tracked], None] = lambda dump: None) -> Look:
        """Look at the disk once; `shown` is called after each dump that has new figures."""
        now, look = self._clock(), Look()
        self._search(look)
        self._stamp(now)
        self._looked_at = now
        build = self.build + 1
        for dump in self._due(self._clock()):
            self._read(dump, build, look)
            if dump.files.label in look.shown:
                self.build = build
                shown(dump)
        return look

    def next_due(self) -> float | None:
        """When something is to be read although nothing has happened."""
        return min((due for dump in self.dumps.values() if (due := dump.due_at(self.timing)) is not None), default=None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the search and of what is shown, in the order of a build."""
        of_dumps = [problem for dump in self.dumps.values() if dump.shown for problem in dump.shown.problems]
        unread = [dump.problem for dump in self.dumps.values() if dump.problem and not dump.shown]
        of_search = [problem for problem in self.found.problems if not self._is_left_of_gone(problem)]
        return tuple(sorted([*of_search, *of_dumps, *unread], key=lambda one: (one.file, one.message)))

    def _is_left_of_gone(self, problem: Problem) -> bool:
        """A compiler begins by removing the first file: that the others miss it is said of the dump already."""
        stem = split_part(problem.file)
        gone = (split_part(dump.files.label) for dump in self.dumps.values() if dump.is_gone)
        return stem is not None and any(other and other[0] == stem[0] for other in gone)

    def _search(self, look: Look) -> None:
        """Which dumps there are; found anew only where more than the content of known files has changed."""
        files = listing(self._paths, self._output)
        if self._listing is None or self._must_search(files, self._listing):
            before = self.problems
            self.found = self._discover()
            self._mark_gone(look)
            look.has_other_changes = before != self.problems
        self._listing = files
        readme = self.found.readme.read_text(encoding="utf-8", errors="replace") if self.found.readme else ""
        look.has_other_changes |= readme != self.readme
        self.readme = readme

    def _must_search(self, files: Listing, before: Listing) -> bool:
        if files.keys() != before.keys():
            return True
        known = {path for dump in self.found.dumps for path in files_of(dump)}
        changed = (path for path, stamp in files.items() if before[path] != stamp)
        return not all(path in known and split_part(path.name) for path in changed)

    def _discover(self) -> Discovered:
        try:
            there = [path for path in self._paths if path.exists()]
            return discover(there, self._output) if there else _NOTHING
        except NoDumpFound:
            return _NOTHING
        except ReportgenError:  # gone while it was searched; the next look sees what is there
            return self.found

    def _stamp(self, now: float) -> None:
        assert self._listing is not None
        for files in self.found.dumps:
            stamps = tuple(self._listing.get(path) or stamp(path) for path in files_of(files))
            dump = self.dumps.get(files.label)
            if dump is None:
                self.dumps[files.label] = Tracked(files, stamps, self._since(stamps, now, is_first=True))
            elif dump.stamps != stamps or dump.files != files:
                dump.files, dump.stamps, dump.since = files, stamps, self._since(stamps, now)
            self.dumps[files.label].is_gone = False

    def _since(self, stamps: Stamps, now: float, *, is_first: bool = False) -> float:
        """The time of the last write tells, where clocks can be trusted, but it was not before the last look."""
        if not self.trusts_times and not (is_first and self.build == 0):
            return now
        age = max(0.0, time() - newest_ns(stamps) / 1e9)
        return now - age if is_first else max(now - age, min(self._looked_at, now))

    def _mark_gone(self, look: Look) -> None:
        there = {files.label for files in self.found.dumps}
        for label in self.dumps.keys() - there:
            dump = self.dumps[label]
            if dump.shown is None:
                del self.dumps[label]
            elif not dump.is_gone:
                dump.is_gone, dump.stamps, dump.read = True, (), None
                self._mark(dump, "old", "its dump is gone", look)

    def _due(self, now: float) -> Iterator[Tracked]:
        """Those that were waited for longest first."""
        due = [(at, dump) for dump in self.dumps.values() if (at := dump.due_at(self.timing)) is not None and at <= now]
        yield from (dump for _, dump in sorted(due, key=lambda pair: pair[0]))

    def _read(self, dump: Tracked, build: int, look: Look) -> None:
        stamps = dump.stamps
        try:
            text, problems = load_text(dump.files)
            words, content = note(dump.files.notes), digests(text)
            digest = _digest(content.exact, [part.label for part in text.parts], words)
            if dump.shown and dump.shown.digest == digest:
                self._judged(dump, stamps, None)
                self._same(dump, look)
                return
            module = module_of(dump.files, text, words)
            judgement = judge(dump.files, module.analysis, problems, _parts(dump), dump.known)
        except Exception as error:  # told, and what is shown stays; a defect of ours must not end the watching
            self._unreadable(dump, stamps, error, look)
            return
        if stamps_of(dump.files) != stamps:
            dump.since = self._clock()  # written meanwhile: what was read may be of two times
            dump.read = None
            return
        at = dump.accepted_at(judgement, self.timing)
        if at is None or at > self._clock():
            self._judged(dump, stamps, judgement)
            self._mark(dump, "being written", judgement.reason, look)
            return
        self._judged(dump, stamps, None)
        known = Known(judgement.sections, judgement.contradictions, _parts(dump))
        entry = summary_for_site(module, content.content)
        self._show(dump, module, Shown(digest, known, entry, problems, build, self._now_in_words()))
        look.shown.append(dump.files.label)

    def _judged(self, dump: Tracked, stamps: Stamps, judgement: Judgement | None) -> None:
        dump.read, dump.judgement, dump.problem = stamps, judgement, None

    def _same(self, dump: Tracked, look: Look) -> None:
        assert dump.shown is not None
        known = replace(dump.shown.known, parts=_parts(dump))
        if known != dump.shown.known or dump.mark:
            look.same.append(dump.files.label)
        dump.shown, dump.mark = replace(dump.shown, known=known), None

    def _unreadable(self, dump: Tracked, stamps: Stamps, error: Exception, look: Look) -> None:
        words = str(error) if isinstance(error, ReportgenError) else f"{type(error).__name__}: {error}"
        reason = words.removeprefix(f"{dump.files.label}: ")
        self._judged(dump, stamps, None)
        dump.problem = Problem("error", dump.files.label, reason)
        self._mark(dump, "old" if dump.shown else "being written", reason, look)

    def _mark(self, dump: Tracked, state: str, reason: str, look: Look) -> None:
        if dump.mark is None or (dump.mark.state, dump.mark.reason) != (state, reason):
            began = dump.mark.time if dump.mark and dump.mark.state == state else self._now_in_words()
            dump.mark = Mark("old" if state == "old" else "being written", reason, began)
            look.marked.append(dump.files.label)

    def _show(self, dump: Tracked, module: Module, shown: Shown) -> None:
        dump.shown, dump.mark = shown, None
        dump.pages = PagesOnRequest(module, self._title)
        if dump.history is None:
            self._succeed(dump)
        if dump.history is None:
            dump.history = History.begun(figures(module.analysis), shown.build, shown.time)
        else:
            dump.history.add(figures(module.analysis), shown.build, shown.time)

    def _succeed(self, dump: Tracked) -> None:
        """Take the place of a dump that is gone and was of the same module."""
        gone = (other for other in self.dumps.values() if other.is_gone and other.identity == dump.identity)
        predecessor = next(gone, None)
        if predecessor and predecessor.shown and dump.shown:
            dump.history = predecessor.history
            old, new = predecessor.shown.summary.href, dump.shown.summary.href
            self.successors = {one: new if to == old else to for one, to in self.successors.items()} | {old: new}
            del self.dumps[predecessor.files.label]


def _digest(content: str, labels: Sequence[str], words: str) -> str:
    """Of all that decides what the pages of a dump are."""
    return hashlib.sha256(json.dumps([content, labels, words]).encode()).hexdigest()


def _parts(dump: Tracked) -> Stamps:
    """The stamps of the parts, without those of the notes."""
    return dump.stamps[: len(dump.stamps) - 1] if dump.files.notes else dump.stamps
