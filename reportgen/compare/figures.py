"""The figures of a module as budgets and baselines see them, from an analysis or from a summary."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Literal, get_args

from reportgen.analyse.contested import certainty
from reportgen.analyse.decompose import by_source_line
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import Fit
from reportgen.analyse.identity import signature_digest
from reportgen.analyse.matmul_work import WorkFigures
from reportgen.analyse.records import Analysis, Measured, Space
from reportgen.analyse.results import Finding
from reportgen.analyse.sibling_arguments import sibling_arguments
from reportgen.compare.module_pairing import Side
from reportgen.reports.module_figures import capacity_figures
from reportgen.reports.report_document import (
    GateModule,
    GateSpace,
    LineBytes,
    ListedFinding,
    first_flaws,
    listed_finding,
)
from reportgen.reports.summary import Summary

Figure = Literal["peak_resident", "needed", "allocated", "static", "peak_temp", "padding", "slack"]
"""A figure of a memory space that a budget can hold."""
FIGURES: tuple[Figure, ...] = get_args(Figure)


def _space_figures(analysis: Measured, space: Space, fit: Fit | None) -> GateSpace:
    """Return the figures of an analysed space, with the capacity that is known of it."""
    resident, temp = space.peak_resident, space.peak_temp
    return GateSpace(
        name=space.name,
        certainty=certainty(analysis, space) if isinstance(analysis, Analysis) else "exact",
        capacity=capacity_figures(fit) if fit else None,
        peak_resident_bytes=resident.amount if resident else None,
        needed_bytes=space.needed_bytes,
        allocated_bytes=space.allocated_bytes,
        static_bytes=space.static_bytes,
        peak_temp_bytes=temp.amount if temp else None,
        padding_bytes=space.padding_bytes,
        slack_bytes=space.slack_bytes,
    )


def gate_module(entry: Summary) -> GateModule:
    """Return the figures of a summarised module."""
    return entry.figures


def figures_of_side(side: Side) -> GateModule:
    """Return the figures of a module that was read from its dump."""
    return GateModule(
        path=side.label,
        name=side.name,
        backend=side.backend,
        shapes=signature_digest(side.analysis.dump),
        findings=side.flaws,
        spaces={
            color: _space_figures(side.analysis, space, side.device_fit.fits.get(color))
            for color, space in side.analysis.spaces.items()
        },
        missing_allocations=side.analysis.missing.words if side.analysis.missing else None,
        arguments=tuple(sibling_arguments(side.analysis.program)),
        refused=side.device_fit.refusal,
        checks=(),
        # Without the places of the work, which name parts of a program.
        work=WorkFigures(**{field.name: getattr(side.analysis.work, field.name) for field in fields(WorkFigures)}),
    )


def figures_with_lines(side: Side) -> GateModule:
    """Return the figures of a module, and the source lines of the peak of its main memory space."""
    module = figures_of_side(side)
    analysis, space = side.analysis, side.analysis.spaces.get(MAIN_SPACE)
    if space is None or not isinstance(analysis, Analysis):
        return module
    lines = tuple(
        LineBytes(source=group.label, size_bytes=group.size_bytes)
        for group in by_source_line(analysis, space)
        if group.kind == "named"
    )
    own = replace(module.spaces[MAIN_SPACE], peak_resident_lines=lines)
    return replace(module, spaces={**module.spaces, MAIN_SPACE: own})


def flaws_of(findings: Iterable[Finding]) -> tuple[ListedFinding, ...]:
    """Return the first error and the first warning of an analysis, as far as there are any."""
    return first_flaws(map(listed_finding, findings))
