"""Report how a dump and the files beside it agree: agreement is evidence, and a difference is a finding."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.analyse.checks.declaration import counted
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures
from reportgen.analyse.refusal import REFUSED
from reportgen.analyse.results import CheckResult, CheckResults, Finding
from reportgen.analyse.sizes import rounded_by_xla
from reportgen.input.dump_text import Location, Sibling
from reportgen.parse.usage_report import UsageReport, parse_usage_report
from reportgen.program.agreement import Agreement, unread


def compared(figures: Figures, siblings: Sequence[Sibling]) -> CheckResults:
    """Compare a dump with the files next to it; return the evidence, and a finding for each file that differs."""
    results = CheckResults([], [])
    agreements: Mapping[str, Sequence[Agreement]] = {
        **{file.label: tuple(_of_usage_report(figures, file)) for file in siblings if file.kind == "usage report"},
        **figures.program.join.agreements,
    }
    for sibling in siblings:
        rows = agreements.get(sibling.label, ())
        if differences := [words for row in rows for words in row.differences]:
            slug = "sibling-unread" if any(row.is_unread for row in rows) else "sibling-differs"
            results.findings.append(_at(sibling, slug, _words(differences)))
        if words := _age_words(sibling, figures.program.join.label):
            results.findings.append(_at(sibling, "sibling-age", words))
        results.evidence.extend(_evidence(row, sibling) for row in rows)
    return results


def _at(sibling: Sibling, slug: str, words: str) -> Finding:
    """Return a finding at the first line of a file, because no line of the dump is to blame."""
    return replace(finding(slug, f"{sibling.label}: {words}"), location=Location(sibling.label, 1, 1))


def _age_words(sibling: Sibling, joined: str) -> str:
    """Return what the age of a file means; empty where only its agreement with the dump is used."""
    if sibling.label == joined and sibling.age:
        return f"it was written {sibling.age}, so its names and lines may be of other code"
    if sibling.kind in REFUSED and sibling.is_from_before:
        return "it was written before the dump, so it is about an earlier compilation and not used"
    return ""


def _words(differences: Sequence[str]) -> str:
    more = len(differences) - 1
    return f"{differences[0]}{f'; {more:,} more differences' if more > 1 else '; 1 more difference' if more else ''}"


def _evidence(row: Agreement, sibling: Sibling) -> CheckResult:
    slug = "sibling-unread" if row.is_unread else "sibling-differs"
    return CheckResult(
        name=row.name,
        question=row.question,
        exceptions="",
        skipped_because="",
        subject=row.subject,
        looked_at=row.looked_at,
        found=counted([finding(slug, words) for words in row.differences[:1]]),
    )


def _of_usage_report(figures: Figures, sibling: Sibling) -> Iterator[Agreement]:
    """Yield how the dump agrees with a usage report, in one row; a report of an unknown form counts as unread."""
    report = parse_usage_report(sibling.data)
    if report is None:
        yield unread("it is no usage report of a known form")
        return
    yield Agreement(
        name="Usage report",
        question="Has the usage report the same totals and sizes of allocations?",
        subject="figures of the usage report",
        looked_at=len(report.space_bytes) + len(report.rounded_sizes) + (report.total_bytes is not None),
        differences=[*_totals(figures, report), *_rounded(figures, report)],
    )


def _totals(figures: Figures, report: UsageReport) -> Iterator[str]:
    total = sum(allocation.size_bytes for allocation in figures.dump.allocations)
    if report.total_bytes not in (None, total):
        yield f"its total is {report.total_bytes:,} bytes, the dump's allocations add up to {total:,}"
    for color, size in report.space_bytes.items():
        space = figures.spaces.get(color)
        allocated = space.allocated_bytes if space else 0
        if size != allocated:
            yield f"it gives memory space {color} {size:,} bytes, the dump's allocations there add up to {allocated:,}"


def _rounded(figures: Figures, report: UsageReport) -> Iterator[str]:
    sizes = {allocation.index: allocation.size_bytes for allocation in figures.dump.allocations}
    for index, words in report.rounded_sizes.items():
        ours = rounded_by_xla(sizes[index]) if index in sizes else "missing"
        if words != ours:
            yield f"its allocation {index} has {words}; in the dump that is {ours}"
