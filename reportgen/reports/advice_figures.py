"""The advice for a memory space in `report.json`."""

from collections.abc import Sequence
from typing import Any

from reportgen.advice.advice_records import CombinedFigures, Suggestion, SuggestionFigures
from reportgen.advice.advise import Advice
from reportgen.advice.similar_buffers import SimilarBuffers
from reportgen.analyse.devices import Origin
from reportgen.analyse.records import Analysis
from reportgen.model import Dump
from reportgen.program.author import lines_of_authors
from reportgen.reports.report_document import ADVICE_SCHEMA, AdviceFigures, BatchFigures, GroupFigures

_MOST_VALUES = 500


def advice_figures(analysis: Analysis, advice: Advice, origin: Origin | None = None) -> AdviceFigures | None:
    """Return the advice of one space; None where it is withheld. `origin` is that of the capacity."""
    if advice.withheld or advice.peak is None or advice.breakdown is None:
        return None
    dump, capacity, half_bytes = analysis.dump, advice.capacity, advice.half_batch_bytes
    factor = capacity.fits_factor if capacity else None
    return AdviceFigures(
        schema=ADVICE_SCHEMA,
        contested_bytes=advice.contested_bytes,
        capacity_bytes=capacity.size_bytes if capacity else None,
        capacity_source=origin if capacity else None,
        verdict=capacity.verdict if capacity else None,
        excess_bytes=capacity.excess_bytes if capacity else None,
        breakdown=advice.breakdown,
        batch=None if half_bytes is None else BatchFigures(fits_factor=factor, half_bytes=half_bytes),
        suggestions=tuple(_suggestion(analysis, suggestion) for suggestion in advice.suggestions),
        best=tuple(advice.suggestions.index(suggestion) for suggestion in advice.best),
        combined=tuple(CombinedFigures(**_combined(suggestion)) for suggestion in advice.combined),
        combined_to_fit=capacity.combined_to_fit if capacity and capacity.excess_bytes else None,
        groups=tuple(_group(dump, group) for group in advice.groups),
        arguments=advice.arguments,
        fewest_devices=capacity.devices if capacity else None,
    )


def _suggestion(analysis: Analysis, suggestion: Suggestion) -> SuggestionFigures:
    """Return the figures of one suggestion, with its first values by their keys."""
    return SuggestionFigures(
        **_combined(suggestion),
        argument_names=suggestion.argument_names,
        values=_values(analysis.dump, suggestion.buffers),
        value_count=len(suggestion.buffers),
        lines=tuple(lines_of_authors(map(analysis.authors.of, suggestion.buffers))),
        involved_bytes=suggestion.involved_bytes,
        saving_bytes=suggestion.saving_bytes if suggestion.is_computed else None,
        saving_high_bytes=suggestion.saving_high_bytes,
        scratch_bytes=suggestion.scratch_bytes,
        conflict_bytes=suggestion.conflict_bytes,
        conflicts=suggestion.conflicts,
        reason=suggestion.reason or None,
        caveat=suggestion.caveat,
        code=suggestion.code or None,
        code_lines=suggestion.code_lines,
    )


def _combined(suggestion: Suggestion) -> dict[str, Any]:
    """Return the fields that a suggestion has on its own and combined with others."""
    return {
        "kind": suggestion.kind,
        "confidence": suggestion.confidence,
        "what": suggestion.what,
        "after": suggestion.after,
        "peak_bytes": suggestion.peak_bytes,
        "peak_low_bytes": None if suggestion.saving_high_bytes is None else suggestion.least_peak_bytes,
        "needed_bytes": suggestion.needed_bytes,
        "next_moment": suggestion.outcome.moment,
        "next_largest": suggestion.next_largest or None,
        "added_flops": suggestion.added_flops,
    }


def _values(dump: Dump, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(dump.values.keys[number] for number in numbers[:_MOST_VALUES])


def _group(dump: Dump, group: SimilarBuffers) -> GroupFigures:
    """Return the figures of a group of similar buffers, and the peak without them."""
    element_type, _, dimensions = group.shape.partition("[")
    return GroupFigures(
        op=group.op_name,
        type=element_type,
        dims=dimensions.rstrip("]"),
        values=_values(dump, group.buffers),
        value_count=len(group.buffers),
        size_bytes=group.held_bytes,
        peak_without_bytes=group.gone.peak_bytes,
        peak_freed_bytes=group.not_idle.peak_bytes,
        next_moment=group.gone.moment,
    )
