"""A second build makes only the pages that would change, and the site is the same as after a first build."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import pytest

from reportgen.build import build
from reportgen.options import BuildOptions
from reportgen.output.writer import MANIFEST, UNFINISHED
from reportgen.parse.parser import parse_dump
from reportgen.work import BuildResult
from tests.support.samples import SAMPLES
from tests.support.site import tree

pytestmark = pytest.mark.slow
needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")

Change = Callable[[Path, Path], object]
"""A change to the dumps or the site between two builds."""


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    return copy_dumps(tmp_path / "dumps")


def copy_dumps(folder: Path) -> Path:
    """Return `folder` with three small dumps."""
    for name in ("cpu-odd-names", "cpu-tiny", "tf-train-step"):
        shutil.copytree(SAMPLES / name, folder / name)
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def run(dumps: Path, site: Path, **options: Any) -> BuildResult:
    return build(BuildOptions(paths=(dumps,), output=site, **options), lambda done, total, label: None)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by the first file of each dump that is parsed in this process."""
    seen: list[str] = []

    def counting(text: Any) -> Any:
        seen.append(text.parts[0].label)
        return parse_dump(text)

    monkeypatch.setattr("reportgen.pipeline.parse_dump", counting)
    return seen


def a_dump(dumps: Path) -> Path:
    return min(path for path in dumps.rglob("*-buffer-assignment.txt") if path.is_file())


def touch(dumps: Path, site: Path) -> None:
    """Give each file a new time and leave its content."""
    for path in dumps.rglob("*"):
        path.touch()


