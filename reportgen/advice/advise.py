"""Advise on the memory spaces of a dump: single suggestions, those worth trying combined, and whether that fits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from reportgen.advice.advice_records import (
    ArgumentGroup,
    Breakdown,
    CapacityAdvice,
    Returned,
    State,
    Suggestion,
    Verdict,
)
from reportgen.advice.combined import combined, fits_after
from reportgen.advice.context import AdviceContext
from reportgen.advice.finders import FINDERS
from reportgen.advice.fitting import fitting_of
from reportgen.advice.joint import Joint
from reportgen.advice.memory import Memory, PeakAfter
from reportgen.advice.next_peak import largest_at, with_next
from reportgen.advice.order import best_of_each, joint_kind
from reportgen.advice.rematerialized import lost_bytes, without_rematerialization
from reportgen.advice.shard import fewest_devices
from reportgen.advice.similar_buffers import SimilarBuffers, similar_buffers, without_group
from reportgen.advice.tables import argument_groups, returned, states
from reportgen.advice.withheld import withheld
from reportgen.analyse.contested import contested_bytes, decides, unread_bytes
from reportgen.analyse.records import VMEM, Analysis

_GROUP_SUGGESTIONS = 5
"""Groups that are listed as suggestions: the largest."""


class Advice:
    """What would lower the peak of one memory space.

    Each part is computed when it is first asked for, because some take long and are not always shown. Where advice is
    `withheld`, which says why, there is no context: no peak, no suggestions, and every other list is empty.
    """

    def __init__(
        self,
        context: AdviceContext | None = None,
        *,
        withheld: str = "",
        capacity_bytes: int | None = None,
    ) -> None:
        self.withheld, self._context, self._capacity_bytes = withheld, context, capacity_bytes

    @property
    def memory(self) -> Memory | None:
        """Return the memory space over time, to ask what any change of it leads to."""
        return self._context.memory if self._context else None

    @property
    def peak(self) -> PeakAfter | None:
        return self._context.memory.peak if self._context else None

    @cached_property
    def largest(self) -> str:
        """Return what takes most of the peak as it is, in words."""
        return largest_at(self._context, self._context.memory.peak) if self._context else ""

    @property
    def contested_bytes(self) -> int:
        """Return the bytes of the space that errors of the dump leave in doubt, too few to change what is said."""
        return contested_bytes(self._context.analysis, self._context.space) or 0 if self._context else 0

    @property
    def own_suggestions(self) -> Sequence[Suggestion]:
        """Return the suggestions that change something, each on its own, for the program as it is."""
        return self._own_and_best[0]

    @property
    def best(self) -> Sequence[Suggestion]:
        """Return those of them that are worth trying, one of each kind, the best first."""
        return self._own_and_best[1]

    @cached_property
    def _own_and_best(self) -> tuple[Sequence[Suggestion], Sequence[Suggestion]]:
        context = self._context
        if context is None:
            return (), ()
        own = [self._lowered(suggestion) for find in FINDERS for suggestion in find(context)]
        best = {id(suggestion): with_next(context, suggestion) for suggestion in best_of_each(own, self._peak_bytes)}
        return tuple(best.get(id(suggestion), suggestion) for suggestion in own), tuple(best.values())

    @property
    def _peak_bytes(self) -> int:
        return self.peak.peak_bytes if self.peak else 0

    @cached_property
    def suggestions(self) -> Sequence[Suggestion]:
        """Return the suggestions that change something, and for each of the largest groups that of never holding it."""
        context = self._context
        if context is None:
            return ()
        largest = self.groups[:_GROUP_SUGGESTIONS]
        return (*self.own_suggestions, *(self._lowered(without_group(context, group)) for group in largest))

    def _lowered(self, suggestion: Suggestion) -> Suggestion:
        """Return a suggestion that claims no more than what is known of the program allows."""
        if suggestion.is_computed and not self._is_understood:
            suggestion = replace(suggestion, confidence="up to")
        return without_rematerialization(suggestion, self._lost_bytes)

    @cached_property
    def _is_understood(self) -> bool:
        """Return whether nearly all of the space is held by what is read, or else each saving is an upper bound."""
        return self._context is None or not decides(
            unread_bytes(self._context.analysis, self._context.space), self._context.space
        )

    @cached_property
    def _lost_bytes(self) -> Sequence[int]:
        return lost_bytes(self._context.program, self._context.memory) if self._context else ()

    @cached_property
    def _joint(self) -> Joint | None:
        return Joint(self._context, self.best, self._lowered) if self._context else None

    def together(self, suggestions: Sequence[Suggestion]) -> Suggestion | None:
        """Return the last of some of the best suggestions, after the others; None where they cannot be combined."""
        return self._joint.together([joint_kind(suggestion) for suggestion in suggestions]) if self._joint else None

    @cached_property
    def combined(self) -> Sequence[Suggestion]:
        """Return the suggestions that lower the peak most, computed one after the other: savings do not add up."""
        context = self._context
        if context is None:
            return ()
        available = self._available_bytes if self._is_over else None
        chosen = combined(self._joint, available) if self._joint else ()
        return tuple(with_next(context, suggestion) if suggestion.after else suggestion for suggestion in chosen)

    @property
    def _available_bytes(self) -> int | None:
        """Return what the device has for the peak, since slack must fit as well; None if that is not known."""
        if self._context is None or self._capacity_bytes is None:
            return None
        return self._capacity_bytes - self._context.above_peak_bytes

    @property
    def _is_over(self) -> bool:
        available = self._available_bytes
        return available is not None and self._peak_bytes > available

    @cached_property
    def breakdown(self) -> Breakdown | None:
        """Return what the program needs now, after donation, and at the least."""
        context = self._context
        if context is None:
            return None
        return Breakdown(
            needed_bytes=context.space.needed_bytes,
            peak_bytes=self._peak_bytes,
            donated_bytes=min(context.donation.at_worst.peak.peak_bytes, self._peak_bytes),
            floor_bytes=context.floor.size_bytes,
            floor_moment=context.floor.moment,
            arguments_bytes=context.held_bytes,
        )

    @cached_property
    def groups(self) -> Sequence[SimilarBuffers]:
        """Return the largest groups of buffers at the peak."""
        return tuple(similar_buffers(self._context.analysis, self._context.memory)) if self._context else ()

    @cached_property
    def half_batch_bytes(self) -> int | None:
        """Return the peak with half the batch; None if no batch is recognised."""
        return self._context.batch.peak(0.5).peak_bytes if self._context and self._context.batch else None

    @cached_property
    def arguments(self) -> tuple[ArgumentGroup, ...]:
        """Return the arguments, by what keeps them from being donated."""
        return tuple(argument_groups(self._context)) if self._context else ()

    @cached_property
    def states(self) -> Mapping[int, State]:
        """Return of each value that is an argument whether it can be donated."""
        return {argument.number: state for argument, state in states(self._context)} if self._context else {}

    @cached_property
    def results(self) -> Sequence[Returned]:
        """Return what the program returns in memory of its own."""
        return tuple(returned(self._context)) if self._context else ()

    @cached_property
    def capacity(self) -> CapacityAdvice | None:
        """Return whether the program fits, and the batch and the devices that do; None without a capacity."""
        context, size_bytes, available = self._context, self._capacity_bytes, self._available_bytes
        if context is None or size_bytes is None or available is None:
            return None
        enough = (count for count, last in enumerate(self.combined, start=1) if fits_after(last, size_bytes))
        return CapacityAdvice(
            size_bytes=size_bytes,
            verdict=self._verdict(context, size_bytes),
            combined_to_fit=next(enough, 0),
            excess_bytes=max(0, context.space.needed_bytes - size_bytes),
            fits_factor=context.batch.largest(available) if context.batch else None,
            batch_length=context.batch_length,
            devices=fewest_devices(context, available) if self._is_over else None,
        )

    @property
    def exceeded_bytes(self) -> int | None:
        """Return the capacity if the program needs more than that; None if it fits, or nothing is known."""
        return self.capacity.size_bytes if self.capacity and self.capacity.excess_bytes else None

    def _verdict(self, context: AdviceContext, size_bytes: int) -> Verdict:
        """Compare what the program needs with the capacity, not its peak, because slack is needed, too.

        On a TPU values may live in VMEM, so the floor is only believed beyond the size of that.
        """
        if context.space.needed_bytes <= size_bytes:
            return "fits"
        if self._peak_bytes <= size_bytes:
            return "slack"
        if any(fits_after(suggestion, size_bytes) for suggestion in self.combined):
            first = self.combined[0]
            return "donation" if first.kind == "donate" and fits_after(first, size_bytes) else "combined"
        if context.held_bytes > size_bytes:
            return "arguments"
        computed = (suggestion for suggestion in (*self.best, *self.combined[-1:]) if suggestion.is_computed)
        if any(fitting_of(suggestion, size_bytes) == "close" for suggestion in computed):
            return "close"
        vmem = context.analysis.spaces.get(VMEM) if context.analysis.backend == "tpu" else None
        sure_floor = context.floor.size_bytes - (vmem.needed_bytes if vmem else 0)
        return "possible" if sure_floor <= size_bytes else "impossible"


AdviceBySpace = Mapping[int, Advice]


def advise(analysis: Analysis, capacity_bytes: int | None = None) -> AdviceBySpace:
    """Return what would lower the peak of each memory space, or why nothing is said of it."""

    def of_space(color: int) -> Advice:
        space = analysis.spaces[color]
        if reason := withheld(analysis, space):
            return Advice(withheld=reason)
        return Advice(AdviceContext(analysis, space), capacity_bytes=capacity_bytes)

    return {color: of_space(color) for color in analysis.spaces}
