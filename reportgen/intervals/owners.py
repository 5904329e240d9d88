"""Tell whose bytes are covered over time: where slices overlap, those of the owner of the slice that began last."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import NamedTuple

from reportgen.intervals.step_function import Change
from reportgen.intervals.union import Occupancy, Pieces, groups_sharing_bytes

_STEPS_PER_SLICE = 32  # a limit, because each of many nested slices would cut and follow all those around or inside it


class _Slice(NamedTuple):
    """A slice that an owner holds; `order` is the slice's place in time."""

    order: tuple[int, int]
    place: Occupancy
    owner: str


class _Holding(NamedTuple):
    """Since when the last of some holders, pairs of a last moment and an owner, has a piece; it ends before others."""

    since: int
    holders: tuple[tuple[int, str], ...]


def changes_by_owner(slices: Iterable[tuple[Occupancy, str]]) -> Mapping[str, Sequence[Change]] | None:
    """Return the changes in the bytes of each owner, in any order; together they are those of `union_over_time`.

    Of slices that begin at one moment, a later one is on top. None if thousands of slices are nested in each other.
    """
    changes: defaultdict[str, list[Change]] = defaultdict(list)
    held = [
        _Slice((place.first, number), place, owner)
        for number, (place, owner) in enumerate(slices)
        if place.low < place.high and place.first <= place.last
    ]
    budget = _STEPS_PER_SLICE * len(held)
    for group in groups_sharing_bytes(held, lambda one: one.place.low, lambda one: one.place.high):
        budget = _follow(sorted(group), changes, budget)
        if budget < 0:
            return None
    return changes


def _follow(group: Sequence[_Slice], changes: MutableMapping[str, list[Change]], budget: int) -> int:
    """Add the changes of slices in order of time, and return what they leave of the budget; negative if too little."""
    pieces = Pieces(min(one.place.low for one in group), max(one.place.high for one in group), _Holding(0, ()))
    edges, contents = pieces.edges, pieces.contents
    for _, (first, last, low, high), owner in group:
        start, end = pieces.cut(low), pieces.cut(high)
        alone = _Holding(first, ((last, owner),))
        for piece in range(start, end):
            beneath = _until(first, contents[piece], edges[piece + 1] - edges[piece], changes)
            outliving = tuple(holder for holder in beneath if holder[0] > last)
            contents[piece] = _Holding(first, (*outliving, (last, owner))) if outliving else alone
            budget -= 1 + len(outliving)
        if budget < 0:
            return budget
        if end - start > 1 and all(content is alone for content in contents[start:end]):
            pieces.join(start, end, alone)
    for piece, content in enumerate(contents):
        _until(None, content, edges[piece + 1] - edges[piece], changes)
    return budget


def _until(
    moment: int | None, piece: _Holding, size: int, changes: MutableMapping[str, list[Change]]
) -> tuple[tuple[int, str], ...]:
    """Add what the holders of a piece have of it until `moment`, None for their ends; return those that live then."""
    since, holders = piece
    while holders:
        last, owner = holders[-1]
        end = last + 1 if moment is None else min(last + 1, moment)
        if since < end:
            changes[owner] += ((since, size), (end, -size))
            since = end
        if moment is not None and last >= moment:
            break
        holders = holders[:-1]
    return holders