def test_an_unchanged_build_parses_and_writes_nothing(dumps: Path, site: Path, parsed: list[str]) -> None:
    first = run(dumps, site)
    before, times = tree(site), {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    parsed.clear()
    touch(dumps, site)
    second = run(dumps, site)
    assert (parsed, second.totals.changed, second.totals.removed) == ([], 0, 0)
    assert second.totals.files == first.totals.files
    assert (
        second.totals.size_bytes == first.totals.size_bytes == sum(len(c) for n, c in before.items() if n != MANIFEST)
    )
    assert (second.summaries, second.problems) == (first.summaries, first.problems)
    assert tree(site) == before
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*")} == times


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=needs_fork)])
def test_each_dump_is_read_and_hashed_once(
    dumps: Path, site: Path, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it has changed or not; each call makes a file because the processes share no memory."""
    calls = tmp_path / "calls"
    calls.mkdir()

    def noting(module: str, name: str) -> None:
        original = getattr(sys.modules[module], name)

        def noted(first: Any, **options: Any) -> Any:
            os.close(mkstemp(prefix=name, dir=calls)[0])
            return original(first, **options)

        monkeypatch.setattr(f"{module}.{name}", noted)

    run(dumps, site, jobs=jobs)
    edit(dumps, site)
    # A thread of the test runner may count or not, and beside one processes would start without what is noted here.
    monkeypatch.setattr("threading.active_count", lambda: 1)
    noting("reportgen.redact.contents", "read_contents")
    noting("reportgen.pipeline", "digests")
    report = run(dumps, site, jobs=jobs)
    count = len(report.summaries)
    assert not report.problems
    assert (len(list(calls.glob("read_contents*"))), len(list(calls.glob("digests*")))) == (count, count)


def edit(dumps: Path, site: Path) -> None:
    path = a_dump(dumps)
    path.write_bytes(path.read_bytes() + b"\n")


def edit_a_sibling_file(dumps: Path, site: Path) -> None:
    report = min(dumps.rglob("*-memory-usage-report.txt"))
    report.write_bytes(report.read_bytes().replace(b"917504", b"917505"))


def annotate(dumps: Path, site: Path) -> None:
    a_dump(dumps).with_suffix(".md").write_text("A note of its own.", encoding="utf-8")


def lose_a_page(dumps: Path, site: Path) -> None:
    min(site.glob("m/*/explore.html")).unlink()


def spoil_a_page(dumps: Path, site: Path) -> None:
    page = min(site.glob("m/*/explore.html"))
    page.write_bytes(page.read_bytes().swapcase())


@pytest.mark.parametrize("change", [edit, edit_a_sibling_file, lose_a_page, spoil_a_page])
def test_only_the_changed_dump_is_built_again(dumps: Path, site: Path, parsed: list[str], change: Change) -> None:
    run(dumps, site)
    parsed.clear()
    change(dumps, site)
    run(dumps, site)
    assert len(parsed) == 1


def remove(dumps: Path, site: Path) -> None:
    a_dump(dumps).unlink()


def rename(dumps: Path, site: Path) -> None:
    a_dump(dumps).rename(dumps / "module_0099.other.after_optimizations-buffer-assignment.txt")


def lose_the_manifest_row(dumps: Path, site: Path) -> None:
    """Change a figure so that the manifest is as long as before, and still JSON."""
    manifest = site / MANIFEST
    manifest.write_bytes(manifest.read_bytes().replace(b'"peak_resident_bytes":1', b'"peak_resident_bytes":2'))


def spoil_the_overview(dumps: Path, site: Path) -> None:
    (site / "index.html").write_bytes(b"")


def spoil_all(dumps: Path, site: Path) -> None:
    for page in site.rglob("*.html"):
        page.write_bytes(b"x")


def leave_unfinished(dumps: Path, site: Path) -> None:
    (site / "m" / "left").mkdir()
    (site / "m" / "left" / "1.html").write_bytes(b"half")
    (site / UNFINISHED).write_bytes(b'\n["m/left/1.html"]\n')


@pytest.fixture(scope="module", params=[1, 2])
def first_build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    """Return a number of jobs, and the site that so many build of the dumps: a test takes a copy."""
    folder = tmp_path_factory.mktemp("first")
    run(copy_dumps(folder / "dumps"), folder / "site", jobs=request.param)
    return request.param, folder / "site"


@pytest.mark.parametrize(
    "change",
    [
        edit,
        edit_a_sibling_file,
        annotate,
        remove,
        rename,
        lose_a_page,
        spoil_a_page,
        spoil_the_overview,
        spoil_all,
        lose_the_manifest_row,
        leave_unfinished,
    ],
)
def test_a_rebuild_gives_the_same_site_as_a_first_build(
    first_build: tuple[int, Path], dumps: Path, site: Path, change: Change
) -> None:
    jobs, first = first_build
    shutil.copytree(first, site)
    change(dumps, site)
    run(dumps, site, jobs=jobs)
    run(dumps, site.with_name("clean"), jobs=jobs)
    assert tree(site) == tree(site.with_name("clean"))


def test_another_title_gives_another_site(dumps: Path, site: Path) -> None:
    run(dumps, site)
    run(dumps, site, title="Another title")
    run(dumps, site.with_name("clean"), title="Another title")
    assert tree(site) == tree(site.with_name("clean"))


def test_another_version_of_the_program_builds_everything_again(
    dumps: Path, site: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(run(dumps, site).summaries)
    parsed.clear()
    monkeypatch.setattr("reportgen.site.fingerprint", lambda: "another")
    run(dumps, site)
    assert len(parsed) == count


# Runs in a process of its own because that of the tests may have threads, and is not forked then.
_SHARED_OUT = """
import sys
from reportgen import cli, dump_pages

assert dump_pages.can_fork()
dump_pages._MANY_VALUES = 0
dump_pages._PAGES_IN_GROUP = 3
sys.exit(cli.main(sys.argv[1:]))
"""


@needs_fork
def test_several_processes_write_the_same_pages_of_one_dump(dumps: Path, site: Path) -> None:
    run(a_dump(dumps), site)
    shared = site.with_name("shared out")
    program = [sys.executable, "-c", _SHARED_OUT, "build", str(a_dump(dumps)), "-o", str(shared), "--jobs", "3"]
    subprocess.run(program, capture_output=True, check=True, text=True)
    assert tree(shared) == tree(site)
