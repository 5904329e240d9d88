"""What happens to the site on disk while a report is watched is repaired, and ends nothing."""

import shutil
from pathlib import Path

import pytest

from reportgen.errors import OutputRefused
from reportgen.live import write_queue
from reportgen.output.lock import LOCK
from reportgen.output.writer import write_pages
from tests.support.site import SAMPLES, tree
from tests.support.watching import watching


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

    monkeypatch.setattr(write_queue, "write_pages", full)
    monkeypatch.setattr(write_queue, "_RETRY_SECONDS", 0.1)
    with watching(dumps, output=tmp_path / "site") as watched:
        watched.until_printed("No space left on device; the pages are served from memory")
        watched.until_written()
    assert (tmp_path / "site" / "index.html").is_file()


def test_a_readme_that_cannot_be_read_is_left_out(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (dumps / "README.md").write_text("# hello", encoding="utf-8")
    read = Path.read_text

    def refused(path: Path, *arguments: object, **options: object) -> str:
        if path.name == "README.md":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "read_text", refused)
    with watching(dumps, output=tmp_path / "site") as watched:
        watched.until_written()
    assert "hello" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
