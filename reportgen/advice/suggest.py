"""Put what a finder knows into a suggestion: what the peak loses by it, and the caveat of its kind."""

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.context import AdviceContext
from reportgen.advice.kinds import KINDS, Kind
from reportgen.advice.memory import PeakAfter, PeakRange

WIDEST_RANGE = 1.5
"""How many times the least that a range saves its most may be; a wider one says nothing."""

_WORTH_PART = 1000
"""A suggestion is worth listing if it is about more than this part of the peak."""


def is_worth_listing(context: AdviceContext, size_bytes: float) -> bool:
    """Return whether a suggestion is about enough bytes to be listed."""
    return size_bytes > 0 and size_bytes * _WORTH_PART >= context.memory.peak.peak_bytes


def is_narrow(context: AdviceContext, least: PeakAfter, most: PeakAfter) -> bool:
    """Return whether what is saved, from the least to the most, is narrow enough to say something."""
    peak_bytes = context.memory.peak.peak_bytes
    return peak_bytes - most.peak_bytes <= WIDEST_RANGE * (peak_bytes - least.peak_bytes)


def suggest(
    context: AdviceContext,
    kind: Kind,
    confidence: Confidence,
    what: str,
    involved_bytes: int,
    outcome: PeakAfter,
    *,
    most: PeakAfter | None = None,
    buffers: tuple[int, ...] = (),
    argument_names: tuple[str, ...] = (),
    added_flops: int | None = None,
    caveat: str = "",
    code: str = "",
) -> Suggestion:
    """Return a suggestion that leads to a peak; without a `caveat` of its own it has that of its kind."""
    return Suggestion(
        kind=kind,
        confidence=confidence,
        what=what,
        involved_bytes=involved_bytes,
        saving_bytes=context.memory.peak.peak_bytes - outcome.peak_bytes,
        outcome=outcome,
        above_peak_bytes=context.above_peak_bytes,
        most=most,
        buffers=buffers,
        argument_names=argument_names,
        added_flops=0 if KINDS[kind].adds_no_work else added_flops,
        caveat=caveat or KINDS[kind].caveat,
        code=code,
    )


def suggest_range(context: AdviceContext, kind: Kind, what: str, saved: PeakRange, code: str = "") -> Suggestion:
    """Return a suggestion whose saving is between two numbers; where they lie far apart, it is unknown."""
    buffers, size_bytes = context.program.buffers.one_of_each(saved.values), saved.size_bytes
    if not is_narrow(context, saved.least, saved.most):
        return suggest(context, kind, "unknown", what, size_bytes, context.memory.peak, buffers=buffers, code=code)
    return suggest(context, kind, "range", what, size_bytes, saved.least, most=saved.most, buffers=buffers, code=code)


def suggest_range_or_bound(
    context: AdviceContext, kind: Kind, what: str, saved: PeakRange, code: str = ""
) -> Suggestion:
    """Return a suggestion whose saving is between two numbers; where they lie far apart, it is at most the larger."""
    if is_narrow(context, saved.least, saved.most):
        return suggest_range(context, kind, what, saved, code)
    return suggest(context, kind, "up to", what, saved.size_bytes, saved.most, buffers=saved.values, code=code)
