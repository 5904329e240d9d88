"""Advice in words, for the terminal and for pages.

The confidence of a suggestion decides its words. Predictions and estimates are rounded to three digits, exact numbers
are not.
"""

import re
from collections.abc import Mapping, Sequence

from reportgen.advice.advice_records import (
    ArgumentGroup,
    Breakdown,
    CapacityAdvice,
    CombinedFigures,
    Confidence,
    ConflictOf,
    Returned,
    State,
    Suggestion,
    SuggestionFigures,
    Verdict,
)
from reportgen.advice.advise import Advice
from reportgen.advice.fitting import Fitting, fitting_of, least_needed
from reportgen.advice.kinds import KINDS
from reportgen.analyse.fit import Fit
from reportgen.analyse.matmul_work import Work
from reportgen.reports.formats import (
    capacity_bytes,
    capital,
    human_bytes,
    human_flops,
    need_and_capacity,
    range_words,
    signed_percent,
)

_AT_LINE = re.compile(r"(?:: \w+\[[\d,]*\])? at (\S+:\d+)$")
"""The line at the end of what a suggestion changes, with the shape of what is there."""
_ROUNDED: frozenset[Confidence] = frozenset(("range", "up to", "predicted", "estimate"))
_SAVINGS: Mapping[Confidence, str] = {
    "up to": "up to about ",
    "predicted": "about ",
    "estimate": "about ",
    "at least": "at least ",
}

CONFIDENCES: Mapping[Confidence, str] = {
    "exact": "exact, if nothing else changes",
    "up to": "upper bound",
    "predicted": "predicted",
    "estimate": "estimate",
    "range": "range",
    "at least": "at least",
    "unknown": "unknown",
}

_VERDICTS: Mapping[Verdict, str] = {
    "fits": "not included: code, other programs, the runtime's own memory",
    "slack": "the peak is smaller, the rest is slack",
    "donation": "after donation the peak is smaller",
    "combined": "predicted to fit with these suggestions",
    "close": "may fit with one of these suggestions: compile it to see",
    "possible": "no suggestion with a known saving is enough",
    "arguments": "with these shapes and types the arguments alone exceed the device",
    "impossible": "no order, recomputation, offloading or donation makes it fit with these shapes and instructions",
}


_STATES: Mapping[State, str] = {
    "donated": "donated",
    "can": "can be donated",
    "conflict": "still read when its output is written",
    "surplus": "no output of its shape left",
    "no result": "no output like it",
}

_TOGETHER: Mapping[Fitting, str] = {
    "fits": "predicted to fit",
    "close": "may fit: compile it",
    "too much": "does not fit yet",
}


def amount_words(suggestion: Suggestion | SuggestionFigures) -> str:
    """Return what a suggestion saves, worded as its confidence allows."""
    if not suggestion.is_computed:
        return f"unknown; {saving_words(suggestion)}"
    least, most = suggestion.saving_bytes or 0, suggestion.saving_high_bytes
    if least <= 0 and not most:
        return "0"
    if suggestion.confidence == "range":
        return span_words(least, most or least)
    return f"{_SAVINGS.get(suggestion.confidence, '')}{human_bytes(least)}"


def saving_words(suggestion: Suggestion | SuggestionFigures) -> str:
    """Return `saves about 281 MiB` or, where the saving is unknown, `involves 281 MiB`."""
    if not suggestion.is_computed:
        return f"involves {human_bytes(suggestion.involved_bytes)}"
    amount = amount_words(suggestion)
    return "saves nothing" if amount == "0" else f"saves {amount}"


def span_words(low: int, high: int) -> str:
    """Return `1.20 to 1.45 GiB`, or `990 MiB to 1.02 GiB`."""
    least, most = human_bytes(low), human_bytes(high)
    if least == most:
        return most
    return f"{least.removesuffix(most[most.index(' ') :])} to {most}"


def cost_words(suggestion: Suggestion | SuggestionFigures, work: Work) -> str:
    """Return `recomputes at most 5.77 TFLOP (+28.0 %)`; empty where no work is added, or nobody knows."""
    added, own = suggestion.added_flops, work.own_flops
    if not added or not own:
        return ""
    if added < 0:
        part = round(100 * (1 + added / own))
        return f"{'half' if part == 50 else f'{part} % of'} the matrix work a step"
    return f"recomputes at most {human_flops(added)} ({signed_percent(own, own + added)})"


def peak_words(suggestion: Suggestion | CombinedFigures) -> str:
    """Return the peak that a suggestion leads to, as exact as its confidence is."""
    return _left_words(suggestion.confidence, suggestion.least_peak_bytes, suggestion.peak_bytes)


def needed_words(suggestion: Suggestion | CombinedFigures) -> str:
    """Return what is needed after a suggestion, as exact as its confidence is."""
    return _left_words(suggestion.confidence, least_needed(suggestion), suggestion.needed_bytes)


def _left_words(confidence: Confidence, low: int, high: int) -> str:
    if confidence == "range" and low != high:
        return span_words(low, high)
    if confidence == "up to":
        return f"at least {human_bytes(high)}"
    return f"about {human_bytes(high)}" if confidence in _ROUNDED else human_bytes(high)


