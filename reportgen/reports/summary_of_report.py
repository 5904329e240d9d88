"""Summarise the report of a module.

An unchanged build only reads summaries, so the record is apart from the analysis that fills it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.advice.advise import Advice
from reportgen.advice.fitting import least_capacity
from reportgen.analyse.classes import MemoryClass
from reportgen.analyse.contested import certainty
from reportgen.analyse.devices import HOST_SPACE, MAIN_SPACE
from reportgen.analyse.divided import replicated_bytes
from reportgen.analyse.phases import Phase, label
from reportgen.analyse.records import Analysis
from reportgen.analyse.results import SEVERITY_ORDER, Severity
from reportgen.analyse.spaces import main_space
from reportgen.record import record
from reportgen.reports.advice_words import (
    advice_sentence,
    capacity_words,
    card_words,
    first_suggestion,
    needed_words,
    saving_words,
)
from reportgen.reports.formats import capital, counted, human_bytes
from reportgen.reports.report import Report, needed_by_class, peak_by_class, unknown_division
from reportgen.reports.source_words import filled_words, line_words
from reportgen.reports.summary import FirstSuggestion, LargestLine, Summary

if TYPE_CHECKING:
    from reportgen.reports.report_document import ModuleFigures


def summary(report: Report, *, with_report: bool = True) -> Summary:
    """Return the summary of a module.

    Its part of report.json, the lines that fill it and what to do first are only there `with_report`.
    """
    analysis = report.analysis
    space = main_space(analysis.spaces)
    peak = space.peak_resident if space else None
    known = report.fits.get(space.color) if space else None
    advice = report.advice.get(MAIN_SPACE)
    refused = report.device_fit.refused
    is_elsewhere = refused is not None and refused.space != "hbm"
    figures: ModuleFigures | bytes = b""
    if with_report:
        # Imported here, because a check that only prints lines has no figures.
        from reportgen.reports.module_figures import module_figures

        figures = module_figures(report)
    sizes = peak_by_class(analysis, space) if space else Counter[MemoryClass]()
    if space and not peak:
        sizes = needed_by_class(analysis, space)
    return Summary(
        label=report.label,
        title=report.title,
        backend=analysis.backend,
        space_name=f"{space.color} · {space.name}" if space else "–",
        peak_resident_bytes=peak.amount if peak else None,
        needed_bytes=space.needed_bytes if space else 0,
        finding_counts=finding_counts(analysis),
        argument_bytes=sizes["parameter"],
        output_bytes=sizes["output"],
        capacity_bytes=known.capacity.size_bytes if known else None,
        device=known.capacity.device if known else "",
        fits=report.device_fit.fits_device,
        is_refused=refused is not None,
        certainty=certainty(analysis, space),
        findings=analysis.findings,
        report=figures,
        first_suggestion="" if is_elsewhere else advice_sentence(advice),
        filled=filled_words(report) if with_report else "",
        capacity=capacity_words(known, advice.capacity if advice else None) if known else "",
        is_peak_least=analysis.is_peak_least,
        phases=phase_words(report.phases),
        devices=device_words(report),
        host_bytes=host.needed_bytes if (host := analysis.spaces.get(HOST_SPACE)) else 0,
        to_do_first=_to_do_first(advice) if advice and with_report and not is_elsewhere else None,
    )


def phase_words(phases: Sequence[Phase]) -> str:
    """Return the passes of a gradient and their loops with the moments and the peak of each; empty for one phase."""
    named = ((phase, f" at {phase.name}" if phase.name else "") for phase in phases if len(phases) > 1)
    return "; ".join(
        f"{label(phase.kind, phase.passes)}{at} {phase.first:,}–{phase.last:,}: {human_bytes(phase.peak_bytes)}"
        for phase, at in named
    )


def device_words(report: Report) -> str:
    """Return how many devices run a program, and what each holds whole; empty for one."""
    now = report.analysis.program.partitions.devices or 1
    held = f"each holds {human_bytes(replicated_bytes(report.divided))} of replicated arguments"
    return f"{now:,}; {unknown_division(report) or held}" if now > 1 else ""


def _to_do_first(advice: Advice) -> FirstSuggestion | None:
    """Return the first suggestion that saves something or, where only several make the program fit, these as one."""
    suggestion = first_suggestion(advice)
    if suggestion is None or saving_words(suggestion) == "saves nothing":
        return None
    several = advice.combined[: advice.capacity.combined_to_fit] if advice.capacity else ()
    if len(several) > 1:
        last = several[-1]
        what = capital(", then ".join(part.what for part in several))
        return FirstSuggestion(
            what=what, saving=f"new total {needed_words(last)}", fits_from_bytes=least_capacity(last)
        )
    saving = saving_words(suggestion)
    if not suggestion.is_computed:
        saving += "; saving unknown"
    fits_from = least_capacity(suggestion) if suggestion.is_computed else None
    what, line = card_words(suggestion)
    return FirstSuggestion(
        what=what, place=line, saving=saving, fits_from_bytes=fits_from, is_smaller_batch=suggestion.kind == "batch"
    )


def summary_for_site(
    report: Report, content_digest: str, largest_lines: tuple[LargestLine, ...], href: Callable[[str], str]
) -> Summary:
    """Return the summary with what only a site needs; `href` is that of a line."""
    found = summary(report)
    first = found.to_do_first
    return replace(
        found,
        report=found.report_line,
        to_do_first=first and replace(first, place=line_words(first.place), href=first.place and href(first.place)),
        largest_lines=largest_lines,
        content_digest=content_digest,
        source_files=report.source_files,
        op_names=len({stated.op_name for stated in report.analysis.program.stated.values()} - {""}),
    )


@record(kw_only=False)
class Badge:
    """How much of a dump was checked, in words; `look` is the worst severity found, notes aside, or "sound"."""

    look: str
    words: str

    def __str__(self) -> str:
        return self.words


def badge_of(analysis: Analysis) -> Badge:
    """Return the badge of a module, of the checks that had anything to check."""
    checks = sum(result.looked_at > 0 for result in analysis.evidence)
    # Checks of one subject look at the same objects, which count once.
    objects = sum({result.subject: result.looked_at for result in analysis.evidence if result.looked_at}.values())
    found = [(severity, count) for severity, count in finding_counts(analysis) if severity != "note"]
    problems = ["no error"] * ("error" not in dict(found)) + [counted(count, severity) for severity, count in found]
    words = ", ".join((counted(checks, "check"), counted(objects, "object"), *problems))
    return Badge(found[0][0] if found else "sound", words)


def finding_counts(analysis: Analysis) -> tuple[tuple[Severity, int], ...]:
    """Return the number of findings of each severity that occurs, the worst first; unlisted ones count too."""
    counts: Counter[Severity] = Counter()
    for result in analysis.evidence:
        for kind in result.found:
            counts[kind.severity] += kind.times
    return tuple((severity, counts[severity]) for severity in SEVERITY_ORDER if counts[severity])
