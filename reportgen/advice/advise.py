"""Put the advice for a dump together: each suggestion alone, the sequence of those worth taking, and the tables."""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.advice.advice_records import (
    Advice,
    AdviceBySpace,
    Breakdown,
    CapacityAdvice,
    Suggestion,
    Verdict,
)
from reportgen.advice.combined import combined, fits_after
from reportgen.advice.context import AdviceContext
from reportgen.advice.fitting import fitting_of
from reportgen.advice.more_devices import fewest_devices, more_devices
from reportgen.advice.next_peak import with_next
from reportgen.advice.order import best_of_each
from reportgen.advice.rematerialized import lost_bytes, without_rematerialization
from reportgen.advice.similar_buffers import similar_buffers
from reportgen.advice.suggestions import Suggestions
from reportgen.advice.tables import argument_groups, returned, states
from reportgen.advice.words import (
    WITHHELD_ERRORS,
    WITHHELD_LENGTH,
    WITHHELD_MISSING,
    WITHHELD_RANGES,
    WITHHELD_SPACE,
    WITHHELD_USES,
)
from reportgen.analyse.contested import contested_bytes, decides, unread_bytes
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import VMEM, Analysis, Space

_MOST_MOMENTS = 5_000_000
"""Moments of a schedule; each suggestion makes a list with an amount for each of them."""


def advise(analysis: Analysis, capacity_bytes: int | None = None, devices: int | None = None) -> AdviceBySpace:
    """Return what would lower the peak of each memory space, or why nothing is said of it.

    `devices` are those that are asked about; None for none.
    """
    return {color: _of_space(analysis, space, capacity_bytes, devices) for color, space in analysis.spaces.items()}


def withheld(analysis: Analysis, space: Space) -> str:
    """Return why there is no advice for a space; empty where there is."""
    if space.color != MAIN_SPACE:
        return WITHHELD_SPACE
    if space.temp is None or not analysis.dump.live_ranges:
        return WITHHELD_RANGES
    if not analysis.dump.used_values:
        return WITHHELD_USES
    if analysis.missing:
        return WITHHELD_MISSING
    if analysis.moments > _MOST_MOMENTS:
        return WITHHELD_LENGTH
    return WITHHELD_ERRORS if decides(contested_bytes(analysis, space), space) else ""


def _of_space(analysis: Analysis, space: Space, capacity_bytes: int | None, devices: int | None) -> Advice:
    reason = withheld(analysis, space)
    if reason:
        return Advice(withheld=reason)
    context = AdviceContext(analysis, space)
    suggestions = Suggestions(context)
    is_understood = not decides(unread_bytes(analysis, space), space)
    lost = lost_bytes(analysis.program, context.memory)

    def lower(suggestion: Suggestion) -> Suggestion:
        return without_rematerialization(suggestion if is_understood else _lowered(suggestion), lost)

    alone = list(map(lower, suggestions.all()))
    best = {
        id(suggestion): with_next(context, suggestion)
        for suggestion in best_of_each(alone, context.memory.peak.peak_bytes)
    }
    alone, ordered = [best.get(id(suggestion), suggestion) for suggestion in alone], list(best.values())
    # Slack must fit as well.
    available = None if capacity_bytes is None else capacity_bytes - context.above_peak_bytes
    is_over = available is not None and context.memory.peak.peak_bytes > available

    def find_combined() -> tuple[Suggestion, ...]:
        found = combined(context, ordered, lower, available if is_over else None)
        return tuple(with_next(context, suggestion) if suggestion.after else suggestion for suggestion in found)

    advice = Advice(
        contested_bytes=contested_bytes(analysis, space) or 0,
        peak=context.memory.peak,
        own_suggestions=tuple(alone),
        best=tuple(ordered),
        half_batch_bytes=context.batch.peak(0.5).peak_bytes if context.batch else None,
        arguments=tuple(argument_groups(context)),
        states={argument.number: state for argument, state in states(context)},
        results=tuple(returned(context)),
        more_devices=tuple(more_devices(context, devices)) if is_over or devices else (),
        find_combined=find_combined,
        find_breakdown=lambda: _breakdown(context),
        find_groups=lambda: tuple(similar_buffers(analysis, context.memory)),
        suggestion_of_group=lambda group: lower(suggestions.without_group(group)),
    )
    if capacity_bytes is None or available is None:
        return advice
    chosen = advice.combined
    capacity = CapacityAdvice(
        size_bytes=capacity_bytes,
        verdict=_verdict(context, capacity_bytes, chosen, ordered),
        combined_to_fit=next(
            (n for n, suggestion in enumerate(chosen, start=1) if fits_after(suggestion, capacity_bytes)), 0
        ),
        excess_bytes=max(0, space.needed_bytes - capacity_bytes),
        fits_factor=context.batch.largest(available) if context.batch else None,
        devices=fewest_devices(context, available) if is_over else None,
    )
    return replace(advice, capacity=capacity, find_combined=lambda: chosen)


def _lowered(suggestion: Suggestion) -> Suggestion:
    """Return a suggestion that claims no more than what a program without some bytes needs at most."""
    return replace(suggestion, confidence="up to") if suggestion.is_computed else suggestion


def _breakdown(context: AdviceContext) -> Breakdown:
    return Breakdown(
        needed_bytes=context.space.needed_bytes,
        peak_bytes=context.memory.peak.peak_bytes,
        donated_bytes=min(context.donation.at_worst.peak.peak_bytes, context.memory.peak.peak_bytes),
        floor_bytes=context.floor.size_bytes,
        floor_moment=context.floor.moment,
        arguments_bytes=context.held_bytes,
    )


def _verdict(
    context: AdviceContext, size_bytes: int, chosen: Sequence[Suggestion], ordered: Sequence[Suggestion]
) -> Verdict:
    """Compare what the program needs with the capacity, not its peak, because slack is needed, too.

    On a TPU values may live in VMEM, so the floor is only believed beyond the size of that.
    """
    vmem = context.analysis.spaces.get(VMEM) if context.analysis.backend == "tpu" else None
    if context.space.needed_bytes <= size_bytes:
        return "fits"
    if context.memory.peak.peak_bytes <= size_bytes:
        return "slack"
    if any(fits_after(suggestion, size_bytes) for suggestion in chosen):
        is_donation = chosen[0].kind == "donate" and fits_after(chosen[0], size_bytes)
        return "donation" if is_donation else "combined"
    if context.held_bytes > size_bytes:
        return "arguments"
    computed = (suggestion for suggestion in (*ordered, *chosen[-1:]) if suggestion.is_computed)
    if any(fitting_of(suggestion, size_bytes) == "close" for suggestion in computed):
        return "close"
    sure_floor = context.floor.size_bytes - (vmem.needed_bytes if vmem else 0)
    return "possible" if sure_floor <= size_bytes else "impossible"
