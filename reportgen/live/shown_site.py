"""Show dumps: write a module's own page at once, and the others, the overview and the manifest while the loop is idle.

A page that somebody waits for comes next. While a page cannot be written, the last good ones stay.
"""

import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import main_space
from reportgen.compare.figures import figures_of_side, flaws_of, gate_module
from reportgen.compare.module_pairing import Side
from reportgen.dump_pages import DumpPages
from reportgen.errors import OutputRefused
from reportgen.failures import failed
from reportgen.live.changes import Difference, of_first, of_next
from reportgen.live.completeness import Completeness, completeness
from reportgen.live.served import Served
from reportgen.live.tracked import ShownBuild, TrackedDump
from reportgen.live.tracker import Tracker
from reportgen.output.writer import COMMON
from reportgen.pipeline import DumpReading
from reportgen.site import SiteBuilder, unchanged
from reportgen.work import Outcome, Part, garbage_collection_paused, result_of

_FEW = 20
"""The dumps up to which each module's own page is written before the overview of all of them."""
_LARGE = 1 << 20  # bytes of a dump whose comparison takes as long as its page, so the page comes first
_MOST_TEXT_WAITING = 16 << 20  # bytes, because the analysis of a dump is many times as large as its text
_PAGES_AT_ONCE = 16  # of a small dump; few, because a changed dump waits until they are written
_BUILDS_PER_COLLECTION = 50
_COMPARING = "being compared with the build before"


