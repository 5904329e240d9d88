"""`reportgen history`: the file it appends to, the pages it writes, and what it refuses."""

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.compare.history import PeakOrigin, parse_history
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.commands import Ran, Run
from tests.support.samples import SAMPLES
from tests.support.site import link_problems, reachable, read_pages, tree

pytestmark = pytest.mark.usefixtures("empty_folder")

ONE, TWO, THREE = "1" * 40, "2" * 40, "3" * 40


@pytest.fixture
def builds(tmp_path: Path) -> list[Path]:
    """Return the dumps of three builds; the second changes a module."""
    return [
        written(tmp_path / f"build-{number}", text)
        for number, text in enumerate([IN_PLACE, NOT_IN_PLACE, NOT_IN_PLACE])
    ]


@pytest.fixture
def site(run: Run, builds: list[Path]) -> Path:
    """Return a site with a history of three builds."""
    for number, (build, commit) in enumerate(zip(builds, (ONE, TWO, THREE), strict=True)):
        assert added(run, build, commit, f"2026-01-0{number + 1}T00:00:00Z", "-o", "site").code == 0
    return Path("site")


def added(run: Run, build: object, commit: str, time: str, *more: object) -> Ran:
    return run("history", "add", build, "--commit", commit, "--time", time, *more)


def lines(history: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in history.read_text(encoding="utf-8").splitlines()]


def test_a_build_that_was_added_while_it_waits_is_kept(
    run: Run, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    history = Path("h.jsonl")
    added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "--history", history)
    first = history.read_bytes()
    history.unlink()
    patience = lambda *_: nullcontext(history.write_bytes(first))  # noqa: E731
    monkeypatch.setattr("reportgen.commands.history.locked", patience)
    second = added(run, builds[1], TWO, "2026-01-02T00:00:00Z", "--history", history)
    assert (second.code, "no history yet" in second.err) == (0, False)
    assert [line["commit"] for line in lines(history)] == [ONE, TWO]


def test_a_file_is_appended_to(run: Run, builds: list[Path]) -> None:
    history = Path("h.jsonl")
    first = added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "--history", history)
    assert (first.code, "there is no history yet" in first.err) == (0, True)
    before = history.read_bytes()
    assert added(run, builds[1], TWO, "2026-01-02T00:00:00Z", "--history", history).err.find("warning") == -1
    assert history.read_bytes().startswith(before)
    assert [line["commit"] for line in lines(history)] == [ONE, TWO]


def test_a_report_says_the_same_as_its_dumps(run: Run, builds: list[Path]) -> None:
    capacity = ("--capacity", "6MiB")
    Path("report.json").write_text(run("check", "--json", *capacity, builds[0]).out, encoding="utf-8")
    for history, build, flags in (("a", builds[0], capacity), ("b", "report.json", ())):
        added(run, build, ONE, "2026-01-01T00:00:00Z", "--history", history, *flags)
    assert lines(Path("a"))[0]["capacities"]
    assert Path("a").read_bytes() == Path("b").read_bytes()


def test_the_capacity_of_a_report_is_kept_and_drawn(run: Run, builds: list[Path]) -> None:
    for number, flags in enumerate((("--capacity", "6MiB"), ("--capacity", "6MiB"), ())):
        Path("report.json").write_text(run("check", "--json", *flags, builds[number]).out, encoding="utf-8")
        added(run, "report.json", str(number) * 40, f"2026-01-0{number + 1}T00:00:00Z", "-o", "site")
        page = Path("site/trend.html").read_text(encoding="utf-8")
        assert ("capacity 6.00 MiB" in page) == bool(flags)
        assert ("Does not fit, by 2.00 MiB" in page) == (number == 1)
    stated = [line.get("capacities") for line in lines(Path("site/history.jsonl"))]
    assert [[*known.values()] if isinstance(known, dict) else known for known in stated] == [
        [{"0": 6 << 20}],
        None,
        [{}],
    ]


