"""A build after a build: it makes only what would come out differently, and ends with what a first build gives."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen import build as building
from reportgen.build import Report, build
from reportgen.manifest import MANIFEST, UNFINISHED
from reportgen.options import BuildOptions
from reportgen.parse.dump import parse_dump
from tests.support.samples import SAMPLES

Change = Callable[[Path, Path], object]
"""What happens between two builds, to the dumps and to the site."""


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Three small ones."""
    for name in ("cpu-odd-names", "cpu-tiny", "tf-train-step"):
        shutil.copytree(SAMPLES / name, tmp_path / "dumps" / name)
    return tmp_path / "dumps"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def run(dumps: Path, site: Path, **options: Any) -> Report:
    return build(BuildOptions(paths=(dumps,), output=site, **options), lambda done, total, label: None)


def contents(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by the first file of each dump that is parsed in this process."""
    seen: list[str] = []

    def counting(text: Any) -> Any:
        seen.append(text.parts[0].label)
        return parse_dump(text)

    monkeypatch.setattr("reportgen.one_dump.parse_dump", counting)
    return seen


def a_dump(dumps: Path) -> Path:
    return min(path for path in dumps.rglob("*-buffer-assignment.txt") if path.is_file())


def nothing(dumps: Path, site: Path) -> None:
    pass


def touch(dumps: Path, site: Path) -> None:
    """A new time, the old content."""
    for path in dumps.rglob("*"):
        path.touch()


def test_an_unchanged_build_parses_and_writes_nothing(dumps: Path, site: Path, parsed: list[str]) -> None:
    first = run(dumps, site)
    before = contents(site)
    parsed.clear()
    touch(dumps, site)
    second = run(dumps, site)
    assert (parsed, second.totals.changed, second.totals.removed) == ([], 0, 0)
    assert second.totals.files == first.totals.files
    assert (
        second.totals.size_bytes == first.totals.size_bytes == sum(len(c) for n, c in before.items() if n != MANIFEST)
    )
    assert (second.summaries, second.problems) == (first.summaries, first.problems)
    assert contents(site) == before


def test_much_is_compared_in_several_processes(dumps: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_SOON_COMPARED", -1)
    first = run(dumps, site, jobs=2)
    second = run(dumps, site, jobs=2)
    assert (second.totals.changed, second.summaries) == (0, first.summaries)
    edit(dumps, site)
    run(dumps, site, jobs=2)
    run(dumps, site.with_name("anew"))
    assert contents(site) == contents(site.with_name("anew"))


def edit(dumps: Path, site: Path) -> None:
    path = a_dump(dumps)
    path.write_bytes(path.read_bytes() + b"\n")


def edit_what_lies_beside(dumps: Path, site: Path) -> None:
    report = min(dumps.rglob("*-memory-usage-report.txt"))
    report.write_bytes(report.read_bytes().replace(b"917504", b"917505"))


def annotate(dumps: Path, site: Path) -> None:
    a_dump(dumps).with_suffix(".md").write_text("A note of its own.", encoding="utf-8")


def lose_a_page(dumps: Path, site: Path) -> None:
    min(site.glob("m/*/v/*.html")).unlink()


def spoil_a_page(dumps: Path, site: Path) -> None:
    page = min(site.glob("m/*/v/*.html"))
    page.write_bytes(page.read_bytes().swapcase())


@pytest.mark.parametrize("change", [edit, edit_what_lies_beside, lose_a_page, spoil_a_page])
def test_only_the_dump_concerned_is_made_again(dumps: Path, site: Path, parsed: list[str], change: Change) -> None:
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
    """As long as before, and still JSON."""
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
    (site / UNFINISHED).write_bytes(b'\n"m/left/1.html"\n')


@pytest.mark.parametrize(
    "change",
    [
        nothing,
        edit,
        edit_what_lies_beside,
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
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_rebuild_gives_what_a_first_build_gives(dumps: Path, site: Path, change: Change, jobs: int) -> None:
    run(dumps, site, jobs=jobs)
    change(dumps, site)
    run(dumps, site, jobs=jobs)
    run(dumps, site.with_name("anew"), jobs=jobs)
    assert contents(site) == contents(site.with_name("anew"))


@pytest.mark.parametrize("options", [{"title": "Another title"}], ids=str)
def test_other_options_give_another_site(dumps: Path, site: Path, options: dict[str, Any]) -> None:
    run(dumps, site)
    run(dumps, site, **options)
    run(dumps, site.with_name("anew"), **options)
    assert contents(site) == contents(site.with_name("anew"))


def test_another_version_of_the_program_makes_everything_again(
    dumps: Path, site: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(run(dumps, site).summaries)
    parsed.clear()
    monkeypatch.setattr(building, "fingerprint", lambda: "another")
    run(dumps, site)
    assert len(parsed) == count


# In a process of its own: that of the tests may have threads, and is not forked then.
_SHARED_OUT = """
import sys
from reportgen import beside, build, cli
from reportgen.render import module_pages
assert beside.can_fork()
build._LARGE = 0
module_pages._PAGES_IN_GROUP = 3
sys.exit(cli.main(sys.argv[1:]))
"""


def shared_out(*arguments: str | Path) -> str:
    """What a command prints that shares the work on any dump, however small, with other processes."""
    program = [sys.executable, "-c", _SHARED_OUT, *map(str, arguments)]
    return subprocess.run(program, capture_output=True, check=True, text=True, timeout=300).stdout


needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")


@needs_fork
def test_pages_of_one_dump_come_out_the_same_from_several_processes(dumps: Path, site: Path) -> None:
    run(a_dump(dumps), site)
    shared_out("build", a_dump(dumps), "-o", site.with_name("shared out"), "--jobs", "3")
    assert contents(site.with_name("shared out")) == contents(site)


@needs_fork
def test_a_dump_comes_out_the_same_where_two_processes_analyse_it(dumps: Path) -> None:
    alone = shared_out("check", "--json", a_dump(dumps), "--jobs", "1")
    assert shared_out("check", "--json", a_dump(dumps), "--jobs", "2") == alone
