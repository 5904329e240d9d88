"""Combine suggestions, one after the other: those of a first screen, and as many as it takes to make the program fit.

Savings do not add up, so the edits of all of them are made to the space at once, as a donation leaves it if that is one
of them. A batch is made smaller only where nothing else makes the program fit, and no type is changed.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.batch_finder import find_batch_that_fits
from reportgen.advice.context import AdviceContext
from reportgen.advice.finders import CHANGES_OF_PROGRAM
from reportgen.advice.fitting import fitting_of
from reportgen.advice.kinds import KINDS, Kind
from reportgen.advice.order import FIRST_SUGGESTIONS, LEAST_PART, best_of_each, joint_kind, rank
from reportgen.advice.shard import find_sharding
from reportgen.program.products import total

_WEAKEST: Sequence[Confidence] = ("at least", "estimate", "range")
"""The confidence of several edits together is the first of these that any of them has."""

Lower = Callable[[Suggestion], Suggestion]
"""Lowers what is claimed of a suggestion as far as the program asks for it."""


def combined(
    context: AdviceContext, ordered: Sequence[Suggestion], lower: Lower, available_bytes: int | None
) -> Sequence[Suggestion]:
    """Return the suggestions that lower the peak most, each after those before it: the first, or as many as it takes.

    Where they are not enough for `available_bytes`, return a smaller batch that is; None of bytes are enough always.
    """
    chosen: list[Suggestion] = []
    for suggestion in _chain(context, ordered, lower, available_bytes):
        is_enough = available_bytes is None or any(_fits_in(before, available_bytes) for before in chosen)
        if is_enough and len(chosen) >= FIRST_SUGGESTIONS:
            return chosen
        chosen.append(suggestion)
    if available_bytes is None or any(_fits_in(suggestion, available_bytes) for suggestion in chosen):
        return chosen
    for suggestions in _smaller(context, ordered, lower, available_bytes):
        if _fits_in(suggestions[-1], available_bytes):
            return suggestions
    return chosen[:FIRST_SUGGESTIONS]


def fits_after(suggestion: Suggestion, size_bytes: int) -> bool:
    """Return whether a program surely fits after a suggestion, and what was done before it."""
    return fitting_of(suggestion, size_bytes) == "fits"


def _fits_in(suggestion: Suggestion, available_bytes: int) -> bool:
    return fits_after(suggestion, available_bytes + suggestion.above_peak_bytes)


def _chain(
    context: AdviceContext, ordered: Sequence[Suggestion], lower: Lower, available_bytes: int | None
) -> Iterator[Suggestion]:
    """Yield what surely saves something: one that is enough on its own, then what lowers the peak most."""
    before = {joint_kind(suggestion): suggestion for suggestion in ordered if _can_be_joined(suggestion)}
    after = {**before, **_after_donation(context, lower, before)} if "donate" in before else before
    # A donation is free, so it comes before another suggestion that is enough as well.
    enough = [
        kind
        for kind, suggestion in before.items()
        if available_bytes is not None and _fits_in(suggestion, available_bytes)
    ]
    first = min(enough, key=lambda kind: kind != "donate", default=None)
    chosen: list[Suggestion] = []
    while True:
        suggestion = max(
            _candidates(context, lower, chosen, before, after),
            key=lambda suggestion: (not chosen and joint_kind(suggestion) == first, rank(suggestion), suggestion.kind),
            default=None,
        )
        peak_bytes = chosen[-1].peak_bytes if chosen else context.memory.peak.peak_bytes
        if suggestion is None or (peak_bytes - suggestion.peak_bytes) * LEAST_PART < context.memory.peak.peak_bytes:
            return
        yield suggestion
        chosen.append(suggestion)


def _after_donation(context: AdviceContext, lower: Lower, before: Container[Kind]) -> Mapping[Kind, Suggestion]:
    """Return the suggestions that are left after the donation, by their kind, each on its own."""
    after = context.after_donation
    finders = (*CHANGES_OF_PROGRAM, *((find_sharding,) if "shard" in before else ()))
    suggestions = (lower(suggestion) for find in finders for suggestion in find(after))
    best = best_of_each(suggestions, after.memory.peak.peak_bytes)
    return {joint_kind(suggestion): suggestion for suggestion in best if _can_be_joined(suggestion)}


def _can_be_joined(suggestion: Suggestion) -> bool:
    is_sure = suggestion.confidence not in ("up to", "unknown")
    return (
        is_sure
        and not KINDS[suggestion.kind].trains_otherwise
        and (suggestion.kind == "donate" or suggestion.outcome.edit is not None)
    )


def _candidates(
    context: AdviceContext,
    lower: Lower,
    chosen: Sequence[Suggestion],
    before: Mapping[Kind, Suggestion],
    after: Mapping[Kind, Suggestion],
) -> Iterator[Suggestion]:
    """Yield the suggestion of each kind that is left, on top of those that are `chosen`.

    `before` and `after` have each suggestion on its own, for a program without the donation and with it.
    """
    kinds = [joint_kind(suggestion) for suggestion in chosen]
    left = (after if "donate" in kinds else before).keys() - set(kinds)
    for kind in left:
        single = after if "donate" in (kind, *kinds) else before
        suggestions = [single[joined] for joined in (*kinds, kind)]
        yield lower(_together(context, chosen, suggestions)) if chosen else suggestions[0]


def _together(context: AdviceContext, chosen: Sequence[Suggestion], suggestions: Sequence[Suggestion]) -> Suggestion:
    """Return the last of some suggestions after the others, the `chosen`; `suggestions` are each on its own."""
    is_donated = any(suggestion.kind == "donate" for suggestion in suggestions)
    memory, at_worst = context.memory, context.memory
    if is_donated:
        memory, at_worst = context.donation.after, context.donation.at_worst
    least = at_worst.together(suggestion.outcome.edit for suggestion in suggestions)
    most = memory.together((suggestion.most or suggestion.outcome).edit for suggestion in suggestions)
    confidences = {suggestion.confidence for suggestion in suggestions}
    confidence = next((weak for weak in _WEAKEST if weak in confidences), suggestions[-1].confidence)
    return replace(
        suggestions[-1],
        confidence=confidence,
        saving_bytes=context.memory.peak.peak_bytes - least.peak_bytes,
        outcome=least,
        most=most if confidence == "range" else None,
        after=tuple(before.kind for before in chosen),
        added_flops=total(suggestion.added_flops for suggestion in suggestions),
    )


def _smaller(
    context: AdviceContext, ordered: Sequence[Suggestion], lower: Lower, available_bytes: int
) -> Iterator[Sequence[Suggestion]]:
    """Yield the largest batch that fits, on its own and after the donation."""
    for batch in find_batch_that_fits(context, available_bytes):
        yield (lower(batch),)
    if donation := next((suggestion for suggestion in ordered if suggestion.kind == "donate"), None):
        for batch in find_batch_that_fits(context.after_donation, available_bytes):
            yield donation, lower(replace(batch, after=("donate",)))
