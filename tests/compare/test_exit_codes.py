"""Each verdict with its exit code, and each file that is refused, as a script sees them."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.compare.texts import IN_PLACE, NAME, written
from tests.support.builds import BUILT, WITHOUT_LIVE_RANGES, budgets, change_report, write_report
from tests.support.commands import Run, outputs_of
from tests.support.folders import filled

pytestmark = pytest.mark.usefixtures("two_builds")

Edit = Callable[[dict[str, Any]], object]
REFUSED = Path(__file__).parents[1] / "oom" / "refused"
OTHER = NAME.replace("jit_f", "jit_g")
LONG = "9" * 100_000


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("[[budget]]\nmax = '9 MiB'", "pass", 0),
        ("[[budget]]\nmax = '7 MiB'", "over: jit_f memory: peak_resident 8,388,612 bytes; 7,340,032 bytes are", 3),
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
def test_a_verdict_has_its_exit_code(run: Run, text: str, verdict: str, code: int, before: str) -> None:
    baseline = ["--baseline", before] if "growth" in text else []  # one alone allows no growth at all
    for command in (["compare", before, "after"], ["check", "after", *baseline]):
        ran = run(*command, *budgets(text))
        assert (ran.code, f": {verdict}" in ran.out or f"budgets: {verdict}" in ran.out) == (code, True), ran.out


NOT_JUDGED = "budgets: cannot judge; 0 figures judged"


@pytest.mark.parametrize(
    ("commands", "code", "words"),
    [
        # A baseline alone allows not one byte more.
        ("check after --baseline report.json; check after --baseline before", 3, "fail: grown"),
        ("check before --baseline report.json", 0, "budgets: pass"),
        ("check after --baseline report.json --max-growth 100%", 0, "budgets: pass"),
        # No baseline is no growth.
        ("compare nowhere after", 1, "nowhere"),
        ("compare no.json after --max-growth 1%; check after --baseline no.json", 0, "warn: no baseline"),
        ("compare memory://no/b after --max-growth 1%; check after --baseline memory://no/b", 0, "warn: no baseline"),
        # A peak that is unknown cannot be judged.
        ("check without --baseline report.json --max-growth 1%", 1, "fail: unknown"),
        ("compare without after --max-growth 0%; compare without.json after --max-growth 0%", 1, NOT_JUDGED),
        ("check after --baseline without; check after --baseline without.json", 1, NOT_JUDGED),
        ("compare without after --max-growth 0%; check after --baseline without", 1, "peak_resident before is unknown"),
        ("compare without after --markdown -; compare without.json after.json", 0, "the peak before is unknown"),
        ("compare after without --markdown -; compare after.json without.json", 0, "the peak now is unknown"),
        ("compare without.json without.json --markdown -", 0, "peaks are unknown"),
        # Builds without a common module are not the same.
        ("compare report.json other --max-growth 0%; compare none.json after --max-growth 0%", 1, NOT_JUDGED),
        ("compare before none.json --max-growth 0%; compare none.json none.json --max-growth 0%", 1, NOT_JUDGED),
        # What cannot be read is no pass, and hides no regression.
        ("compare part after --max-growth 1GiB; check after --baseline part --max-growth 1GiB", 1, "jit_g"),
        ("compare part after --max-growth 1GiB; check after --baseline part --max-growth 1GiB", 1, "cannot judge"),
        ("compare before grown-part --max-growth 1GiB; check grown-part --baseline before --max-growth 1GiB", 1, ""),
        ("compare before grown-part --max-growth 1%; check grown-part --baseline before --max-growth 1%", 3, ""),
        # A capacity is a budget of its own.
        ("compare before after --capacity 4MiB; compare report.json after --capacity 4MiB", 3, "is 4,194,304 bytes"),
        ("compare before report.json --capacity 4MiB; check after --capacity 4MiB", 3, "is 4,194,304 bytes"),
        ("compare before after --capacity 1GiB; check after --capacity 1GiB", 0, ""),
        # Wrong usage.
        ("check after --budgets no.toml; compare before after --budgets no.toml", 2, "no.toml"),
        ("check after --max-growth 5; check after --max-growth -1%", 2, "--max-growth"),
        ("check after --max-recomputed 5", 2, "--max-recomputed"),
        ("compare report.json report.json --max-dump-bytes 10", 1, "report.json"),
    ],
)
def test_commands_have_their_exit_code_and_words(run: Run, commands: str, code: int, words: str) -> None:
    for name in ("part", "grown-part"):
        shutil.copytree("before" if name == "part" else "after", name)
        filled(Path(name), {f"{OTHER}.gz": b"\x1f\x8b no gzip"})
    written(Path("without"), WITHOUT_LIVE_RANGES)
    written(Path("other"), IN_PLACE.replace("1048576", "7"), OTHER)
    write_report(run, "without", "without.json")
    write_report(run, "after", "after.json")
    Path("none.json").write_text('{"schema": 2, "modules": []}', encoding="utf-8")
    for command in commands.split("; "):
        ran = run(*command.split())
        assert (ran.code, words in ran.out + ran.err) == (code, True), ran
        assert "--markdown" not in command or (words in ran.out and words in ran.err), ran
        assert "no baseline" not in words or " new" not in ran.out


def test_builds_without_a_common_module_are_nowhere_said_to_be_the_same(run: Run) -> None:
    written(Path("other"), IN_PLACE.replace("1048576", "7"), OTHER)
    run("compare", "before", "other", "--markdown", "m.md", "--json", "c.json", "--max-growth", "0%")
    beginning = "### Memory: no module is in both builds — cannot be"
    assert Path("m.md").read_text(encoding="utf-8").startswith(beginning)
    assert json.loads(Path("c.json").read_bytes())["verdict"] == "cannot judge"


@pytest.mark.parametrize(("level", "code"), [("note", 0), ("warn", 0), ("fail", 3)], ids=str)
def test_new_and_missing_modules_and_baselines_fail_only_if_told_to(run: Run, level: str, code: int) -> None:
    written(Path("after"), IN_PLACE.replace("1048576", "7"), OTHER)
    for key, sides, words in (
        ("new-modules", ("before", "after"), "new: jit_g"),
        ("missing-modules", ("after", "before"), "missing: jit_g"),
        ("missing-baseline", ("nowhere", "after"), "no baseline"),
    ):
        ran = run("compare", *sides, *budgets(f"{key} = '{level}'\n[[budget]]\nmax-growth = '1 GiB'"))
        assert (ran.code, f"{level}: {words}" in ran.out) == (code, True)


@pytest.mark.parametrize(
    ("name", "table"), [("reportgen.toml", "budget"), ("pyproject.toml", "tool.xla-reportgen.budget")]
)
def test_a_budget_file_in_the_current_directory_is_found(run: Run, name: str, table: str) -> None:
    Path(name).write_text(f"[[{table}]]\nmax = '1 B'\n", encoding="utf-8")
    assert run("check", "after").code == 3


def test_a_baseline_that_cannot_be_read_whole_gets_into_no_history(run: Run) -> None:
    filled(Path("before"), {f"{OTHER}.gz": b"\x1f\x8b no gzip"})
    assert (run("history", "add", "before", *BUILT, "--history", "h").code, Path("h").exists()) == (1, False)


def test_outputs_for_github_state_no_pass_and_no_change_that_nobody_knows(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    written(Path("before"), WITHOUT_LIVE_RANGES)
    run("compare", "before", "after", "--github")
    assert outputs_of(Path("outputs")) == {"verdict": "", "change-bytes": "", "markdown": ""}
    run("compare", "before", "after", "--github", "--max-growth", "0%")
    assert outputs_of(Path("outputs"))["verdict"] == "cannot-judge"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[[budget]]\nmax = 100", "b.toml:1: max: 100 is not a size with a unit"),
        (b"\xff", "b.toml: cannot be read: it is not UTF-8"),
        (b"\n%sb = 1" % (b"a." * 40_000), "b.toml:2: the line has more than 10,000 characters"),
        (b"\n" * 1_000_001, "b.toml: it has more than 1,000,000 characters"),
    ],
)
def test_an_invalid_budget_is_wrong_usage(run: Run, text: bytes, words: str) -> None:
    Path("b.toml").write_bytes(text)
    for command in (["compare", "before", "after"], ["check", "after"]):
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
    filled(Path(), {name: content})
    path = name.partition("/")[0]
    for command in (["compare", path, "after"], ["compare", "after", path], ["check", "after", "--baseline", path]):
        ran = run(*command)
        assert (ran.code, words in ran.err) == (1, True), ran.err


def test_half_a_character_in_a_name_is_replaced(run: Run) -> None:
    change_report(lambda document: document["modules"][0].update(name="jit_\ud800"))
    assert run("history", "add", "report.json", *BUILT, "-o", "site").code == 0
    assert run("compare", "report.json", "after", "-o", "compared", "--json", "c.json", "--markdown", "c.md").code == 0


def test_a_history_with_half_a_character_in_a_name_has_a_damaged_line(run: Run) -> None:
    modules = '{"cpu jit_\\ud800 -":{"0":[1,1,1,1,1,1,1]}}'
    line = f'{{"schema":2,"commit":"1a2b3c4","time":"2026-01-01T00:00:00Z","modules":{modules}}}'
    good = '{"schema":2,"commit":"0000000","time":"2026-01-01T00:00:00Z"}'
    Path("h.jsonl").write_text(f"{line}\n{good}\n", encoding="utf-8")
    ran = run("history", "find", "1a2b3c4", "--history", "h.jsonl")
    assert (ran.code, "skipped 1 damaged line" in ran.err) == (0, True)


@pytest.mark.parametrize("folder", ["out-oom", "out-oom_vmem"])
def test_a_refused_program_fails_every_gate_by_the_same_words(run: Run, folder: str) -> None:
    shutil.copytree(REFUSED / folder, "refused")
    shutil.copytree(REFUSED / folder, "accepted", ignore=shutil.ignore_patterns("error.txt"))
    write_report(run, "refused", "refused.json")
    assert run("check", "refused").code == 0  # nobody asks
    for gate in (["--capacity", "host=1TiB"], budgets("[[budget]]\nmax = '1 TiB'"), ["--max-growth", "0%"]):
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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(
            ("b.toml", text)
            for text in (
                "[[budget]]\nmax = 'LONG'",
                "[[budget]]\nmax = ['LONG']",
                "[[budget]]\nmax-growth = 'LONG'",
                "[[budget]]\nfigure = 'LONG'\nmax = '1 B'",
                "[[budget]]\nmodule = ['LONG']\nmax = '1 B'",
                "[[budget]]\n'LONG' = 1",
                "[[budget]]\nmodule = 'LONG'\nmax = '1 B'",
                "new-modules = 'LONG'",
                "'LONG' = 1",
                "'LONG' = 1\n'LONG' = 1",
                "LONG",
            )
        ),
        *(
            ("pyproject.toml", f"[tool.xla-reportgen]\n{setting}")
            for setting in ("title = ['LONG']", "redact = 'LONG'", "capacity = 'LONG'", "'LONG' = 1")
        ),
        *(("--history", option) for option in ("--time", "--commit", "--link", "--accept-growth")),
        *(("long.json", field) for field in ("name", "path", "backend", "shapes", "spaces")),
    ],
)
def test_what_is_refused_is_quoted_by_its_beginning(run: Run, name: str, text: str) -> None:
    if name == "--history":
        stated = {"--commit": "abc", "--time": "2026-11-22T12:03:34Z", text: f"{LONG} \n"}
        options = [word for option in stated.items() for word in option]
        commands = [["history", "add", "report.json", "--history", "h.jsonl", *options]]
    elif name == "long.json":
        value = {LONG: LONG} if text in ("name", "spaces") else LONG
        change_report(lambda document: document.update(modules=[document["modules"][0] | {text: value}] * 2), name)
        commands = [["compare", name, "after"]]
    else:
        Path(name).write_text(text.replace("LONG", LONG), encoding="utf-8")
        given = ["--budgets", name] if name == "b.toml" else []
        commands = [["check", "after", *given], ["compare", "before", "after", *given]]
    for command in commands:
        ran = run(*command)
        assert ran.code == (1 if name == "long.json" else 2)
        assert max(map(len, f"{ran.err}\n{ran.out}".splitlines())) < 600


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
    change_report(lambda document: edit(document["modules"][0]), "cut.json")
    for command in (
        ["compare", "cut.json", "after"],
        ["compare", "after", "cut.json"],
        ["check", "after", "--baseline", "cut.json"],
        ["history", "add", "cut.json", "--history", "h.jsonl", *BUILT],
    ):
        ran = run(*command)
        assert ran.code == 1
        assert f"cut.json: not a report.json of this version: modules[0].{field}" in ran.err


@pytest.mark.parametrize("variable", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
@pytest.mark.parametrize("target", [f"after/{NAME}", f"before/{NAME}", "report.json", "b.toml"])
def test_what_is_read_is_not_appended_to(run: Run, variable: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = budgets("[[budget]]\nmax = '1 GiB'")
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
