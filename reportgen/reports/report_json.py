"""Write `report.json`: the figures for programs, the same document as `check --json` prints."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from reportgen.analyse.capacity import Fit
from reportgen.analyse.classes import CLASSES, memory_class
from reportgen.analyse.identity import signature_digest
from reportgen.analyse.records import Share, Space
from reportgen.parse.shape_parser import plain_shape
from reportgen.reports.advice_json import advice_json
from reportgen.reports.report import Report, key_text, peak_by_class

SCHEMA = 1
"""The number that `report.json` states; docs/schemas.md says what raises it."""

LARGEST_SHARES = 20
"""Parts of a space's resident peak that are listed one by one."""
# Escaped because the document is also printed on terminals, and JSON requires it only for the controls of ASCII.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def report_json(modules: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the whole document, modules in order of path.

    Each module is one line, because Python takes twenty times as long to write indented JSON.
    """
    ordered = sorted(modules, key=lambda module: str(module["path"]))
    lines = ",\n".join(json.dumps(module, ensure_ascii=False) for module in ordered)
    text = f'{{"schema": {SCHEMA}, "modules": [\n{lines}\n]}}\n'
    return escape_unprintable(text)


def escape_unprintable(text: str) -> bytes:
    """Return JSON as bytes that are safe to print on a terminal."""
    escaped = _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return escaped.encode("utf-8", "replace")


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
        "schedule_length": dump.schedule_length,
        "total_bytes": dump.total_bytes,
        "unparsed_lines": dump.unparsed_count,
        "xla_peak": xla and {"moment": xla.moment, "sum_bytes": xla.sum_bytes, "reasons": list(xla.reasons)},
        "spaces": {
            str(color): {
                **_space(space, report, known := report.fits.get(color)),
                "advice": advice_json(dump, report.advice[color], known.capacity.origin if known else None),
            }
            for color, space in analysis.spaces.items()
        },
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


def _space(space: Space, report: Report, known: Fit | None) -> dict[str, Any]:
    """Return the figures of a space, and its resident peak by class, by its largest parts, and the sum of the rest."""
    live, temp, resident = space.peak_live, space.peak_temp, space.peak_resident
    by_class = peak_by_class(report.analysis, space)
    return {
        "name": space.name,
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
        "peak_resident_largest": [_share(share, report) for share in space.composition[:LARGEST_SHARES]],
        "peak_resident_other_bytes": sum(share.size_bytes for share in space.composition[LARGEST_SHARES:]),
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
    }
    return part | {"value": key_text(value.key), "shape": plain_shape(value.shape), **names}
