"""Write `compare.json`: a comparison for programs. docs/compare.md describes the document."""

import json
from collections.abc import Sequence
from typing import Any

from reportgen.compare.builds import BuildComparison, ModuleComparison, peak_of
from reportgen.compare.compare_words import grade_counts
from reportgen.compare.figures import FIGURES
from reportgen.compare.graph import Graph
from reportgen.compare.rollups import Grouping, Row, rollup
from reportgen.compare.terms import by_kind, total
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.input.inputs import Inputs, differing_flags
from reportgen.reports.json_lines import escape_unprintable
from reportgen.reports.report_document import GateModule

SCHEMA = 4
"""The number that `compare.json` states; docs/schemas.md says what raises it."""

_ROLLUPS: Sequence[Grouping] = ("scope", "line", "argument", "class")


def compare_json(comparison: BuildComparison, judgement: Judgement, *, matches: bool = False) -> bytes:
    """Return the document; with `matches` it has each pair of values."""
    head = {
        "schema": SCHEMA,
        "before": comparison.before.label,
        "after": comparison.after.label,
        "explains": comparison.explains,
        "verdict": judgement.overall,
        "verdicts": [_verdict(verdict) for verdict in judgement.verdicts],
    }
    modules = (
        _module(module, matches=matches, is_baseline_missing=comparison.before.is_missing)
        for module in comparison.modules
    )
    lines = ",\n".join(json.dumps(module, ensure_ascii=False) for module in modules)
    # The head without its closing brace, which follows the modules.
    text = f'{json.dumps(head, ensure_ascii=False)[:-1]}, "modules": [\n{lines}\n]}}\n'
    return escape_unprintable(text)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    budget = verdict.budget
    return {
        "status": verdict.status,
        "level": verdict.level,
        "message": verdict.message,
        "accepted": verdict.accepted or None,
        "module": verdict.module or None,
        "space": None if verdict.color is None else str(verdict.color),
        "figure": budget.figure if budget else None,
        "before_bytes": verdict.before_bytes,
        "after_bytes": verdict.after_bytes,
        "limit_bytes": verdict.limit_bytes,
    }


def _module(module: ModuleComparison, *, matches: bool, is_baseline_missing: bool) -> dict[str, Any]:
    before, after = module.figures
    colors = sorted({color for one in module.figures if one for color in one.spaces})
    found: dict[str, Any] = {
        "before": before.path if before else None,
        "after": after.path if after else None,
        "name": module.module.name,
        "backend": module.module.backend,
        "status": "no baseline" if is_baseline_missing else module.status,
        "paired_by": module.evidence,
        "alike": module.alike,
        "input": _inputs(*module.inputs) if module.inputs else None,
        "spaces": {str(color): _space(module, color) for color in colors},
    }
    if module.comparison is not None:
        found["recognised"] = grade_counts(module)
        if matches:
            one, other = module.comparison.graphs
            found["matches"] = [
                {"grade": match.grade, "before": _value(one, value), "after": _value(other, match.value)}
                for value, match in enumerate(module.comparison.matching.before)
                if match
            ]
    return found


def _value(graph: Graph, value: int) -> dict[str, str | None]:
    """Return a value with what its report says about its author."""
    labels = graph.labels(value)
    return {
        "value": graph.analysis.dump.values.keys[value],
        "name": labels.name,
        "scope": labels.scope or None,
        "source": labels.line or None,
        "argument": labels.argument or None,
    }


def _inputs(before: Inputs, after: Inputs) -> dict[str, Any]:
    """Return what differs in the input; null if either side lacks the file that would say it."""
    both_programs, both_flags = before.program and after.program, before.flags is not None and after.flags is not None
    return {
        "same_program": before.program == after.program if both_programs else None,
        "differing_flags": differing_flags(before, after) if both_flags else None,
        "same_compiler": (before.changelist == after.changelist if before.changelist and after.changelist else None),
    }


def _space(module: ModuleComparison, color: int) -> dict[str, Any]:
    before, after = module.figures
    figures = [one.spaces.get(color) if one else None for one in module.figures]
    name = next(one.name for one in reversed(figures) if one)
    comparison = module.comparison
    compared = comparison.spaces.get(color) if comparison else None
    return {
        "name": name,
        "before_bytes": peak_of(before, color) if before else None,
        "after_bytes": peak_of(after, color) if after else None,
        "before": _figures(before, color),
        "after": _figures(after, color),
        "place": list(compared.place) if compared and compared.place else None,
        # Also kinds of 0 bytes, which are changes that cancel each other.
        "terms": [
            {"kind": kind, "change_bytes": total(terms), "count": len(terms)}
            for kind, terms in by_kind(compared.terms if compared else ()).items()
        ],
        "rollups": {
            grouping: [_row(row) for row in rollup(comparison, compared, grouping)] if comparison and compared else []
            for grouping in _ROLLUPS
        },
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "label": row.label,
        "depth": row.depth,
        "before_bytes": row.before_bytes,
        "after_bytes": row.after_bytes,
        "increase_bytes": row.increase_bytes,
        "decrease_bytes": row.decrease_bytes,
    }


def _figures(module: GateModule | None, color: int) -> dict[str, int | None] | None:
    space = module.spaces.get(color) if module else None
    return {f"{figure}_bytes": space.figure(figure) for figure in FIGURES} if space else None
