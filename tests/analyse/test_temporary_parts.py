"""The parts of the temporaries: exactly what their lines own at each moment, and at the peak what its table says."""

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.temporary_parts import MOST_PARTS, temporary_parts
from reportgen.model import Dump
from tests.advice.recompiled_programs import program
from tests.support.strategies import consistent_dumps


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
