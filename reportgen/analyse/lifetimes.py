"""How long values are held, and how long they lie idle: what to look at for a shorter life.

Bytes × steps says what a value costs over the whole program. An idle stretch is time in which a value is
live and no instruction defines or reads it; only one that spans the peak can lower it, by computing the
value later, again, or fetching it later. The dump says who reads a value, not when a loop's body does, so
a stretch ends where the reading instruction stands in the schedule.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

from reportgen.analyse.padding import values_of
from reportgen.analyse.records import Analysis, Space, ValueFacts
from reportgen.model import Dump, LiveRange, UsedValue

IdleKind = Literal["before the first use", "between uses", "after the last use", "never used"]


class Idle(NamedTuple):
    """A stretch of moments, `first` to `last`, both inclusive, in which `value` is held and not touched."""

    value: int
    kind: IdleKind
    first: int
    last: int
    size_bytes: int

    @property
    def steps(self) -> int:
        return self.last - self.first + 1

    @property
    def byte_steps(self) -> int:
        return self.size_bytes * self.steps

    def spans(self, moment: int) -> bool:
        return self.first <= moment <= self.last


def steps_held(analysis: Analysis, number: int) -> int:
    """At how many moments a value is live; one without a live range at none."""
    return _steps(analysis.facts[number].live, analysis.moments)


def _steps(live: LiveRange | None, moments: int) -> int:
    return 0 if live is None else max(0, min(live.end, moments - 1) - live.start + 1)


def byte_steps(analysis: Analysis, space: Space) -> list[tuple[int, int]]:
    """(bytes × steps, value) for each value of a space that is live at all, the largest first."""
    facts, moments = analysis.facts, analysis.moments
    held = [(facts[n].value.size_bytes * _steps(facts[n].live, moments), n) for n in values_of(analysis, space)]
    return sorted((row for row in held if row[0]), key=lambda row: (-row[0], row[1]))


def idle_stretches(analysis: Analysis, space: Space) -> list[Idle]:
    """Every idle stretch of the values of a space, the most bytes × steps first."""
    found = [idle for number in values_of(analysis, space) for idle in _idle_of(analysis, number)]
    return sorted(found, key=lambda idle: (-idle.byte_steps, idle.value, idle.first))


def idle_at_peak(space: Space, stretches: list[Idle]) -> list[tuple[int, Idle]]:
    """(bytes that are given to the value at the peak, its stretch that spans the peak), the most bytes first."""
    peak = space.peak_resident
    given: Mapping[int | None, int] = {share.value: share.size_bytes for share in space.composition}
    spanning = [idle for idle in stretches if peak is not None and idle.spans(peak.moment)]
    rows = [(given[idle.value], idle) for idle in spanning if given.get(idle.value)]
    return sorted(rows, key=lambda row: (-row[0], -row[1].steps, row[1].value))


def _idle_of(analysis: Analysis, number: int) -> Iterator[Idle]:
    """Nothing where the dump does not say who reads the value."""
    fact = analysis.facts[number]
    used = analysis.dump.used_by_key.get(fact.value.key)
    if fact.live is None or used is None or not fact.value.size_bytes:
        return
    first, last = fact.live.start, min(fact.live.end, analysis.moments - 1)
    uses = _reads(analysis.dump, used, first, last)
    for kind, start, end in _stretches(uses, first, last, is_held=_is_held_from_the_start(analysis, fact)):
        if start <= end:
            yield Idle(number, kind, start, end, fact.value.size_bytes)


def _stretches(uses: list[int], first: int, last: int, *, is_held: bool) -> Iterator[tuple[IdleKind, int, int]]:
    """What is defined by an instruction is touched at `first`; a parameter is only held there."""
    if is_held and not uses:
        yield "never used", first, last
    elif uses:
        yield "before the first use", first if is_held else first + 1, uses[0] - 1
        for earlier, later in pairwise(uses):
            yield "between uses", earlier + 1, later - 1
        if is_held:
            yield "after the last use", uses[-1] + 1, last


def _reads(dump: Dump, used: UsedValue, first: int, last: int) -> list[int]:
    """The moments within the live range at which the value is read, in order."""
    moments = {dump.moment_of_user.get(user, -1) for user in used.users}
    return sorted(moment for moment in moments if first <= moment <= last)


def _is_held_from_the_start(analysis: Analysis, fact: ValueFacts) -> bool:
    """Whether this is a parameter of the program: the caller's array, there before anything runs."""
    allocation = analysis.dump.allocations[fact.value.allocation]
    return allocation.parameter is not None and fact.live is not None and fact.live.start == 0
