"""Byte ranges with their occupants, the holes between them, and buffers that go from hand to hand."""

from collections.abc import Sequence
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.byte_ranges import Slot, slot_count, slots
from reportgen.analyse.chains import chains
from reportgen.analyse.records import Analysis
from reportgen.intervals.free_space import Holes, holes
from reportgen.intervals.step_function import StepFunction
from reportgen.intervals.union import Occupancy, union_over_time
from tests.support.builder import Lives, temporaries
from tests.support.samples import sample_analysis, sample_labels

MOMENTS, SIZE = 12, 30
spans = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda span: (min(span), max(span)))
stretches = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda stretch: (min(stretch), max(stretch)))


def occupancies_of(spans: st.SearchStrategy[tuple[int, int]]) -> st.SearchStrategy[list[Occupancy]]:
    return st.lists(st.builds(lambda bytes_, time: Occupancy(*time, *bytes_), spans, stretches), max_size=12)


occupancies = occupancies_of(spans) | occupancies_of(st.just((0, SIZE)))


def slots_of(*lives: Lives) -> list[Slot]:
    analysis = analyse(temporaries(*lives))
    return list(slots(analysis.facts, analysis.occupants[0], analysis.dump.allocations[0].size_bytes))


def test_a_slot_ends_where_a_value_does_and_names_all_of_them_in_time_order() -> None:
    found = slots_of(Lives("late", 5, 9, size=8), Lives("early", 0, 3, size=4), Lives("other", 0, 9, size=4, offset=12))
    assert found == [Slot(0, 4, (1, 0)), Slot(4, 8, (0,)), Slot(8, 12, ()), Slot(12, 16, (2,))]


def test_values_that_begin_together_are_ordered_by_their_end() -> None:
    assert slots_of(Lives("long", 1, 9), Lives("short", 1, 2)) == [Slot(0, 4, (1, 0))]


def test_a_value_without_bytes_occupies_no_slot() -> None:
    assert slots_of(Lives("empty", 0, 1, size=0, offset=2), Lives("full", 0, 1)) == [Slot(0, 4, (1,))]


def every_allocation(analysis: Analysis) -> list[tuple[Sequence[int], int]]:
    sizes = [allocation.size_bytes for allocation in analysis.dump.allocations]
    return list(zip(analysis.occupants, sizes, strict=True))


@pytest.mark.parametrize("label", sample_labels())
def test_slots_cover_an_allocation_once_with_the_bytes_of_its_values(label: str) -> None:
    analysis = sample_analysis(label)
    for numbers, size_bytes in every_allocation(analysis):
        found = list(slots(analysis.facts, numbers, size_bytes))
        assert len(found) == slot_count(analysis.facts, numbers, size_bytes)
        assert all(one.high == other.low and one.occupants != other.occupants for one, other in pairwise(found))
        assert sum(slot.high - slot.low for slot in found) == size_bytes
        held = sum((slot.high - slot.low) * len(slot.occupants) for slot in found)
        assert held == sum(analysis.facts[number].value.size_bytes for number in numbers)


def followed(held: list[Occupancy]) -> Holes:
    found = holes(held, SIZE, MOMENTS)
    assert found is not None
    return found


@given(occupancies)
def test_used_and_free_bytes_add_up_at_each_moment(held: list[Occupancy]) -> None:
    used, found = StepFunction.from_changes(union_over_time(held), MOMENTS), followed(held)
    assert all(used.at(moment) + found.free.at(moment) == SIZE for moment in range(MOMENTS))


@given(occupancies)
def test_the_largest_hole_is_the_longest_gap(held: list[Occupancy]) -> None:
    largest = followed(held).largest
    for moment in range(MOMENTS):
        live = [range(one.low, one.high) for one in held if one.first <= moment <= one.last]
        is_free = [all(byte not in held_bytes for held_bytes in live) for byte in range(SIZE)]
        lengths = [len(list(run)) for free, run in groupby(is_free) if free]
        assert largest.at(moment) == max(lengths, default=0)


def test_an_allocation_without_bytes_has_no_hole() -> None:
    found = holes([], 0, MOMENTS)
    assert found is not None
    assert found.largest.peak.amount == 0


def test_an_allocation_in_which_thousands_of_values_nest_is_not_followed() -> None:
    nested = [Occupancy(2_000 - depth, 2_000 + depth, depth, 4_000 - depth) for depth in range(2_000)]
    assert holes(nested, 4_000, 4_001) is None


def chains_of(*lives: Lives) -> dict[int, tuple[int, ...]]:
    return dict(chains(analyse(temporaries(*lives)).facts))


def test_values_that_take_over_a_slice_form_a_chain() -> None:
    found = chains_of(Lives("b", 3, 5), Lives("a", 0, 3), Lives("c", 5, 9))
    assert found == dict.fromkeys((0, 1, 2), (1, 0, 2))


def test_values_with_a_gap_between_them_form_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3), Lives("b", 4, 5)) == {}


def test_values_with_different_slices_form_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3, size=8), Lives("b", 3, 5)) == {}