def result_words(suggestion: Suggestion | CombinedFigures, exceeded_bytes: int | None) -> str:
    """Return what is needed after a suggestion, and whether that fits a device that is too small for the program now.

    `exceeded_bytes` is what that device has; None if the program fits as it is, or nothing is known.
    """
    needed = f"{needed_words(suggestion)} needed"
    if exceeded_bytes is None:
        return needed
    least, over = (size - exceeded_bytes for size in (least_needed(suggestion), suggestion.needed_bytes))
    known = fitting_of(suggestion, exceeded_bytes)
    if known != "too much":
        return f"{needed}, fits" if known == "fits" else f"{needed}, may fit: compile it"
    most = "at most " if suggestion.confidence == "at least" else ""
    excess = _left_words(suggestion.confidence, least, over).removeprefix("about ")
    return f"{needed}, {most}{excess} over capacity"


def what_words(advice: Advice, suggestion: Suggestion) -> str:
    """Return what is changed, from the program as it is."""
    what = (
        ", then ".join(part.what for part in advice.combined[: len(suggestion.after) + 1])
        if suggestion.after
        else suggestion.what
    )
    return what[0].upper() + what[1:]


def title_words(suggestion: Suggestion | SuggestionFigures) -> str:
    """Return what a suggestion changes, after those before it, with a capital."""
    return f"Then {suggestion.what}" if suggestion.after else capital(suggestion.what)


def card_words(suggestion: Suggestion | SuggestionFigures) -> tuple[str, str]:
    """Return what a suggestion changes and the line where it does, `file:line`; empty where no line ends the words."""
    what = title_words(suggestion)
    line = _AT_LINE.search(what)
    return (what[: line.start()], line[1]) if line else (what, "")


def kept_words(suggestion: Suggestion) -> str:
    """Return what keeps arrays for the backward pass, as `the loop at FILE:LINE`; empty if that is not the matter."""
    if not suggestion.kind.startswith("checkpoint"):
        return ""
    what = suggestion.what.removeprefix("checkpoint ").removeprefix("the body of ")
    return what.replace(" and of ", " and ")


def note_words(suggestion: Suggestion, largest: str = "") -> str:
    """Return what to know of a suggestion: why it saves less than it is about, what is next, and its caveat.

    What takes most of the peak already, `largest`, is not said again.
    """
    following = ""
    if suggestion.next_largest not in ("", largest) and suggestion.confidence != "range":
        following = f"Then the largest part of the peak is {suggestion.next_largest}."
    return " ".join(filter(None, (suggestion.reason, following, suggestion.caveat)))


def together_words(suggestions: Sequence[Suggestion]) -> str:
    """Return what several suggestions change."""
    return capital("; ".join(suggestion.what for suggestion in suggestions))


def curve_words(what: str, suggestion: Suggestion) -> str:
    """Return what the curve of a suggestion shows, which changes `what`, and the peak that it leads to."""
    least = ", drawn for the least saving" if suggestion.confidence == "range" else ""
    peak = f"peak {peak_words(suggestion)} at instruction {suggestion.outcome.moment:,}"
    return f"{what}: {peak} ({CONFIDENCES[suggestion.confidence]}{least})."


def joint_words(advice: Advice) -> str:
    """Return what is needed after the sequence and, if the program does not fit now, whether that fits.

    It is computed on the changed model. Empty for fewer than two suggestions.
    """
    if len(advice.combined) < 2:
        return ""
    capacity, last = advice.capacity, advice.combined[-1]
    *names, name = (KINDS[suggestion.kind].phrase for suggestion in advice.combined)
    words = f"{', '.join(names)} and {name} together: {needed_words(last)} needed"
    if capacity and capacity.excess_bytes:
        fitting = "fits" if capacity.combined_to_fit else fitting_of(last, capacity.size_bytes)
        words += f", {_TOGETHER[fitting]}"
    return f"{words[0].upper()}{words[1:]}."


def floor_words(breakdown: Breakdown, instruction: str, backend: str) -> str:
    """Return the bound that order, recomputation, offloading and donation cannot go below."""
    at = f"instruction {breakdown.floor_moment:,}" + (f", {instruction}" if instruction else "")
    vmem = ", apart from what may move to VMEM" if backend == "tpu" else ""
    return (
        "With these shapes and instructions, no order, recomputation, offloading or donation lowers the peak below"
        f" {human_bytes(breakdown.floor_bytes)} ({at}){vmem}."
    )


def first_suggestion(advice: Advice | None) -> Suggestion | None:
    """Return the suggestion to name where there is room for one: the first of those that make it fit, else the best."""
    if advice is None:
        return None
    if advice.capacity and advice.capacity.verdict in ("combined", "donation"):
        return advice.combined[0]
    # Another type is another program, so it is only named where the program does not fit.
    is_over = advice.capacity is not None and advice.capacity.excess_bytes > 0
    named = (suggestion for suggestion in advice.best if is_over or suggestion.kind != "type")
    # Where nothing saves, donation is named all the same, because its sentence says why it does not.
    return next(named, None) or next(
        (suggestion for suggestion in advice.own_suggestions if suggestion.kind == "donate"), None
    )


