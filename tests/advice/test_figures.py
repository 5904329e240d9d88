"""The advice in `report.json` is as its schema says, its figures agree, and it says where a capacity comes from."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reportgen.advice.advise import advise
from reportgen.analyse.capacity import capacities
from reportgen.document import encoded
from reportgen.input.dump_text import Sibling
from reportgen.reports.module_figures import advice_figures
from tests.advice.recompiled import variants
from tests.advice.recompiled_programs import names, program
from tests.support.schemas import problems, validator

PAIRS = Path(__file__).parent / "pairs"


@cache
def documents() -> tuple[dict[str, Any], ...]:
    """Return the advice for every program, as it is and for half of what it needs."""
    found = []
    for analysis in (*(one.analysis for one in variants(PAIRS)), *map(program, names())):
        for capacity in (None, analysis.spaces[0].needed_bytes // 2):
            advice = advise(analysis, capacity)[0]
            figures = advice_figures(analysis, advice, "flag" if capacity else None)
            if figures:
                found.append(json.loads(encoded(figures)))
    return tuple(found)


@pytest.mark.slow
def test_the_best_are_positions_of_suggestions() -> None:
    for document in documents():
        kinds = [document["suggestions"][position]["kind"] for position in document["best"]]
        assert len(set(kinds)) == len(kinds)
    assert any(document["best"] for document in documents())


def test_advice_is_as_its_schema_says() -> None:
    as_published = validator("report", "advice_figures")
    assert [problem for document in documents() for problem in problems(as_published, document)] == []
    assert any(document["batch"] for document in documents())


def test_a_capacity_comes_with_a_verdict_and_none_with_null() -> None:
    for document in documents():
        has_capacity = document["capacity_bytes"] is not None
        assert (document["verdict"] is not None) == (document["excess_bytes"] is not None) == has_capacity
        assert document["capacity_source"] == ("flag" if has_capacity else None)


def test_a_saving_is_the_difference_of_two_peaks() -> None:
    for document in documents():
        for suggestion in document["suggestions"]:
            if suggestion["confidence"] == "unknown":
                assert suggestion["saving_bytes"] is None
                assert suggestion["peak_bytes"] == document["breakdown"]["peak_bytes"]
                continue
            assert suggestion["saving_bytes"] == document["breakdown"]["peak_bytes"] - suggestion["peak_bytes"]
            assert suggestion["saving_bytes"] == document["breakdown"]["needed_bytes"] - suggestion["needed_bytes"]
            assert (
                suggestion["saving_high_bytes"] is None or suggestion["saving_high_bytes"] >= suggestion["saving_bytes"]
            )
            assert (suggestion["saving_high_bytes"] is not None) == (suggestion["confidence"] == "range")


@pytest.mark.parametrize(
    ("given", "data", "origin"),
    [
        (["16GiB"], b"", "flag"),
        (["v5e"], b"device_memory_size: 84942979072", "flag"),
        ([], b"device_memory_size: 84942979072", "target_config"),
        ([], b'version: TPU_VERSION_VIPERFISH variant: "lite"', "target_arguments"),
    ],
)
def test_the_source_of_a_capacity_is_a_flag_or_a_file_beside_the_dump(
    given: list[str], data: bytes, origin: str
) -> None:
    (capacity,) = capacities(
        given, [Sibling("GPU target", "beside", data), Sibling("TPU target", "beside", data)]
    ).values()
    assert capacity.origin == origin