def test_the_trend_has_a_chart_with_its_budgets_and_a_page_for_each_function(run: Run, builds: list[Path]) -> None:
    Path("reportgen.toml").write_text("[[budget]]\nmax = '9 MiB'\n[[budget]]\nmax = '1 GiB'\n", encoding="utf-8")
    for number, build in enumerate(builds[:2]):
        link = ["--link", "https://example.org/build"]
        added(run, build, str(number), f"2026-01-0{number + 1}T00:00:00Z", "-o", "site", *link)
    page = Path("site/trend.html").read_text(encoding="utf-8")
    assert "budget 9.00 MiB" in page
    assert "↑ budget 1.00 GiB" in page
    assert "1, 2026-01-02: 8.00 MiB, +4.00 MiB (+100.0 %)" in page
    # A dot and a row for each build.
    assert page.count('href="https://example.org/build"') == 4
    (module,) = Path("site/trend").iterdir()
    assert "+4.00 MiB (+100.0 %)" in module.read_text(encoding="utf-8")


def test_a_site_without_a_build_begins_with_the_trend_and_has_no_broken_link(site: Path) -> None:
    pages = read_pages(site)
    assert link_problems(pages, frozenset(tree(site))) == []
    assert "Trend" in pages["index.html"].text


def test_a_build_keeps_the_history_and_leads_to_its_trend(run: Run, site: Path, builds: list[Path]) -> None:
    history = (site / "history.jsonl").read_bytes()
    for _ in range(2):
        assert run("build", builds[0], "-o", site).code == 0
    pages = read_pages(site)
    assert (site / "history.jsonl").read_bytes() == history
    assert link_problems(pages, frozenset(tree(site))) == []
    assert "trend.html" in reachable(pages)
    assert added(run, builds[0], "4", "2026-01-04T00:00:00Z", "-o", site).code == 0
    assert "jit_f" in read_pages(site)["index.html"].text


def test_equal_input_gives_equal_bytes(run: Run, builds: list[Path]) -> None:
    for output in ("a", "b"):
        added(run, builds[0], ONE, "2026-01-01T00:00:00+00:00", "-o", output)
    assert tree(Path("a")) == tree(Path("b"))


def test_the_published_site_can_be_the_store(run: Run, site: Path, builds: list[Path], tmp_path: Path) -> None:
    import fsspec

    published = (site / "history.jsonl").read_bytes()
    with fsspec.open("memory://pages/history.jsonl", "wb") as file:
        file.write(published)
    store = ["--history", "memory://pages/history.jsonl"]
    assert added(run, builds[0], "4", "2026-01-04T00:00:00Z", *store, "-o", "next").code == 0
    assert (tmp_path / "next" / "history.jsonl").read_bytes().startswith(published)
    assert len(lines(tmp_path / "next" / "history.jsonl")) == 4
    refused = added(run, builds[0], "4", "2026-01-04T00:00:00Z", *store)
    assert (refused.code, "only read" in refused.err) == (2, True)


def test_a_store_that_cannot_be_read_is_not_taken_for_an_empty_one(run: Run, builds: list[Path]) -> None:
    Path("folder.jsonl").mkdir()
    ran = added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "--history", "folder.jsonl", "-o", "site")
    assert (ran.code, "folder.jsonl" in ran.err, Path("site").exists()) == (1, True, False)


def test_a_line_that_was_cut_off_spoils_no_later_one(run: Run, site: Path, builds: list[Path]) -> None:
    history = site / "history.jsonl"
    history.write_bytes(history.read_bytes()[:-9])
    ran = added(run, builds[0], "4", "2026-01-04T00:00:00Z", "-o", site)
    assert (ran.code, "skipped 1 damaged line" in ran.err) == (0, True)
    assert "1 damaged line of the history" in (site / "trend.html").read_text(encoding="utf-8")
    assert json.loads(history.read_bytes().splitlines()[-1])["commit"] == "4"


def with_schema(history: Path, number: object) -> bytes:
    """Give the second line another schema, or none if `number` is None."""
    stated = lines(history)
    stated[1]["schema"] = number
    kept = [{key: part for key, part in line.items() if part is not None} for line in stated]
    history.write_text("".join(f"{json.dumps(line)}\n" for line in kept), encoding="utf-8")
    return history.read_bytes()


