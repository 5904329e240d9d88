"""Put the moves in the order in which they are worth trying, and choose a sequence that makes a program fit.

Moves of all kinds compete by what they save, each with what its claim is worth. A number that was confirmed on
recompiled programs counts whole. What a schedule without some bytes says is an upper bound, so it counts for less, and
so does the batch, because a smaller one is another training. What is not computed comes after all that is.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.advice.advice_records import Claim, Kind, Move

_LEAST_PART = 200
"""A step is worth trying if it may save more than this part of the peak."""

_NO_STEPS: frozenset[Kind] = frozenset(("family", "unreturned-result", "made-early", "recomputed-early"))
"""Moves that say what is so, and not what to change."""

_CLAIMS: Mapping[Claim, float] = {"up to": 0.6}
_KINDS: Mapping[Kind, float] = {"batch": 0.5, "offload": 0.4, "type": 0.25}
_NOT_COMPUTED: Mapping[Kind, float] = {"type": 0.25}
_CHECKPOINTS: Mapping[Kind, Kind] = {"checkpoint-loop": "checkpoint"}


def worth_bytes(move: Move) -> float:
    """Return what a move is worth, in bytes of its least saving, to compare it with others."""
    if move.claim == "not computed":
        return move.naive_bytes * _NOT_COMPUTED.get(move.kind, 0.5)
    return move.saving_bytes * _CLAIMS.get(move.claim, 1.0) * _KINDS.get(move.kind, 1.0)


def steps(moves: Iterable[Move], peak_bytes: int) -> Sequence[Move]:
    """Return the moves that are worth trying: the best of each kind, the best of all first."""
    best: dict[Kind, Move] = {}
    for move in moves:
        kind = _CHECKPOINTS.get(move.kind, move.kind)
        if move.kind not in _NO_STEPS and (kind not in best or _rank(move) > _rank(best[kind])):
            best[kind] = move
    worth = [move for move in best.values() if worth_bytes(move) * _LEAST_PART >= peak_bytes]
    return sorted(worth, key=_rank, reverse=True)


def _rank(move: Move) -> tuple[bool, float]:
    """Return by what a move comes before others: what is computed never comes after what is not."""
    return move.claim != "not computed", worth_bytes(move)
