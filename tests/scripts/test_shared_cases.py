"""Hold Python to the cases that the scripts are held to as well: `*.test.js` reads the same files."""

import json
from typing import Any

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.analyse.composition import composition
from reportgen.intervals.step_function import StepFunction
from reportgen.parse.op_names import path_parts
from reportgen.render.drawings.chart_data import byte_ticks, stacked, thinned
from reportgen.reports.formats import human_bytes
from tests.support.builder import Lives, temporaries
from tests.support.site import ROOT


def cases(name: str) -> Any:
    return json.loads((ROOT / "tests" / "shared_cases" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("size", "words"), cases("bytes")["human"])
def test_sizes_read_as_in_the_scripts(size: int, words: str) -> None:
    assert human_bytes(size) == words


@pytest.mark.parametrize(("limit", "places", "unit_bytes", "unit"), cases("bytes")["ticks"])
def test_ticks_are_where_the_scripts_put_them(limit: int, places: list[int], unit_bytes: int, unit: str) -> None:
    assert byte_ticks(limit) == {"ticks": places, "unit_bytes": unit_bytes, "unit": unit}


@pytest.mark.parametrize("case", cases("thinned")["cases"])
def test_steps_are_thinned_as_in_the_scripts(case: dict[str, Any]) -> None:
    function = StepFunction(case["moments"], case["amounts"], case["length"])
    assert [list(row) for row in thinned(function, case["points"])] == case["rows"]


@pytest.mark.parametrize("case", cases("stacked")["cases"])
def test_areas_are_stacked_as_in_the_scripts(case: dict[str, Any]) -> None:
    tops = {}
    for kind, rows in stacked(case["steps"]):
        moments, _, highs = zip(*rows, strict=True)
        tops[kind] = list(StepFunction(moments, highs, case["last"]).at_each(range(case["last"])))
    assert tops == case["tops"]


@pytest.mark.parametrize("case", cases("op_names")["cases"], ids=lambda case: case["scope"])
def test_names_of_operations_are_split_as_in_the_scripts(case: dict[str, Any]) -> None:
    assert path_parts(case["scope"]) == case["parts"]


@pytest.mark.parametrize("case", cases("composition")["cases"], ids=lambda case: case["name"])
def test_bytes_are_given_to_the_values_that_the_scripts_give_them_to(case: dict[str, Any]) -> None:
    lives = [
        Lives(f"v{number}", first, last, size, offset)
        for number, (offset, size, first, last) in enumerate(case["values"])
    ]
    analysis = analyse(temporaries(*lives))
    shares = composition(analysis.dump, [0], analysis.facts, analysis.occupants, case["moment"])
    assert {str(share.value): share.size_bytes for share in shares} == case["bytes"]
