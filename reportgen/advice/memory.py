"""Compute what one memory space holds over time, also if some bytes were not held for some time.

A space holds the caller's allocations for the whole run (`static_bytes`), and bytes under temporaries while these
live. Its *curve* is the sum of both at each moment, its peak the maximum. Everything else follows:

* A *part* is the values that take over one slice from each other. In most spaces no two parts share a byte at one
  moment. Where they do, values that share bytes at any time are kept together, and counted as a union.
* `after` makes an edit and asks for the new peak; `without` cuts stretches out of the lives of values. Between two
  changes the curve keeps its shape, so the peak is among the maxima of these stretches.
* `together` makes several edits at once.
* `gone` leaves values out for their whole lives, as all those of a buffer.
* `changed` suggestions values between the caller's allocations and the temporaries, which gives another `Memory`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from operator import add, attrgetter
from typing import NamedTuple

from reportgen.analyse.records import Analysis, Space
from reportgen.intervals.range_maximum import RangeMaximum
from reportgen.intervals.step_function import Change
from reportgen.intervals.union import Occupancy, groups_sharing_bytes, union_over_time
from reportgen.record import record

Stretch = tuple[int, int]
"""The first and the last of some moments."""


class Held(NamedTuple):
    """The bytes [`low`, `high`) of an allocation, held by value `number` from moment `first` to `last`.

    Bytes of different allocations are different bytes.
    """

    number: int
    allocation: object
    first: int
    last: int
    low: int
    high: int

    @property
    def size_bytes(self) -> int:
        return self.high - self.low


@record(kw_only=False)
class Edit:
    """What is held otherwise: temporaries not over some stretches (`cuts`), and `more` in addition.

    The parts of other temporaries hold some bytes `less` for their whole life.
    """

    cuts: Mapping[int, Sequence[Stretch]]
    more: Sequence[Change] = ()
    less: Mapping[int, int] = field(default_factory=dict)


@record(kw_only=False)
class PeakAfter:
    """The peak after a change, and when it is reached first; `curve` makes the whole curve again when asked for it.

    `edit` is the change, None where it is another one.
    """

    peak_bytes: int
    moment: int
    curve: Callable[[], Sequence[int]] = field(compare=False, repr=False)
    edit: Edit | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, curve: Callable[[], Sequence[int]], edit: Edit | None = None) -> "PeakAfter":
        """Return the outcome of a change that leads to a curve."""
        amounts = curve()
        most = max(amounts)
        return cls(most, amounts.index(most), curve, edit)


@record
class PeakRange:
    """A change about some `values` of `size_bytes`, and the peaks after the least and the most that it saves."""

    values: tuple[int, ...]
    size_bytes: int
    least: PeakAfter
    most: PeakAfter


@record(slots=False, kw_only=False)
class Memory:
    """One memory space. `temps` are the values in temporary allocations that have bytes and live, by number.

    A changed space has the parts of the one `before` it, and those of the temporaries that were `added`.
    """

    static_bytes: int
    moments: int
    temps: Mapping[int, Held]
    parts_are_apart: bool
    before: "Memory | None" = None
    added: Sequence[Held] = ()

    @cached_property
    def parts(self) -> Sequence[Sequence[Held]]:
        """Return the temporaries in parts that share no byte at one moment or, if not apart, at any time."""
        new = self.temps.values() if self.before is None else self.added
        parts = handovers(new) if self.parts_are_apart else sharing(new)
        return parts if self.before is None else [*self.before.parts, *parts]

    @cached_property
    def groups(self) -> Mapping[int, Sequence[Held]]:
        """Map each value to the part that it is in."""
        return {held.number: part for part in self.parts for held in part}

    @cached_property
    def curve(self) -> list[int]:
        """Return the bytes that are resident at each moment."""
        return _sum([self.static_bytes] * self.moments, (change for part in self.parts for change in _changes(part)))

    @cached_property
    def peak(self) -> PeakAfter:
        curve = self.curve
        return PeakAfter.of(lambda: curve)

    @cached_property
    def at_peak(self) -> tuple[int, ...]:
        """Return the temporaries that are live at the peak, the largest first."""
        moment = self.peak.moment
        live = [held for held in self.temps.values() if held.first <= moment <= held.last]
        return tuple(held.number for held in sorted(live, key=lambda held: (-held.size_bytes, held.number)))

    def without(self, cuts: Mapping[int, Sequence[Stretch]], more: Sequence[Change] = ()) -> PeakAfter:
        """Return the peak when values do not hold their bytes at some moments; `more` is held in addition."""
        return self.after(Edit(cuts, more))

    def after(self, edit: Edit) -> PeakAfter:
        """Return the peak after an edit."""
        cuts, changes = edit.cuts, list(edit.more)
        # By identity, because several of the values may be in one part, and a part is a list.
        parts = {id(part): part for number in cuts for part in (self.groups.get(number, ()),)}
        for part in parts.values():
            changes += [(moment, -change) for moment, change in _changes(part)]
            changes += _changes([left for held in part for left in _cut(held, cuts.get(held.number, ()))])
        for number, size_bytes in edit.less.items():
            part = self.groups[number]
            if id(part) not in parts:
                changes.append((min(held.first for held in part), -size_bytes))
                changes.append((max(held.last for held in part) + 1, size_bytes))
        return PeakAfter(*self._highest(changes), partial(_sum, self.curve, changes), edit)

    def together(self, edits: Iterable[Edit | None]) -> PeakAfter:
        """Return the peak after several edits at once, as far as there are any: bytes that two cut are gone once."""
        cuts: defaultdict[int, list[Stretch]] = defaultdict(list)
        more: list[Change] = []
        less: dict[int, int] = {}
        for edit in filter(None, edits):
            more += edit.more
            for number, stretches in edit.cuts.items():
                cuts[number] += stretches
            less |= {number: max(size, less.get(number, 0)) for number, size in edit.less.items()}
        return self.after(Edit(cuts, more, less))

    def gone(self, numbers: Iterable[int]) -> PeakAfter:
        """Return the peak when values are never held."""
        return self.without({number: [ALWAYS] for number in numbers})

    @cached_property
    def _maxima(self) -> RangeMaximum:
        return RangeMaximum(self.curve)

    def _highest(self, changes: Iterable[Change]) -> tuple[int, int]:
        """Return the most that the curve reaches after changes, and when it does so first.

        All amounts between two changes change alike, so their maximum stays where it is.
        """
        end, steps = len(self.curve), Counter[int]()
        for moment, change in changes:
            steps[min(max(moment, 0), end)] += change
        highest, added = _NEVER, 0
        for first, last in pairwise([*sorted({0, *steps}), end]):
            added += steps[first]
            if first < last:
                amount, moment = self._maxima.of(first, last)
                highest = max(highest, (amount + added, -moment))  # of equal amounts the first
        most, negated = highest
        return most, -negated

    def changed(self, *, static_bytes: int, added: Iterable[Held]) -> "Memory":
        """Return the space with other static bytes and with more temporaries, which share bytes with none so far."""
        new = {held.number: held for held in added}
        return replace(self, static_bytes=static_bytes, temps={**self.temps, **new}, before=self, added=[*new.values()])


ALWAYS: Stretch = (0, 1 << 60)
_NEVER = (0, -(1 << 60))  # no bytes, and after all moments, so that any other moment comes before it


def memory_of(analysis: Analysis, space: Space) -> Memory:
    """Return a space of a dump that has live ranges."""
    allocations = [n for n in space.allocations if analysis.dump.allocations[n].is_preallocated_temp]
    temps = {held.number: held for n in allocations for held in holdings(analysis, n)}
    memory = Memory(space.static_bytes, max(analysis.moments, 1), temps, parts_are_apart=True)
    known = [space.static_bytes + held for held in space.temp.at_each(range(memory.moments))] if space.temp else []
    # The figures of the space count each byte once, so sums over parts only agree with them if these are apart.
    return memory if memory.curve == known else replace(memory, parts_are_apart=False)


def holdings(analysis: Analysis, allocation: int) -> list[Held]:
    """Return who holds which bytes of an allocation, and when."""
    facts = analysis.facts
    starts, ends, offsets, sizes = facts.starts, facts.ends, facts.values.offsets, facts.values.sizes
    return [
        Held(n, allocation, starts[n], ends[n], offsets[n], offsets[n] + sizes[n])
        for n in analysis.occupants[allocation]
        if starts[n] >= 0 and sizes[n]
    ]


def sharing(held: Iterable[Held]) -> list[Sequence[Held]]:
    """Return the values in groups that share bytes at any time."""
    by_allocation: defaultdict[object, list[Held]] = defaultdict(list)
    for value in held:
        by_allocation[value.allocation].append(value)
    low, high = attrgetter("low"), attrgetter("high")
    return [group for together in by_allocation.values() for group in groups_sharing_bytes(together, low, high)]


def handovers(held: Iterable[Held]) -> list[list[Held]]:
    """Return the values that take over one slice from each other, in the order of time."""
    slices: defaultdict[tuple[object, int, int], list[Held]] = defaultdict(list)
    for value in held:
        slices[value.allocation, value.low, value.high].append(value)
    parts: list[list[Held]] = []
    for tenants in slices.values():
        reach = -1
        for value in sorted(tenants, key=lambda value: (value.first, value.last, value.number)):
            if value.first > reach:
                parts.append([])
            parts[-1].append(value)
            reach = max(reach, value.last)
    return parts


def total_over_time(parts: Iterable[Sequence[Held]], moments: int) -> list[int]:
    """Return how many bytes some parts of a space's temporaries hold at each moment."""
    return _sum([0] * moments, (change for part in parts for change in _changes(part)))


def _sum(curve: Sequence[int], changes: Iterable[Change]) -> list[int]:
    """Add changes to a curve; those after its end do not count."""
    end = len(curve)
    steps = [0] * end
    for moment, change in changes:
        if moment < end:
            steps[max(moment, 0)] += change
    return list(map(add, curve, accumulate(steps)))


def _changes(part: Sequence[Held]) -> list[Change]:
    if len(part) == 1:
        ((_, _, first, last, low, high),) = part
        return [(first, high - low), (last + 1, low - high)]
    return union_over_time([Occupancy(held.first, held.last, held.low, held.high) for held in part])


def _cut(held: Held, stretches: Iterable[Stretch]) -> Iterable[Held]:
    """Yield what is left of a value's life."""
    start = held.first
    for first, last in sorted(stretches):
        end = min(first - 1, held.last)
        if start <= end:
            yield held._replace(first=start, last=end)
        start = max(start, last + 1)
    if start <= held.last:
        yield held._replace(first=start)
