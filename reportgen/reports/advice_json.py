"""The advice for a memory space in `report.json`."""

from collections.abc import Sequence

from reportgen.advice.advice_records import Advice, Move
from reportgen.advice.families import Family
from reportgen.analyse.devices import Origin
from reportgen.analyse.records import Analysis
from reportgen.model import Dump
from reportgen.reports.annotated_source import lines_of
from reportgen.reports.report_document import (
    ADVICE_SCHEMA,
    AdviceFigures,
    BatchFigures,
    CombinedStep,
    FamilyFigures,
    NoAdvice,
    SuggestionFigures,
)

_MOST_VALUES = 500


def advice_figures(analysis: Analysis, advice: Advice, origin: Origin | None = None) -> AdviceFigures | NoAdvice:
    """Return the advice of one space; where it is withheld, only the reason. `origin` is that of the capacity."""
    if advice.withheld or advice.peak is None or advice.ladder is None:
        return NoAdvice(schema=ADVICE_SCHEMA, withheld=advice.withheld, moves=())
    dump, capacity, half_bytes = analysis.dump, advice.capacity, advice.half_batch_bytes
    factor = capacity.fits_factor if capacity else None
    return AdviceFigures(
        schema=ADVICE_SCHEMA,
        withheld=None,
        contested_bytes=advice.contested_bytes,
        capacity_bytes=capacity.size_bytes if capacity else None,
        capacity_source=origin if capacity else None,
        verdict=capacity.verdict if capacity else None,
        excess_bytes=capacity.excess_bytes if capacity else None,
        ladder=advice.ladder,
        batch=None if half_bytes is None else BatchFigures(fits_factor=factor, half_bytes=half_bytes),
        moves=tuple(_suggestion(analysis, move) for move in advice.moves),
        steps=tuple(advice.moves.index(move) for move in advice.steps),
        sequence=tuple(map(_step, advice.sequence)),
        steps_to_fit=capacity.steps if capacity and capacity.excess_bytes else None,
        families=tuple(_family(dump, family) for family in advice.families),
        arguments=advice.arguments,
        fewest_devices=capacity.devices if capacity else None,
        more_devices=advice.more_devices,
    )


def _suggestion(analysis: Analysis, move: Move) -> SuggestionFigures:
    return SuggestionFigures(
        kind=move.kind,
        claim=move.claim,
        what=move.what,
        argument_names=move.argument_names,
        values=_values(analysis.dump, move.buffers),
        value_count=len(move.buffers),
        lines=tuple(lines_of(analysis, move.buffers)),
        naive_bytes=move.naive_bytes,
        saving_bytes=move.saving_bytes,
        saving_high_bytes=move.saving_high_bytes,
        new_peak_bytes=move.outcome.peak_bytes,
        needed_bytes=move.needed_bytes,
        next_moment=move.outcome.moment,
        next_largest=move.next_largest or None,
        scratch_bytes=move.scratch_bytes,
        conflict_bytes=move.conflict_bytes,
        conflicts=move.conflicts,
        after=move.after,
        reason=move.reason or None,
        caveat=move.caveat,
        code=move.code or None,
    )


def _values(dump: Dump, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(dump.values.keys[number] for number in numbers[:_MOST_VALUES])


def _step(move: Move) -> CombinedStep:
    """Return the peaks after a move and all before it: after the least that a range saves, and after the most.

    What is needed then is stated after the least.
    """
    return CombinedStep(
        kind=move.kind,
        claim=move.claim,
        what=move.what,
        after=move.after,
        peak_bytes=move.outcome.peak_bytes,
        needed_bytes=move.needed_bytes,
        peak_after_high_bytes=None if move.saving_high_bytes is None else move.peak_high_saving,
        next_largest=move.next_largest or None,
    )


def _family(dump: Dump, family: Family) -> FamilyFigures:
    element_type, _, dimensions = family.shape.partition("[")
    return FamilyFigures(
        op=family.op_name,
        type=element_type,
        dims=dimensions.rstrip("]"),
        values=_values(dump, family.buffers),
        value_count=len(family.buffers),
        held_bytes=family.held_bytes,
        gone_bytes=family.gone.peak_bytes,
        idle_bytes=family.not_idle.peak_bytes,
        next_moment=family.gone.moment,
    )
