"""Compute steps one after the other: those of a first screen, and as many as it takes to make the program fit.

Savings do not add up, so the edits of all steps are made to the space at once, as a donation leaves it if that is one
of them. A batch is made smaller only where nothing else makes the program fit, and no type is changed.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor

from reportgen.advice.advice_records import Claim, Kind, Move
from reportgen.advice.fitting import fitting_of
from reportgen.advice.moves import Moves
from reportgen.advice.order import FIRST_STEPS, LEAST_PART, OTHER_TRAINING, rank, step, steps
from reportgen.advice.situation import Situation

_SMALLEST_BATCH = 0.05

_WEAKEST: Sequence[Claim] = ("at least", "estimate", "range")
"""Of several edits the first of these claims that one has is what is claimed of all."""

Lower = Callable[[Move], Move]
"""Lowers what is claimed of a move as far as the program asks for it."""


def sequence(
    situation: Situation, ordered: Sequence[Move], lower: Lower, available_bytes: int | None
) -> Sequence[Move]:
    """Return the steps that lower the peak most, each after those before it: `FIRST_STEPS`, or as many as it takes.

    Where they are not enough for `available_bytes`, return a smaller batch that is; None of bytes are enough always.
    """
    taken: list[Move] = []
    for move in _chain(situation, ordered, lower, available_bytes):
        is_enough = available_bytes is None or any(_fits_in(one, available_bytes) for one in taken)
        if is_enough and len(taken) >= FIRST_STEPS:
            return taken
        taken.append(move)
    if available_bytes is None or any(_fits_in(move, available_bytes) for move in taken):
        return taken
    for moves in _smaller(situation, ordered, lower, available_bytes):
        if _fits_in(moves[-1], available_bytes):
            return moves
    return taken[:FIRST_STEPS]


def fits_after(move: Move, size_bytes: int) -> bool:
    """Return whether a program surely fits after a move, and what was done before it."""
    return fitting_of(move, size_bytes) == "fits"


def _fits_in(move: Move, available_bytes: int) -> bool:
    return fits_after(move, available_bytes + move.above_peak_bytes)


def _chain(situation: Situation, ordered: Sequence[Move], lower: Lower, available_bytes: int | None) -> Iterator[Move]:
    """Yield the steps that surely save something: one that is enough alone, then that which lowers the peak most."""
    before = {step(move): move for move in ordered if _can_be_joined(move)}
    after = {**before, **_after_donation(situation, lower, before)} if "donate" in before else before
    # A donation is free, so it comes before another step that is enough as well.
    enough = [kind for kind, move in before.items() if available_bytes is not None and _fits_in(move, available_bytes)]
    first = min(enough, key=lambda kind: kind != "donate", default=None)
    taken: list[Move] = []
    while True:
        kinds = [step(move) for move in taken]
        alone = after if "donate" in kinds else before
        found = []
        for kind in alone.keys() - set(kinds):
            moves = [(after if "donate" in (kind, *kinds) else before)[one] for one in (*kinds, kind)]
            found.append(lower(_together(situation, taken, moves)) if taken else moves[0])
        move = max(found, key=lambda move: (not taken and step(move) == first, rank(move), move.kind), default=None)
        peak_bytes = taken[-1].peak_bytes if taken else situation.memory.peak.peak_bytes
        if move is None or (peak_bytes - move.peak_bytes) * LEAST_PART < situation.memory.peak.peak_bytes:
            return
        yield move
        taken.append(move)


def _after_donation(situation: Situation, lower: Lower, before: Container[Kind]) -> Mapping[Kind, Move]:
    """Return the steps that are left after the donation, by their kind, as they are then without the others."""
    after = situation.after_donation
    moves = Moves(after)
    sharding = moves.sharding() if "shard" in before else ()
    found = steps(map(lower, (*moves.changes(), *sharding)), after.memory.peak.peak_bytes)
    return {step(move): move for move in found if _can_be_joined(move)}


def _can_be_joined(move: Move) -> bool:
    is_sure = move.claim not in ("up to", "not computed")
    return is_sure and move.kind not in OTHER_TRAINING and (move.kind == "donate" or move.outcome.edit is not None)


def _together(situation: Situation, taken: Sequence[Move], moves: Sequence[Move]) -> Move:
    """Return the last of some moves after the others, which are taken; `moves` are as they are without each other."""
    is_donated = any(move.kind == "donate" for move in moves)
    memory, at_worst = situation.memory, situation.memory
    if is_donated:
        memory, at_worst = situation.donation.after, situation.donation.at_worst
    least = at_worst.together(one.outcome.edit for one in moves)
    most = memory.together((one.best or one.outcome).edit for one in moves)
    claims = {one.claim for one in moves}
    claim = next((claim for claim in _WEAKEST if claim in claims), moves[-1].claim)
    return replace(
        moves[-1],
        claim=claim,
        saving_bytes=situation.memory.peak.peak_bytes - least.peak_bytes,
        outcome=least,
        best=most if claim == "range" else None,
        after=tuple(one.kind for one in taken),
    )


def _smaller(
    situation: Situation, ordered: Sequence[Move], lower: Lower, available_bytes: int
) -> Iterator[Sequence[Move]]:
    """Yield the largest batch that fits, alone and after the donation."""
    yield from ((lower(one),) for one in _batch(situation, available_bytes))
    if donation := next((move for move in ordered if move.kind == "donate"), None):
        found = (lower(replace(one, after=("donate",))) for one in _batch(situation.after_donation, available_bytes))
        yield from ((donation, one) for one in found)


def _batch(situation: Situation, available_bytes: int) -> Iterator[Move]:
    """Yield the largest batch that fits, in hundredths of the batch as it is."""
    factor = situation.batch.largest(available_bytes) if situation.batch else None
    hundredths = floor(min(factor or 0.0, 1.0) * 100) / 100
    if hundredths >= _SMALLEST_BATCH:
        yield Moves(situation).smaller_batch(hundredths)
