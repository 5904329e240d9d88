"""Every counterfactual equals brute force: the values really cut out, and the bytes under the others counted."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.advice.memory import ALWAYS, Held, Memory, PeakAfter, Stretch, handovers, memory_of
from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.model import Dump
from tests.support.samples import sample_analysis, sample_labels
from tests.support.strategies import consistent_dumps


def brute_force(memory: Memory, cuts: Mapping[int, Sequence[Stretch]]) -> PeakAfter:
    """Count at each moment the bytes under any value that still holds them."""
    curve = []
    for moment in range(memory.moments):
        held: dict[object, set[int]] = {}
        for number, one in memory.temps.items():
            is_cut = any(first <= moment <= last for first, last in cuts.get(number, ()))
            if one.first <= moment <= one.last and not is_cut:
                held.setdefault(one.allocation, set()).update(range(one.low, one.high))
        curve.append(memory.static_bytes + sum(map(len, held.values())))
    return PeakAfter.of(lambda: curve)


def swept(memory: Memory, cuts: Mapping[int, Sequence[Stretch]]) -> int:
    """Return the same for real dumps: merge the intervals of bytes at each moment at which something begins."""
    most = memory.static_bytes
    for moment in sorted(
        {one.first for one in memory.temps.values()} | {last + 1 for c in cuts.values() for _, last in c}
    ):
        by_allocation: dict[object, list[tuple[int, int]]] = {}
        for number, one in memory.temps.items():
            if one.first <= moment <= one.last and not any(a <= moment <= b for a, b in cuts.get(number, ())):
                by_allocation.setdefault(one.allocation, []).append((one.low, one.high))
        total = memory.static_bytes
        for spans in by_allocation.values():
            reach = 0
            for low, high in sorted(spans):
                total += max(0, high - max(low, reach))
                reach = max(reach, high)
        most = max(most, total) if moment < memory.moments else most
    return most


def memories(analysis: Analysis) -> list[Memory]:
    return [memory_of(analysis, space) for space in analysis.spaces.values() if space.temp is not None]


stretches = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda ends: (min(ends), max(ends)))


@given(consistent_dumps())
def test_the_peak_is_that_of_the_space(dump: Dump) -> None:
    analysis = analyse(dump)
    for space, memory in zip(analysis.spaces.values(), memories(analysis), strict=True):
        assert space.peak_resident is not None
        assert (memory.peak.peak_bytes, memory.peak.moment) == (space.peak_resident.amount, space.peak_resident.moment)


@given(consistent_dumps(), st.data())
def test_cutting_stretches_equals_brute_force(dump: Dump, data: st.DataObject) -> None:
    for memory in memories(analyse(dump)):
        cuts = {number: data.draw(st.lists(stretches, max_size=2)) for number in memory.temps}
        assert memory.without(cuts) == brute_force(memory, cuts)


@given(consistent_dumps())
def test_the_peak_without_a_value_equals_brute_force(dump: Dump) -> None:
    for memory in memories(analyse(dump)):
        for number in memory.temps:
            assert memory.gone([number]) == brute_force(memory, {number: [ALWAYS]})


@st.composite
def rectangles(draw: st.DrawFn) -> Memory:
    """Draw buffers that take over slices from each other and never share a byte otherwise, as in real dumps."""
    temps: dict[int, Held] = {}
    for slot in range(draw(st.integers(1, 4))):
        size, moment = draw(st.integers(1, 9)), 0
        for _ in range(draw(st.integers(1, 4))):
            first = moment + draw(st.integers(0, 2))
            last = first + draw(st.integers(0, 4))
            temps[len(temps)] = Held(len(temps), "arena", first, last, slot * 10, slot * 10 + size)
            moment = last
    return Memory(draw(st.integers(0, 5)), 12, temps, parts_are_apart=True)


@given(rectangles())
def test_that_holds_where_values_hand_on_their_bytes(memory: Memory) -> None:
    for number in memory.temps:
        assert memory.gone([number]) == brute_force(memory, {number: [ALWAYS]})


@given(rectangles())
def test_each_value_belongs_to_one_part(memory: Memory) -> None:
    parts = handovers(memory.temps.values())
    assert sorted(held.number for part in parts for held in part) == sorted(memory.temps)


@pytest.mark.parametrize("label", sample_labels())
def test_savings_in_samples_equal_brute_force(label: str) -> None:
    for memory in memories(sample_analysis(label)):
        for number in memory.at_peak[:8]:
            left = swept(memory, {number: [ALWAYS]})
            assert memory.gone([number]).peak_bytes == left


@pytest.mark.parametrize("label", sample_labels())
def test_joint_savings_in_samples_equal_brute_force(label: str) -> None:
    for memory in memories(sample_analysis(label)):
        numbers = memory.at_peak[:10:2]
        assert memory.gone(numbers).peak_bytes == swept(memory, {number: [ALWAYS] for number in numbers})


def test_savings_do_not_add_up() -> None:
    """Two values of 10 bytes, each alone at a peak of its own: neither lowers the peak, both do."""
    temps = {0: Held(0, "arena", 0, 1, 0, 10), 1: Held(1, "arena", 3, 4, 10, 20)}
    memory = Memory(0, 6, temps, parts_are_apart=True)
    assert memory.gone([0]).peak_bytes == memory.gone([1]).peak_bytes == memory.peak.peak_bytes
    assert memory.gone([0, 1]).peak_bytes == 0


def test_a_cut_after_the_end_of_a_life_changes_nothing() -> None:
    temps = {0: Held(0, "arena", 0, 1, 0, 10), 1: Held(1, "arena", 2, 2, 10, 20)}
    memory = Memory(0, 6, temps, parts_are_apart=True)
    cuts = {0: [(0, 2), (5, 5)]}
    assert memory.without(cuts).peak_bytes == swept(memory, cuts) == 10
