"""Advice in words, for the terminal and for pages.

The claim of a move decides its words. Predictions and estimates are rounded to three digits, exact numbers are not.
"""

from collections.abc import Mapping

from reportgen.advice.advice_records import Advice, CapacityAdvice, Claim, Ladder, Move, Verdict
from reportgen.analyse.capacity import Fit
from reportgen.reports.formats import UNITS, human_bytes

_NOT_FIRST = ("batch", "family", "unreturned-result")
_FOR_A_WHILE = ("recomputed-early", "made-early")

CLAIMS: Mapping[Claim, str] = {
    "exact": "exact, if nothing else changes",
    "up to": "of this schedule",
    "predicted": "predicted",
    "estimate": "estimate",
    "range": "range",
    "at least": "at least",
    "bound": "bound",
}

_VERDICTS: Mapping[Verdict, str] = {
    "fits": "code, other modules and the runtime come on top",
    "slack": "the peak is smaller, the rest is slack",
    "donation": "after donation the peak is smaller",
    "possible": "donation is not enough",
    "impossible": "with these shapes and instructions no order, recomputation, offloading or donation makes it fit",
}


def amount_words(move: Move) -> str:
    """Return what a move saves, worded as its claim allows."""
    if move.saving_bytes <= 0 and not move.saving_high_bytes:
        return "0"
    match move.claim:
        case "range":
            high = move.saving_high_bytes or move.saving_bytes
            low_words, high_words = rounded_bytes(move.saving_bytes), rounded_bytes(high)
            return low_words if low_words == high_words else f"{low_words} to {high_words}"
        case "up to":
            return f"up to about {rounded_bytes(move.saving_bytes)}"
        case "predicted" | "estimate":
            return f"about {rounded_bytes(move.saving_bytes)}"
        case "at least":
            return f"at least {human_bytes(move.saving_bytes)}"
        case _:
            return human_bytes(move.saving_bytes)


def rounded_bytes(size: int) -> str:
    """Return `281 MiB`: three digits."""
    amount, unit = float(size), "B"
    for larger in UNITS:
        if abs(amount) < 999.5:
            break
        amount, unit = amount / 1024, larger
    digits = max(0, 3 - len(str(int(abs(amount))))) if unit != "B" else 0
    return f"{amount:.{digits}f} {unit}"


def peak_words(move: Move) -> str:
    """Return the peak that a move leads to, as exact as its claim is."""
    if move.claim == "range" and move.peak_high_saving != move.outcome.peak_bytes:
        return f"{rounded_bytes(move.peak_high_saving)} to {rounded_bytes(move.outcome.peak_bytes)}"
    if move.claim in ("range", "up to", "predicted", "estimate"):
        return f"about {rounded_bytes(move.outcome.peak_bytes)}"
    return human_bytes(move.outcome.peak_bytes)


def what_words(advice: Advice, move: Move) -> str:
    """Return what is changed, from the program as it is."""
    what = f"{advice.sequence[0].what}, then {move.what}" if move.after else move.what
    return what[0].upper() + what[1:]


def curve_words(advice: Advice, move: Move) -> str:
    """Return what the curve of a move shows, and the peak that it leads to."""
    least = ", drawn for the least saving" if move.claim == "range" else ""
    peak = f"peak {peak_words(move)} at moment {move.outcome.moment}"
    return f"{what_words(advice, move)}: {peak} ({CLAIMS[move.claim]}{least})."


def joint_words(advice: Advice) -> str:
    """Return the peak that several moves lead to together and, if the program does not fit now, whether that fits.

    The peak is computed on the changed model. Empty for fewer than two moves.
    """
    if len(advice.sequence) < 2:
        return ""
    capacity, ladder, last = advice.capacity, advice.ladder, advice.sequence[-1]
    words = f"Together they lead to a peak of {peak_words(last)}; their savings alone do not add up to that."
    if capacity is None or ladder is None or not capacity.excess_bytes:
        return words
    # Slack is kept: what is predicted is the peak, not how well it is packed.
    available = capacity.size_bytes - (ladder.allocated_bytes - ladder.peak_bytes)
    if last.outcome.peak_bytes <= available:
        return f"{words} With the slack that there is now, this is predicted to fit."
    return f"{words} This {'may fit' if last.peak_high_saving <= available else 'does not fit yet'}."


def floor_words(ladder: Ladder, instruction: str, backend: str) -> str:
    """Return the bound that order, recomputation, offloading and donation cannot go below."""
    at = f"moment {ladder.floor_moment}" + (f", {instruction}" if instruction else "")
    vmem = ", except for what may lie in VMEM" if backend == "tpu" else ""
    return (
        "With these shapes and instructions, no order, recomputation, offloading or donation brings the peak below"
        f" {human_bytes(ladder.floor_bytes)} ({at}){vmem}."
    )


def first_move(advice: Advice | None) -> Move | None:
    """Return the move to name where there is room for one: the first of the sequence, or the one that saves most."""
    if advice is None or not advice.moves:
        return None
    if advice.sequence:
        return advice.sequence[0]
    worth = [move for move in advice.moves if move.kind not in _NOT_FIRST and move.saving_bytes > 0]
    # Where nothing saves, donation is named all the same, because its sentence says why it does not.
    return max(worth, key=lambda move: move.saving_bytes, default=None) or next(
        (move for move in advice.moves if move.kind == "donate"), None
    )


def capacity_words(fit: Fit, advised: CapacityAdvice | None) -> str:
    """Return what a module asks for, how far that is from what the device has, and what could make it fit."""
    difference = f"{human_bytes(abs(fit.excess_bytes))} {'more' if fit.is_over else 'less'}"
    words = f"allocates {human_bytes(fit.allocated_bytes)}, {difference} than {human_bytes(fit.capacity.size_bytes)}"
    return f"{words}; {verdict_words(advised)}" if advised else words


def verdict_words(capacity: CapacityAdvice) -> str:
    """Return what could make a program fit, and the batch that does; for one that fits, what is not counted."""
    words = _VERDICTS[capacity.verdict]
    if capacity.excess_bytes and capacity.fits_factor and capacity.fits_factor < 1:
        words += f"; a batch × {capacity.fits_factor:.2f} fits (estimate)"
    return words


def sentence(move: Move) -> str:
    """Return a move in one sentence, as `check` prints it."""
    if move.saving_bytes <= 0 and not move.saving_high_bytes:
        return f"to {move.what} saves nothing: {move.reason}"
    if move.claim == "up to":
        buffers = "this buffer were" if len(move.buffers) == 1 else f"these {len(move.buffers):,} buffers were"
        held = "not held then" if move.kind in _FOR_A_WHILE else "never held"
        return f"{move.what}: if {buffers} {held}, the peak of this schedule would be {peak_words(move)}"
    return f"{move.what}: saves {amount_words(move)} ({CLAIMS[move.claim]})"
