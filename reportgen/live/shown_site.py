"""Show dumps: write a module's pages at once, and the overview and the manifest while the loop is idle."""

import gc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from reportgen.analyse.spaces import main_space
from reportgen.compare.figures import figures_of_side, flaws_of, gate_module
from reportgen.compare.module_pairing import Side
from reportgen.live.changes import BuildChange, of_first, of_next
from reportgen.live.completeness import Completeness, completeness
from reportgen.live.tracked import ShownBuild, TrackedDump
from reportgen.live.tracker import Tracker
from reportgen.output.writer import COMMON
from reportgen.pipeline import DumpReading
from reportgen.reports.report import Report
from reportgen.site import SiteBuilder, pages_of, unchanged
from reportgen.work import Part, garbage_collection_paused, result_of

_LARGE = 1 << 20  # bytes of a dump whose comparison takes as long as its pages, so these come first
_BUILDS_PER_COLLECTION, _BYTES_PER_COLLECTION = 50, 16 << 20
_COMPARING = BuildChange(headline="being compared with the build before")


class ShownSite:
    """The site of the dumps that a tracker holds.

    `build` is the number of the last build. The overview `is_stale` while it is of another build, and the site
    `is_written` once everything is on disk. `is_starting` is true until each dump has been read once. `publish` shows
    open pages what has changed.
    """

    def __init__(
        self, site: SiteBuilder, tracker: Tracker, *, publish: Callable[[], None], time_of_day: Callable[[], str]
    ) -> None:
        """Begin with no pages; the tracker's first scan shows the dumps that there are."""
        self._site = site
        self._tracker = tracker
        self._publish = publish
        self._time_of_day = time_of_day
        self._not_analysed: list[TrackedDump] = []
        self._common: Part | None = None
        self._next_collection = self._frozen_bytes = 0
        self.build = 0
        self.is_starting = self.is_stale = True
        self.is_written = False

    @property
    def is_lost(self) -> bool:
        """Return whether somebody else has removed what was written."""
        return self.is_written and self._site.is_lost

    def write_again(self) -> None:
        """Write everything again, because it was removed."""
        self._common, self.is_written, self.is_stale = None, False, True
        self._tracker.read_all_again()

    @property
    def common(self) -> frozenset[str]:
        """The paths of the pages that belong to no module; empty until they are written."""
        return frozenset(self._common.paths if self._common else ())

    def is_known(self, dump: TrackedDump, reading: DumpReading) -> bool:
        """Show a dump whose pages an earlier process has made, if they are up to date; `remember` analyses it."""
        outcome = unchanged(reading, self._site.task(dump.files))
        if outcome is None or outcome.summary is None:
            return False
        entry, figures = outcome.summary, gate_module(outcome.summary)
        dump.shown = ShownBuild(
            key=reading.key,
            label=entry.label,
            title=entry.title,
            outcome=outcome,
            number=self.build + 1,
            time=self._time_of_day(),
            figures=figures,
            change=of_first(figures, entry.peak_resident_bytes),
        )
        self._not_analysed.append(dump)
        self.is_written, self.is_stale = False, True
        return True

    def show(self, dump: TrackedDump, reading: DumpReading, verdict: Completeness) -> None:
        """Show a dump that is complete and new: its pages, then what changed. Raises OutputRefused."""
        pages = pages_of(reading)
        pages.write_all()
        side = _side(pages.module)
        predecessor = None if dump.shown else self._tracker.predecessor(dump)
        last = predecessor.shown if predecessor else dump.shown
        shown = dump.shown = ShownBuild(
            key=reading.key,
            label=side.label,
            title=side.name,
            outcome=pages.outcome(),
            number=self.build + 1,
            time=self._time_of_day(),
            figures=figures_of_side(side),
            change=_COMPARING,
            verdict=verdict,
            side=side,
        )
        self._tracker.redirect(last.folder if last else shown.folder, shown.folder)
        self.is_written, self.is_stale = False, True
        if last:
            if pages.text_bytes > _LARGE:
                self._publish()
            labels = last.when, shown.when
            shown.change = of_next(self._site.settings.site_title, labels, last.side or last.figures, side)
        else:
            space = main_space(side.analysis.spaces)
            peak = space.peak_resident if space else None
            shown.change = of_first(shown.figures, peak.amount if peak else None)
        self._frozen_bytes += pages.text_bytes
        gc.freeze()  # because a search for cycles would look at all that stays, millions of objects

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
                    shown.verdict = completeness(reading.contents, reading.analysis, dump.part_stamps, None)
                    shown.side = _side(reading.report())
                    gc.freeze()

    def write_common(self) -> None:
        """Write the pages that belong to no dump. Raises OutputRefused."""
        outcomes = [dump.shown.outcome for dump in self._tracker.dumps.values() if dump.shown]
        tracker = self._tracker
        result = replace(result_of(tracker.problems, outcomes), errors=tracker.last_search.errors)
        parts = {outcome.label: outcome.part for outcome in outcomes if outcome.part}
        self._common, _ = self._site.write_common(result, tracker.readme, parts)
        self.is_stale, self.is_written = False, False

    def finish(self) -> None:
        """Write the manifest, and remove pages of earlier builds. Raises OutputRefused."""
        if self._common is None or self.is_stale:
            self.write_common()
        assert self._common is not None
        outcomes = (dump.shown.outcome for dump in self._tracker.dumps.values() if dump.shown)
        parts = {outcome.label: outcome.part for outcome in outcomes if outcome.part}
        self._site.finish(parts | {COMMON: self._common})
        self.is_written = True
        # Now, because nobody waits. The makers of pages are cycles that hold an analysis, so soon after large dumps.
        if self.build >= self._next_collection or self._frozen_bytes > _BYTES_PER_COLLECTION:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._next_collection, self._frozen_bytes = self.build + _BUILDS_PER_COLLECTION, 0


def _side(report: Report) -> Side:
    """Return a build of a module as the side of a comparison."""
    flaws = flaws_of(report.analysis.findings)
    return Side(report.label, report.title, 0, report.analysis, flaws=flaws, device_fit=report.device_fit)
