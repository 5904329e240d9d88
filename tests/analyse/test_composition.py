"""The composition of a peak has every byte once, every live value by name, and nothing else."""

from collections import defaultdict

from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.composition import live_at
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.model import Dump
from tests.support.builder import Lives, temporaries
from tests.support.dumps import analysed
from tests.support.sound import SOUND
from tests.support.strategies import consistent_dumps


def live_in(analysis: Analysis, allocation: int, moment: int) -> list[int]:
    return live_at(analysis.facts, analysis.occupants[allocation], moment)


def counted(analysis: Analysis, space: Space) -> list[int]:
    """Return the allocations that the peak of a space is made of."""
    return [number for number in space.allocations if not analysis.dump.allocations[number].is_thread_local]


def bytes_by_value(analysis: Analysis, allocation: int, moment: int) -> dict[int, int]:
    """Return each byte given to the value that was defined last."""
    holder: dict[int, int] = {}
    for number in reversed(live_in(analysis, allocation, moment)):
        value = analysis.facts[number].value
        holder.update(dict.fromkeys(range(value.offset_bytes, value.end_bytes), number))
    given_to: defaultdict[int, int] = defaultdict(int)
    for number in holder.values():
        given_to[number] += 1
    return given_to


@given(consistent_dumps())
def test_the_shares_add_up_to_peak_resident(dump: Dump) -> None:
    for space in analyse(dump).spaces.values():
        assert space.peak_resident
        assert sum(share.size_bytes for share in space.composition) == space.peak_resident.amount


@given(consistent_dumps())
def test_each_byte_is_given_to_the_value_defined_last(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        assert space.peak_resident
        for number in counted(analysis, space):
            shares = [share for share in space.composition if share.allocation == number and share.value is not None]
            expected = bytes_by_value(analysis, number, space.peak_resident.moment)
            assert {share.value: share.size_bytes for share in shares if share.size_bytes} == expected


@given(consistent_dumps())
def test_every_live_value_is_named(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        assert space.peak_resident
        named = {number for share in space.composition for number in (share.value, *share.sharers)} - {None}
        moment = space.peak_resident.moment
        assert named == {number for held in counted(analysis, space) for number in live_in(analysis, held, moment)}


@given(consistent_dumps())
def test_what_is_held_with_nothing_live_in_it_has_a_share_of_its_own(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        for number in space.allocations:
            shares = [share for share in space.composition if share.allocation == number]
            is_static = not dump.allocations[number].is_preallocated_temp and number in counted(analysis, space)
            if is_static:
                assert sum(share.size_bytes for share in shares) == dump.allocations[number].size_bytes
            else:
                assert all(share.value is not None for share in shares)


@given(consistent_dumps())
def test_the_largest_shares_come_first(dump: Dump) -> None:
    for space in analyse(dump).spaces.values():
        sizes = [share.size_bytes for share in space.composition]
        assert sizes == sorted(sizes, reverse=True)


def test_the_shares_of_a_dump_that_can_be_followed_by_hand() -> None:
    analysis = analysed(SOUND)
    number = {fact.value.key.name: value for value, fact in enumerate(analysis.facts)}
    assert analysis.spaces[0].composition == (
        Share(3, number["big"], 4096),
        Share(0, number["p"], 256),
        Share(1, None, 256),
        Share(3, number["a"], 256),
        Share(3, number["b"], 256),
    )


def test_a_value_whose_bytes_others_have_is_named_beside_them() -> None:
    dump = temporaries(Lives("a", 0, 1, size=8), Lives("b", 1, 1, size=4), Lives("c", 1, 2, size=4, offset=4))
    [space] = analyse(dump).spaces.values()
    assert space.composition == (Share(0, 0, 8),)
    assert analyse(dump).spaces[0].peak_resident == space.peak_resident


def test_a_value_without_bytes_is_named_too() -> None:
    [space] = analyse(temporaries(Lives("a", 0, 1), Lives("unit", 0, 1, size=0, shape="()"))).spaces.values()
    assert space.composition == (Share(0, 0, 4), Share(0, 1, 0))
