"""Every figure of real dumps, against those that a slow program computed that shares nothing with this project."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reportgen.check import check
from reportgen.input.discover import discover
from tests.support.samples import ROOT, SAMPLES, sample_labels

REAL_DUMPS = ROOT.parent / "shared" / "dumps"
SMALL = ("seeds", "small")
LARGE = "large"
needs_real_dumps = pytest.mark.skipif(
    not REAL_DUMPS.is_dir(), reason="the collection of real dumps is not beside this checkout"
)

Figures = dict[str, Any]

# What the report prints for the dumps that the project was created from: by space the bytes allocated,
# the peak of live bytes, and its first moment; then XLA's own peak.
SEEDS: dict[str, tuple[dict[str, tuple[int, int, int]], tuple[int, int]]] = {
    "000_a3085531593bac68.txt": (
        {"0": (209_766_464, 209_716_256, 12), "1": (90_177_536, 90_177_536, 7), "2": (8, 8, 6)},
        (239_075_356, 11),
    ),
    "001_04aa0d3336074bf8.txt": ({"0": (30_920, 30_788, 17)}, (30_724, 18)),
    "002_b0117d631587537a.txt": (
        {
            "0": (2_827_042_848, 2_709_520_384, 78),
            "1": (58_720_256, 58_720_256, 5),
            "2": (52, 52, 40),
            "4": (4_096, 4_096, 8),
        },
        (830_472_464, 78),
    ),
    "003_58de9a4b501a9eb8.txt": ({"0": (52_288, 3_104, 1), "1": (0, 0, 0)}, (96, 6)),
    "004_79ae6c566c7e6550.txt": ({"0": (41_943_072, 41_943_072, 5)}, (41_943_072, 5)),
}


def figures(report: Mapping[str, Any]) -> Figures:
    """Return what a report says, by the names of the expected figures."""
    peak = report["xla_peak"] or {"moment": None, "sum_bytes": 0}
    return {
        "allocations": report["allocations"],
        "values": report["values"],
        "ranges": report["live_ranges"],
        "schedule": report["schedule_length"],
        "total": report["total_bytes"],
        "xla_peak_at": peak["moment"],
        "xla_peak_sum": peak["sum_bytes"],
        "spaces": {color: _figures_of_space(space) for color, space in report["spaces"].items()},
    }


def _figures_of_space(space: Mapping[str, Any]) -> Figures:
    """Return the expected figures of a space; one in which nothing is ever live has no peak to compare."""
    if not space["peak_live_bytes"]:
        return {"allocated": space["allocated_bytes"]}
    return {
        "allocated": space["allocated_bytes"],
        "peak_live": space["peak_live_bytes"],
        "peak_live_at": space["peak_live_moment"],
        "peak_temp": space["peak_temp_bytes"],
        "peak_resident": space["peak_resident_bytes"],
    }


def reports(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return what `check` says of each dump below `path`, by label; nothing may go wrong in reading them."""
    report = check(discover([path]), 1, lambda done, count, label: None)
    assert [problem for problem in report.problems if problem.severity == "error"] == []
    return {summary.label: json.loads(summary.report_line) for summary in report.summaries}


@cache
def expected(path: Path) -> dict[str, Figures]:
    """Return the figures by label; `unranged`, the number of values without a live range, is in no report."""
    entries: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))
    return {label: {name: entry[name] for name in entry if name != "unranged"} for label, entry in entries.items()}


@cache
def reports_of_real_dumps() -> dict[str, Mapping[str, Any]]:
    return {f"{folder}/{label}": report for folder in SMALL for label, report in reports(REAL_DUMPS / folder).items()}


@cache
def reports_of_samples() -> dict[str, Mapping[str, Any]]:
    return reports(SAMPLES)


EXPECTED_OF_SAMPLES = ROOT / "tests" / "expected_samples.json"


def test_every_sample_has_its_figures() -> None:
    assert sample_labels() == sorted(expected(EXPECTED_OF_SAMPLES))


@pytest.mark.parametrize("label", sample_labels())
def test_the_figures_of_a_sample(label: str) -> None:
    assert figures(reports_of_samples()[label]) == expected(EXPECTED_OF_SAMPLES)[label]
    assert reports_of_samples()[label]["unparsed_lines"] == 0


@needs_real_dumps
def test_the_figures_of_every_real_dump() -> None:
    known = {label: entry for label, entry in expected(REAL_DUMPS / "expected.json").items() if label.startswith(SMALL)}
    assert {label: figures(report) for label, report in reports_of_real_dumps().items()} == known
    assert {label for label, report in reports_of_real_dumps().items() if report["unparsed_lines"]} == set()


@pytest.mark.slow
@needs_real_dumps
def test_the_figures_of_large_dumps() -> None:
    """Forty to four hundred megabytes each, compressed."""
    known = {label: entry for label, entry in expected(REAL_DUMPS / "expected.json").items() if label.startswith(LARGE)}
    found = {f"{LARGE}/{label.removesuffix('.xz')}": report for label, report in reports(REAL_DUMPS / LARGE).items()}
    assert {label: figures(report) for label, report in found.items()} == known
    assert {label for label, report in found.items() if report["unparsed_lines"]} == set()
    assert {finding["severity"] for report in found.values() for finding in report["findings"]} <= {"note"}


@needs_real_dumps
def test_no_real_dump_has_errors_or_warnings() -> None:
    reports = reports_of_real_dumps().values()
    severities = {found["severity"] for report in reports for found in report["findings"]}
    assert severities == {"note"}
    assert not any(found["slug"].startswith("sibling") for report in reports for found in report["findings"])


@needs_real_dumps
@pytest.mark.parametrize("name", SEEDS)
def test_the_known_answers(name: str) -> None:
    spaces, peak = SEEDS[name]
    report = reports_of_real_dumps()[f"seeds/{name}"]
    assert (report["xla_peak"]["sum_bytes"], report["xla_peak"]["moment"]) == peak
    assert {
        color: (space["allocated_bytes"], space["peak_live_bytes"], space["peak_live_moment"])
        for color, space in report["spaces"].items()
    } == spaces


@needs_real_dumps
def test_moments_that_tie_are_counted() -> None:
    assert reports_of_real_dumps()["seeds/003_58de9a4b501a9eb8.txt"]["spaces"]["0"]["peak_live_ties"] == 6