def test_a_line_without_a_schema_is_damaged(run: Run, site: Path, builds: list[Path]) -> None:
    with_schema(site / "history.jsonl", None)
    ran = added(run, builds[0], "4", "2026-01-04T00:00:00Z", "-o", site)
    assert (ran.code, "skipped 1 damaged line" in ran.err) == (0, True)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_line_of_another_schema_is_refused_and_the_file_is_kept(
    run: Run, site: Path, builds: list[Path], number: int
) -> None:
    history = site / "history.jsonl"
    before = with_schema(history, number)
    for ran in (
        added(run, builds[0], "4", "2026-01-04T00:00:00Z", "-o", site),
        run("history", "find", ONE, "--history", history),
    ):
        assert ran.code == 1
        assert f"history.jsonl:2: schema {number} of history.jsonl; schema 2 is needed; use the version" in ran.err
        assert "or begin another file: --history FILE" in ran.err
    assert history.read_bytes() == before


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--commit", "a b", "--time", "2026-01-01T00:00:00Z", "-o", "s"], "is not the name of a commit"),
        (["--commit", "a", "--time", "2026-01-01", "-o", "s"], "is not a time"),
        (["--commit", "a", "--time", "2026-01-01T00:00:00Z"], "--history FILE or -o DIR is needed"),
        (["--commit", "a", "--time", "2026-01-01T00:00:00Z", "-o", "s", "--link", "javascript:1"], "is not a URL"),
        (["--commit", "a", "--time", "2026-01-01T00:00:00Z", "-o", "s", "--budgets", "no.toml"], "no.toml"),
        (["-o", "s"], "required"),
    ],
)
def test_wrong_usage_is_refused(run: Run, builds: list[Path], flags: list[str], words: str) -> None:
    ran = run("history", "add", builds[0], *flags)
    assert (ran.code, words in ran.err, Path("s").exists()) == (2, True, False)


def test_nothing_is_written_over_other_files(run: Run, builds: list[Path]) -> None:
    Path("notes").mkdir()
    Path("notes/mine.txt").write_text("x", encoding="utf-8")
    assert added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "-o", "notes").code == 1
    assert [path.name for path in Path("notes").iterdir()] == ["mine.txt"]


def test_the_nearest_build_is_a_baseline_that_names_itself(run: Run, site: Path, builds: list[Path]) -> None:
    history = site / "history.jsonl"
    assert run("history", "find", "f" * 40, ONE, "--history", history, "-o", "base.json").code == 0
    ran = run("check", builds[1], "--baseline", "base.json")
    assert (ran.code, f"compared with {ONE} (1 commit earlier)" in ran.out) == (3, True)
    assert run("check", builds[0], "--baseline", "base.json").code == 0
    run("compare", "base.json", builds[1], "--markdown", "m.md")
    assert f"Base `{ONE} (1 commit earlier)`" in Path("m.md").read_text(encoding="utf-8")


def test_commits_are_read_from_standard_input(run: Run, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{'f' * 40}\n{TWO}\n"))
    ran = run("history", "find", "-", "--history", site / "history.jsonl")
    assert json.loads(ran.out)["build"] == {"commit": TWO, "distance": 1}


def test_no_record_is_a_warning(run: Run, site: Path) -> None:
    ran = run("history", "find", "f" * 40, "--history", site / "history.jsonl", "-o", "base.json")
    assert (ran.code, "none of 1 commit is in the history" in ran.err, Path("base.json").exists()) == (0, True, False)


def test_a_redacted_report_is_no_obstacle(run: Run, builds: list[Path]) -> None:
    assert main(["build", str(builds[0]), "-o", "redacted", "--redact-names"]) == 0
    report = Path("redacted/report.json")
    assert added(run, report, ONE, "2026-01-01T00:00:00Z", "-o", "site").code == 0
    assert NAME not in Path("site/history.jsonl").read_text(encoding="utf-8")


def test_redaction_keeps_no_argument_and_refuses_a_history_that_has_some(run: Run, builds: list[Path]) -> None:
    assert added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "-o", "hidden", "--redact-names").code == 0
    assert "arguments" not in lines(Path("hidden/history.jsonl"))[0]
    assert added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "-o", "open").code == 0
    assert "arguments" in lines(Path("open/history.jsonl"))[0]
    refused = added(run, builds[1], TWO, "2026-01-02T00:00:00Z", "-o", "open", "--redact")
    assert (refused.code, "names that redaction hides" in refused.err) == (2, True)


