"""Put the suggestions in the order in which they are worth trying.

Suggestions of all kinds compete by the saving to expect: what is promised, times the part of such promises that
recompiled programs have kept. A free change comes before one that costs work and saves as much, and what is not
computed after all that is.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.kinds import KINDS, Kind

LEAST_PART = 200
"""A suggestion is worth trying if it may save more than this part of the peak."""

_KEPT: Mapping[Confidence, float] = {"up to": 0.88, "unknown": 0.5}
"""The part of a promise that was kept, on average, where it is less than all of it (`tests.advice.promises`).

Pairs of programs: 4 "up to". All 36 ranges, predictions and estimates were kept, of kinds that have no part of their
own; of what is not computed there is one pair.
"""

_FREE = 1.1

FIRST_SUGGESTIONS = 3
"""The suggestions that are shown at first glance."""


def worth_bytes(suggestion: Suggestion) -> float:
    """Return the saving to expect of a suggestion, in bytes, to compare it with others."""
    saving = suggestion.involved_bytes if suggestion.confidence in ("at least", "unknown") else suggestion.saving_bytes
    kind = KINDS[suggestion.kind]
    kept = _KEPT.get(suggestion.confidence, 1.0) if kind.kept_part is None else kind.kept_part
    return saving * kept * (0.5 if kind.trains_otherwise else 1.0)


def best_of_each(suggestions: Iterable[Suggestion], peak_bytes: int) -> Sequence[Suggestion]:
    """Return the suggestions that are worth trying: the best of each kind, the best of all first."""
    best: dict[Kind, Suggestion] = {}
    for suggestion in suggestions:
        kind = joint_kind(suggestion)
        if KINDS[suggestion.kind].is_change and (kind not in best or rank(suggestion) > rank(best[kind])):
            best[kind] = suggestion
    worth = [suggestion for suggestion in best.values() if worth_bytes(suggestion) * LEAST_PART >= peak_bytes]
    return sorted(worth, key=rank, reverse=True)


def joint_kind(suggestion: Suggestion) -> Kind:
    """Return the kind that a suggestion counts as: checkpoints of loops are checkpoints."""
    return KINDS[suggestion.kind].joined_with or suggestion.kind


def rank(suggestion: Suggestion) -> tuple[bool, float]:
    """Return by what a suggestion comes before others: what is computed never comes after what is not."""
    # A donation is free, so it comes before what saves a few percent more.
    return suggestion.is_computed, worth_bytes(suggestion) * (_FREE if KINDS[suggestion.kind].is_free else 1.0)
