"""A dump that contradicts itself is not judged by any command, and the message says where it does."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from reportgen.compare.baseline import figures_of_report, recorded_report
from reportgen.compare.history import History, Record, figures_of, line_of, modules_of, parse_history
from reportgen.reports.report_document import ListedFinding
from tests.compare.gate import damaged, judgement_of, main
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.commands import Run, runner
from tests.support.gate_records import gate_module_of, space_of
from tests.support.samples import SAMPLES
from tests.test_corruption import samples

# The range of one value is missing, as in a file that was cut off.
UNSOUND = NOT_IN_PLACE.replace("    counter{}:2-3\n", "")
PLACE = f"{NAME}:7: counter{{}} has no live range, although its instruction is scheduled [range-missing]"
SIDES = [("before", "unsound"), ("unsound", "after"), ("report.json", "unsound"), ("unsound.json", "after")]
ADD = ["--commit", "1" * 40, "--time", "2026-01-01T00:00:00Z", "--history", "h.jsonl"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("compare", "before", "unsound")` in a directory with three builds, and reports of two of them."""
    monkeypatch.chdir(tmp_path)
    run = runner(capsys)
    for name, text in (("before", IN_PLACE), ("after", NOT_IN_PLACE), ("unsound", UNSOUND)):
        written(tmp_path / name, text)
    for name, build in (("report.json", "before"), ("unsound.json", "unsound")):
        Path(name).write_text(run("check", "--json", build).out, encoding="utf-8")
    return run


