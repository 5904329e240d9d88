"""Put the moves in the order in which they are worth trying.

Moves of all kinds compete by the saving to expect: what is promised, times the part of such promises that recompiled
programs have kept. A free change comes before one that costs work and saves as much, and what is not computed after all
that is.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.advice.advice_records import Claim, Kind, Move

LEAST_PART = 200
"""A step is worth trying if it may save more than this part of the peak."""

_NO_STEPS: frozenset[Kind] = frozenset(("family", "unreturned-result", "made-early", "recomputed-early"))
"""Moves that say what is so, and not what to change."""

_KEPT: Mapping[Claim | Kind, float] = {"up to": 0.88, "not computed": 0.5, "offload": 0.18, "type": 0.4}
"""The part of a promise that was kept, on average, where it is less than all of it (`tests.advice.promises`).

Pairs of programs: 4 "up to", 4 offloads (0.65, and three that needed more), 3 types (0.79, 0.08 and 0 of what they were
about). All 36 ranges, predictions and estimates of other kinds were kept; of what is not computed there is one pair.
Of what the offloads leave open, 0.17 to 0.19, the order of the steps is right for most programs.
"""

_FREE = 1.1

FIRST_STEPS = 3
"""The steps that are shown at first glance."""

OTHER_TRAINING: frozenset[Kind] = frozenset(("batch", "type"))
"""Moves after which another program is trained, so that half of their saving counts."""

_CHECKPOINTS: Mapping[Kind, Kind] = {"checkpoint-loop": "checkpoint"}


def worth_bytes(move: Move) -> float:
    """Return the saving to expect of a move, in bytes, to compare it with others."""
    saving = move.naive_bytes if move.claim in ("at least", "not computed") else move.saving_bytes
    kept = _KEPT.get(move.kind, _KEPT.get(move.claim, 1.0))
    return saving * kept * (0.5 if move.kind in OTHER_TRAINING else 1.0)


def steps(moves: Iterable[Move], peak_bytes: int) -> Sequence[Move]:
    """Return the moves that are worth trying: the best of each kind, the best of all first."""
    best: dict[Kind, Move] = {}
    for move in moves:
        kind = step(move)
        if move.kind not in _NO_STEPS and (kind not in best or rank(move) > rank(best[kind])):
            best[kind] = move
    worth = [move for move in best.values() if worth_bytes(move) * LEAST_PART >= peak_bytes]
    return sorted(worth, key=rank, reverse=True)


def step(move: Move) -> Kind:
    """Return the kind that a move is one step of with others: checkpoints of loops are checkpoints."""
    return _CHECKPOINTS.get(move.kind, move.kind)


def rank(move: Move) -> tuple[bool, float]:
    """Return by what a move comes before others: what is computed never comes after what is not."""
    # A donation is free, so it comes before what saves a few percent more.
    return move.claim != "not computed", worth_bytes(move) * (_FREE if move.kind == "donate" else 1.0)
