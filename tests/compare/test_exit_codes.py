"""Each verdict with its exit code, and each file that is refused, as a script sees them."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.builds import beside_builds
from tests.support.commands import Run, outputs_of

Edit = Callable[[dict[str, Any]], object]
WITHOUT_LIVE_RANGES = NOT_IN_PLACE.partition("HloLiveRange")[0]
REFUSED = Path(__file__).parents[1] / "oom" / "refused"
OTHER = NAME.replace("jit_f", "jit_g")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("compare", "before", "after")` in a directory with both builds and the report of the first."""
    return beside_builds("report.json", capsys, tmp_path, monkeypatch)


def gated(budgets: str) -> list[str]:
    Path("b.toml").write_text(budgets, encoding="utf-8")
    return ["--budgets", "b.toml"]


@pytest.mark.parametrize(
    ("budgets", "verdict", "code"),
    [
        ("[[budget]]\nmax = '9 MiB'", "pass", 0),
        ("[[budget]]\nmax = '7 MiB'", "over", 3),
        ("[[budget]]\nmax-growth = '99%'", "grown", 3),
        ("[[budget]]\nfigure = 'static'\nmax-growth = '0%'", "pass", 0),
        ("[[budget]]\nfigure = 'peak_temp'\nmax-growth = '0%'", "grown", 3),
        ("[[budget]]\nspace = 'HBM'\nmax = '9 MiB'", "unmatched", 1),
        ("[[budget]]\nmodule = 'jit_g'\nmax = '9 MiB'", "unmatched", 1),
        ("[[budget]]\nmax = '9 MiB'\n[[budget]]\nmodule = 'jit_g'\nmax = '9 MiB'", "unmatched", 1),
        ("[[budget]]\nmax = '7 MiB'\n[[budget]]\nmodule = 'jit_g'\nmax = '9 MiB'", "over", 3),
    ],
)
@pytest.mark.parametrize("before", ["before", "report.json"])
def test_a_verdict_has_its_exit_code(run: Run, budgets: str, verdict: str, code: int, before: str) -> None:
    baseline = ["--baseline", before] if "growth" in budgets else []  # one alone allows no growth at all
    for command in (["compare", before, "after"], ["check", "after", *baseline]):
        ran = run(*command, *gated(budgets))
        assert (ran.code, f": {verdict}: " in ran.out or f"budgets: {verdict}" in ran.out) == (code, True), ran.out


@pytest.mark.parametrize(("level", "code"), [("note", 0), ("warn", 0), ("fail", 3)], ids=str)
def test_new_and_missing_modules_and_baselines_fail_only_if_told_to(run: Run, level: str, code: int) -> None:
    any_growth = "[[budget]]\nmax-growth = '1 GiB'"
    written(Path("after"), IN_PLACE.replace("1048576", "7"), OTHER)
    new = run("compare", "before", "after", *gated(f"new-modules = '{level}'\n{any_growth}"))
    missing = run("compare", "after", "before", *gated(f"missing-modules = '{level}'\n{any_growth}"))
    no_baseline = run("compare", "nowhere", "after", *gated(f"missing-baseline = '{level}'\n{any_growth}"))
    assert [ran.code for ran in (new, missing, no_baseline)] == [code] * 3
    assert f"{level}: new: jit_g" in new.out
    assert f"{level}: missing: jit_g" in missing.out
    assert f"{level}: no baseline" in no_baseline.out


def test_a_peak_that_is_not_known_cannot_be_judged(run: Run) -> None:
    written(Path("after"), WITHOUT_LIVE_RANGES)
    ran = run("check", "after", "--max-growth", "1%", "--baseline", "report.json")
    assert (ran.code, "fail: unknown" in ran.out) == (1, True)


@pytest.mark.parametrize("baseline", ["before", "report.json"])
def test_a_baseline_whose_peak_is_not_known_cannot_be_judged(run: Run, baseline: str) -> None:
    written(Path("before"), WITHOUT_LIVE_RANGES)
    Path("report.json").write_text(run("check", "--json", "before").out, encoding="utf-8")
    for command in (["compare", baseline, "after"], ["check", "after", "--baseline", baseline]):
        ran = run(*command, "--max-growth", "0%")
        assert (ran.code, "budgets: cannot judge; 0 figures judged" in ran.out) == (1, True), ran.out
        assert "peak_resident before is unknown" in ran.out


