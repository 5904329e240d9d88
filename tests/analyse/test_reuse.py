"""Who held bytes before and after, and who at the same time, against a map of single bytes."""

from collections.abc import Mapping, Sequence

from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis, Conflict, ValueFacts
from reportgen.model import Dump
from tests.support.builder import Lives, temporaries
from tests.support.strategies import consistent_dumps


def in_order(analysis: Analysis, numbers: Sequence[int]) -> list[int]:
    """Return values with bytes and a live range as they begin, those of equal ranges by id."""

    def beginning(number: int) -> tuple[int, int, int]:
        fact = analysis.facts[number]
        return (fact.live.start, fact.live.end, fact.value.id) if fact.live else (-1, -1, fact.value.id)

    return sorted((n for n in numbers if analysis.facts[n].live and bytes_of(analysis.facts[n])), key=beginning)


def bytes_of(fact: ValueFacts) -> range:
    return range(fact.value.offset_bytes, fact.value.end_bytes)


def expected_before(analysis: Analysis) -> dict[int, set[int]]:
    """Return the last holders of the bytes of each value, byte by byte."""
    before: dict[int, set[int]] = {}
    for numbers in analysis.occupants:
        last_holder: dict[int, int] = {}
        for number in in_order(analysis, numbers):
            mine = bytes_of(analysis.facts[number])
            before[number] = {last_holder[byte] for byte in mine if byte in last_holder}
            last_holder.update(dict.fromkeys(mine, number))
    return before


def overlaps(one: ValueFacts, other: ValueFacts) -> bool:
    """Return whether two values share a byte for longer than the moment of an in-place reuse."""
    if not one.live or not other.live or not set(bytes_of(one)) & set(bytes_of(other)):
        return False
    return max(one.live.start, other.live.start) < min(one.live.end, other.live.end)


@given(consistent_dumps())
def test_who_held_bytes_before_and_after_and_at_once_is_as_single_bytes_say(dump: Dump) -> None:
    analysis = analyse(dump)
    reuse, before = analysis.reuse, expected_before(analysis)
    assert list(map(set, reuse.predecessors)) == [before.get(number, set()) for number in range(len(dump.values))]
    handovers = {(earlier, later) for later, predecessors in enumerate(reuse.predecessors) for earlier in predecessors}
    assert {(one, later) for one, successors in enumerate(reuse.successors) for later in successors} == handovers
    assert {conflict.later for conflict in reuse.conflicts} == {
        number
        for numbers in analysis.occupants
        for place, number in enumerate(in_order(analysis, numbers))
        for earlier in in_order(analysis, numbers)[:place]
        if overlaps(analysis.facts[earlier], analysis.facts[number])
    }
    for conflict in reuse.conflicts:
        earlier, later = analysis.facts[conflict.earlier], analysis.facts[conflict.later]
        assert overlaps(earlier, later)
        assert earlier.live
        assert later.live
        assert set(range(conflict.low, conflict.high)) == set(bytes_of(earlier)) & set(bytes_of(later))
        assert (conflict.first, conflict.last) == (later.live.start, min(earlier.live.end, later.live.end))


def test_in_place_reuse_is_not_a_conflict() -> None:
    reuse = analyse(temporaries(Lives("a", 0, 3), Lives("b", 3, 5))).reuse
    assert reuse.predecessors == ((), (0,))
    assert reuse.successors == ((1,), ())
    assert reuse.conflicts == ()


def test_bytes_that_are_shared_for_longer_are_a_conflict() -> None:
    dump = temporaries(Lives("a", 0, 4, size=8), Lives("b", 3, 5, size=8, offset=4))
    assert analyse(dump).reuse.conflicts == (Conflict(0, 1, 4, 8, 3, 4),)


def test_the_pieces_of_a_whole_come_before_it() -> None:
    dump = temporaries(Lives("low", 0, 2), Lives("high", 1, 2, offset=4), Lives("whole", 2, 3, size=8))
    assert analyse(dump).reuse.predecessors == ((), (), (0, 1))


# Buffers that go from hand to hand.


def chains_of(*lives: Lives) -> Mapping[int, Sequence[int]]:
    return analyse(temporaries(*lives)).reuse.chains


def test_values_that_take_over_a_slice_form_a_chain() -> None:
    found = chains_of(Lives("b", 3, 5), Lives("a", 0, 3), Lives("c", 5, 9))
    assert found == dict.fromkeys((0, 1, 2), (1, 0, 2))


def test_values_with_a_gap_between_them_form_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3), Lives("b", 4, 5)) == {}


def test_values_with_different_slices_form_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3, size=8), Lives("b", 3, 5)) == {}
