"""Combine suggestions, one after the other: those of a first screen, and as many as it takes to make the program fit.

A batch is made smaller only where nothing else makes the program fit, and no type is changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.batch_finder import find_batch_that_fits
from reportgen.advice.fitting import fitting_of
from reportgen.advice.joint import Joint
from reportgen.advice.kinds import KINDS, Kind
from reportgen.advice.order import FIRST_SUGGESTIONS, LEAST_PART, joint_kind, rank


def combined(joint: Joint, available_bytes: int | None) -> Sequence[Suggestion]:
    """Return the suggestions that lower the peak most, each after those before it: the first, or as many as it takes.

    Where they are not enough for `available_bytes`, return a smaller batch that is; None of bytes are enough always.
    """
    chosen: list[Suggestion] = []
    for suggestion in _chain(joint, joint.context.memory.peak.peak_bytes, available_bytes):
        is_enough = available_bytes is None or any(_fits_in(before, available_bytes) for before in chosen)
        if is_enough and len(chosen) >= FIRST_SUGGESTIONS:
            return chosen
        chosen.append(suggestion)
    if available_bytes is None or any(_fits_in(suggestion, available_bytes) for suggestion in chosen):
        return chosen
    for suggestions in _smaller(joint, available_bytes):
        if _fits_in(suggestions[-1], available_bytes):
            return suggestions
    return chosen[:FIRST_SUGGESTIONS]


def fits_after(suggestion: Suggestion, size_bytes: int) -> bool:
    """Return whether a program surely fits after a suggestion, and what was done before it."""
    return fitting_of(suggestion, size_bytes) == "fits"


def _fits_in(suggestion: Suggestion, available_bytes: int) -> bool:
    return fits_after(suggestion, available_bytes + suggestion.above_peak_bytes)


def _chain(joint: Joint, peak_bytes: int, available_bytes: int | None) -> Iterator[Suggestion]:
    """Yield what surely saves something: one that is enough on its own, then what lowers the peak most."""
    # A donation is free, so it comes before another suggestion that is enough as well.
    enough = [
        kind
        for kind in joint.kinds()
        if available_bytes is not None
        and (suggestion := joint.alone(kind))
        and _is_sure(suggestion)
        and _fits_in(suggestion, available_bytes)
    ]
    first = min(enough, key=lambda kind: kind != "donate", default=None)
    chosen: list[Kind] = []
    left_bytes = peak_bytes
    while True:
        suggestion = max(
            _candidates(joint, chosen),
            key=lambda suggestion: (not chosen and joint_kind(suggestion) == first, rank(suggestion), suggestion.kind),
            default=None,
        )
        if suggestion is None or (left_bytes - suggestion.peak_bytes) * LEAST_PART < peak_bytes:
            return
        yield suggestion
        chosen.append(joint_kind(suggestion))
        left_bytes = suggestion.peak_bytes


def _candidates(joint: Joint, chosen: Sequence[Kind]) -> Iterator[Suggestion]:
    """Yield each suggestion that surely saves something, on top of those of the kinds that are `chosen`."""
    for kind in joint.kinds(chosen):
        kinds = (*chosen, kind)
        alone = [joint.alone(each, kinds) for each in kinds]
        if all(suggestion and _is_sure(suggestion) for suggestion in alone) and (together := joint.together(kinds)):
            yield together


def _is_sure(suggestion: Suggestion) -> bool:
    return suggestion.confidence != "up to" and not KINDS[suggestion.kind].trains_otherwise


def _smaller(joint: Joint, available_bytes: int) -> Iterator[Sequence[Suggestion]]:
    """Yield the largest batch that fits, on its own and after the donation."""
    for batch in find_batch_that_fits(joint.context, available_bytes):
        yield (joint.lower(batch),)
    if donation := joint.alone("donate"):
        for batch in find_batch_that_fits(joint.context.after_donation, available_bytes):
            yield donation, joint.lower(replace(batch, after=("donate",)))