@pytest.mark.parametrize("sides", ["before after", "after before", "before before"])
def test_the_comparison_says_on_which_side_a_peak_is_not_known(run: Run, sides: str) -> None:
    written(Path("before"), WITHOUT_LIVE_RANGES)
    for name in ("before", "after"):
        Path(f"{name}.json").write_text(run("check", "--json", name).out, encoding="utf-8")
    one, other = sides.split()
    words = {"before after": "the peak before is", "after before": "the peak now is", "before before": "peaks are"}[
        sides
    ]
    for before, after in ((one, other), (f"{one}.json", f"{other}.json")):
        if before == after == "before":
            continue  # whose content is equal, so nothing has changed
        ran = run("compare", before, after, "--markdown", "m.md")
        assert f"{words} unknown" in ran.out
        assert f"{words} unknown" in Path("m.md").read_text(encoding="utf-8")


def test_builds_without_a_common_module_are_not_said_to_be_the_same(run: Run) -> None:
    written(Path("other"), IN_PLACE.replace("1048576", "7"), OTHER)
    Path("none.json").write_text('{"schema": 2, "modules": []}', encoding="utf-8")
    for before, after in (
        ("report.json", "other"),
        ("none.json", "after"),
        ("before", "none.json"),
        ("none.json",) * 2,
    ):
        ran = run("compare", before, after, "--markdown", "m.md", "--json", "c.json", "--max-growth", "0%")
        assert (ran.code, "budgets: cannot judge; 0 figures judged" in ran.out) == (1, True)
        assert (
            Path("m.md").read_text(encoding="utf-8").startswith("### Memory: no module is in both builds — cannot be")
        )
        assert json.loads(Path("c.json").read_bytes())["verdict"] == "cannot judge"


def test_a_baseline_that_cannot_be_read_whole_is_told_and_no_pass(run: Run) -> None:
    (Path("before") / f"{OTHER}.gz").write_bytes(b"\x1f\x8b no gzip")
    for command in (["compare", "before", "after"], ["check", "after", "--baseline", "before"]):
        ran = run(*command, "--max-growth", "1 GiB")
        assert (ran.code, "jit_g" in ran.err, "budgets: cannot judge" in ran.out) == (1, True, True)
    add = ["--commit", "1a2b3c4", "--time", "2026-01-01T00:00:00Z", "--history", "h"]
    assert (run("history", "add", "before", *add).code, Path("h").exists()) == (1, False)


