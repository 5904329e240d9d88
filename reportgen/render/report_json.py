"""`report.json`: the figures for programs, the same document as `check --json` prints."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from reportgen.analyse.judgements import CheckResult, Finding
from reportgen.analyse.records import Analysis, Space

SCHEMA = 1
# The document is printed on terminals, too, and JSON only asks for the controls of ASCII to be escaped.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def report_json(modules: Iterable[Mapping[str, Any]]) -> bytes:
    """The whole document, a line for each module, by path: what is indented takes Python twenty times as long."""
    ordered = sorted(modules, key=lambda module: str(module["path"]))
    lines = ",\n".join(json.dumps(module, ensure_ascii=False) for module in ordered)
    text = f'{{"schema": {SCHEMA}, "modules": [\n{lines}\n]}}\n'
    return _UNPRINTABLE.sub(_escaped, text).encode("utf-8", "replace")


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def module_report(path: str, name: str, analysis: Analysis) -> dict[str, Any]:
    """One module; what needs live ranges is null without them."""
    dump, xla = analysis.dump, analysis.xla_peak
    return {
        "path": path,
        "name": name,
        "backend": analysis.backend,
        "allocations": len(dump.allocations),
        "values": len(dump.values),
        "live_ranges": len(dump.live_ranges or ()),
        "schedule_length": dump.schedule_length,
        "total_bytes": dump.total_bytes,
        "unparsed_lines": dump.unparsed_count,
        "xla_peak": xla and {"moment": xla.moment, "sum_bytes": xla.sum_bytes, "reasons": list(xla.reasons)},
        "spaces": {str(color): _space(space) for color, space in analysis.spaces.items()},
        "checks": [_check(result) for result in analysis.evidence],
        "findings": [_finding(finding) for finding in analysis.findings],
    }


def _space(space: Space) -> dict[str, Any]:
    live, temp, resident = space.peak_live, space.peak_temp, space.peak_resident
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
    }


def _check(result: CheckResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "subject": result.subject,
        "looked_at": result.looked_at,
        "exempt": result.exempt or None,
        "found": {kind.slug: kind.times for kind in result.found},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.location
    return {
        "slug": finding.slug,
        "severity": finding.severity,
        "message": finding.message,
        "file": place and place.file,
        "line": place and place.line,
    }
