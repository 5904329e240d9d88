"""What happens to the site on disk while a report is watched is repaired, and ends nothing."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen import dump_pages
from reportgen.errors import OutputRefused
from reportgen.live import loop
from reportgen.live.tracked import Retry, Timing
from reportgen.output.lock import LOCK
from reportgen.output.writer import write_pages
from tests.support.site import SAMPLES, tree
from tests.support.watching import QUICK, Watched, watching


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLES / "cpu-tiny", tmp_path / "dumps")
    return tmp_path / "dumps"


def test_a_site_that_was_removed_is_made_again(dumps: Path, tmp_path: Path) -> None:
    with watching(dumps, output=tmp_path / "site") as watched:
        watched.until_written()
        before = _pages(tmp_path / "site")
        (tmp_path / "site").rename(tmp_path / "elsewhere")  # at once, which removing a tree is not
        watched.until_printed("was removed")
        watched.until_written()
        assert _pages(tmp_path / "site") == before


def _pages(site: Path) -> dict[str, bytes]:
    return {path: content for path, content in tree(site).items() if path != LOCK}


def test_pages_that_cannot_be_written_are_written_later(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, failures = write_pages, iter(range(2))

    def full(*arguments: object, **options: object) -> object:
        if next(failures, None) is not None:
            raise OutputRefused("site: cannot be written: No space left on device")
        return write(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(dump_pages, "write_pages", full)
    monkeypatch.setattr(loop, "_RETRY_SECONDS", 0.1)
    with watching(dumps, output=tmp_path / "site") as watched:
        watched.until_printed("No space left on device; the pages stay as they are")
        watched.until_written()
    assert (tmp_path / "site" / "index.html").is_file()


def test_a_defect_of_ours_in_a_page_is_reported_and_ends_nothing(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> object:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("reportgen.render.module.module_pages.explore_page", failing)
    shutil.copytree(SAMPLES / "cpu-odd-names", dumps / "other")
    with watching(dumps, output=tmp_path / "site") as watched:
        watched.until_written()
        watched.until_scanned()
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "reportgen failed on this dump, please report it: ZeroDivisionError: a defect" in page


@pytest.mark.parametrize("is_known", [True, False], ids=["shown before", "new"])
@pytest.mark.parametrize(
    "part", ["assignment.txt", "values.txt", "live-range.txt", "optimizations.txt", ".md", "README.md"]
)
def test_what_cannot_be_read_for_a_while_is_read_without_a_change_of_a_file(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, is_known: bool
) -> None:
    """As where a process has too many open files, or a network drive is away."""
    (dumps / "README.md").write_text("# about them all", encoding="utf-8")
    (dumps / "module_0000.jit_tiny_matmul_gelu.cpu_after_optimizations.md").write_text("about it", encoding="utf-8")
    is_away = not is_known
    opened = Path.open

    def away(path: Path, *arguments: object, **options: object) -> object:
        if is_away and path.is_relative_to(tmp_path / "dumps") and path.name.endswith(part):
            raise OSError(24, "Too many open files", str(path))
        return opened(path, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", away)
    timing = replace(QUICK, retry=0.1, patience=0.1, safety=0.2)
    with watching(tmp_path / "dumps", output=tmp_path / "site", timing=timing) as watched:
        if is_known:
            watched.until_written()
            is_away = True
            for path in dumps.iterdir():
                path.touch()
        watched.until_scanned(5)
        is_away = False
        watched.until(lambda: _is_whole(watched))
        watched.until_written()
    pages = _pages(tmp_path / "site")
    assert b"about them all" in pages["index.html"]
    (page,) = (page for path, page in pages.items() if path.startswith("m/") and path.endswith("/index.html"))
    assert b"about it" in page


def _is_whole(watched: Watched) -> bool:
    """Return whether a dump is shown with all its files, and nothing is left to try again."""
    dumps = list(watched.tracker.dumps.values())
    waits = any(dump.retry.at is not None or dump.outdated for dump in dumps) or watched.tracker.retry.at is not None
    return bool(dumps) and not waits and not watched.tracker.problems


def test_a_folder_that_cannot_be_listed_for_a_while_has_lost_no_dump(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_away, scan = False, os.scandir

    def away(path: Path) -> object:
        if is_away and Path(path).is_relative_to(dumps):
            raise OSError(24, "Too many open files", str(path))
        return scan(path)

    monkeypatch.setattr("reportgen.input.directories.os.scandir", away)
    with watching(tmp_path / "dumps", output=tmp_path / "site", timing=replace(QUICK, retry=0.1)) as watched:
        watched.until_written()
        is_away = True
        watched.until_scanned(5)
        is_away = False
        watched.until_scanned(5)
        assert not any("removed" in line or "stale" in line for line in watched.lines)
        (dump,) = watched.tracker.dumps.values()
        assert not dump.is_gone
        watched.until(lambda: watched.tracker.retry.at is None)


@pytest.mark.parametrize("call", ["is_dir", "exists"])
def test_a_path_that_cannot_even_be_looked_at_ends_nothing(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    is_away, look = False, getattr(Path, call)

    def away(path: Path) -> bool:
        if is_away and path.is_relative_to(tmp_path / "dumps"):
            raise PermissionError(13, "Permission denied", str(path))
        return bool(look(path))

    monkeypatch.setattr(Path, call, away)
    with watching(tmp_path / "dumps", output=tmp_path / "site", timing=replace(QUICK, retry=0.1)) as watched:
        watched.until_written()
        for is_away in (True, False):
            (dumps / "more.log").write_text(str(is_away), encoding="utf-8")
            watched.until_scanned(5)
        watched.until(lambda: _is_whole(watched))


def test_a_retry_waits_longer_each_time() -> None:
    timing, retry, waits = Timing(retry=2.0, retry_at_most=60.0), Retry(), list[float]()
    for _ in range(7):
        retry.failed(100.0, 100.0, timing)
        assert retry.at is not None
        waits.append(retry.at - 100.0)
    assert waits == [2, 4, 8, 16, 32, 60, 60]
    retry.failed(100.0, 110.0, timing)
    assert (retry.at, retry.is_due(209.0), retry.is_due(210.0)) == (210.0, False, True)
    retry.forget()
    assert not retry.is_due(1e9)


def test_a_readme_that_cannot_be_read_is_left_out(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (dumps / "README.md").write_text("# hello", encoding="utf-8")
    opened = Path.open

    def refused(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "README.md":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refused)
    with watching(dumps, output=tmp_path / "site") as watched:
        watched.until_written()
    assert "hello" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
