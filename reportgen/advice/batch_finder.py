"""Suggest a smaller batch: half of it, or the largest that fits."""

from collections.abc import Iterator
from math import floor

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.context import AdviceContext
from reportgen.advice.suggest import suggest

HALF = 0.5
"""The factor of the batch that is suggested."""
_SMALLEST = 0.05
_MOST_EXAMPLES = 16_384
"""A longer dimension is more often that of a sequence, or of the edges of a graph, than of examples."""


def find_smaller_batch(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestion to halve the batch."""
    if context.batch:
        yield _smaller_batch(context, HALF)


def find_batch_that_fits(context: AdviceContext, available_bytes: int) -> Iterator[Suggestion]:
    """Yield the largest batch whose peak is within some bytes, in hundredths of the batch as it is."""
    factor = context.batch.largest(available_bytes) if context.batch else None
    hundredths = floor(min(factor or 0.0, 1.0) * 100) / 100
    if hundredths >= _SMALLEST:
        yield _smaller_batch(context, hundredths)


def _smaller_batch(context: AdviceContext, factor: float) -> Suggestion:
    """Return the suggestion to a smaller batch; nothing but data may follow it."""
    batch = context.batch
    values = batch.values if batch else ()
    involved = sum(context.memory.temps[number].size_bytes for number in values) * (1 - factor)
    outcome = batch.peak(factor) if batch else context.memory.peak
    name = "batch" if context.batch_length <= _MOST_EXAMPLES else "data of a step"
    what = f"half the {name}" if factor == HALF else f"{factor:.0%} of the {name}"
    words = context.batch_words
    what += f" ({words})" if words else ""
    own_flops = context.analysis.work.own_flops
    added = None if own_flops is None else round(own_flops * (factor - 1))
    return suggest(context, "batch", "estimate", what, round(involved), outcome, added_flops=added)
