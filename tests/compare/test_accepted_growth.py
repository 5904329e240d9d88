"""Growth on purpose passes with its reason, which every report of the build states, and a fixed limit still holds."""

import json
from pathlib import Path

import pytest

from tests.compare.texts import IN_PLACE, NOT_IN_PLACE, written
from tests.support.commands import Run, runner
from tests.support.site import read_page

REASON = "the cache | is **kept**"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("check", …)` beside the dumps of two builds, of which the second needs more."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    return runner(capsys)


def test_growth_passes_with_its_reason(run: Run) -> None:
    gate = ["--max-growth", "1%", "--accept-growth", REASON]
    compared = run("compare", "before", "after", *gate, "--json", "c.json", "--markdown", "c.md", "-o", "site")
    checked = run("check", "after", "--baseline", "before", *gate)
    for ran in (compared, checked):
        assert ran.code == 0
        assert "note: grown: jit_f memory: peak_resident" in ran.out
        assert f"accepted: {REASON}" in ran.out
    grown = [one for one in json.loads(Path("c.json").read_bytes())["verdicts"] if one["status"] == "grown"]
    assert {(one["level"], one["accepted"]) for one in grown} == {("note", REASON)}
    markdown = Path("c.md").read_text(encoding="utf-8")
    assert markdown.splitlines()[0].endswith("— growth accepted")
    assert "the cache \\| is \\*\\*kept\\*\\*" in markdown
    assert f"accepted: {REASON}" in Path("site/index.html").read_text(encoding="utf-8")


def test_what_is_over_a_fixed_limit_fails_nevertheless(run: Run) -> None:
    Path("reportgen.toml").write_text('[[budget]]\nmax = "5 MiB"\nmax-growth = "0%"\n', encoding="utf-8")
    ran = run("check", "after", "--baseline", "before", "--accept-growth", REASON)
    assert ran.code == 3
    assert ("fail: over" in ran.out, "note: grown" in ran.out) == (True, True)


def test_a_broken_budget_is_said_once_on_github(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    for command in (["compare", "before", "after"], ["check", "after", "--baseline", "before"]):
        ran = run(*command, "--max-growth", "1%", "--github")
        assert ran.code == 3
        assert ran.out.count("and may grow by") == 1
        assert "::error title=Memory%3A grown::" in ran.out


def test_the_history_keeps_the_reason_and_the_trend_says_it(run: Run) -> None:
    for number, build in enumerate(["before", "after"]):
        time = f"2026-01-0{number + 1}T00:00:00Z"
        reason = ["--accept-growth", f"  {REASON}\n"] if number else []
        assert run("history", "add", build, "--commit", number, "--time", time, "-o", "site", *reason).code == 0
    lines = [json.loads(line) for line in Path("site/history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line.get("accepted") for line in lines] == [None, REASON]
    (page,) = Path("site/trend").iterdir()
    text = " ".join(read_page(page.read_text(encoding="utf-8")).text.split())
    assert "+4.00 MiB (+100.0 %)" in text
    assert f"Accepted: {REASON}" in text


@pytest.mark.parametrize("reason", ["", " \n", "x" * 201])
def test_growth_needs_a_reason(run: Run, reason: str) -> None:
    ran = run("check", "after", "--baseline", "before", "--accept-growth", reason)
    assert (ran.code, "is not a reason" in ran.err) == (2, True)
