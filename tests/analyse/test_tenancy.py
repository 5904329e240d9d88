"""Who held bytes before and after, and who at the same time, against a map of single bytes."""

from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis, Conflict, ValueFacts
from reportgen.model import Dump
from tests.support.builder import Lives, temporaries
from tests.support.strategies import consistent_dumps


def in_order(analysis: Analysis, numbers: tuple[int, ...]) -> list[int]:
    """Values with bytes and a live range as they begin, those of equal ranges by id."""

    def beginning(number: int) -> tuple[int, int, int]:
        fact = analysis.facts[number]
        return (fact.live.start, fact.live.end, fact.value.id) if fact.live else (-1, -1, fact.value.id)

    return sorted((n for n in numbers if analysis.facts[n].live and bytes_of(analysis.facts[n])), key=beginning)


def bytes_of(fact: ValueFacts) -> range:
    return range(fact.value.offset_bytes, fact.value.end_bytes)


def expected_before(analysis: Analysis) -> dict[int, set[int]]:
    """For each value the last holders of its bytes, byte by byte."""
    before: dict[int, set[int]] = {}
    for numbers in analysis.tenants:
        last_holder: dict[int, int] = {}
        for number in in_order(analysis, numbers):
            mine = bytes_of(analysis.facts[number])
            before[number] = {last_holder[byte] for byte in mine if byte in last_holder}
            last_holder.update(dict.fromkeys(mine, number))
    return before


def overlaps(one: ValueFacts, other: ValueFacts) -> bool:
    """Whether two values share a byte for longer than the moment of a hand-over."""
    if not one.live or not other.live or not set(bytes_of(one)) & set(bytes_of(other)):
        return False
    return max(one.live.start, other.live.start) < min(one.live.end, other.live.end)


@given(consistent_dumps())
def test_before_a_value_are_the_last_holders_of_its_bytes(dump: Dump) -> None:
    analysis = analyse(dump)
    before = expected_before(analysis)
    assert [set(holders) for holders in analysis.tenancy.before] == [
        before.get(n, set()) for n in range(len(dump.values))
    ]


@given(consistent_dumps())
def test_after_is_the_other_side_of_before(dump: Dump) -> None:
    tenancy = analyse(dump).tenancy
    handovers = {(earlier, later) for later, holders in enumerate(tenancy.before) for earlier in holders}
    assert {(earlier, later) for earlier, takers in enumerate(tenancy.after) for later in takers} == handovers


@given(consistent_dumps())
def test_a_conflict_is_found_for_every_value_that_has_one(dump: Dump) -> None:
    analysis = analyse(dump)
    later = {
        number
        for numbers in analysis.tenants
        for place, number in enumerate(in_order(analysis, numbers))
        for earlier in in_order(analysis, numbers)[:place]
        if overlaps(analysis.facts[earlier], analysis.facts[number])
    }
    assert {conflict.later for conflict in analysis.tenancy.conflicts} == later


@given(consistent_dumps())
def test_a_conflict_says_which_bytes_are_shared_and_when(dump: Dump) -> None:
    analysis = analyse(dump)
    for conflict in analysis.tenancy.conflicts:
        earlier, later = analysis.facts[conflict.earlier], analysis.facts[conflict.later]
        assert overlaps(earlier, later)
        assert earlier.live
        assert later.live
        assert set(range(conflict.low, conflict.high)) == set(bytes_of(earlier)) & set(bytes_of(later))
        assert (conflict.first, conflict.last) == (later.live.start, min(earlier.live.end, later.live.end))


def test_a_slice_that_is_handed_over_is_no_conflict() -> None:
    tenancy = analyse(temporaries(Lives("a", 0, 3), Lives("b", 3, 5))).tenancy
    assert tenancy.before == ((), (0,))
    assert tenancy.after == ((1,), ())
    assert tenancy.conflicts == ()


def test_bytes_that_are_shared_for_longer_are_a_conflict() -> None:
    dump = temporaries(Lives("a", 0, 4, size=8), Lives("b", 3, 5, size=8, offset=4))
    assert analyse(dump).tenancy.conflicts == (Conflict(0, 1, 4, 8, 3, 4),)


def test_the_pieces_of_a_whole_come_before_it() -> None:
    dump = temporaries(Lives("low", 0, 2), Lives("high", 1, 2, offset=4), Lives("whole", 2, 3, size=8))
    assert analyse(dump).tenancy.before == ((), (), (0, 1))
