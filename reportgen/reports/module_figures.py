"""Write `report.json`: the figures for programs, the same document as `check --json` prints."""

from collections.abc import Iterable

from reportgen.analyse.classes import CLASSES
from reportgen.analyse.contested import certainty
from reportgen.analyse.divided import replicated_bytes
from reportgen.analyse.fit import Fit
from reportgen.analyse.identity import signature_digest
from reportgen.analyse.logged_errors import LoggedError
from reportgen.analyse.records import Space
from reportgen.analyse.results import CheckResult
from reportgen.analyse.sibling_arguments import sibling_arguments
from reportgen.reports.advice_figures import advice_figures
from reportgen.reports.division_words import unknown_division
from reportgen.reports.error_figures import error_figures
from reportgen.reports.json_lines import json_line
from reportgen.reports.line_bytes import peak_lines
from reportgen.reports.peak_table import peak_buffers, peak_part
from reportgen.reports.report import Report, peak_by_class
from reportgen.reports.report_document import (
    SCHEMA,
    CapacityFigures,
    CheckFigures,
    DevicesFigures,
    ModuleFigures,
    SpaceFigures,
    listed_finding,
)
from reportgen.reports.summary import Summary

LARGEST_SHARES = 20
"""Parts of a space's resident peak that are listed one by one."""
_LARGEST_GROUPS = 10


def report_json(summaries: Iterable[Summary], errors: Iterable[LoggedError] = ()) -> bytes:
    """Return the whole document: modules in order of path, and the errors in texts in the order of these.

    Each module is one line, because Python takes twenty times as long to write indented JSON.
    """
    ordered = sorted(summaries, key=lambda entry: entry.label)
    return json_document(SCHEMA, (entry.report_line for entry in ordered), errors)


def json_document(schema: int, lines: Iterable[bytes], errors: Iterable[LoggedError]) -> bytes:
    """Return a document with a line for each module, and the errors in texts."""
    stated = json_line([error_figures(error) for error in errors])
    return b'{"schema": %d, "modules": [\n%b\n], "errors": %b}\n' % (schema, b",\n".join(lines), stated)


def module_figures(report: Report) -> ModuleFigures:
    """Return the figures of one module; those that need live ranges are None without them."""
    analysis, dump = report.analysis, report.analysis.dump
    return ModuleFigures(
        path=report.label,
        name=report.title,
        backend=analysis.backend,
        shapes=signature_digest(dump),
        allocations=len(dump.allocations),
        values=len(dump.values),
        live_ranges=len(dump.live_ranges or ()),
        origin=dump.text.origin,
        schedule_length=dump.schedule_length,
        total_bytes=dump.total_bytes,
        missing_allocations=analysis.missing.words if analysis.missing else None,
        is_peak_least=analysis.is_peak_least,
        unparsed_lines=dump.unparsed_count,
        xla_peak=analysis.xla_peak,
        spaces={color: _space(space, report, report.fits.get(color)) for color, space in analysis.spaces.items()},
        arguments=tuple(sibling_arguments(analysis.program)),
        devices=_devices(report),
        refused=report.device_fit.refusal,
        work=analysis.work,
        phases=tuple(report.phases),
        checks=tuple(map(_check, analysis.evidence)),
        findings=tuple(map(listed_finding, analysis.findings)),
    )


def _check(result: CheckResult) -> CheckFigures:
    return CheckFigures(
        name=result.name,
        subject=result.subject,
        looked_at=result.looked_at,
        exempt=result.skipped_because or None,
        found={kind.slug: kind.times for kind in result.found},
    )


def _devices(report: Report) -> DevicesFigures | None:
    """Return how many devices run the program, and what each holds of the largest arguments; None if unknown."""
    count, arguments = report.analysis.program.partitions.devices, report.divided
    if count is None:
        return None
    return DevicesFigures(
        count=count,
        replicated_bytes=replicated_bytes(arguments),
        unknown=unknown_division(report) or None,
        arguments=tuple(arguments[:LARGEST_SHARES]),
    )


def _space(space: Space, report: Report, fit: Fit | None) -> SpaceFigures:
    """Return the figures of a space, and its resident peak by class, by its largest parts, and the sum of the rest."""
    live, temp, resident = space.peak_live, space.peak_temp, space.peak_resident
    by_class, advice = peak_by_class(report.analysis, space), report.advice[space.color]
    return SpaceFigures(
        name=space.name,
        needed_bytes=space.needed_bytes,
        allocated_bytes=space.allocated_bytes,
        static_bytes=space.static_bytes,
        thread_local_bytes=space.thread_local_bytes,
        slack_bytes=space.slack_bytes,
        padding_bytes=space.padding_bytes,
        peak_live_bytes=live.amount if live else None,
        peak_live_moment=live.moment if live else None,
        peak_live_ties=live.ties if live else None,
        peak_temp_bytes=temp.amount if temp else None,
        peak_resident_bytes=resident.amount if resident else None,
        peak_resident_moment=resident.moment if resident else None,
        attributed=report.attributed[space.color] if resident else None,
        certainty=certainty(report.analysis, space),
        capacity=capacity_figures(fit) if fit else None,
        peak_resident_by_class={name: by_class[name] for name in CLASSES if by_class[name]},
        peak_resident_groups=tuple(
            peak_buffers(report, group) for group in report.peak_groups[space.color][:_LARGEST_GROUPS]
        ),
        peak_resident_lines=tuple(peak_lines(report, space)),
        peak_resident_largest=tuple(peak_part(report, share) for share in space.composition[:LARGEST_SHARES]),
        peak_resident_other_bytes=sum(share.size_bytes for share in space.composition[LARGEST_SHARES:]),
        advice=advice_figures(report.analysis, advice, fit.capacity.origin if fit else None),
        advice_withheld=advice.withheld or None,
    )


def capacity_figures(fit: Fit) -> CapacityFigures:
    """Return a capacity next to what is needed as a report states it."""
    return CapacityFigures(
        size_bytes=fit.capacity.size_bytes,
        source=fit.capacity.source,
        excess_bytes=fit.excess_bytes,
        fits=fit.fits,
        first_moment_over=fit.first_moment,
    )
