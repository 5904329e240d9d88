"""Suggest to donate arguments: all that could be donated, and each of the largest on its own."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.advice.advice_records import Confidence, ConflictOf, Suggestion
from reportgen.advice.arguments import listed_names
from reportgen.advice.context import AdviceContext
from reportgen.advice.donation import Donation
from reportgen.advice.framework import donation_code
from reportgen.advice.suggest import is_narrow, suggest

_LISTED_ARGUMENTS = 10


def find_donations(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestion for all arguments that could be donated, then one for each of the largest of them."""
    sizes: Counter[str] = Counter()
    for pair in context.donation.pairs:
        sizes[pair.argument.name] += pair.result.size_bytes
    if sizes:
        yield _donate(context, context.donation, [*sizes])
    largest = dict(sizes.most_common(_LISTED_ARGUMENTS))
    for name in sizes if len(sizes) > 1 else ():
        if name in largest:
            yield _donate(context, context.donated({name}), [name])


def _donate(context: AdviceContext, donation: Donation, names: Sequence[str]) -> Suggestion:
    """Return the suggestion to donate the arguments `names`; a range where the compiler may copy some of them early."""
    conflicts = tuple(filter(None, map(context.conflict, donation.conflicts)))
    least, most = donation.at_worst.peak, donation.after.peak
    is_range = most.peak_bytes < least.peak_bytes and is_narrow(context, least, most)
    confidence: Confidence = "predicted" if least.peak_bytes == most.peak_bytes else "up to"
    if is_range:
        confidence = "range"
    suggestion = suggest(
        context,
        "donate",
        confidence,
        f"donate {listed_names(names)}",
        donation.matching_bytes,
        least if is_range else most,
        most=most if is_range else None,
        argument_names=tuple(names),
        code=donation_code(names) if context.is_jax else "",
    )
    return replace(
        suggestion,
        scratch_bytes=donation.scratch_bytes,
        conflicts=conflicts,
        conflict_bytes=donation.conflict_bytes,
        reason=_why_less(context, donation, conflicts),
    )


def _why_less(context: AdviceContext, donation: Donation, conflicts: Sequence[ConflictOf]) -> str:
    """Return why a donation saves less than what matches; empty where it does not."""
    if context.memory.peak.peak_bytes - donation.at_worst.peak.peak_bytes >= donation.matching_bytes:
        return ""
    if conflicts and donation.conflict_bytes >= donation.scratch_bytes:
        first = conflicts[0]
        return (
            f"{first.argument} is still read by {first.read_by} at {first.read_at}, after the output that could "
            f"reuse it is first written, at {first.born_at}, so both take memory if XLA copies it."
        )
    if donation.scratch_bytes:
        return "Other values use the outputs' memory before they are written, and need memory of their own."
    return "The peak after the donation is at another instruction."