def test_outputs_for_github_state_no_pass_and_no_change_that_nobody_knows(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    written(Path("before"), WITHOUT_LIVE_RANGES)
    run("compare", "before", "after", "--github")
    assert outputs_of(Path("outputs")) == {"verdict": "", "change-bytes": "", "markdown": ""}
    run("compare", "before", "after", "--github", "--max-growth", "0%")
    assert outputs_of(Path("outputs"))["verdict"] == "cannot-judge"


def test_a_dump_that_cannot_be_read_fails_and_hides_no_regression(run: Run) -> None:
    (Path("after") / f"{OTHER}.gz").write_bytes(b"\x1f\x8b no gzip")
    for command in (["compare", "before", "after"], ["check", "after", "--baseline", "before"]):
        assert run(*command, "--max-growth", "1 GiB").code == 1
        assert run(*command, "--max-growth", "1%").code == 3


@pytest.mark.parametrize(
    ("budgets", "words"),
    [
        (b"[[budget]]\nmax = 100", "b.toml:1: max: 100 is not a size with a unit"),
        (b"\xff", "b.toml: cannot be read: it is not UTF-8"),
        (b"\n%sb = 1" % (b"a." * 40_000), "b.toml:2: the line has more than 10,000 characters"),
        (b"\n" * 1_000_001, "b.toml: it has more than 1,000,000 characters"),
    ],
)
@pytest.mark.parametrize("command", [["compare", "before", "after"], ["check", "after"]], ids=lambda one: one[0])
def test_an_invalid_budget_is_wrong_usage(run: Run, command: list[str], budgets: bytes, words: str) -> None:
    Path("b.toml").write_bytes(budgets)
    ran = run(*command, "--budgets", "b.toml")
    assert (ran.code, words in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("r.json", b"", "r.json"),
        ("r.json", b"[]", "r.json"),
        ("r.json", b"{", "not a report.json"),
        ("r.json", b"[" * 100_000, "not a report.json"),
        (
            "r.json",
            b'{"schema": 1, "modules": []}',
            "schema 2 is needed; write the report again: reportgen check --json DUMPS",
        ),
        ("r.json", b'{"schema": 2, "modules": [3]}', "not a report.json"),
        ("r.json", b"\xff\xfe", "not a report.json"),
        ("r.json.gz", gzip.compress(b'{"schema": 2, "modules": []}', mtime=0)[:-9], "r.json.gz"),
        ("r.txt", b"no dump", "r.txt"),
        ("folder/notes.txt", b"no dump", "folder"),
    ],
)
def test_a_side_that_is_neither_dump_nor_report_is_refused(run: Run, name: str, content: bytes, words: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(content)
    path = name.partition("/")[0]
    for command in (["compare", path, "after"], ["compare", "after", path], ["check", "after", "--baseline", path]):
        ran = run(*command)
        assert (ran.code, words in ran.err) == (1, True), ran.err


def test_half_a_character_in_a_name_is_replaced(run: Run) -> None:
    document = json.loads(Path("report.json").read_bytes())
    document["modules"][0]["name"] = "jit_\ud800"
    Path("report.json").write_text(json.dumps(document), encoding="utf-8")
    add = ["history", "add", "report.json", "--commit", "1a2b3c4", "--time", "2026-01-01T00:00:00Z", "-o", "site"]
    assert run(*add).code == 0
    assert run("compare", "report.json", "after", "-o", "compared", "--json", "c.json", "--markdown", "c.md").code == 0


def test_a_history_with_half_a_character_in_a_name_has_a_damaged_line(run: Run) -> None:
    modules = '{"cpu jit_\\ud800 -":{"0":[1,1,1,1,1,1,1]}}'
    line = f'{{"schema":2,"commit":"1a2b3c4","time":"2026-01-01T00:00:00Z","modules":{modules}}}'
    good = '{"schema":2,"commit":"0000000","time":"2026-01-01T00:00:00Z"}'
    Path("h.jsonl").write_text(f"{line}\n{good}\n", encoding="utf-8")
    ran = run("history", "find", "1a2b3c4", "--history", "h.jsonl")
    assert (ran.code, "skipped 1 damaged line" in ran.err) == (0, True)


def test_a_report_that_is_too_large_is_refused(run: Run) -> None:
    ran = run("compare", "report.json", "report.json", "--max-dump-bytes", "10")
    assert (ran.code, "report.json" in ran.err) == (1, True)


@pytest.mark.parametrize("folder", ["out-oom", "out-oom_vmem"])
def test_a_refused_program_fails_every_gate_by_the_same_words(run: Run, folder: str) -> None:
    shutil.copytree(REFUSED / folder, "refused")
    shutil.copytree(REFUSED / folder, "accepted", ignore=shutil.ignore_patterns("error.txt"))
    Path("refused.json").write_text(run("check", "--json", "refused").out, encoding="utf-8")
    assert run("check", "refused").code == 0  # nobody asks
    for gate in (["--capacity", "host=1TiB"], gated("[[budget]]\nmax = '1 TiB'"), ["--max-growth", "0%"]):
        growth = ["--baseline", "accepted"] if "--max-growth" in gate else []
        for command in (
            ["check", "refused", *growth],
            ["compare", "accepted", "refused"],
            ["compare", "accepted", "refused.json"],
            ["compare", "refused", "refused"],
        ):
            ran = run(*command, *gate)
            assert ran.code == 3, (command, gate)
            assert "the compiler refused this program, because it needs more" in ran.out
        assert run("compare", "refused", "accepted", *gate).code == 0


def test_what_needs_more_than_the_given_capacity_fails_check_and_compare_alike(run: Run) -> None:
    for side in ("before", "report.json"):
        for command in (["compare", side, "after"], ["compare", side, "report.json"], ["check", "after"]):
            ran = run(*command, "--capacity", "4MiB")
            assert (ran.code, "the capacity is 4,194,304 bytes" in ran.out) == (3, True), command
            assert run(*command, "--capacity", "1GiB").code == 0


LONG = "9" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        f"[[budget]]\nmax = '{LONG}'",
        f"[[budget]]\nmax = ['{LONG}']",
        f"[[budget]]\nmax-growth = '{LONG}'",
        f"[[budget]]\nfigure = '{LONG}'\nmax = '1 B'",
        f"[[budget]]\nmodule = ['{LONG}']\nmax = '1 B'",
        f"[[budget]]\n'{LONG}' = 1",
        f"[[budget]]\nmodule = '{LONG}'\nmax = '1 B'",
        f"new-modules = '{LONG}'",
        f"'{LONG}' = 1",
        f"'{LONG}' = 1\n'{LONG}' = 1",
        LONG,
    ],
    ids=lambda text: text[:24],
)
def test_a_refused_value_is_quoted_by_its_beginning(run: Run, text: str) -> None:
    for command in (["check", "after"], ["compare", "before", "after"]):
        ran = run(*command, *gated(text))
        assert ran.code in (1, 2)
        assert max(map(len, f"{ran.err}\n{ran.out}".splitlines())) < 600