class ShownSite:
    """The site of the dumps that a tracker holds.

    `build` is the number of the last build. The overview `is_stale` while it is of another build. `is_starting` is true
    until each dump has been read once. `publish` shows open pages what has changed.
    """

    def __init__(
        self,
        site: SiteBuilder,
        tracker: Tracker,
        served: Served,
        *,
        publish: Callable[[], None],
        time_of_day: Callable[[], str],
    ) -> None:
        """Begin with no pages; the tracker's first scan shows the dumps that there are."""
        self._site = site
        self._tracker = tracker
        self._served = served
        self._publish = publish
        self._time_of_day = time_of_day
        self._writing: dict[str, DumpPages] = {}
        self._not_analysed: list[TrackedDump] = []
        self._common: Part | None = None
        self._is_finished = False
        self._next_collection = self._frozen_bytes = 0
        self.build = 0
        self.is_starting = self.is_stale = True

    @property
    def is_written(self) -> bool:
        """Return whether everything is on disk."""
        return not self._writing and self._is_finished

    @property
    def is_lost(self) -> bool:
        """Return whether somebody else has removed what was written."""
        return self._is_finished and self._site.is_lost

    def write_again(self) -> None:
        """Write everything again, because it was removed."""
        self._common, self._is_finished, self.is_stale = None, False, True
        self._tracker.read_all_again()

    @property
    def common(self) -> frozenset[str]:
        """The paths of the pages that belong to no module; empty until they are written."""
        return frozenset(self._common.paths if self._common else ())

    def is_known(self, dump: TrackedDump, reading: DumpReading) -> bool:
        """Show a dump whose pages an earlier process has made, if they are up to date; `remember` analyses it."""
        outcome = unchanged(reading, self._site.task(dump.files))
        if outcome is None or outcome.summary is None or outcome.part is None:
            return False
        entry = outcome.summary
        dump.shown = ShownBuild(
            key=reading.key,
            label=entry.label,
            title=entry.title,
            paths=frozenset(outcome.part.paths),
            left=(),
            number=self.build + 1,
            time=self._time_of_day(),
            difference=of_first(gate_module(entry), entry.peak_resident_bytes),
            outcome=outcome,
        )
        self._not_analysed.append(dump)
        self._is_finished, self.is_stale = False, True
        return True

    def show(self, dump: TrackedDump, reading: DumpReading, verdict: Completeness) -> None:
        """Show a dump that is complete and new: its own page at once, then what changed. Raises OutputRefused."""
        pages = self._site.pages(reading)
        if not self.is_starting or len(self._tracker.dumps) <= _FEW:
            pages.write(pages.paths[:1])
        module = pages.module
        side = _side(module.label, module.title, module.analysis)
        predecessor = None if dump.shown else self._tracker.predecessor(dump)
        last = predecessor.shown if predecessor else dump.shown
        dump.shown = ShownBuild(
            key=reading.key,
            label=module.label,
            title=module.title,
            paths=frozenset(pages.paths),
            left=pages.left,
            number=self.build + 1,
            time=self._time_of_day(),
            difference=replace(last.difference, headline=_COMPARING) if last else _first_difference(side),
            baseline=verdict.baseline(dump.part_stamps),
            side=side,
        )
        self._tracker.redirect(last.folder if last else dump.shown.folder, dump.shown.folder)
        self._writing[dump.key] = pages
        self._is_finished, self.is_stale = False, True
        if last:
            if pages.text_bytes > _LARGE:
                self._publish()
            dump.shown.difference = of_next(last.difference, last.side, side)
        self._frozen_bytes += pages.text_bytes
        gc.freeze()  # because a search for cycles would look at all that stays, millions of objects
        self.write_awaited()
        while len(self._writing) > 1 and self._waiting_bytes > _MOST_TEXT_WAITING:
            self._write_next()

    @property
    def _waiting_bytes(self) -> int:
        """The text of the dumps whose pages are not all on disk, in bytes."""
        return sum(pages.text_bytes for pages in self._writing.values())

    def remember(self, is_time_over: Callable[[], bool]) -> None:
        """Analyse dumps whose pages an earlier process has made, so that changes in them can be explained."""
        while self._not_analysed and not is_time_over():
            dump = self._not_analysed.pop()
            shown = dump.shown
            if shown is None or shown.side or dump.is_gone:
                continue
            # What goes wrong is reported when the dump is read for a change.
            with suppress(Exception), garbage_collection_paused():
                reading = DumpReading(dump.files, self._site.settings)
                if reading.key == shown.key:
                    verdict = completeness(reading.contents, reading.analysis, dump.part_stamps, None)
                    shown.baseline = verdict.baseline(dump.part_stamps)
                    shown.side = _side(shown.label, shown.title, reading.analysis)
                    gc.freeze()

    def write_some(self) -> None:
        """Write the pages that somebody waits for, then some of the others; after all of them the manifest."""
        self.write_awaited()
        if self._writing:
            self._write_next()
        else:
            self._finish()

    def write_awaited(self) -> None:
        """Write the pages that somebody waits for."""
        for path in list(self._served.awaited):
            for key, pages in list(self._writing.items()):
                if path in pages.left:
                    self._write(key, pages, [path])

    def write_common(self) -> None:
        """Write the pages that belong to no dump. Raises OutputRefused."""
        outcomes, parts = list[Outcome](), dict[str, Part]()
        for key, dump in self._tracker.dumps.items():
            if dump.shown is None:
                continue
            pages = self._writing.get(key)
            outcome = pages.unwritten() if pages else dump.shown.outcome
            assert outcome is not None, "written or being written"
            outcomes.append(outcome)
            parts[outcome.label] = outcome.part or Part(dump.shown.key, ())
        tracker = self._tracker
        result = replace(result_of(tracker.problems, outcomes), errors=tracker.last_search.errors)
        self._common, _ = self._site.write_common(result, tracker.readme, parts)
        self.is_stale, self._is_finished = False, False

    def _write_next(self) -> None:
        key, pages = next(iter(self._writing.items()))
        # One by one if there are many values, because a changed dump waits until a page is made.
        self._write(key, pages, list(islice(pages.left, 1 if pages.text_bytes > _LARGE else _PAGES_AT_ONCE)))

    def _write(self, key: str, pages: DumpPages, paths: Sequence[str]) -> None:
        """Write some pages of a dump and wake requests for them; drop them if the dump is gone or has a newer build."""
        dump = self._tracker.dumps.get(key)
        if dump is None or dump.shown is None or dump.shown.left is not pages.left:
            del self._writing[key]  # because the dump is gone, or has a newer build
            return
        try:
            pages.write(paths)
        except OutputRefused:
            raise
        except Exception as error:  # any, because not even a defect of ours may end the watching
            dump.shown.outcome, dump.shown.left = failed(dump.files, error, self._site.settings.redaction), ()
            self.is_stale = True
        else:
            dump.shown.outcome = None if pages.left else pages.outcome()
        if dump.shown.outcome:
            del self._writing[key]
        self._served.written()

    def _finish(self) -> None:
        """Write the manifest, and remove pages of earlier builds."""
        if self._common is None or self.is_stale:
            self.write_common()
        assert self._common is not None
        outcomes = (dump.shown.outcome for dump in self._tracker.dumps.values() if dump.shown)
        parts = {outcome.label: outcome.part for outcome in outcomes if outcome and outcome.part}
        self._site.finish(parts | {COMMON: self._common})
        self._is_finished = True
        # Now, because nobody waits. The makers of pages are cycles that hold an analysis, so soon after large dumps.
        if self.build >= self._next_collection or self._frozen_bytes > _MOST_TEXT_WAITING:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._next_collection, self._frozen_bytes = self.build + _BUILDS_PER_COLLECTION, 0


def _side(label: str, title: str, analysis: Analysis) -> Side:
    """Return a build of a module as the side of a comparison."""
    return Side(label, title, 0, analysis, flaws=flaws_of(analysis.findings))


def _first_difference(side: Side) -> Difference:
    space = main_space(side.analysis.spaces)
    peak = space.peak_resident if space else None
    return of_first(figures_of_side(side), peak.amount if peak else None)
