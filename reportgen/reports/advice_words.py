"""Advice in words, for the terminal and for pages.

The claim of a move decides its words. Predictions and estimates are rounded to three digits, exact numbers are not.
"""

from collections.abc import Mapping
from typing import Protocol

from reportgen.advice.advice_records import Advice, CapacityAdvice, Claim, Kind, Ladder, Move, PerDevice, Verdict
from reportgen.advice.fitting import Fitting, Reached, fitting_of, least_needed
from reportgen.analyse.capacity import Fit
from reportgen.reports.formats import UNITS, human_bytes, least_words

_FOR_A_WHILE = ("recomputed-early", "made-early")
_IF_NOT_HELD = (*_FOR_A_WHILE, "copy", "family")

_ROUNDED: frozenset[Claim] = frozenset(("range", "up to", "predicted", "estimate"))

CLAIMS: Mapping[Claim, str] = {
    "exact": "exact, if nothing else changes",
    "up to": "upper bound",
    "predicted": "predicted",
    "estimate": "estimate",
    "range": "range",
    "at least": "at least",
    "bound": "bound",
    "not computed": "unknown",
}

_VERDICTS: Mapping[Verdict, str] = {
    "fits": "not included: code, other programs, the runtime's own memory",
    "slack": "the peak is smaller, the rest is slack",
    "donation": "after donation the peak is smaller",
    "sequence": "predicted to fit with these suggestions",
    "close": "close with one of these suggestions: compile it to see",
    "possible": "no suggestion with a known saving is enough",
    "arguments": "with these shapes and types the arguments alone exceed the device",
    "impossible": "no order, recomputation, offloading or donation makes it fit with these shapes and instructions",
}


_NAMES: Mapping[Kind, str] = {
    "donate": "donation",
    "batch": "a smaller batch",
    "checkpoint": "the checkpoint",
    "checkpoint-loop": "the checkpoint",
    "copy": "fewer copies",
    "padding": "no padding",
    "attention": "no scores of attention",
    "logits": "the loss in chunks",
    "carry": "the carry",
    "shard": "the division",
}
"""The kinds of moves that can be part of a sequence, in short."""

_TOGETHER: Mapping[Fitting, str] = {
    "fits": "predicted to fit",
    "close": "close: compile it",
    "too much": "does not fit yet",
}


class Saving(Protocol):
    """What a change to a program saves, and how sure that is; `saving_high_bytes` is the most of a range."""

    @property
    def claim(self) -> Claim: ...
    @property
    def naive_bytes(self) -> int: ...
    @property
    def saving_bytes(self) -> int: ...
    @property
    def saving_high_bytes(self) -> int | None: ...


def amount_words(move: Saving) -> str:
    """Return what a move saves, worded as its claim allows."""
    if move.claim == "not computed":
        return f"unknown; {saving_words(move)}"
    if move.saving_bytes <= 0 and not move.saving_high_bytes:
        return "0"
    match move.claim:
        case "range":
            return _span_words(move.saving_bytes, move.saving_high_bytes or move.saving_bytes)
        case "up to":
            return f"up to about {rounded_bytes(move.saving_bytes)}"
        case "predicted" | "estimate":
            return f"about {rounded_bytes(move.saving_bytes)}"
        case "at least":
            return f"at least {human_bytes(move.saving_bytes)}"
        case _:
            return human_bytes(move.saving_bytes)


def saving_words(move: Saving) -> str:
    """Return `saves about 281 MiB` or, where the saving is unknown, `involves 281 MiB`."""
    if move.claim == "not computed":
        return f"involves {rounded_bytes(move.naive_bytes)}"
    amount = amount_words(move)
    return "saves nothing" if amount == "0" else f"saves {amount}"


def rounded_bytes(size: int) -> str:
    """Return `281 MiB`: three digits."""
    amount, unit = float(size), "B"
    for larger in UNITS:
        if abs(amount) < 999.5:
            break
        amount, unit = amount / 1024, larger
    digits = max(0, 3 - len(str(int(abs(amount))))) if unit != "B" else 0
    return f"{amount:.{digits}f} {unit}"


def _span_words(low: int, high: int) -> str:
    """Return `1.20 to 1.45 GiB`, or `990 MiB to 1.02 GiB`, each rounded to three digits."""
    least, most = rounded_bytes(low), rounded_bytes(high)
    if least == most:
        return most
    return f"{least.removesuffix(most[most.index(' ') :])} to {most}"


def peak_words(move: Reached) -> str:
    """Return the peak that a move leads to, as exact as its claim is."""
    return _left_words(move.claim, move.peak_high_saving, move.peak_bytes)


def needed_words(move: Reached) -> str:
    """Return what is needed after a move, as exact as its claim is."""
    return _left_words(move.claim, least_needed(move), move.needed_bytes)


def _left_words(claim: Claim, low: int, high: int) -> str:
    if claim == "range" and low != high:
        return _span_words(low, high)
    return f"about {rounded_bytes(high)}" if claim in _ROUNDED else human_bytes(high)


def result_words(move: Reached, exceeded_bytes: int | None) -> str:
    """Return what is needed after a move, and whether that fits a device that is too small for the program as it is.

    `exceeded_bytes` is what that device has; None if the program fits as it is, or nothing is known.
    """
    needed = f"{needed_words(move)} needed"
    if exceeded_bytes is None:
        return needed
    over = move.needed_bytes - exceeded_bytes
    known = fitting_of(move, exceeded_bytes)
    if known != "too much":
        return f"{needed}, fits" if known == "fits" else f"{needed}, close: compile it"
    most = "at most " if move.claim == "at least" else ""
    return f"{needed}, {most}{rounded_bytes(over) if move.claim in _ROUNDED else human_bytes(over)} over capacity"