@pytest.mark.parametrize("setting", ["title = ['{}']", "redact = '{}'", "capacity = '{}'", "'{}' = 1"])
def test_a_refused_setting_is_quoted_by_its_beginning(run: Run, setting: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.xla-reportgen]\n{setting.format(LONG)}", encoding="utf-8")
    ran = run("check", "after")
    assert (ran.code, len(ran.err) < 600) == (2, True)


@pytest.mark.parametrize("option", ["--time", "--commit", "--link", "--accept-growth"])
def test_a_refused_option_is_quoted_by_its_beginning(run: Run, option: str) -> None:
    stated = {"--commit": "abc", "--time": "2026-11-22T12:03:34Z", option: f"{LONG} \n"}
    ran = run(
        "history", "add", "report.json", "--history", "h.jsonl", *(word for one in stated.items() for word in one)
    )
    assert (ran.code, max(map(len, ran.err.splitlines())) < 600) == (2, True)


@pytest.mark.parametrize("field", ["name", "path", "backend", "shapes", "spaces"])
def test_a_refused_field_is_quoted_by_its_beginning(run: Run, field: str) -> None:
    document = json.loads(Path("report.json").read_text(encoding="utf-8"))
    document["modules"] *= 2
    for module in document["modules"]:
        module[field] = {LONG: LONG} if field in ("spaces", "name") else LONG
    Path("long.json").write_text(json.dumps(document), encoding="utf-8")
    ran = run("compare", "long.json", "after")
    assert (ran.code, len(ran.err) < 600) == (1, True)


def without(name: str) -> Edit:
    return lambda module: module.pop(name)


def check_that_found(slug: str, times: int) -> Edit:
    return lambda module: module["checks"][0].update(found={slug: times})


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        *((without(name), name) for name in ("findings", "checks", "shapes", "arguments", "refused")),
        (check_that_found("range-missing", 3), "checks[0].found.range-missing"),
        (check_that_found("unheard-of", 1), "checks[0].found.unheard-of"),
        (check_that_found("range-missing", -1), "checks[0].found.range-missing"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_report_that_hides_what_its_checks_found_is_refused(run: Run, edit: Edit, field: str) -> None:
    document = json.loads(Path("report.json").read_text(encoding="utf-8"))
    edit(document["modules"][0])
    Path("cut.json").write_text(json.dumps(document), encoding="utf-8")
    add = ["history", "add", "cut.json", "--history", "h.jsonl", "--commit", "abc", "--time", "2026-11-22T12:03:34Z"]
    for command in (
        ["compare", "cut.json", "after"],
        ["compare", "after", "cut.json"],
        ["check", "after", "--baseline", "cut.json"],
        add,
    ):
        ran = run(*command)
        assert ran.code == 1
        assert f"cut.json: not a report.json of this version: modules[0].{field}" in ran.err


@pytest.mark.parametrize("variable", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
@pytest.mark.parametrize("target", [f"after/{NAME}", f"before/{NAME}", "report.json", "b.toml"])
def test_what_is_read_is_not_appended_to(run: Run, variable: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = gated("[[budget]]\nmax = '1 GiB'")
    monkeypatch.setenv(variable, target)
    before = Path(target).read_bytes()
    baseline = "report.json" if target == "report.json" else "before"
    for command in (["check", "after", "--baseline", baseline], ["compare", baseline, "after"]):
        ran = run(*command, "--github", *gate)
        assert (ran.code, Path(target).read_bytes() == before) == (2, True)
        assert f"{variable} {target}: it is what the command reads" in ran.err
    monkeypatch.setenv(variable, "elsewhere")
    assert run("check", "after", "--github", *gate).code == 0
    assert Path("elsewhere").stat().st_size
