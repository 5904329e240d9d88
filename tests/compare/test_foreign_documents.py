"""A document that another program has written or changed: what cannot be is refused with its file and field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.builds import BUILT, change_report
from tests.support.commands import Run

pytestmark = pytest.mark.usefixtures("two_builds")

NO_SIZES = ["-1", "1.0", "1.5", "true", "false", '"1"', "NaN", "Infinity", "-Infinity", "1e999", "9" * 40, "9" * 5_000]
NO_SIZES += ["[]", "{}", "[1]"]
FIGURES = ["peak_resident", "needed", "allocated", "static", "peak_temp"]
HISTORY = '{{"schema":2,"commit":"{}","time":"2026-01-01T00:00:00Z","modules":{{"cpu jit_f -":{{"0":{}}}}}}}\n'


def is_refused(run: Run, text: str, words: str) -> None:
    """Confirm that no command takes a report, and that each says its file and the words."""
    Path("report.json").write_text(text, encoding="utf-8")
    for command in (
        ["compare", "report.json", "after"],
        ["compare", "after", "report.json", "--max-growth", "1%"],
        ["check", "after", "--baseline", "report.json"],
        ["history", "add", "report.json", *BUILT, "--history", "h.jsonl"],
    ):
        ran = run(*command)
        assert (ran.code, "error: report.json: " in ran.err, words in ran.err) == (1, True, True), ran.err
    assert not Path("h.jsonl").exists()


@pytest.mark.parametrize("size", NO_SIZES)
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_that_cannot_be_is_refused(run: Run, figure: str, size: str) -> None:
    text = change_report(lambda document: document["modules"][0]["spaces"]["0"].update({f"{figure}_bytes": "HERE"}))
    is_refused(run, text.replace('"HERE"', size), f"modules[0].spaces.0.{figure}_bytes: ")


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"peak_resident_bytes": 1}, "static_bytes: 4,194,308 is more than peak_resident_bytes, 1"),
        (
            {"peak_resident_bytes": 1 << 40},
            "peak_resident_bytes: 1,099,511,627,776 is more than static_bytes + peak_temp",
        ),
        ({"peak_temp_bytes": 1 << 40}, "peak_temp_bytes: 1,099,511,627,776 is more than peak_resident_bytes"),
        ({"needed_bytes": 1 << 40}, "needed_bytes: 1,099,511,627,776 is more than allocated_bytes"),
    ],
)
def test_figures_that_contradict_each_other_are_refused(run: Run, figures: dict[str, int], words: str) -> None:
    text = change_report(lambda document: document["modules"][0]["spaces"]["0"].update(figures))
    is_refused(run, text, f"modules[0].spaces.0.{words}")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one.update(schema=True), "schema: True is not a number"),
        (lambda one: one.update(schema=1.0), "schema: 1.0 is not a number"),
        (lambda one: one.pop("schema"), "schema is missing"),
        (lambda one: one.update(modules={}), "modules: {} is not a list"),
        (lambda one: one.update(modules="abc"), "modules: 'abc' is not a list"),
        (lambda one: one.update(modules=[3]), "modules[0]: 3 is not a table of fields"),
        (lambda one: one["modules"].append(one["modules"][0]), "is there 2 times"),
        (lambda one: one["modules"][0].update(name=None), "modules[0].name: None is not a text"),
        (lambda one: one["modules"][0].update(path=["x"]), "modules[0].path: ['x'] is not a text"),
        (lambda one: one["modules"][0].update(backend=["cpu"]), "modules[0].backend: ['cpu'] is not 'cpu' or"),
        (lambda one: one["modules"][0].update(backend="abacus"), "modules[0].backend: 'abacus' is not 'cpu' or"),
        (lambda one: one["modules"][0].update(shapes="a b"), "modules[0].shapes: 'a b' is not"),
        (lambda one: one["modules"][0].update(spaces=[]), "modules[0].spaces: [] is not a table of fields"),
        (lambda one: one["modules"][0].update(findings={}), "modules[0].findings: {} is not a list"),
        (lambda one: one["modules"][0].update(findings=[{}]), "modules[0].findings[0].severity is missing"),
        (lambda one: one["modules"][0].update(arguments=[[1]]), "modules[0].arguments[0]: [1] is not a table"),
        (
            lambda one: one["modules"][0]["arguments"][0].update(size_bytes=-1),
            "arguments[0].size_bytes: -1 is not a number",
        ),
        (lambda one: one.update(build={"commit": 3}), "build.commit: 3 is not a text"),
        (lambda one: one.update(build=[]), "build: [] is not a table of fields"),
        (lambda one: one.update(build={"commit": "a", "distance": -1}), "build.distance: -1 is not a number"),
        *(
            (
                lambda one, color=color: one["modules"][0].update(spaces={color: {}}),
                "is not the number of a memory space",
            )
            for color in ("-1", "٣", "00", "1.0", "", " 0", "9" * 5_000)
        ),
    ],
)
def test_what_is_nested_otherwise_is_refused(run: Run, change: Callable[[Any], object], words: str) -> None:
    is_refused(run, change_report(change), words)


@pytest.mark.parametrize("line", [True, -1, 1.5, "3"])
def test_a_finding_has_the_number_of_a_line(run: Run, line: object) -> None:
    finding = {"severity": "note", "slug": "a", "message": "b", "file": None, "line": line}
    text = change_report(lambda document: document["modules"][0].update(findings=[finding]))
    is_refused(run, text, "modules[0].findings[0].line: ")


def test_a_name_that_is_stated_twice_is_refused(run: Run) -> None:
    text = Path("report.json").read_text(encoding="utf-8")
    is_refused(
        run,
        text.replace('"needed_bytes": ', '"needed_bytes": 1, "needed_bytes": ', 1),
        "'needed_bytes' is stated twice",
    )


def test_an_unknown_figure_and_unknown_fields_are_taken(run: Run) -> None:
    change_report(lambda document: document["modules"][0]["spaces"]["0"].update(peak_resident_bytes=None, other=[1.5]))
    assert run("compare", "report.json", "after").code == 0


def test_a_report_of_an_earlier_version_that_states_no_work_is_taken(run: Run) -> None:
    change_report(lambda document: document["modules"][0].pop("work"))
    ran = run("compare", "report.json", "after")
    assert (ran.code, "recompute" in ran.out) == (0, False)


@pytest.mark.parametrize("size", NO_SIZES)
def test_a_line_of_a_history_with_such_a_figure_is_told_and_left_out(run: Run, size: str) -> None:
    good, bad = HISTORY.format("0000000", "[1,1,1,1,1,1,1]"), HISTORY.format("1111111", f"[1,1,{size},1,1,1,1]")
    for lines, place in ((good + bad, "h.jsonl:2"), (bad + good, "h.jsonl:1")):
        Path("h.jsonl").write_text(lines, encoding="utf-8")
        ran = run("history", "find", "1111111", "0000000", "--history", "h.jsonl", "-o", "base.json")
        assert ran.code == 0
        assert f"skipped 1 damaged line: {place}: modules.cpu jit_f -.0[2]: " in ran.err
        assert json.loads(Path("base.json").read_bytes())["build"]["commit"] == "0000000"
    Path("h.jsonl").write_text(bad, encoding="utf-8")
    assert run("history", "add", "report.json", *BUILT, "--history", "h.jsonl").code == 2
    assert Path("h.jsonl").read_text(encoding="utf-8") == bad


@pytest.mark.parametrize(
    "budget",
    [
        "max = '-1 GiB'",
        "max = 'nan GiB'",
        "max = 'inf GiB'",
        "max = '1e9 GiB'",
        "max = '٣ GiB'",
        "max = '1_000 GiB'",
        "max = nan",
        "max = inf",
        "max = true",
        "max = ['1 GiB']",
        f"max = '{'9' * 400} GiB'",
        f"max = {'9' * 5_000}",
        f"max = {'[' * 10_000}",
        "max = '1 GiB'\nmax = '2 GiB'",
        "max-growth = '-1%'",
        "max-growth = []",
        "max-growth = [['1%']]",
        "max-growth = {a = 1}",
        "max = '1 GiB'\nspace = false",
        "max = '1 GiB'\nspace = 1.5",
        "max = '1 GiB'\nmodule = ['x']",
        "max = '1 GiB'\nfigure = ['needed']",
        "max = '1 GiB'\nrequired = 1",
    ],
    ids=lambda text: text[:30],
)
def test_a_budget_that_cannot_be_is_wrong_usage(run: Run, budget: str) -> None:
    for name, table in (("reportgen.toml", "[[budget]]"), ("pyproject.toml", "[[tool.xla-reportgen.budget]]")):
        Path(name).write_text(f"{table}\n{budget}\n", encoding="utf-8")
        for command in (
            ["check", "after"],
            ["compare", "before", "after"],
            ["history", "add", "after", *BUILT, "-o", "s"],
        ):
            ran = run(*command)
            assert (ran.code, name in ran.err) == (2, True), ran.err
        Path(name).unlink()
