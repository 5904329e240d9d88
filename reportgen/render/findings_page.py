"""All findings of a module, what was looked at, and the dump's own lines at each place."""

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.analyse.checks import CHECKS
from reportgen.analyse.records import Finding
from reportgen.render.excerpts import ExcerptLine, excerpt
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.summary import finding_counts
from reportgen.render.templates import render

SHOWN_EXCERPTS = 200

QUESTIONS: Mapping[str, tuple[str, str]] = {
    "check_completeness": ("Completeness", "Is every section there, and is every line of it understood?"),
    "check_allocations": ("Allocations", "Do the allocations add up to XLA’s total, and does each hold its values?"),
    "check_values": (
        "Values",
        "Is each there once, of the size that its layout needs, and in the right memory space?",
    ),
    "check_schedule": ("Schedule", "Is every moment and every instruction there once, as many as the header says?"),
    "check_live_ranges": ("Live ranges", "Does each fit the schedule, the definition of its value and its uses?"),
    "check_sharing": ("Sharing", "Do two values hold the same bytes at the same time, beyond a hand-over?"),
    "check_printed_peak": ("XLA’s peak", "Does XLA’s own procedure give what it prints, and can that be explained?"),
    "check_laws": ("Laws", "Is live ≤ resident ≤ allocated − thread-local, and do the parts of each peak add up?"),
}
"""What each check asks, by the name of its function."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A finding with the lines of the dump around its place."""

    finding: Finding
    lines: list[ExcerptLine]


def findings_page(module: Module, site_title: str) -> Page:
    links, path, analysis = Links(module, 0), module.routes.listing("findings"), module.analysis
    placed = [finding for finding in analysis.findings if finding.location]
    content = render(
        "findings.html",
        path,
        tab="findings.html",
        site_title=site_title,
        module=module,
        links=links,
        findings=analysis.findings,
        finding_counts=finding_counts(analysis),
        questions=[QUESTIONS[check.__name__] for check in CHECKS],
        quotes=[_quoted(module, finding) for finding in placed[:SHOWN_EXCERPTS]],
        more_quotes=max(0, len(placed) - SHOWN_EXCERPTS),
    )
    return Page(path, content)


def _quoted(module: Module, finding: Finding) -> Quoted:
    return Quoted(finding, [] if finding.place is None else excerpt(module, finding.place))
