"""Keep the parts of report.json out of the manifest, which names each by a digest of its line there.

They are two thirds of what a build keeps for the next one, and report.json has them anyway.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reportgen.reports.json_lines import json_line, module_lines
from reportgen.work import Part

REPORT_FILE = "report.json"


def without_reports(parts: Mapping[str, Part]) -> dict[str, Part]:
    """Return the parts as the manifest has them: a digest in the place of each module's part of report.json."""
    return {name: _changed(part, lambda report: _digest(json_line(report))) for name, part in parts.items()}


def with_reports(parts: Mapping[str, Part], document: bytes) -> dict[str, Part]:
    """Return the parts of a manifest with those of report.json.

    A part whose line is missing has no outcome, so the next build analyses its dump again.
    """
    lines = {_digest(line): line for line in module_lines(document)}
    return {name: _changed(part, lambda digest: json.loads(lines[digest])) for name, part in parts.items()}


def _changed(part: Part, change: Any) -> Part:
    """Return a part with another report in its summary, if it has one."""
    try:
        summary = part.outcome["summary"]
        report = summary["report"]
    except (KeyError, TypeError):  # the pages that belong to no dump, and what another program has written
        return part
    try:
        return replace(part, outcome={**part.outcome, "summary": {**summary, "report": change(report)}})
    except (KeyError, TypeError, ValueError, RecursionError):
        return replace(part, outcome=None)


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:32]
