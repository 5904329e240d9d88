"""The composition of a peak has every byte once, every live value by name, and nothing else."""

from collections import defaultdict

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.composition import composition, live_at
from reportgen.analyse.contested import contested_bytes, decides
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.analyse.temporary_parts import MOST_PARTS, temporary_parts
from reportgen.model import Dump
from tests.advice.recompiled_programs import program
from tests.support.builder import Lives, temporaries
from tests.support.dumps import analysed, edited
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
def test_a_peak_is_made_of_each_byte_once_and_names_every_live_value(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        assert space.peak_resident
        moment, held = space.peak_resident.moment, counted(analysis, space)
        sizes = [share.size_bytes for share in space.composition]
        assert sum(sizes) == space.peak_resident.amount
        assert sizes == sorted(sizes, reverse=True)
        named = {number for share in space.composition for number in (share.value, *share.sharers)} - {None}
        assert named == {number for allocation in held for number in live_in(analysis, allocation, moment)}
        for number in space.allocations:
            shares = [share for share in space.composition if share.allocation == number]
            if number in held:
                of_values = {share.value: share.size_bytes for share in shares if share.size_bytes}
                of_values.pop(None, None)
                assert of_values == bytes_by_value(analysis, number, moment)
            if number in held and not dump.allocations[number].is_preallocated_temp:
                assert sum(share.size_bytes for share in shares) == dump.allocations[number].size_bytes
            else:
                assert all(share.value is not None for share in shares)


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


# Errors put in doubt only the bytes that they are about.


def sharing(size: int, color: int = 0) -> Analysis:
    """Return a dump with 10,000 bytes at its peak and two values in the same `size` bytes at once."""
    return analyse(
        temporaries(
            Lives("step0", 0, 9, size=10_000),
            Lives("step1", 1, 5, size=size, offset=10_240, color=color),
            Lives("step2", 2, 6, size=size, offset=10_240, color=color),
        )
    )


def test_a_sound_dump_has_no_contested_bytes() -> None:
    analysis = analysed(SOUND)
    assert all(contested_bytes(analysis, space) == 0 for space in analysis.spaces.values())


@pytest.mark.parametrize(
    ("size", "color", "contested", "is_decided"),
    [(100, 0, {0: 200}, {0: False}), (5_000, 0, {}, {0: True}), (5_000, 1, {0: 0}, {0: False, 1: True})],
    ids=["two small values", "two large values", "of another memory space"],
)
def test_values_in_the_same_bytes_decide_if_they_are_large_and_in_the_space(
    size: int, color: int, contested: dict[int, int], is_decided: dict[int, bool]
) -> None:
    analysis = sharing(size, color)
    found = {number: contested_bytes(analysis, space) for number, space in analysis.spaces.items()}
    assert {number: found[number] for number in contested} == contested
    assert {number: decides(found[number], analysis.spaces[number]) for number in is_decided} == is_decided


def test_an_error_of_the_whole_dump_decides_everywhere() -> None:
    analysis = analysed(edited(SOUND, ("used: 5124", "used: 5125")))
    assert contested_bytes(analysis, analysis.spaces[0]) is None
    assert decides(None, analysis.spaces[0])


def test_more_errors_than_are_listed_decide() -> None:
    analysis = analyse(
        temporaries(*(Lives(f"step{number}", number, 299, offset=number // 2 * 64) for number in range(300)))
    )
    assert contested_bytes(analysis, analysis.spaces[0]) is None


# The parts of the temporaries: exactly what their lines own at each moment, and at the peak what its table says.


def lines_at(analysis: Analysis, space: Space, moment: int) -> dict[str, int]:
    """Return the bytes of temporaries that each line owns at a moment, from the shares of all values then."""
    facts, allocations = analysis.facts, analysis.dump.allocations
    temporary = [number for number in space.allocations if allocations[number].is_preallocated_temp]
    sizes: dict[str, int] = {}
    for share in composition(analysis.dump, temporary, facts, analysis.occupants, moment):
        assert share.value is not None
        line = analysis.authors.of(share.value).source.rpartition("/")[2]
        sizes[line] = sizes.get(line, 0) + share.size_bytes
    return sizes


@pytest.mark.parametrize("name", ["flax_gpt+donate", "evoformer", "qlora"])
def test_each_part_is_what_its_line_owns(name: str) -> None:
    analysis = program(name)
    for space in analysis.spaces.values():
        found = temporary_parts(analysis, space)
        if found is None or space.temp is None:
            continue
        assert found.kind == "line"
        for moment in range(0, analysis.moments, max(1, analysis.moments // 40)):
            owned = lines_at(analysis, space, moment)
            assert sum(owned.values()) == space.temp.at(moment)
            for part in found.parts:
                assert part.steps.at(moment) == owned.get(part.name, 0)


@pytest.mark.parametrize("name", ["flax_gpt+donate", "gnn", "ring"])
def test_parts_are_the_largest_lines_of_the_peak(name: str) -> None:
    analysis = program(name)
    space = analysis.spaces[0]
    found = temporary_parts(analysis, space)
    assert found
    assert space.peak_resident
    owned = lines_at(analysis, space, space.peak_resident.moment)
    largest = sorted((size for line, size in owned.items() if line), reverse=True)
    assert [part.peak_bytes for part in found.parts] == largest[: len(found.parts)]
    assert all(part.steps.at(space.peak_resident.moment) == part.peak_bytes for part in found.parts)


@given(consistent_dumps())
def test_parts_are_never_more_than_the_temporaries(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        found = temporary_parts(analysis, space)
        if found is None or space.temp is None:
            continue
        assert 0 < len(found.parts) <= MOST_PARTS
        for moment, amount in zip(space.temp.moments, space.temp.amounts, strict=True):
            of_parts = [part.steps.at(moment) for part in found.parts]
            assert min(of_parts) >= 0
            assert sum(of_parts) <= amount