def what_words(advice: Advice, move: Move) -> str:
    """Return what is changed, from the program as it is."""
    what = ", then ".join(one.what for one in advice.sequence[: len(move.after) + 1]) if move.after else move.what
    return what[0].upper() + what[1:]


def curve_words(advice: Advice, move: Move) -> str:
    """Return what the curve of a move shows, and the peak that it leads to."""
    least = ", drawn for the least saving" if move.claim == "range" else ""
    peak = f"peak {peak_words(move)} at instruction {move.outcome.moment:,}"
    return f"{what_words(advice, move)}: {peak} ({CLAIMS[move.claim]}{least})."


def next_words(move: Move) -> str:
    """Return what takes most of the peak after a move; empty where that is not known."""
    return f"Then most of the peak is {move.next_largest}." if move.next_largest else ""


def joint_words(advice: Advice) -> str:
    """Return what is needed after the sequence and, if the program does not fit now, whether that fits.

    It is computed on the changed model. Empty for fewer than two moves.
    """
    if len(advice.sequence) < 2:
        return ""
    capacity, last = advice.capacity, advice.sequence[-1]
    *names, name = (_NAMES[move.kind] for move in advice.sequence)
    words = f"{', '.join(names)} and {name} together: {needed_words(last)} needed"
    if capacity and capacity.excess_bytes:
        words += f", {_TOGETHER['fits' if capacity.steps else fitting_of(last, capacity.size_bytes)]}"
    return f"{words[0].upper()}{words[1:]}."


def floor_words(ladder: Ladder, instruction: str, backend: str) -> str:
    """Return the bound that order, recomputation, offloading and donation cannot go below."""
    at = f"instruction {ladder.floor_moment:,}" + (f", {instruction}" if instruction else "")
    vmem = ", apart from what may move to VMEM" if backend == "tpu" else ""
    return (
        "With these shapes and instructions, no order, recomputation, offloading or donation lowers the peak below"
        f" {human_bytes(ladder.floor_bytes)} ({at}){vmem}."
    )


def first_move(advice: Advice | None) -> Move | None:
    """Return the move to name where there is room for one: the first of those that make it fit, else the best step."""
    if advice is None:
        return None
    if advice.capacity and advice.capacity.verdict in ("sequence", "donation"):
        return advice.sequence[0]
    # Another type is another program, so it is only named where the program does not fit.
    is_over = advice.capacity is not None and advice.capacity.excess_bytes > 0
    named = (move for move in advice.steps if is_over or move.kind != "type")
    # Where nothing saves, donation is named all the same, because its sentence says why it does not.
    return next(named, None) or next((move for move in advice.own_moves if move.kind == "donate"), None)


def advice_sentence(advice: Advice | None) -> str:
    """Return what to do first in one sentence and, where only several steps make the program fit, all of them."""
    move = first_move(advice)
    if advice is None or move is None:
        return ""
    steps = advice.sequence[: advice.capacity.steps] if advice.capacity else ()
    if len(steps) > 1:
        return f"{', then '.join(one.what for one in steps)}: new total {needed_words(steps[-1])}"
    return sentence(move)


def capacity_words(fit: Fit, advised: CapacityAdvice | None) -> str:
    """Return what a module needs, how far that is from what the device has, and what could make it fit."""
    difference = f"{human_bytes(abs(fit.excess_bytes))} {'more' if fit.is_over else 'less'}"
    capacity = human_bytes(fit.capacity.size_bytes) + (f" ({fit.capacity.scope})" if fit.capacity.scope else "")
    if fit.fits is None:
        return f"needs {least_words(fit.needed_bytes, is_least=True)}; whether that fits {capacity} is unknown"
    words = f"needs {least_words(fit.needed_bytes, is_least=fit.is_least)}, {difference} than {capacity}"
    return f"{words}; {verdict_words(advised)}" if advised else words


def verdict_words(capacity: CapacityAdvice) -> str:
    """Return what could make a program fit, and the batch that does; for one that fits, what is not counted."""
    words = _VERDICTS[capacity.verdict]
    if capacity.steps == 1 and capacity.verdict == "sequence":
        words = "predicted to fit with one suggestion"
    if capacity.verdict == "arguments":
        words += f"; sharded over {_count_words(capacity.devices)} they fit"
    if capacity.excess_bytes and capacity.fits_factor and capacity.fits_factor < 1:
        words += f"; {100 * capacity.fits_factor:.0f} % of the batch is close (estimate)"
    return words


def _count_words(devices: int | None) -> str:
    return "more devices" if devices is None else f"{devices:,} devices"


def per_device_words(found: PerDevice) -> str:
    """Return what each of so many devices would hold and need."""
    peak = f"{rounded_bytes(found.low_bytes)} to {rounded_bytes(found.high_bytes)}"
    held = f"{human_bytes(found.held_bytes)} of arguments and outputs if each is divided evenly"
    return f"on {found.devices:,}: {held}, and a peak of {peak}"


def sentence(move: Move) -> str:
    """Return a move in one sentence, as `check` prints it."""
    if move.claim == "not computed":
        return f"{move.what}: {saving_words(move)}; saving unknown"
    if move.saving_bytes <= 0 and not move.saving_high_bytes:
        return f"to {move.what} saves nothing: {move.reason}"
    if move.claim == "up to" and move.kind in _IF_NOT_HELD:
        buffers = "this buffer were" if len(move.buffers) == 1 else f"these {len(move.buffers):,} buffers were"
        held = "freed while idle" if move.kind in _FOR_A_WHILE else "not there"
        return f"{move.what}: if {buffers} {held}, this schedule would need {needed_words(move)}"
    claim = "" if move.claim == "at least" else f" ({CLAIMS[move.claim]})"
    return f"{move.what}: {saving_words(move)}{claim}"
