"""Put the suggestions in the order in which they are worth trying.

Suggestions of all kinds compete by the saving to expect: what is promised, times the part of such promises that
recompiled programs have kept. A free change comes before one that costs work and saves as much, and what is not
computed after all that is.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.advice.advice_records import Confidence, Kind, Suggestion

LEAST_PART = 200
"""A step is worth trying if it may save more than this part of the peak."""

_NOT_BEST: frozenset[Kind] = frozenset(("family", "unreturned-result", "made-early", "recomputed-early"))
"""Suggestions that say what is so, and not what to change."""

_KEPT: Mapping[Confidence | Kind, float] = {"up to": 0.88, "unknown": 0.5, "offload": 0.18, "type": 0.4}
"""The part of a promise that was kept, on average, where it is less than all of it (`tests.advice.promises`).

Pairs of programs: 4 "up to", 4 offloads (0.65, and three that needed more), 3 types (0.79, 0.08 and 0 of what they were
about). All 36 ranges, predictions and estimates of other kinds were kept; of what is not computed there is one pair.
Of what the offloads leave open, 0.17 to 0.19, the order of the steps is right for most programs.
"""

_FREE = 1.1

FIRST_SUGGESTIONS = 3
"""The steps that are shown at first glance."""

OTHER_TRAINING: frozenset[Kind] = frozenset(("batch", "type"))
"""Suggestions after which another program is trained, so that half of their saving counts."""

_CHECKPOINTS: Mapping[Kind, Kind] = {"checkpoint-loop": "checkpoint"}


def worth_bytes(suggestion: Suggestion) -> float:
    """Return the saving to expect of a suggestion, in bytes, to compare it with others."""
    saving = suggestion.involved_bytes if suggestion.confidence in ("at least", "unknown") else suggestion.saving_bytes
    kept = _KEPT.get(suggestion.kind, _KEPT.get(suggestion.confidence, 1.0))
    return saving * kept * (0.5 if suggestion.kind in OTHER_TRAINING else 1.0)


def best_of_each(suggestions: Iterable[Suggestion], peak_bytes: int) -> Sequence[Suggestion]:
    """Return the suggestions that are worth trying: the best of each kind, the best of all first."""
    best: dict[Kind, Suggestion] = {}
    for suggestion in suggestions:
        kind = joint_kind(suggestion)
        if suggestion.kind not in _NOT_BEST and (kind not in best or rank(suggestion) > rank(best[kind])):
            best[kind] = suggestion
    worth = [suggestion for suggestion in best.values() if worth_bytes(suggestion) * LEAST_PART >= peak_bytes]
    return sorted(worth, key=rank, reverse=True)


def joint_kind(suggestion: Suggestion) -> Kind:
    """Return the kind that a suggestion is one step of with others: checkpoints of loops are checkpoints."""
    return _CHECKPOINTS.get(suggestion.kind, suggestion.kind)


def rank(suggestion: Suggestion) -> tuple[bool, float]:
    """Return by what a suggestion comes before others: what is computed never comes after what is not."""
    # A donation is free, so it comes before what saves a few percent more.
    return suggestion.is_computed, worth_bytes(suggestion) * (_FREE if suggestion.kind == "donate" else 1.0)
