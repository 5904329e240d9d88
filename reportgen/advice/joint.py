"""Compute what several suggestions lead to together.

Savings do not add up, so the edits of all of them are made to the space at once, as a donation leaves it if that is one
of them. A smaller batch scales what is left.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.batch_finder import HALF
from reportgen.advice.context import AdviceContext
from reportgen.advice.finders import CHANGES_OF_PROGRAM
from reportgen.advice.kinds import Kind
from reportgen.advice.memory import PeakAfter
from reportgen.advice.order import best_of_each, joint_kind
from reportgen.advice.shard import find_sharding
from reportgen.program.products import total

_WEAKEST: Sequence[Confidence] = ("at least", "range", "estimate")
"""The confidence of several edits together is the first of these that any of them has."""

Lower = Callable[[Suggestion], Suggestion]
"""Lowers what is claimed of a suggestion as far as the program asks for it."""


class Joint:
    """The suggestions of a program of which several can be made, the best of each kind."""

    def __init__(self, context: AdviceContext, best: Sequence[Suggestion], lower: Lower) -> None:
        self.context, self.lower = context, lower
        self._alone = {joint_kind(suggestion): suggestion for suggestion in best if _can_be_joined(suggestion)}
        self._joined = dict[frozenset[Kind], Suggestion | None]()

    def kinds(self, chosen: Collection[Kind] = ()) -> Sequence[Kind]:
        """Return the kinds that can be made on top of those that are `chosen`, the best first."""
        every = {**self._alone, **self._after_donation} if "donate" in chosen else self._alone
        return [kind for kind in every if kind not in chosen]

    @cached_property
    def _after_donation(self) -> Mapping[Kind, Suggestion]:
        """Return the suggestions that are left after the donation, each on its own."""
        after, finders = self.context.after_donation, (*CHANGES_OF_PROGRAM, find_sharding)
        suggestions = (self.lower(suggestion) for find in finders for suggestion in find(after))
        best = best_of_each(suggestions, after.memory.peak.peak_bytes)
        return {joint_kind(suggestion): suggestion for suggestion in best if _can_be_joined(suggestion)}

    def alone(self, kind: Kind, chosen: Collection[Kind] = ()) -> Suggestion | None:
        """Return the suggestion of a kind on its own, after the donation if that is `chosen`."""
        alone = self._alone.get(kind)
        return self._after_donation.get(kind, alone) if "donate" in chosen else alone

    def together(self, kinds: Sequence[Kind]) -> Suggestion | None:
        """Return the last of the suggestions of some kinds, after the others; None where one of them is not left."""
        joint = self._of(frozenset(kinds))
        if joint is None or len(kinds) == 1:
            return joint
        *before, last = filter(None, (self.alone(kind, kinds) for kind in kinds))
        return replace(
            last,
            confidence=joint.confidence,
            saving_bytes=joint.saving_bytes,
            outcome=joint.outcome,
            most=joint.most,
            after=tuple(suggestion.kind for suggestion in before),
            added_flops=joint.added_flops,
        )

    def _of(self, kinds: frozenset[Kind]) -> Suggestion | None:
        if kinds not in self._joined:
            found = [self.alone(kind, kinds) for kind in sorted(kinds)]
            suggestions = [suggestion for suggestion in found if suggestion]
            is_whole = len(suggestions) == len(found)
            self._joined[kinds] = self._joint(kinds, suggestions) if is_whole else None
        return self._joined[kinds]

    def _joint(self, kinds: frozenset[Kind], suggestions: Sequence[Suggestion]) -> Suggestion:
        """Return what some suggestions save together: at least as much as fewer of them."""
        if len(suggestions) == 1:
            return suggestions[0]
        whole = self.lower(self._together(suggestions))
        fewer = [part for kind in sorted(kinds) if (part := self._of(kinds - {kind}))]
        sure = [part.outcome for part in (whole, *fewer) if part.confidence != "up to"]
        by_peak = attrgetter("peak_bytes")
        most = min((part.most or part.outcome for part in (whole, *fewer)), key=by_peak)
        least = min(sure, key=by_peak, default=most)
        confidence = "range" if sure and whole.confidence == "up to" else whole.confidence
        return replace(
            whole,
            confidence=confidence,
            saving_bytes=self.context.memory.peak.peak_bytes - least.peak_bytes,
            outcome=least,
            most=most if confidence == "range" else None,
        )

    def _together(self, suggestions: Sequence[Suggestion]) -> Suggestion:
        """Return what some suggestions save if all their edits are made.

        What saves "up to" so much counts for the most that all of them save, and not for the least.
        """
        sure = [suggestion for suggestion in suggestions if suggestion.confidence != "up to"]
        most = self._outcome(suggestions, is_least=False)
        least = self._outcome(sure, is_least=True) if sure else most
        confidences = {suggestion.confidence for suggestion in suggestions}
        weakest: Confidence = next((weak for weak in _WEAKEST if weak in confidences), "predicted")
        if "up to" in confidences and weakest != "at least":
            weakest = "range" if sure else "up to"
        return replace(
            suggestions[-1],
            confidence=weakest,
            saving_bytes=self.context.memory.peak.peak_bytes - least.peak_bytes,
            outcome=least,
            most=most if weakest == "range" else None,
            after=tuple(suggestion.kind for suggestion in suggestions[:-1]),
            added_flops=total(suggestion.added_flops for suggestion in suggestions),
        )

    def _outcome(self, suggestions: Sequence[Suggestion], *, is_least: bool) -> PeakAfter:
        """Return the peak after the least or the most that some suggestions save."""
        context = self.context
        is_donated = any(suggestion.kind == "donate" for suggestion in suggestions)
        memory, after = context.memory, context
        if is_donated:
            memory = context.donation.at_worst if is_least else context.donation.after
            after = context.after_donation
        outcomes = (
            suggestion.outcome if is_least else suggestion.most or suggestion.outcome for suggestion in suggestions
        )
        edits = [outcome.edit for outcome in outcomes if outcome.edit]
        if after.batch and any(suggestion.kind == "batch" for suggestion in suggestions):
            return after.batch.peak_after(memory, edits, HALF)
        return memory.together(edits)


def _can_be_joined(suggestion: Suggestion) -> bool:
    return suggestion.is_computed and (suggestion.kind in ("donate", "batch") or suggestion.outcome.edit is not None)
