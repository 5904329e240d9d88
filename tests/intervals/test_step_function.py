"""Intervals and their union over time, held against sets of bytes."""

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reportgen.intervals.step_function import (
    Interval,
    Peak,
    StepFunction,
    length,
    merge,
)

MOMENTS = 8

edges = st.integers(0, 12)
# Some are empty or reversed, as the slices and ranges of a damaged dump can be.
intervals = st.lists(st.tuples(edges, edges), max_size=8)
changes = st.lists(st.tuples(st.integers(-2, MOMENTS + 2), st.integers(-5, 5)), max_size=10)


def covered(some: Iterable[Interval]) -> set[int]:
    return {byte for low, high in some for byte in range(low, high)}


@given(intervals)
def test_merged_intervals_hold_the_same_bytes(some: list[Interval]) -> None:
    assert covered(merge(some)) == covered(some)


@given(intervals)
def test_merged_intervals_are_in_order_and_apart(some: list[Interval]) -> None:
    merged = merge(some)
    assert all(low < high for low, high in merged)
    assert all(before[1] < after[0] for before, after in pairwise(merged))


def test_touching_intervals_become_one() -> None:
    assert merge([(4, 8), (0, 4), (9, 9)]) == [(0, 8)]


@given(intervals)
def test_the_length_is_the_number_of_bytes(some: list[Interval]) -> None:
    assert length(some) == len(covered(some))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=MOMENTS))
def test_a_step_function_has_the_amounts_that_it_is_made_from(amounts: list[int]) -> None:
    steps = StepFunction.from_amounts(amounts)
    assert [steps.at(moment) for moment in range(len(amounts))] == amounts
    assert all(one != other for one, other in pairwise(steps.amounts))


@given(changes)
def test_a_step_function_is_the_running_sum_of_its_changes(some: list[tuple[int, int]]) -> None:
    steps = StepFunction.from_changes(some, MOMENTS)
    for moment in range(MOMENTS):
        assert steps.at(moment) == sum(change for at, change in some if at <= moment)
    assert list(steps.at_each(range(MOMENTS))) == [steps.at(moment) for moment in range(MOMENTS)]


@given(changes)
def test_the_moments_of_a_step_function_start_with_zero_and_grow(some: list[tuple[int, int]]) -> None:
    moments = StepFunction.from_changes(some, MOMENTS).moments
    assert moments[0] == 0
    assert all(before < after for before, after in pairwise(moments))
    assert moments[-1] < MOMENTS


@given(changes)
def test_a_step_function_is_made_again_from_its_changes(some: list[tuple[int, int]]) -> None:
    steps = StepFunction.from_changes(some, MOMENTS)
    assert StepFunction.from_changes(steps.changes(), MOMENTS) == steps


@given(changes)
def test_pieces_cover_every_moment_once(some: list[tuple[int, int]]) -> None:
    steps = StepFunction.from_changes(some, MOMENTS)
    told = {moment: amount for first, end, amount in steps.pieces() for moment in range(first, end)}
    assert told == {moment: steps.at(moment) for moment in range(MOMENTS)}


@given(changes)
def test_the_peak_is_the_first_of_the_largest_amounts(some: list[tuple[int, int]]) -> None:
    steps = StepFunction.from_changes(some, MOMENTS)
    amounts = [steps.at(moment) for moment in range(MOMENTS)]
    assert steps.peak == Peak(max(amounts), amounts.index(max(amounts)), amounts.count(max(amounts)))


def test_an_empty_time_axis_has_its_peak_at_zero_without_ties() -> None:
    assert StepFunction.from_changes([(0, 5)], 0).peak == Peak(0, 0, 0)
