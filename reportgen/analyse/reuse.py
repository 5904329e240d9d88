"""Follow each allocation through time: which value takes whose bytes, which share bytes, and how many are covered.

One pass answers all three, because each needs the values of an allocation in order of time: a value takes its bytes
from their last occupants, and what it covers that was not covered at that moment adds to the bytes that are live.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from operator import add, itemgetter

from reportgen.analyse.records import BufferReuse, Conflict, Facts
from reportgen.intervals.union import Occupancy, Pieces, groups_sharing_bytes, union_over_time
from reportgen.model import Allocation, Dump

_MOST_LOOKS = 30_000_000
_MOST_CONFLICTS = 200_000
_PIECES_PER_OCCUPANT = 8
_MOST_PIECES = 50_000
"""Limits for counting bytes by pieces; beyond them `union_over_time` counts, because its tree stays fast."""

Area = tuple[int, bool]
"""A memory space, and whether its preallocated temps or all other allocations in it."""

Changes = defaultdict[int, int]
"""By moment, how many bytes more are covered from then on."""

_Occupant = tuple[int, int, int, int, int, int]
"""Start, end, id, number, low, high of a value with bytes and a live range: they sort in the order in which values
take their bytes. A plain tuple, because a check makes one for each value."""

_NOBODY: _Occupant = (-1, -1, -1, -1, 0, 0)
_LOW, _HIGH = itemgetter(4), itemgetter(5)


def is_old_alias(dump: Dump, facts: Facts, conflict: Conflict) -> bool:
    """Return whether two values overlap as those of one buffer did before XLA 0b03ff984b: one slice, and one start.

    That was on 2022-06-24, so only builds that print addresses are old enough.
    """
    earlier, later, values = conflict.earlier, conflict.later, facts.values
    in_one_slice = values.offsets[earlier] == values.offsets[later] and values.sizes[earlier] == values.sizes[later]
    return dump.has_addresses and in_one_slice and facts.starts[earlier] == facts.starts[later]


def buffer_reuse(
    facts: Facts,
    allocations: Sequence[Allocation],
    occupants: Sequence[Sequence[int]],
    why_shared: Callable[[Conflict], str],
) -> tuple[BufferReuse, Mapping[Area, Changes]]:
    """Follow each allocation; return who takes whose bytes, and how the covered bytes of each area change.

    `occupants` lists the values of each allocation. `why_shared` returns the kind of finding that explains why two
    values share bytes, empty where nothing does.
    """
    values = facts.values
    highs = map(add, values.offsets, values.sizes)
    every = list(zip(facts.starts, facts.ends, values.ids, count(), values.offsets, highs))
    covered: defaultdict[Area, Changes] = defaultdict(lambda: defaultdict(int))
    sweep = _Sweep()
    conflicts: list[Conflict] = []
    for allocation, numbers in zip(allocations, occupants, strict=True):
        moving = [occupant for n in numbers if (occupant := every[n])[0] >= 0 and occupant[4] < occupant[5]]
        changes = covered[allocation.color, allocation.is_preallocated_temp]
        groups = groups_sharing_bytes(moving, _LOW, _HIGH)
        are_early = [sweep.follow(sorted(group), changes) for group in groups]
        if any(are_early):
            conflicts.extend(_all_conflicts(sorted(moving)))
    expected = {conflict: slug for conflict in conflicts if (slug := why_shared(conflict))}
    return BufferReuse(
        earlier=sweep.earlier,
        later=sweep.later,
        conflicts=tuple(conflict for conflict in conflicts if conflict not in expected),
        expected=expected,
        count=len(facts),
    ), covered


class _Sweep:
    """Values take their bytes one after another; `earlier[i]` had bytes that `later[i]` took."""

    def __init__(self) -> None:
        self.earlier: list[int] = []
        self.later: list[int] = []

    def follow(self, group: Sequence[_Occupant], changes: Changes) -> bool:
        """Follow values that share bytes, in order of time; return whether one took bytes that were still needed.

        The first value that takes bytes too early meets the occupant that needs them, so where this never happens
        there is no conflict at all, and the costlier search for every pair is not needed.
        """
        if len(group) == 1:
            first, last, _, _, low, high = group[0]
            if first <= last:
                changes[first] += high - low
                changes[last + 1] -= high - low
            return False
        if all(row[4:] == group[0][4:] for row in group):
            return self._follow_slice(group, changes)
        is_early, counts, budget = False, True, _PIECES_PER_OCCUPANT * len(group)
        own: Changes = defaultdict(int)
        ledger = Pieces[tuple[_Occupant, int]](min(map(_LOW, group)), max(map(_HIGH, group)), (_NOBODY, -1))
        edges, contents = ledger.edges, ledger.contents
        for occupant in group:
            first, last, _, _, low, high = occupant
            start, end = ledger.cut(low), ledger.cut(high)
            is_early |= self._take(contents[start:end], occupant)
            budget -= end - start
            counts = counts and budget >= 0 and len(edges) <= _MOST_PIECES
            until = reach = last if first <= last else -1  # only a damaged range ends before it starts
            for piece in range(start, end) if counts else ():
                covered_to = contents[piece][1]
                if covered_to < until:
                    size = edges[piece + 1] - edges[piece]
                    own[first if covered_to < first else covered_to + 1] += size
                    own[until + 1] -= size
                    covered_to = until
                contents[piece] = occupant, covered_to
                reach = max(reach, covered_to)
            if not counts or (reach == until and end - start > 1):
                ledger.join(start, end, (occupant, until))
        overlapping = () if counts else union_over_time(Occupancy(row[0], row[1], row[4], row[5]) for row in group)
        for moment, change in own.items() if counts else overlapping:
            changes[moment] += change
        return is_early

    def _take(self, pieces: Sequence[tuple[_Occupant, int]], occupant: _Occupant) -> bool:
        """Note whose bytes a value takes; return whether one of them still needed its bytes."""
        is_early = False
        for before in {previous: None for previous, _ in pieces}:
            if before is not _NOBODY:
                self.earlier.append(before[3])
                self.later.append(occupant[3])
                is_early |= before[1] > occupant[0]
        return is_early

    def _follow_slice(self, group: Sequence[_Occupant], changes: Changes) -> bool:
        """Follow values that all have the very same bytes, as half of all values do."""
        numbers = [occupant[3] for occupant in group]
        self.earlier += numbers[:-1]
        self.later += numbers[1:]
        size, covered_to, needed_to, is_early = group[0][5] - group[0][4], -1, -1, False
        for first, last, *_ in group:
            is_early = is_early or needed_to > first
            needed_to = last
            if covered_to < last and first <= last:
                changes[first if covered_to < first else covered_to + 1] += size
                changes[last + 1] -= size
                covered_to = last
        return is_early


def _all_conflicts(moving: Sequence[_Occupant]) -> Iterator[Conflict]:
    """Yield the overlaps that last for more than the one moment of an in-place reuse.

    Here the ledger keeps the occupant of a byte that stays longest. In a hostile dump each of thousands of values
    overlaps each other one, so the search ends after far more conflicts than a dump with mistakes has.
    """
    looks = conflicts = 0
    longest = Pieces[_Occupant](min(map(_LOW, moving)), max(map(_HIGH, moving)), _NOBODY)
    for occupant in moving:
        first, last, _, number, low, high = occupant
        start, end = longest.cut(low), longest.cut(high)
        looks += end - start
        if looks > _MOST_LOOKS or conflicts > _MOST_CONFLICTS:
            return
        for earlier in dict.fromkeys(longest.contents[start:end]):
            until = min(earlier[1], last)
            if first < until:  # never of _NOBODY, which ends before everything
                conflicts += 1
                yield Conflict(earlier[3], number, max(low, earlier[4]), min(high, earlier[5]), first, until)
        for piece in range(start, end):
            if longest.contents[piece][1] <= last:
                longest.contents[piece] = occupant
