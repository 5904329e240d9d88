"""Choose which steps to take together: the shortest sequence that makes the program fit, or the best two.

Savings do not add up, so what comes after a donation is computed on the space as the donation leaves it. A batch is
made smaller only where nothing else makes the program fit, and no type is changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import floor

from reportgen.advice.advice_records import Move
from reportgen.advice.fitting import fitting_of
from reportgen.advice.moves import WORTH_PART, Moves
from reportgen.advice.order import OTHER_TRAINING, steps
from reportgen.advice.situation import Situation

_SMALLEST_BATCH = 0.05


def sequence(situation: Situation, ordered: Sequence[Move], available_bytes: int | None) -> Sequence[Move]:
    """Return the shortest sequence whose peak is at most `available_bytes`, or else the best two steps.

    None of bytes asks for the best two steps.
    """
    donation = next((move for move in ordered if move.kind == "donate"), None)
    after = _after_donation(situation) if donation else None
    if available_bytes is not None:
        for moves in _sequences(situation, ordered, donation, after, available_bytes):
            if fits_after(moves[-1], available_bytes + moves[-1].above_peak_bytes):
                return moves
    numbered = [
        move for move in ordered if move.claim != "not computed" and move.kind not in ("donate", *OTHER_TRAINING)
    ]
    if donation is None or after is None:
        return numbered[:1]
    if donation.saving_bytes * WORTH_PART < situation.memory.peak.peak_bytes:
        return numbered[:1]
    return donation, *_then(after)[:1]


def fits_after(move: Move, size_bytes: int) -> bool:
    """Return whether a program surely fits after a move, and what was done before it."""
    return fitting_of(move, size_bytes) == "fits"


def _after_donation(situation: Situation) -> Situation:
    return Situation(situation.analysis, situation.space, situation.donation.after)


def _sequences(
    situation: Situation, ordered: Sequence[Move], donation: Move | None, after: Situation | None, available_bytes: int
) -> Iterator[Sequence[Move]]:
    """Yield what to try, the shortest first, and what is not worth a smaller batch before that."""
    numbered = [move for move in ordered if move.claim != "not computed"]
    yield from ((move,) for move in numbered if move.kind not in OTHER_TRAINING)
    yield from ((smaller,) for smaller in _batch(situation, available_bytes))
    if donation and after:
        yield from ((donation, move) for move in _then(after))
        yield from ((donation, replace(smaller, after=("donate",))) for smaller in _batch(after, available_bytes))


def _then(after: Situation) -> Sequence[Move]:
    """Return the steps with a number that are left after the donation."""
    found = steps(Moves(after).changes(), after.memory.peak.peak_bytes)
    return [
        replace(move, after=("donate",))
        for move in found
        if move.claim != "not computed" and move.kind not in OTHER_TRAINING
    ]


def _batch(situation: Situation, available_bytes: int) -> Iterator[Move]:
    """Yield the largest batch that fits, in hundredths of the batch as it is."""
    factor = situation.batch.largest(available_bytes) if situation.batch else None
    hundredths = floor(min(factor or 0.0, 1.0) * 100) / 100
    if hundredths >= _SMALLEST_BATCH:
        yield Moves(situation).smaller_batch(hundredths)