def test_the_line_of_the_peak_is_kept_the_same_from_dumps_and_reports_and_not_redacted(run: Run) -> None:
    dumps = SAMPLES / "v5e-train-step-checkpoint"
    Path("report.json").write_text(run("check", "--json", dumps).out, encoding="utf-8")
    for history, build, flags in (("a", dumps, ()), ("b", "report.json", ()), ("c", dumps, ("--redact",))):
        added(run, build, ONE, "2026-01-01T00:00:00Z", "--history", history, *flags)
    of_dumps, of_report, redacted = (parse_history(Path(name).read_bytes()).records[0].modules for name in "abc")
    assert of_dumps == of_report
    known, hidden = (next(iter(modules.values())).origin for modules in (of_dumps, redacted))
    assert known.line == "train_step.py:68"
    assert hidden == PeakOrigin("", 0, known.again_flops)


def started(build: object, number: int, *more: str) -> "subprocess.Popen[str]":
    about = ["--commit", f"{number:040x}", "--time", f"2026-01-01T00:00:0{number}Z"]
    command = [sys.executable, "-m", "reportgen", "history", "add", str(build), *about, *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


@pytest.mark.parametrize(
    "more", [("--history", "h.jsonl"), ("-o", "site"), ("--history", "h.jsonl", "-o", "site")], ids=str
)
def test_builds_that_are_added_at_once_are_all_there(run: Run, builds: list[Path], more: tuple[str, ...]) -> None:
    processes = [started(builds[0], number, *more) for number in range(6)]
    for process in processes:
        told = process.communicate()[1]
        assert process.returncode == 0, told
    stores = [Path(name) for name in ("h.jsonl", "site/history.jsonl") if Path(name).exists()]
    assert len(stores) == len(more) // 2
    for store in stores:
        assert sorted(str(line["commit"]) for line in lines(store)) == [f"{number:040x}" for number in range(6)]
    if "-o" in more:
        assert "6 builds" in Path("site/trend.html").read_text(encoding="utf-8")
    assert not list(Path().rglob(".reportgen.lock")) + list(Path().rglob("*.unfinished"))


def test_the_history_of_a_site_is_not_replaced_by_another(run: Run, site: Path, builds: list[Path]) -> None:
    before = tree(site)
    refused = added(run, builds[0], "4", "2026-01-04T00:00:00Z", "--history", "other.jsonl", "-o", site)
    assert (refused.code, f"it has 3 builds that --history has not, such as {ONE}" in refused.err) == (2, True)
    assert (tree(site), Path("other.jsonl").exists()) == (before, False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_history_may_be_a_link(run: Run, builds: list[Path]) -> None:
    Path("kept").mkdir()
    Path("h.jsonl").symlink_to("kept/history.jsonl")
    for number, commit in enumerate((ONE, TWO)):
        assert added(run, builds[number], commit, f"2026-01-0{number + 1}T00:00:00Z", "--history", "h.jsonl").code == 0
    assert Path("h.jsonl").is_symlink()
    assert [line["commit"] for line in lines(Path("kept/history.jsonl"))] == [ONE, TWO]
    assert [path.name for path in Path("kept").iterdir()] == ["history.jsonl"]


def test_nothing_is_made_where_a_history_cannot_be_written(run: Run, builds: list[Path]) -> None:
    ran = added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "--history", "missing/h.jsonl", "-o", "site")
    assert (ran.code, "missing/h.jsonl: cannot be written" in ran.err, Path("site").exists()) == (1, True, False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_writer_that_is_killed_damages_no_history(run: Run, builds: list[Path]) -> None:
    added(run, builds[0], ONE, "2026-01-01T00:00:00Z", "--history", "h.jsonl", "-o", "site")
    killed = """
import os, signal, sys
from reportgen.cli import main
seen = 0
def kill(event, arguments):
    global seen
    if event in ("os.rename", "os.remove", "os.mkdir"):
        seen += 1
        if seen == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(kill)
main(sys.argv[2:])
"""
    for number in range(1, 9):
        about = ["--commit", f"{number:040x}", "--time", "2026-01-02T00:00:00Z", "--history", "h.jsonl", "-o", "site"]
        subprocess.run(
            [sys.executable, "-c", killed, str(number), "history", "add", builds[1], *about],
            check=False,
            capture_output=True,
        )
        for store in ("h.jsonl", "site/history.jsonl"):
            assert lines(Path(store))[0]["commit"] == ONE
    ran = added(run, builds[1], TWO, "2026-01-03T00:00:00Z", "--history", "h.jsonl", "-o", "site")
    assert (ran.code, "damaged" in ran.err) == (0, False)
    assert Path("h.jsonl").read_bytes() == Path("site/history.jsonl").read_bytes()