def advice_sentence(advice: Advice | None) -> str:
    """Return what to do first in one sentence and, where only several make the program fit, all of them."""
    suggestion = first_suggestion(advice)
    if advice is None or suggestion is None:
        return ""
    combined = advice.combined[: advice.capacity.combined_to_fit] if advice.capacity else ()
    if len(combined) > 1:
        return f"{', then '.join(part.what for part in combined)}: new total {needed_words(combined[-1])}"
    return sentence(suggestion)


def capacity_words(fit: Fit, advised: CapacityAdvice | None) -> str:
    """Return what a module needs, how far that is from what the device has, and what could make it fit."""
    difference = f"{human_bytes(abs(fit.excess_bytes))} {'more' if fit.is_over else 'less'}"
    needed, capacity = need_and_capacity(fit.needed_bytes, fit.certainty, fit.capacity.size_bytes)
    needed, capacity = f"needs {needed}", capacity + (f" ({fit.capacity.scope})" if fit.capacity.scope else "")
    if fit.fits is None:
        because = ", because an error is about sizes" if fit.certainty == "unknown" else ""
        return f"{needed}; whether that fits {capacity} is unknown{because}"
    if spare := spare_words(fit):
        return f"{spare}: {needed} of {capacity}"
    words = f"{needed}, {difference} than {capacity}"
    return f"{words}; {verdict_words(advised)}" if advised else words


def spare_words(fit: Fit) -> str:
    """Return for what the compiler refused a program that fits this capacity; empty where it did not."""
    if not fit.fits or fit.refusal is None or fit.refusal.usable is None:
        return ""
    named = fit.capacity.device or capacity_bytes(fit.capacity.size_bytes)
    smaller, left = fit.refusal.device or range_words(fit.refusal.usable), human_bytes(-fit.excess_bytes)
    return f"refused for {smaller}; {named} has {left} to spare"


def donation_words(group: ArgumentGroup) -> str:
    """Return whether an argument can be donated and, if not, why."""
    words = _STATES[group.state]
    if group.conflict:
        words += f": {_conflict_words(group.conflict)}"
    if group.near_miss_bytes:
        words += f"; outputs of equal size but another type or shape: {human_bytes(group.near_miss_bytes)}"
    return words


def reuse_words(result: Returned) -> str:
    """Return which argument a result could take the place of, or what keeps it from that."""
    if result.conflict:
        return _conflict_words(result.conflict)
    return f"{result.argument} is free for it" if result.argument else "no argument like it"


def _conflict_words(conflict: ConflictOf) -> str:
    return (
        f"{conflict.argument} is read by {conflict.read_by} at {conflict.read_at}, written from {conflict.born_at} on"
    )


def leaf_words(result: Returned) -> str:
    """Return the place of a result in what the program returns: `[0][2]`."""
    return "".join(f"[{index}]" for index in result.leaf) or "whole"


def verdict_words(capacity: CapacityAdvice) -> str:
    """Return what could make a program fit, and the batch that does; for one that fits, what is not counted."""
    words = _VERDICTS[capacity.verdict]
    if capacity.combined_to_fit == 1 and capacity.verdict == "combined":
        words = "predicted to fit with one suggestion"
    if capacity.verdict == "arguments":
        devices = "more" if capacity.devices is None else f"{capacity.devices:,}"
        words += f"; sharded over {devices} devices they fit"
    if capacity.excess_bytes and capacity.fits_factor and capacity.fits_factor < 1:
        fits = int(capacity.fits_factor * capacity.batch_length)
        fits -= fits % 10 ** max(len(str(fits)) - 2, 0)  # an estimate is not that exact
        batch = (
            f"from {capacity.batch_length:,} to about {fits:,}" if fits else f"to {100 * capacity.fits_factor:.0f} %"
        )
        words += f"; or cut the batch {batch} (estimate)"
    return words


def sentence(suggestion: Suggestion) -> str:
    """Return a suggestion in one sentence, as `check` prints it."""
    if not suggestion.is_computed:
        return f"{suggestion.what}: {saving_words(suggestion)}; saving unknown"
    if suggestion.saving_bytes <= 0 and not suggestion.saving_high_bytes:
        return f"to {suggestion.what} may save nothing (compile it to know): {suggestion.reason.removesuffix('.')}"
    if suggestion.confidence == "up to" and (without := KINDS[suggestion.kind].without):
        buffers = (
            "this buffer were" if len(suggestion.buffers) == 1 else f"these {len(suggestion.buffers):,} buffers were"
        )
        return f"{suggestion.what}: if {buffers} {without}, this schedule would need {needed_words(suggestion)}"
    confidence = "" if suggestion.confidence == "at least" else f" ({CONFIDENCES[suggestion.confidence]})"
    return f"{suggestion.what}: {saving_words(suggestion)}{confidence}"
