"""`reportgen history`: the file it appends to, the pages it writes, and what it refuses."""

import io
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.compare.history import PeakOrigin, parse_history
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.builds import write_report
from tests.support.commands import Ran, Run
from tests.support.folders import filled
from tests.support.guards import posix_only
from tests.support.samples import SAMPLES
from tests.support.site import link_problems, reachable, read_pages, tree

pytestmark = pytest.mark.usefixtures("empty_folder")

ONE, TWO, FOUR = "1" * 40, "2" * 40, "4" * 40
Add = Callable[..., Ran]


@pytest.fixture
def add(run: Run, empty_folder: None) -> Add:
    """Return `add(1, "-o", "site")`, which adds the first of four builds; the second and the last change a module."""
    for number, text in enumerate([IN_PLACE, NOT_IN_PLACE, NOT_IN_PLACE, IN_PLACE], start=1):
        written(Path(f"build-{number}"), text)

    def add(number: int, *more: object, build: object = None, commit: str = "") -> Ran:
        about = ("--commit", commit or str(number) * 40, "--time", f"2026-01-0{number}T00:00:00Z")
        return run("history", "add", build or f"build-{number}", *about, *more)

    return add


@pytest.fixture(scope="module")
def site_of_three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site with a history of three builds; no test changes it."""
    top = tmp_path_factory.mktemp("history")
    for number, text in enumerate([IN_PLACE, NOT_IN_PLACE, NOT_IN_PLACE], start=1):
        build = written(top / f"build-{number}", text)
        about = ["--commit", str(number) * 40, "--time", f"2026-01-0{number}T00:00:00Z", "-o", str(top / "site")]
        assert main(["history", "add", str(build), *about]) == 0
    return top / "site"


@pytest.fixture
def site(site_of_three: Path, add: Add) -> Path:
    """Return a copy of that site in the current directory."""
    return Path(shutil.copytree(site_of_three, "site"))


def lines(history: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in history.read_text(encoding="utf-8").splitlines()]


def test_a_build_that_was_added_while_it_waits_is_kept(run: Run, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    history = Path("h.jsonl")
    add(1, "--history", history)
    first = history.read_bytes()
    history.unlink()
    patience = lambda *_: nullcontext(history.write_bytes(first))  # noqa: E731
    monkeypatch.setattr("reportgen.commands.history.locked", patience)
    second = add(2, "--history", history)
    assert (second.code, "no history yet" in second.err) == (0, False)
    assert [line["commit"] for line in lines(history)] == [ONE, TWO]


def test_a_file_is_appended_to(run: Run, add: Add) -> None:
    history = Path("h.jsonl")
    first = add(1, "--history", history)
    assert (first.code, "there is no history yet" in first.err) == (0, True)
    before = history.read_bytes()
    assert add(2, "--history", history).err.find("warning") == -1
    assert history.read_bytes().startswith(before)
    assert [line["commit"] for line in lines(history)] == [ONE, TWO]


def test_a_report_says_the_same_as_its_dumps(run: Run, add: Add) -> None:
    capacity = ("--capacity", "6MiB")
    write_report(run, "build-1", "report.json", *capacity)
    for history, build, flags in (("a", "build-1", capacity), ("b", "report.json", ())):
        add(1, "--history", history, *flags, build=build)
    assert lines(Path("a"))[0]["capacities"]
    assert Path("a").read_bytes() == Path("b").read_bytes()


def test_the_capacity_of_a_report_is_kept_and_drawn(run: Run, add: Add) -> None:
    for number, flags in enumerate((("--capacity", "6MiB"), ("--capacity", "6MiB"), ()), start=1):
        write_report(run, f"build-{number}", "report.json", *flags)
        add(number, "-o", "site", build="report.json")
        page = Path("site/trend.html").read_text(encoding="utf-8")
        assert ("capacity 6.00 MiB" in page) == bool(flags)
        assert ("Does not fit, by 2.00 MiB" in page) == (number == 2)
    stated = [line.get("capacities") for line in lines(Path("site/history.jsonl"))]
    assert [[*known.values()] if isinstance(known, dict) else known for known in stated] == [
        [{"0": 6 << 20}],
        None,
        [{}],
    ]


def test_the_trend_has_a_chart_with_its_budgets_and_a_page_for_each_function(run: Run, add: Add) -> None:
    Path("reportgen.toml").write_text("[[budget]]\nmax = '9 MiB'\n[[budget]]\nmax = '1 GiB'\n", encoding="utf-8")
    for number in (1, 2):
        add(number, "-o", "site", "--link", "https://example.org/build", commit=str(number))
    page = Path("site/trend.html").read_text(encoding="utf-8")
    assert "budget 9.00 MiB" in page
    assert "↑ budget 1.00 GiB" in page
    assert "2, 2026-01-02: 8.00 MiB, +4.00 MiB (+100.0 %)" in page
    # A dot and a row for each build.
    assert page.count('href="https://example.org/build"') == 4
    (module,) = Path("site/trend").iterdir()
    assert "+4.00 MiB (+100.0 %)" in module.read_text(encoding="utf-8")


def test_a_site_without_a_build_begins_with_the_trend_and_has_no_broken_link(site: Path) -> None:
    pages = read_pages(site)
    assert link_problems(pages, frozenset(tree(site))) == []
    assert "Trend" in pages["index.html"].text


def test_a_build_keeps_the_history_and_leads_to_its_trend(run: Run, site: Path, add: Add) -> None:
    history = (site / "history.jsonl").read_bytes()
    for _ in range(2):
        assert run("build", "build-1", "-o", site).code == 0
    pages = read_pages(site)
    assert (site / "history.jsonl").read_bytes() == history
    assert link_problems(pages, frozenset(tree(site))) == []
    assert "trend.html" in reachable(pages)
    assert add(4, "-o", site).code == 0
    assert "jit_f" in read_pages(site)["index.html"].text


def test_equal_input_gives_equal_bytes(run: Run, add: Add) -> None:
    for output in ("a", "b"):
        add(1, "-o", output)
    assert tree(Path("a")) == tree(Path("b"))


def test_the_published_site_can_be_the_store(run: Run, site: Path, add: Add, tmp_path: Path) -> None:
    import fsspec

    published = (site / "history.jsonl").read_bytes()
    with fsspec.open("memory://pages/history.jsonl", "wb") as file:
        file.write(published)
    store = ["--history", "memory://pages/history.jsonl"]
    assert add(4, *store, "-o", "next").code == 0
    assert (tmp_path / "next" / "history.jsonl").read_bytes().startswith(published)
    assert len(lines(tmp_path / "next" / "history.jsonl")) == 4
    refused = add(4, *store)
    assert (refused.code, "only read" in refused.err) == (2, True)


@pytest.mark.parametrize("damage", ["cut off", "no schema"])
def test_a_damaged_line_spoils_no_later_one(add: Add, site: Path, damage: str) -> None:
    history = site / "history.jsonl"
    if damage == "cut off":
        history.write_bytes(history.read_bytes()[:-9])
    else:
        with_schema(history, None)
    ran = add(4, "-o", site)
    assert (ran.code, "skipped 1 damaged line" in ran.err) == (0, True)
    assert "1 damaged line of the history" in (site / "trend.html").read_text(encoding="utf-8")
    assert json.loads(history.read_bytes().splitlines()[-1])["commit"] == FOUR


def with_schema(history: Path, number: object) -> bytes:
    """Give the second line another schema, or none if `number` is None."""
    stated = lines(history)
    stated[1]["schema"] = number
    kept = [{key: part for key, part in line.items() if part is not None} for line in stated]
    history.write_text("".join(f"{json.dumps(line)}\n" for line in kept), encoding="utf-8")
    return history.read_bytes()


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_line_of_another_schema_is_refused_and_the_file_is_kept(run: Run, site: Path, add: Add, number: int) -> None:
    history = site / "history.jsonl"
    before = with_schema(history, number)
    for ran in (
        add(4, "-o", site),
        run("history", "find", ONE, "--history", history),
    ):
        assert ran.code == 1
        assert f"history.jsonl:2: schema {number} of history.jsonl; schema 2 is needed; use the version" in ran.err
        assert "or begin another file: --history FILE" in ran.err
    assert history.read_bytes() == before


TIME = "--time 2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (f"--commit 'a b' {TIME} -o s", 2, "is not the name of a commit"),
        ("--commit a --time 2026-01-01 -o s", 2, "is not a time"),
        (f"--commit a {TIME}", 2, "--history FILE or -o DIR is needed"),
        (f"--commit a {TIME} -o s --link javascript:1", 2, "is not a URL"),
        (f"--commit a {TIME} -o s --budgets no.toml", 2, "no.toml"),
        ("-o s", 2, "required"),
        (f"--commit a {TIME} -o notes", 1, "notes"),
        (f"--commit a {TIME} -o s --history folder.jsonl", 1, "folder.jsonl"),
        (f"--commit a {TIME} -o s --history missing/h.jsonl", 1, "missing/h.jsonl: cannot be written"),
    ],
)
@pytest.mark.usefixtures("add")
def test_what_is_refused_writes_nothing(run: Run, flags: str, code: int, words: str) -> None:
    filled(Path("notes"), {"mine.txt": "x"})
    Path("folder.jsonl").mkdir()
    before = sorted(Path().rglob("*"))
    ran = run("history", "add", "build-1", *shlex.split(flags))
    assert (ran.code, words in ran.err, sorted(Path().rglob("*"))) == (code, True, before), ran.err


def test_the_nearest_build_is_a_baseline_that_names_itself(run: Run, site: Path, add: Add) -> None:
    history = site / "history.jsonl"
    assert run("history", "find", "f" * 40, ONE, "--history", history, "-o", "base.json").code == 0
    ran = run("check", "build-2", "--baseline", "base.json")
    assert (ran.code, f"compared with {ONE} (1 commit earlier)" in ran.out) == (3, True)
    assert run("check", "build-1", "--baseline", "base.json").code == 0
    run("compare", "base.json", "build-2", "--markdown", "m.md")
    assert f"Base `{ONE} (1 commit earlier)`" in Path("m.md").read_text(encoding="utf-8")


def test_commits_are_read_from_standard_input(run: Run, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{'f' * 40}\n{TWO}\n"))
    ran = run("history", "find", "-", "--history", site / "history.jsonl")
    assert json.loads(ran.out)["build"] == {"commit": TWO, "distance": 1}
    ran = run("history", "find", "f" * 40, "--history", site / "history.jsonl", "-o", "base.json")
    assert (ran.code, "none of 1 commit is in the history" in ran.err, Path("base.json").exists()) == (0, True, False)


def test_a_redacted_report_is_no_obstacle(run: Run, add: Add) -> None:
    assert run("build", "build-1", "-o", "redacted", "--redact-names").code == 0
    assert add(1, "-o", "site", build="redacted/report.json").code == 0
    assert NAME not in Path("site/history.jsonl").read_text(encoding="utf-8")


def test_redaction_keeps_no_argument_and_refuses_a_history_that_has_some(run: Run, add: Add) -> None:
    assert add(1, "-o", "hidden", "--redact-names").code == 0
    assert "arguments" not in lines(Path("hidden/history.jsonl"))[0]
    assert add(1, "-o", "open").code == 0
    assert "arguments" in lines(Path("open/history.jsonl"))[0]
    refused = add(2, "-o", "open", "--redact")
    assert (refused.code, "names that redaction hides" in refused.err) == (2, True)


def test_the_line_of_the_peak_is_kept_the_same_from_dumps_and_reports_and_not_redacted(run: Run, add: Add) -> None:
    dumps = SAMPLES / "v5e-train-step-checkpoint"
    write_report(run, dumps, "report.json")
    for history, build, flags in (("a", dumps, ()), ("b", "report.json", ()), ("c", dumps, ("--redact",))):
        add(1, "--history", history, *flags, build=build)
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
def test_builds_that_are_added_at_once_are_all_there(run: Run, add: Add, more: tuple[str, ...]) -> None:
    processes = [started("build-1", number, *more) for number in range(6)]
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


def test_the_history_of_a_site_is_not_replaced_by_another(run: Run, site: Path, add: Add) -> None:
    before = tree(site)
    refused = add(4, "--history", "other.jsonl", "-o", site)
    assert (refused.code, f"it has 3 builds that --history has not, such as {ONE}" in refused.err) == (2, True)
    assert (tree(site), Path("other.jsonl").exists()) == (before, False)


@posix_only
def test_a_history_may_be_a_link(run: Run, add: Add) -> None:
    Path("kept").mkdir()
    Path("h.jsonl").symlink_to("kept/history.jsonl")
    for number in (1, 2):
        assert add(number, "--history", "h.jsonl").code == 0
    assert Path("h.jsonl").is_symlink()
    assert [line["commit"] for line in lines(Path("kept/history.jsonl"))] == [ONE, TWO]
    assert [path.name for path in Path("kept").iterdir()] == ["history.jsonl"]


@posix_only
def test_a_writer_that_is_killed_damages_no_history(run: Run, add: Add) -> None:
    add(1, "--history", "h.jsonl", "-o", "site")
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
            [sys.executable, "-c", killed, str(number), "history", "add", "build-2", *about],
            check=False,
            capture_output=True,
        )
        for store in ("h.jsonl", "site/history.jsonl"):
            assert lines(Path(store))[0]["commit"] == ONE
    ran = add(2, "--history", "h.jsonl", "-o", "site")
    assert (ran.code, "damaged" in ran.err) == (0, False)
    assert Path("h.jsonl").read_bytes() == Path("site/history.jsonl").read_bytes()
