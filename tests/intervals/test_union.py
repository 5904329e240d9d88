"""Bytes covered over time, held against sets of bytes."""

from collections.abc import Iterable
from itertools import combinations
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.intervals import union as coverage
from reportgen.intervals.step_function import Interval, StepFunction, length
from reportgen.intervals.union import CoverageTree, Occupancy, Pieces, groups_sharing_bytes, union_over_time

MOMENTS = 8

edges = st.integers(0, 12)
# Some are empty or reversed, as the slices and ranges of a damaged dump can be.
occupancies = st.lists(st.builds(Occupancy, st.integers(0, 9), st.integers(0, 9), edges, edges), max_size=10)


def covered_at(moment: int, some: Iterable[Occupancy]) -> int:
    return len({byte for first, last, low, high in some if first <= moment <= last for byte in range(low, high)})


def over_time(some: Iterable[Occupancy], moments: int) -> StepFunction:
    return StepFunction.from_changes(union_over_time(some), moments)


@pytest.mark.parametrize("pieces_per_slice", [coverage._PIECES_PER_SLICE, 1, 0], ids=["pieces", "either", "tree"])
@given(occupancies)
def test_each_byte_counts_once_at_each_moment(pieces_per_slice: int, some: list[Occupancy]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "_PIECES_PER_SLICE", pieces_per_slice)
        found = over_time(some, MOMENTS)
    assert [found.at(moment) for moment in range(MOMENTS)] == [covered_at(moment, some) for moment in range(MOMENTS)]


def test_a_slice_that_is_handed_over_counts_once_in_the_shared_moment() -> None:
    handed_over = [Occupancy(0, 3, 0, 100), Occupancy(3, 5, 0, 100)]
    assert over_time(handed_over, 6) == StepFunction((0,), (100,), 6)


def test_a_slice_that_ends_with_the_schedule_is_held_to_its_last_moment() -> None:
    assert over_time([Occupancy(2, 4, 0, 7)], 4) == StepFunction((0, 2), (0, 7), 4)


@given(st.data())
def test_a_coverage_tree_counts_what_comes_and_goes(data: st.DataObject) -> None:
    points = data.draw(st.lists(st.integers(0, 30), min_size=2, max_size=9, unique=True).map(sorted))
    tree = CoverageTree(points)
    held: list[Interval] = []
    for goes in data.draw(st.lists(st.booleans(), max_size=12)):
        if held and goes:
            tree.cover(*held.pop(data.draw(st.integers(0, len(held) - 1))), -1)
        else:
            low, high = data.draw(st.sampled_from(list(combinations(points, 2))))
            tree.cover(low, high, 1)
            held.append((low, high))
        assert tree.covered_bytes == length(held)


@pytest.mark.parametrize("points", [[0, 5], [3, 4], [0, 1, 10**18]])
def test_a_coverage_tree_over_few_points(points: list[int]) -> None:
    tree = CoverageTree(points)
    tree.cover(points[0], points[-1], 1)
    assert tree.covered_bytes == points[-1] - points[0]
    tree.cover(points[0], points[-1], -1)
    assert tree.covered_bytes == 0


@given(occupancies)
def test_groups_are_apart_and_lose_nothing(some: list[Occupancy]) -> None:
    held = [one for one in some if one.low < one.high]
    groups = list(groups_sharing_bytes(held, itemgetter(2), itemgetter(3)))
    assert sorted(one for group in groups for one in group) == sorted(held)
    for one, other in combinations(groups, 2):
        assert max(slice_.high for slice_ in one) <= min(slice_.low for slice_ in other)


def test_pieces_are_cut_once_and_joined() -> None:
    pieces = Pieces(0, 8, "a")
    assert (pieces.cut(0), pieces.cut(2), pieces.cut(6), pieces.cut(8), pieces.cut(2)) == (0, 1, 2, 3, 1)
    pieces.join(1, 2, "b")
    assert (pieces.edges, pieces.contents) == ([0, 2, 6, 8], ["a", "b", "a"])
    pieces.join(0, 2, "c")
    assert (pieces.edges, pieces.contents) == ([0, 6, 8], ["c", "a"])
