"""Write `report.json`: the figures for programs, the same document as `check --json` prints."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from reportgen.analyse.capacity import Fit
from reportgen.analyse.classes import CLASSES, memory_class
from reportgen.analyse.divided import replicated_bytes
from reportgen.analyse.fit import Misfit
from reportgen.analyse.identity import signature_digest
from reportgen.analyse.logged_errors import LoggedError
from reportgen.analyse.peak_groups import PeakGroup, peak_groups
from reportgen.analyse.records import Share, Space
from reportgen.analyse.sibling_arguments import sibling_arguments
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import lines_of_authors
from reportgen.reports.advice_json import advice_json
from reportgen.reports.division_words import unknown_division
from reportgen.reports.errors_json import error_json, range_json
from reportgen.reports.json_lines import json_line
from reportgen.reports.report import Report, key_text, peak_by_class
from reportgen.reports.summary import Summary

SCHEMA = 1
"""The number that `report.json` states; docs/schemas.md says what raises it."""

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
    found = json_line([error_json(error) for error in errors])
    return b'{"schema": %d, "modules": [\n%b\n], "errors": %b}\n' % (schema, b",\n".join(lines), found)


def module_report(report: Report) -> dict[str, Any]:
    """Return the figures of one module; those that need live ranges are null without them."""
    analysis, dump, xla = report.analysis, report.analysis.dump, report.analysis.xla_peak
    return {
        "path": report.label,
        "name": report.title,
        "backend": analysis.backend,
        "shapes": signature_digest(dump),
        "allocations": len(dump.allocations),
        "values": len(dump.values),
        "live_ranges": len(dump.live_ranges or ()),
        "origin": dump.text.origin,
        "schedule_length": dump.schedule_length,
        "total_bytes": dump.total_bytes,
        "missing_allocations": analysis.missing and analysis.missing.words,
        "is_peak_least": analysis.is_peak_least,
        "unparsed_lines": dump.unparsed_count,
        "xla_peak": xla and {"moment": xla.moment, "sum_bytes": xla.sum_bytes, "reasons": list(xla.reasons)},
        "spaces": {
            str(color): {
                **_space(space, report, known := report.fits.get(color)),
                "advice": advice_json(analysis, report.advice[color], known.capacity.origin if known else None),
            }
            for color, space in analysis.spaces.items()
        },
        "arguments": [
            {
                "name": group.name,
                "shape": group.shape,
                "arrays": group.arrays,
                "bytes": group.size_bytes,
                "donated_bytes": group.donated_bytes,
            }
            for group in sibling_arguments(analysis.program)
        ],
        "devices": _devices(report),
        "refused": _refusal(report.misfit) if report.misfit and report.misfit.is_refused else None,
        "phases": [asdict(phase) | {"passes": list(phase.passes)} for phase in report.phases],
        "checks": [
            {
                "name": result.name,
                "subject": result.subject,
                "looked_at": result.looked_at,
                "exempt": result.skipped_because or None,
                "found": {kind.slug: kind.times for kind in result.found},
            }
            for result in analysis.evidence
        ],
        "findings": [
            {
                "slug": finding.slug,
                "severity": finding.severity,
                "message": finding.message,
                "file": finding.location and finding.location.file,
                "line": finding.location and finding.location.line,
            }
            for finding in analysis.findings
        ],
    }


def _devices(report: Report) -> dict[str, Any] | None:
    """Return how many devices run the program, and what each holds of the largest arguments; null if unknown."""
    count, arguments = report.analysis.program.partitions.devices, report.divided
    if count is None:
        return None
    return {
        "count": count,
        "replicated_bytes": replicated_bytes(arguments),
        "unknown": unknown_division(report) or None,
        "arguments": [
            {
                "name": argument.name,
                "bytes": argument.size_bytes,
                "global_bytes": argument.global_bytes,
                "tiles": list(argument.tiles),
                "copies": argument.copies,
            }
            for argument in arguments[:LARGEST_SHARES]
        ],
    }


def _space(space: Space, report: Report, known: Fit | None) -> dict[str, Any]:
    """Return the figures of a space, and its resident peak by class, by its largest parts, and the sum of the rest."""
    live, temp, resident = space.peak_live, space.peak_temp, space.peak_resident
    by_class = peak_by_class(report.analysis, space)
    return {
        "name": space.name,
        "needed_bytes": space.needed_bytes,
        "allocated_bytes": space.allocated_bytes,
        "static_bytes": space.static_bytes,
        "thread_local_bytes": space.thread_local_bytes,
        "slack_bytes": space.slack_bytes,
        "padding_bytes": space.padding_bytes,
        "peak_live_bytes": live and live.amount,
        "peak_live_moment": live and live.moment,
        "peak_live_ties": live and live.ties,
        "peak_temp_bytes": temp and temp.amount,
        "peak_resident_bytes": resident and resident.amount,
        "peak_resident_moment": resident and resident.moment,
        "attributed": resident and asdict(report.attributed[space.color]),
        "capacity": known
        and {
            "size_bytes": known.capacity.size_bytes,
            "source": known.capacity.source,
            "excess_bytes": known.excess_bytes,
            "first_moment_over": known.first_moment,
        },
        "peak_resident_by_class": {name: by_class[name] for name in CLASSES if by_class[name]},
        "peak_resident_groups": [
            _group(group, report) for group in peak_groups(report.analysis, space)[:_LARGEST_GROUPS]
        ],
        "peak_resident_lines": [
            {"source": group.label, "bytes": group.size_bytes}
            for group in report.source_lines[space.color]
            if group.kind == "named"
        ],
        "peak_resident_largest": [_share(share, report) for share in space.composition[:LARGEST_SHARES]],
        "peak_resident_other_bytes": sum(share.size_bytes for share in space.composition[LARGEST_SHARES:]),
    }


def _refusal(misfit: Misfit) -> dict[str, Any]:
    """Return what the compiler said when it refused the program."""
    return {"space": misfit.space, "needed": range_json(misfit.needed), "usable": range_json(misfit.usable)}


def _group(group: PeakGroup, report: Report) -> dict[str, Any]:
    """Return numbered siblings of one shape; their line is that of the first, as on pages."""
    authors = list(map(report.attribution, group.buffers))
    author = authors[0] if authors else None
    return {
        "bytes": group.size_bytes,
        "buffers": len(group.buffers),
        "name": group.name or None,
        "shape": group.shape or None,
        "class": group.memory_class,
        "reserved": group.is_held,
        "source": (author and author.source) or None,
        "read_first": (author and author.read_first) or None,
        "lines": len(lines_of_authors(authors)),
    }


def _share(share: Share, report: Report) -> dict[str, Any]:
    """Return a part of the resident peak; what belongs to a value is null for bytes that no live value holds."""
    allocation = report.analysis.dump.allocations[share.allocation]
    part: dict[str, Any] = {
        "bytes": share.size_bytes,
        "value": None,
        "shape": None,
        "scope": None,
        "argument": None,
        "source": None,
        "read_first": None,
        "allocation": allocation.index,
        "class": memory_class(allocation),
    }
    if share.value is None:
        return part
    value, found = report.analysis.facts[share.value].value, report.attribution(share.value)
    names = {
        "scope": found.scope_name or None,
        "argument": found.argument or None,
        "source": found.source or None,
        "read_first": found.read_first or None,
    }
    return part | {"value": key_text(value.key), "shape": plain_shape(value.shape), **names}
