"""Byte ranges with their tenants, the holes between them, and buffers that go from hand to hand."""

import sys
from itertools import groupby, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.chains import chains
from reportgen.analyse.holes import holes
from reportgen.analyse.records import Analysis
from reportgen.analyse.slots import Slot, slot_count, slots
from reportgen.coverage import Occupancy, covered_changes
from reportgen.spans import StepFunction
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
    return list(slots(analysis.facts, analysis.tenants[0], analysis.dump.allocations[0].size_bytes))


def test_a_slot_ends_where_a_tenant_does_and_names_all_of_them_in_time_order() -> None:
    found = slots_of(Lives("late", 5, 9, size=8), Lives("early", 0, 3, size=4), Lives("other", 0, 9, size=4, offset=12))
    assert found == [Slot(0, 4, (1, 0)), Slot(4, 8, (0,)), Slot(8, 12, ()), Slot(12, 16, (2,))]


def test_who_leaves_first_comes_first_among_those_who_begin_together() -> None:
    assert slots_of(Lives("long", 1, 9), Lives("short", 1, 2)) == [Slot(0, 4, (1, 0))]


def test_a_value_without_bytes_is_no_tenant() -> None:
    assert slots_of(Lives("empty", 0, 1, size=0, offset=2), Lives("full", 0, 1)) == [Slot(0, 4, (1,))]


def every_allocation(analysis: Analysis) -> list[tuple[tuple[int, ...], int]]:
    sizes = [allocation.size_bytes for allocation in analysis.dump.allocations]
    return list(zip(analysis.tenants, sizes, strict=True))


@pytest.mark.parametrize("label", sample_labels())
def test_slots_cover_an_allocation_once_with_the_bytes_of_its_values(label: str) -> None:
    analysis = sample_analysis(label)
    for numbers, size_bytes in every_allocation(analysis):
        found = list(slots(analysis.facts, numbers, size_bytes))
        assert len(found) == slot_count(analysis.facts, numbers, size_bytes)
        assert all(one.high == other.low and one.tenants != other.tenants for one, other in pairwise(found))
        assert sum(slot.high - slot.low for slot in found) == size_bytes
        held = sum((slot.high - slot.low) * len(slot.tenants) for slot in found)
        assert held == sum(analysis.facts[number].value.size_bytes for number in numbers)


@pytest.fixture(params=[32, -1], ids=["pieces", "tree"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where slices lie in each other a tree follows them, and always where it gets no chance not to."""
    monkeypatch.setattr(sys.modules["reportgen.analyse.holes"], "_PIECES_PER_CHANGE", request.param)


both_ways = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.usefixtures("how")
@both_ways
@given(occupancies)
def test_used_and_free_bytes_add_up_at_each_moment(held: list[Occupancy]) -> None:
    used, found = StepFunction.from_changes(covered_changes(held), MOMENTS), holes(held, SIZE, MOMENTS)
    assert all(used.at(moment) + found.free.at(moment) == SIZE for moment in range(MOMENTS))


@pytest.mark.usefixtures("how")
@both_ways
@given(occupancies)
def test_the_largest_hole_is_the_longest_gap(held: list[Occupancy]) -> None:
    largest = holes(held, SIZE, MOMENTS).largest
    for moment in range(MOMENTS):
        live = [range(one.low, one.high) for one in held if one.first <= moment <= one.last]
        is_free = [all(byte not in held_bytes for held_bytes in live) for byte in range(SIZE)]
        lengths = [len(list(run)) for free, run in groupby(is_free) if free]
        assert largest.at(moment) == max(lengths, default=0)


def test_an_allocation_without_bytes_has_no_hole() -> None:
    assert holes([], 0, MOMENTS).largest.peak().amount == 0


def chains_of(*lives: Lives) -> dict[int, tuple[int, ...]]:
    return dict(chains(analyse(temporaries(*lives)).facts))


def test_values_that_hand_their_slice_on_are_a_chain() -> None:
    found = chains_of(Lives("b", 3, 5), Lives("a", 0, 3), Lives("c", 5, 9))
    assert found == dict.fromkeys((0, 1, 2), (1, 0, 2))


def test_a_buffer_that_was_free_in_between_is_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3), Lives("b", 4, 5)) == {}


def test_values_with_other_slices_are_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3, size=8), Lives("b", 3, 5)) == {}
