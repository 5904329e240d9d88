"""The Chrome trace: valid by the format's own rules, and with the amounts of the analysis."""

import json
from typing import Any

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.cli import main
from reportgen.reports.report import Report
from reportgen.reports.trace import MOST_VALUES, trace_json
from tests.support.builder import Lives, temporaries
from tests.support.site import SAMPLES


def traced(*lives: Lives) -> list[dict[str, Any]]:
    report = Report(
        label="a/b.txt", title="jit_f", stage=None, number=None, analysis=analyse(temporaries(*lives), "cpu")
    )
    document = json.loads(trace_json([report]))
    events: list[dict[str, Any]] = document["traceEvents"]
    return events


def counters(events: list[dict[str, Any]], name: str) -> list[tuple[int, dict[str, int]]]:
    return [(event["ts"], event["args"]) for event in events if event["ph"] == "C" and event["name"].startswith(name)]


def test_counters_follow_the_live_bytes() -> None:
    events = traced(Lives("a", 0, 1, 8), Lives("b", 1, 3, 16, 8))
    assert counters(events, "live in space 0") == [
        (0, {"live": 8}),
        (1, {"live": 24}),
        (2, {"live": 16}),
        (4, {"live": 16}),
    ]


def test_every_value_begins_before_it_ends_and_spans_its_live_range() -> None:
    events = traced(Lives("a", 0, 1, 8), Lives("b", 1, 3, 16, 8))
    spans = {
        event["name"]: [one["ts"] for one in events if one.get("id") == event["id"]]
        for event in events
        if "id" in event
    }
    assert spans == {"a": [0, 2], "b": [1, 4]}


def test_only_the_largest_values_have_a_track() -> None:
    events = traced(*(Lives(f"v{number}", 0, 1, number + 1, 1000 * number) for number in range(MOST_VALUES + 50)))
    begun = [event["name"] for event in events if event["ph"] == "b"]
    assert len(begun) == MOST_VALUES
    assert "v0" not in begun


def test_the_command_prints_a_trace_of_every_module(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", "--trace", str(SAMPLES)]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    events = document["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert "jit_mlp_train_step" in names
    # What the format asks of each phase: https://github.com/google/perfetto reads the same fields.
    needed = {
        "M": {"args"},
        "X": {"ts", "dur"},
        "C": {"ts", "args"},
        "b": {"ts", "id", "cat"},
        "e": {"ts", "id", "cat"},
    }
    for event in events:
        assert event.keys() >= needed[event["ph"]] | {"name", "pid", "tid"}
        assert event["ts"] >= 0


def test_without_a_dump_the_command_says_so(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--trace", str(tmp_path)]) != 0
    assert "no dump" in capfd.readouterr().err.lower()
