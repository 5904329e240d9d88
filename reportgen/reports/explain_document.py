"""The few facts that answer why a module needs its memory, for a terminal, Markdown, JSON and Python.

All of them are in the module's part of `report.json`; this room only chooses, so that no two answers differ.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from reportgen.analyse.devices import MAIN_SPACE, capacity_example
from reportgen.analyse.findings import OF_MISSING
from reportgen.analyse.fit import Refusal
from reportgen.analyse.logged_errors import LoggedError
from reportgen.document import document
from reportgen.reports.formats import (
    capital,
    human_bytes,
    least_words,
    logged_bytes,
    need_and_capacity,
    percent,
    range_words,
)
from reportgen.reports.json_lines import json_line
from reportgen.reports.module_figures import json_document
from reportgen.reports.peak_table import PeakBuffers
from reportgen.reports.report_document import (
    ErrorFigures,
    ModuleFigures,
)
from reportgen.reports.summary import Summary
from reportgen.reports.work_words import recomputed_words

SCHEMA: Literal[3] = 3
"""The number that `explain --json` states; docs/schemas.md says what raises it."""

_LARGEST = 5
_SMALL = 100  # as a part of the peak: fewer bytes without a name are not worth a sentence
_RUNTIME = "Not included: code, other programs, the runtime's own memory."


@document()
class Sentences:
    """What is said of a module and its memory."""

    space: str
    """The memory space that is explained, as it is called in the figures; empty for a module that needs nothing."""
    fits: bool | None
    """Whether the module fits its device; null if it is not known what the device has."""
    verdict: str
    """Whether the module fits, in a sentence, and what could make it."""
    first_suggestion: str
    """What to do first; empty if nothing would lower the peak."""
    devices: str
    """How many devices run it, and what each holds whole; empty for one."""
    filled: str
    """The lines that fill the peak, or how to learn it."""
    recomputed: str
    """What is computed again to need less memory, and how much of the matrix work that is; empty for nothing."""
    unknown: tuple[str, ...]
    """A sentence on each thing that the dump does not say."""


@document()
class ExplainedModule:
    """A module, in sentences and in figures."""

    sentences: Sentences
    """What is said of it."""
    figures: ModuleFigures
    """Its part of `report.json`."""

    @property
    def largest(self) -> tuple[PeakBuffers, ...]:
        """The largest groups of the peak; empty without live ranges."""
        space = self.figures.main_space
        return space.peak_resident_groups[:_LARGEST] if space else ()


@document()
class ExplainDocument:
    """What `explain --json` prints."""

    schema: Literal[3]
    """The number of this schema."""
    modules: tuple[ExplainedModule, ...]
    """The modules, those that need most first."""
    errors: tuple[ErrorFigures, ...]
    """The out-of-memory errors in texts, in the order of the texts."""


def explained(entry: Summary) -> ExplainedModule:
    """Return the explanation of a module."""
    figures = entry.figures
    space = figures.main_space
    return ExplainedModule(
        figures=figures,
        sentences=Sentences(
            space=space.name if space else "",
            fits=entry.fits,
            verdict=_verdict(entry, figures),
            first_suggestion=entry.first_suggestion,
            devices=entry.devices,
            filled=entry.filled,
            recomputed=recomputed_words(figures.work, fits=entry.fits),
            unknown=tuple(_unknown(entry, figures)),
        ),
    )


def explain_json(entries: Iterable[Summary], errors: Iterable[LoggedError]) -> bytes:
    """Return the document of `explain --json`: the modules in the order given, and the errors of texts."""
    return json_document(SCHEMA, map(json_line, map(explained, entries)), errors)


def _verdict(entry: Summary, figures: ModuleFigures) -> str:
    """Return in one sentence whether a module fits, and what could make it."""
    if entry.is_refused and figures.refused:
        return f"The compiler refused this program{_refusal_words(entry, figures.refused)}."
    over = [space for space in figures.spaces.values() if space.capacity and space.capacity.fits is False]
    if over and over[0] is not figures.main_space:
        needed, most = need_and_capacity(over[0].needed_bytes, over[0].certainty, over[0].capacity_bytes or 0)
        return f"Does not fit: needs {needed} of {over[0].name}, which has {most}."
    if entry.capacity and (entry.fits is None or figures.refused):
        return f"{capital(entry.capacity)}."
    if entry.capacity:
        verdict = "Fits" if entry.fits else "Does not fit"
        return f"{verdict}: {entry.capacity}."
    # As XLA prints it, so that who has only its total finds that here.
    needed = least_words(entry.needed_bytes, entry.certainty, logged_bytes)
    return f"Needs {needed}{_kinds_words(entry, figures)}. Whether that fits is unknown."


def _kinds_words(entry: Summary, figures: ModuleFigures) -> str:
    """Return how much of the need are temporaries, for a dump without live ranges, which has no peak to take apart."""
    space = figures.main_space
    if entry.peak_resident_bytes is not None or not space or entry.certainty != "exact":
        return ""
    temporary = human_bytes(space.needed_bytes - space.static_bytes)
    return f": temporaries {temporary}, arguments, outputs and constants {human_bytes(space.static_bytes)}"


def _refusal_words(entry: Summary, refused: Refusal) -> str:
    if (entry.excess_bytes or 0) > 0:
        return f": it {entry.capacity}"
    sizes = ((refused.needed, "needed"), (refused.usable, "usable"))
    words = [f"{range_words(size)} {name}" for size, name in sizes if size]
    return f": {', '.join(words)} of {refused.space.upper()}" if words else ""


def _unknown(entry: Summary, figures: ModuleFigures) -> Sequence[str]:
    """Return a sentence on each thing that the dump does not say."""
    space, advised = figures.main_space, figures.spaces.get(MAIN_SPACE)
    peak, attributed = entry.peak_resident_bytes, space.attributed if space else None
    errors = dict(entry.finding_counts).get("error", 0)
    if figures.missing_allocations:  # which is said above
        errors -= sum(finding.slug in OF_MISSING for finding in entry.findings)
    unnamed = attributed.unnamed_bytes(peak) if peak and attributed else 0
    withheld = (advised.advice_withheld or "") if advised else ""
    doubt = figures.advice.contested_bytes if figures.advice else 0
    where = f", in at most {human_bytes(doubt)} of this memory" if doubt else ""
    of_peak = f"{human_bytes(unnamed)} ({percent(unnamed, peak or 0)}) of the peak"
    sentences = {
        "What is resident when: the dump has no live ranges, so peak, phases and suggestions are unknown.": peak
        is None,
        "When values are live: half of the ranges rebuilt from a trace are XLA's.": figures.origin == "trace",
        f"To check the fit, add --capacity {capacity_example(figures.backend)}.": not entry.capacity,
        f"What would lower the peak: {withheld}": bool(withheld) and peak is not None,
        f"What {of_peak} belongs to in the program.": unnamed * _SMALL > (peak or 0),
        entry.filled: bool(peak and not (space and space.peak_resident_lines)),
        f"Whether the figures are right: the dump contradicts itself ({errors:,} times{where}); see `check`.": bool(
            errors
        ),
        f"What XLA recomputes: {figures.work.reason}.": figures.work.again_by_xla is None,
        _RUNTIME: True,
    }
    return [sentence for sentence, applies in sentences.items() if applies]
