"""Write `compare.json`: a comparison for programs. docs/compare.md describes the document."""

from dataclasses import fields

from reportgen.compare.builds import BuildComparison, ModuleComparison, peak_of
from reportgen.compare.compare_document import (
    SCHEMA,
    ComparedModule,
    CompareDocument,
    ComparedSpace,
    ComparedWork,
    StatedVerdict,
    StepOfDifference,
)
from reportgen.compare.scope_changes import scope_changes
from reportgen.compare.terms import by_kind, total
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.document import encoded
from reportgen.reports.json_lines import escape_unprintable
from reportgen.reports.report_document import BudgetFigures, GateSpace


def compare_json(comparison: BuildComparison, judgement: Judgement) -> bytes:
    """Return the document."""
    document = CompareDocument(
        schema=SCHEMA,
        before=comparison.before.label,
        after=comparison.after.label,
        explains=comparison.explains,
        verdict=judgement.overall,
        verdicts=tuple(map(_verdict, judgement.verdicts)),
        modules=(),
    )
    modules = (_module(module, is_baseline_missing=comparison.before.is_missing) for module in comparison.modules)
    lines = ",\n".join(map(encoded, modules))
    # The document has no modules yet, so it ends with an empty list; each module gets a line there.
    return escape_unprintable(f"{encoded(document).removesuffix(']}')}\n{lines}\n]}}\n")


def _verdict(verdict: Verdict) -> StatedVerdict:
    """Return a verdict as the document states it, with null for what it is not about."""
    return StatedVerdict(
        status=verdict.status,
        level=verdict.level,
        message=verdict.message,
        accepted=verdict.accepted or None,
        module=verdict.module or None,
        space=None if verdict.color is None else str(verdict.color),
        figure=verdict.budget.figure if verdict.budget and verdict.budget.figure != "recomputed" else None,
        before_bytes=verdict.before_bytes,
        after_bytes=verdict.after_bytes,
        limit_bytes=verdict.limit_bytes,
    )


def _module(module: ModuleComparison, *, is_baseline_missing: bool) -> ComparedModule:
    """Return a module as the document states it."""
    before, after = module.figures
    colors = sorted({color for side in module.figures if side for color in side.spaces})
    return ComparedModule(
        before=before.path if before else None,
        after=after.path if after else None,
        name=module.module.name,
        backend=module.module.backend,
        status="no baseline" if is_baseline_missing else module.status,
        paired_by=module.paired_by,
        alike=module.alike,
        input=module.input_difference,
        spaces={color: _space(module, color) for color in colors},
        work=ComparedWork(before=before.work if before else None, after=after.work if after else None),
        recognised=module.comparison.matching.grades if module.comparison else None,
    )


def _space(module: ModuleComparison, color: int) -> ComparedSpace:
    """Return a memory space of either side, with the steps between both peaks."""
    before, after = module.figures
    spaces = [side.spaces.get(color) if side else None for side in module.figures]
    comparison = module.comparison
    compared = comparison.spaces.get(color) if comparison else None
    return ComparedSpace(
        name=next(space.name for space in reversed(spaces) if space),
        before_bytes=peak_of(before, color) if before else None,
        after_bytes=peak_of(after, color) if after else None,
        before=_figures(spaces[0]),
        after=_figures(spaces[1]),
        place=compared.place if compared else None,
        # Also kinds of 0 bytes, which are changes that cancel each other.
        terms=tuple(
            StepOfDifference(kind=kind, change_bytes=total(terms), count=len(terms))
            for kind, terms in by_kind(compared.terms if compared else ()).items()
        ),
        scopes=scope_changes(comparison, compared) if comparison and compared else (),
    )


def _figures(space: GateSpace | None) -> BudgetFigures | None:
    """Return the figures of a space without its name."""
    return space and BudgetFigures(
        **{declared.name: getattr(space, declared.name) for declared in fields(BudgetFigures)}
    )
