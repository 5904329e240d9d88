"""The advice in `report.json` has the keys that programs rely on, and says where a capacity comes from."""

from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from benchmarks.recompiled import variants
from reportgen.advice.advise import advise
from reportgen.advice.records import Claim, Kind, State, Verdict
from reportgen.analyse.capacity import capacities
from reportgen.input.text import Sibling
from reportgen.reports.advice_json import advice_json

PAIRS = Path(__file__).parent / "pairs"

KEYS = {
    "schema", "withheld", "capacity_bytes", "capacity_source", "verdict", "excess_bytes", "ladder", "batch", "moves",
    "sequence", "families", "arguments", "plan",
}  # fmt: skip
MOVE = {
    "kind", "claim", "what", "argument_names", "values", "value_count", "naive_bytes", "saving_bytes",
    "saving_high_bytes", "new_peak_bytes", "next_moment", "scratch_bytes", "conflict_bytes", "conflicts", "after",
    "reason", "caveat", "code",
}  # fmt: skip


FAMILY = {
    "op", "type", "dims", "values", "value_count", "held_bytes", "gone_bytes", "idle_bytes", "next_moment",
}  # fmt: skip


@cache
def documents() -> tuple[dict[str, Any], ...]:
    """Return the advice for every pair, as it is and for half of what it allocates."""
    found = []
    for one in variants(PAIRS):
        for capacity in (None, one.space.allocated_bytes // 2):
            advice = advise(one.analysis, capacity)[0]
            found.append(advice_json(one.analysis.dump, advice, "flag" if capacity else None))
    return tuple(found)


def moves() -> list[dict[str, Any]]:
    return [move for document in documents() for move in document["moves"]]


def test_every_key_is_always_there() -> None:
    for document in documents():
        assert set(document) == KEYS
        assert set(document["ladder"]) == {"allocated", "peak", "donated", "floor", "floor_moment", "held"}
        for name, keys in {
            "sequence": {"move", "what", "after", "peak_after_bytes", "peak_after_high_bytes"},
            "families": {
                "op",
                "type",
                "dims",
                "values",
                "value_count",
                "held_bytes",
                "gone_bytes",
                "idle_bytes",
                "next_moment",
            },
            "arguments": {"name", "bytes", "leaves", "state", "near_miss_bytes"},
        }.items():
            assert all(set(entry) == keys for entry in document[name])
        for key, keys in {
            "batch": {"fits_factor", "half_bytes"},
            "plan": {"fits", "values", "at_least", "peak_bytes", "families"},
        }.items():
            assert document[key] is None or set(document[key]) == keys
    assert all(set(move) == MOVE for move in moves())


def test_words_are_those_of_the_records() -> None:
    assert {move["kind"] for move in moves()} <= set(get_args(Kind))
    assert {move["claim"] for move in moves()} <= set(get_args(Claim))
    assert {document["verdict"] for document in documents()} <= {*get_args(Verdict), None}
    states = {argument["state"] for document in documents() for argument in document["arguments"]}
    assert states <= set(get_args(State))


def test_a_capacity_comes_with_a_verdict_and_none_with_null() -> None:
    for document in documents():
        has_capacity = document["capacity_bytes"] is not None
        assert (document["verdict"] is not None) == (document["excess_bytes"] is not None) == has_capacity
        assert document["capacity_source"] == ("flag" if has_capacity else None)


def test_a_saving_is_the_difference_of_two_peaks() -> None:
    for document in documents():
        for move in document["moves"]:
            assert move["saving_bytes"] == document["ladder"]["peak"] - move["new_peak_bytes"]
            assert move["saving_high_bytes"] is None or move["saving_high_bytes"] >= move["saving_bytes"]
            assert (move["saving_high_bytes"] is not None) == (move["claim"] == "range")


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
    (capacity,) = capacities(given, [Sibling("target", "beside", data)]).values()
    assert capacity.origin == origin
