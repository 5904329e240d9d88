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

_NEVER = -1
"""The moment up to which nothing is covered or needed yet: one before the first."""

_NOBODY: _Occupant = (_NEVER, _NEVER, -1, -1, 0, 0)
"""The occupant of bytes that no value has taken yet."""

_LAST, _LOW, _HIGH, _SLICE = itemgetter(1), itemgetter(4), itemgetter(5), itemgetter(4, 5)


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
    gap: int = 0,
) -> tuple[BufferReuse, Mapping[Area, Changes]]:
    """Follow each allocation; return who takes whose bytes, and how the covered bytes of each area change.

    `occupants` lists the values of each allocation. `why_shared` returns the kind of finding that explains why two
    values share bytes, empty where nothing does. `gap` is that of `BufferReuse`.
    """
    values = facts.values
    highs = map(add, values.offsets, values.sizes)
    every = list(zip(facts.starts, facts.ends, values.ids, count(), values.offsets, highs))
    covered: defaultdict[Area, Changes] = defaultdict(lambda: defaultdict(int))
    sweep = _Sweep()
    conflicts: list[Conflict] = []
    for allocation, numbers in zip(allocations, occupants, strict=True):
        moving = [every[number] for number in numbers if facts.starts[number] >= 0 and values.sizes[number]]
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
        facts=facts,
        gap=gap,
    ), covered


class _Sweep:
    """Values take their bytes one after another; `earlier[i]` had bytes that `later[i]` took.

    Both are numbers of values, and grow with each group that is followed.
    """

    def __init__(self) -> None:
        self.earlier: list[int] = []
        self.later: list[int] = []

    def follow(self, group: Sequence[_Occupant], changes: Changes) -> bool:
        """Follow values that share bytes, in order of time; return whether one took bytes that were still needed.

        Note who took whose bytes, and add to `changes` how many bytes more or less the values cover from a moment on.
        The first value that takes bytes too early meets the occupant that needs them, so where this never happens
        there is no conflict at all, and the costlier search for every pair is not needed.
        """
        if len(group) == 1:
            first, last, _, _, low, high = group[0]
            if first <= last:
                changes[first] += high - low
                changes[last + 1] -= high - low
            return False
        bytes_of_first = _SLICE(group[0])
        if all(_SLICE(occupant) == bytes_of_first for occupant in group):
            return self._follow_slice(group, changes)
        return self._follow_pieces(group, changes)

    def _follow_pieces(self, group: Sequence[_Occupant], changes: Changes) -> bool:
        """Follow values that share some of their bytes; the arguments and the result are those of `follow`.

        The ledger has, for each piece of the bytes, its last occupant and the last moment to which it is covered so
        far. Values come in the order of their starts, so a value adds only the moments after that: all earlier ones
        have been counted, or lie before the value. Should the pieces become too many, `union_over_time` counts the
        bytes instead, and the ledger only goes on to tell who takes whose bytes.
        """
        is_early, is_counting, budget = False, True, _PIECES_PER_OCCUPANT * len(group)
        own: Changes = defaultdict(int)
        ledger = Pieces[tuple[_Occupant, int]](min(map(_LOW, group)), max(map(_HIGH, group)), (_NOBODY, _NEVER))
        edges, contents = ledger.edges, ledger.contents
        for occupant in group:
            first, last, _, _, low, high = occupant
            start, end = ledger.cut(low), ledger.cut(high)
            is_early |= self._take(contents[start:end], occupant)
            budget -= end - start
            is_counting = is_counting and budget >= 0 and len(edges) <= _MOST_PIECES
            until = reach = last if first <= last else _NEVER  # only a damaged range ends before it starts
            for piece in range(start, end) if is_counting else ():
                covered_to = contents[piece][1]
                if covered_to < until:
                    size = edges[piece + 1] - edges[piece]
                    own[first if covered_to < first else covered_to + 1] += size
                    own[until + 1] -= size
                    covered_to = until
                contents[piece] = occupant, covered_to
                reach = max(reach, covered_to)
            # Pieces of which none is covered beyond this value are one from here on.
            if not is_counting or (reach == until and end - start > 1):
                ledger.join(start, end, (occupant, until))
        occupancies = (Occupancy(first, last, low, high) for first, last, _, _, low, high in group)
        for moment, change in own.items() if is_counting else union_over_time(occupancies):
            changes[moment] += change
        return is_early

    def _take(self, pieces: Sequence[tuple[_Occupant, int]], occupant: _Occupant) -> bool:
        """Note whose bytes a value takes, in `earlier` and `later`; return whether one of them was still needed."""
        is_early = False
        first, _, _, number, _, _ = occupant
        for before in {previous: None for previous, _ in pieces}:
            if before is not _NOBODY:
                _, needed_to, _, number_before, _, _ = before
                self.earlier.append(number_before)
                self.later.append(number)
                is_early |= needed_to > first
        return is_early

    def _follow_slice(self, group: Sequence[_Occupant], changes: Changes) -> bool:
        """Follow values that all have the very same bytes, as half of all values do; otherwise as `follow` does.

        Each takes all its bytes from the value before it, so the ledger has one piece: the bytes are covered up to
        `covered_to`, and the value before needs them up to `needed_to`.
        """
        numbers = [number for _, _, _, number, _, _ in group]
        self.earlier += numbers[:-1]
        self.later += numbers[1:]
        low, high = _SLICE(group[0])
        size, covered_to, needed_to, is_early = high - low, _NEVER, _NEVER, False
        for first, last, _, _, _, _ in group:
            is_early = is_early or needed_to > first
            needed_to = last
            if covered_to < last and first <= last:
                added_from = first if covered_to < first else covered_to + 1
                changes[added_from] += size
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
            _, needed_to, _, number_before, low_before, high_before = earlier
            until = min(needed_to, last)
            if first < until:  # never of _NOBODY, which ends before everything
                conflicts += 1
                yield Conflict(number_before, number, max(low, low_before), min(high, high_before), first, until)
        for piece in range(start, end):
            if _LAST(longest.contents[piece]) <= last:
                longest.contents[piece] = occupant