@pytest.mark.parametrize("gate", [[], ["--max-growth", "900%"], ["--github"]], ids=str)
@pytest.mark.parametrize(("before", "after"), SIDES)
def test_an_unsound_side_cannot_be_judged(run: Run, before: str, after: str, gate: list[str]) -> None:
    ran = run("compare", before, after, *gate, "--json", "c.json", "--markdown", "c.md", "-o", "site")
    side = "" if after == "unsound" else ", before"
    assert (ran.code, f"jit_f{side} cannot be judged: {PLACE}" in ran.out) == (4, True), ran.out
    document = json.loads(Path("c.json").read_bytes())
    assert document["verdict"] == "unsound"
    assert [one["status"] for one in document["verdicts"] if one["level"] == "fail"] == ["unsound"]
    assert "cannot be judged, a dump is unsound" in Path("c.md").read_text(encoding="utf-8")
    assert "cannot be judged" in Path("site/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("before", "after"), SIDES)
def test_a_check_with_a_baseline_says_the_same(run: Run, before: str, after: str) -> None:
    ran = run("check", after, "--baseline", before, "--max-growth", "900%")
    assert (ran.code, "cannot be judged" in ran.out, "budgets: unsound" in ran.out) == (4, True, True)


def test_a_check_with_budgets_does_not_judge_an_unsound_dump(run: Run) -> None:
    Path("reportgen.toml").write_text("[[budget]]\nmax = '1 GiB'\n", encoding="utf-8")
    assert run("check", "unsound").code == 4
    assert run("check", "after").code == 0
    Path("reportgen.toml").write_text("[[budget]]\nmax = '1 B'\n", encoding="utf-8")
    assert run("check", "unsound", "after").code == 4


@pytest.mark.parametrize(("before", "after"), SIDES)
def test_who_allows_it_gets_the_figures_and_a_warning(run: Run, before: str, after: str) -> None:
    for command in (["compare", before, after], ["check", after, "--baseline", before]):
        ran = run(*command, "--max-growth", "900%", "--allow-unsound")
        assert (ran.code, "warn: unsound: " in ran.out, "budgets: pass" in ran.out) == (0, True, True), ran.out
        assert "is judged although it is unsound" in ran.out


def test_sound_builds_are_judged_as_before(run: Run) -> None:
    for command in (["compare", "before", "after"], ["check", "after", "--baseline", "report.json"]):
        ran = run(*command, "--max-growth", "900%")
        assert (ran.code, "unsound" in ran.out, "budgets: pass" in ran.out) == (0, False, True), ran.out


def test_a_warning_is_said_beside_the_verdict_and_once_for_both_builds(run: Run) -> None:
    written(Path("doubtful"), NOT_IN_PLACE.replace("counter{}:2-3", "counter{}:2-2"))
    ran = run("compare", "before", "doubtful", "--max-growth", "900%")
    assert (ran.code, ran.out.count("warn: doubtful: ")) == (0, 1)
    assert run("compare", "doubtful", "doubtful").out.count("warn: doubtful: jit_f: ") == 1


@pytest.mark.parametrize("redact", ["--redact", "--redact-names"])
def test_a_redacted_gate_says_the_line_and_the_kind_only(run: Run, redact: str) -> None:
    secret = "secretive"
    written(Path("unsound"), UNSOUND.replace("counter", secret), NAME.replace("jit_f", secret))
    for command in (["compare", "before", "unsound"], ["check", "before", "--baseline", "unsound"]):
        ran = run(*command, redact, "--max-growth", "1%", "--github")
        assert ran.code == 4
        assert "cannot be judged: line 7: error [range-missing]" in ran.out
        assert secret not in (ran.out + ran.err if redact == "--redact-names" else ran.out.replace(f"jit_{secret}", ""))


def test_a_history_refuses_an_unsound_build(run: Run) -> None:
    for build in ("unsound", "unsound.json"):
        ran = run("history", "add", build, *ADD, "-o", "site")
        assert (ran.code, f"jit_f cannot be added: {PLACE}" in ran.err) == (4, True), ran.err
        assert "--allow-unsound" in ran.err
        assert not Path("h.jsonl").exists()
        assert not Path("site").exists()


def test_a_history_marks_an_unsound_build_that_it_was_made_to_add(run: Run) -> None:
    assert run("history", "add", "unsound", *ADD, "-o", "site", "--allow-unsound").code == 0
    assert json.loads(Path("h.jsonl").read_bytes())["unsound"].popitem()[1] == "range-missing"
    assert "contradict themselves" in Path("site/trend.html").read_text(encoding="utf-8")
    found = run("history", "find", "1" * 40, "--history", "h.jsonl", "-o", "base.json")
    ran = run("compare", "base.json", "after", "--max-growth", "900%")
    assert (found.code, ran.code, "jit_f, before cannot be judged" in ran.out) == (0, 4, True), ran.out
    assert "[range-missing]" in ran.out


def test_a_build_does_not_inherit_that_its_parent_was_unsound() -> None:
    flaw = ListedFinding(severity="error", slug="range-missing", message="…", file="x", line=3)
    module = gate_module_of(path="x", name="jit_f", backend="cpu", spaces={0: space_of("memory", 1)}, findings=(flaw,))
    one = Record(commit="a" * 12, time="2026-01-01T00:00:00Z", modules=modules_of([module]))
    data = line_of(History(), one)
    (key,) = one.modules
    sound = Record(commit="b" * 12, time="2026-01-02T00:00:00Z", modules={key: one.modules[key]._replace(unsound="")})
    data += line_of(parse_history(data), sound)
    first, second = parse_history(data).records
    assert (first.modules[key].unsound, second.modules[key].unsound) == ("range-missing", "")
    (again,) = figures_of_report(recorded_report(figures_of(first), "a", 0), "base.json").modules
    assert again.error == replace(flaw, message="the build was added as unsound", file=None, line=None)


def test_nearly_every_damage_that_the_checks_tell_is_told_by_the_gate() -> None:
    told = [judgement_of(one.before, one.after) for one in damaged(samples(), 60, Random(0)) if one.is_told]
    assert len(told) > 50
    assert sum(bool(judgement.reported) for judgement in told) >= 0.97 * len(told)
    assert Counter(judgement.overall for judgement in told)["unsound"] > 0.7 * len(told)
    assert all(judgement_of(one, one).overall == "pass" for one in samples())


def test_the_benchmark_counts_what_the_gate_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SAMPLES / "cpu-tiny"), "--count", "3"]) == 0
    assert "| passed in silence | 0 |" in capsys.readouterr().out
