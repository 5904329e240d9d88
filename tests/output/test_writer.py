"""Writing a site: nothing without need, nothing of anybody else's, and nothing outside of its directory."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import OutputRefused
from reportgen.output.writer import MANIFEST, UNFINISHED, SiteDirectory, is_intact, write_pages
from reportgen.work import Page, Part
from tests.support.site import tree

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and links")
LONG_AGO = 1_000_000_000


class Result(NamedTuple):
    """How many files were written, and how many removed."""

    changed: int
    removed: int


def write_site(directory: Path, *paths: str, force: bool = False) -> Result:
    site = SiteDirectory(directory, force=force)
    written = write_pages(directory, [Page(path, path.encode()) for path in paths])
    removed = site.finish({"": Part("key", written.paths, written.size_bytes, written.digest)})
    return Result(written.changed, removed.files)


def files(directory: Path) -> set[str]:
    """Return every file but the manifest."""
    found = (path.relative_to(directory).as_posix() for path in directory.rglob("*") if not path.is_dir())
    return set(found) - {MANIFEST}


def listed(directory: Path) -> list[str]:
    parts = json.loads((directory / MANIFEST).read_bytes())["parts"]
    return sorted(path for part in parts.values() for path in part["paths"])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a directory that is not there yet."""
    return tmp_path / "deep" / "site"


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """Return a file outside of the site that nothing may touch."""
    path = tmp_path / "deep" / "stranger.txt"
    path.parent.mkdir()
    path.write_bytes(b"keep me")
    return path


def test_a_site_and_its_manifest_are_written(site: Path) -> None:
    assert write_site(site, "index.html", "m/v/1.html") == Result(changed=2, removed=0)
    assert (site / "m" / "v" / "1.html").read_bytes() == b"m/v/1.html"
    assert listed(site) == ["index.html", "m/v/1.html"]


def test_a_file_with_the_right_bytes_is_not_written(site: Path) -> None:
    write_site(site, "index.html", "other.html")
    (site / "other.html").write_bytes(b"OTHER.HTML")  # as long as the right bytes
    for path in site.iterdir():
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    assert write_site(site, "index.html", "other.html").changed == 1
    kept = {path.name for path in site.iterdir() if path.stat().st_mtime_ns == LONG_AGO}
    assert kept == {"index.html", MANIFEST}
    assert (site / "other.html").read_bytes() == b"other.html"


def test_pages_that_the_new_site_lacks_are_removed_with_their_folders(site: Path) -> None:
    write_site(site, "index.html", "m/old/v/1.html", "m/old/v/2.html", "m/new/v/1.html")
    assert write_site(site, "index.html", "m/new/v/1.html").removed == 2
    assert files(site) == {"index.html", "m/new/v/1.html"}
    assert not (site / "m" / "old").exists()


def test_a_file_of_other_origin_is_kept(site: Path) -> None:
    write_site(site, "index.html", "m/old/1.html")
    (site / "m" / "old" / "mine.txt").write_bytes(b"mine")
    write_site(site, "index.html")
    assert files(site) == {"index.html", "m/old/mine.txt"}


def test_what_stands_in_the_place_of_an_old_page_is_kept_and_named(tmp_path: Path) -> None:
    write_site(tmp_path, "index.html", "old.html", "gone.html", "m/1.html")
    (tmp_path / "old.html").unlink()
    (tmp_path / "old.html").symlink_to("index.html")
    (tmp_path / "gone.html").unlink()
    (tmp_path / "m").rename(tmp_path / "mine")
    (tmp_path / "m").symlink_to("mine")
    removed = SiteDirectory(tmp_path).finish({"": Part("", ("index.html",))})
    assert removed == (0, ("m/1.html", "old.html"))
    assert (tmp_path / "mine" / "1.html").read_bytes() == b"m/1.html"


@pytest.mark.parametrize("is_link", [False, pytest.param(True, marks=posix_only)])
def test_force_does_not_replace_the_site_of_somebody_else(site: Path, stranger: Path, is_link: bool) -> None:
    site.mkdir(parents=True)
    page = site / "index.html"
    page.symlink_to(stranger) if is_link else page.write_bytes(b"keep me")
    with pytest.raises(OutputRefused, match=r"index\.html stands in the way"):
        write_site(site, "index.html", force=True)
    assert (files(site), page.is_symlink(), page.read_bytes()) == ({"index.html"}, is_link, b"keep me")


def test_force_keeps_files_of_other_origin(site: Path) -> None:
    site.mkdir(parents=True)
    (site / "thesis.txt").write_bytes(b"mine")
    write_site(site, "index.html", "old.html", force=True)
    write_site(site, "index.html")
    assert files(site) == {"thesis.txt", "index.html"}


@pytest.mark.parametrize("placeholder", [".gitignore", ".gitkeep", ".keep"])
def test_a_placeholder_such_as_gitkeep_is_ignored(site: Path, placeholder: str) -> None:
    site.mkdir(parents=True)
    (site / placeholder).write_bytes(b"*\n")
    write_site(site, "index.html", "old.html")
    write_site(site, "index.html")
    assert files(site) == {placeholder, "index.html"}


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"parts": 1}', b"\xff", b"[" * 100_000], ids=range(6))
def test_a_directory_with_an_invalid_manifest_is_not_a_site(site: Path, content: bytes) -> None:
    site.mkdir(parents=True)
    (site / MANIFEST).write_bytes(content)
    with pytest.raises(OutputRefused, match=r"\.reportgen\.json stands in the way"):
        write_site(site, "index.html")


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("below", ["", "site"])
def test_a_file_is_refused_as_output_directory(stranger: Path, below: str, force: bool) -> None:
    with pytest.raises(OutputRefused, match=r"stranger\.txt"):
        write_site(stranger / below, "index.html", force=force)
    assert stranger.read_bytes() == b"keep me"


def test_a_folder_in_place_of_a_page_is_refused(site: Path) -> None:
    (site / "page.html" / "mine").mkdir(parents=True)
    with pytest.raises(OutputRefused, match=r"page\.html: cannot be written"):
        write_site(site, "page.html", force=True)


# A test that runs as root is not stopped by permissions, so the calls are made to fail.
@pytest.mark.parametrize(("call", "done"), [("mkdir", "written"), ("replace", "written"), ("iterdir", "read")])
def test_a_directory_that_cannot_be_used_is_refused(
    site: Path, monkeypatch: pytest.MonkeyPatch, call: str, done: str
) -> None:
    def refuse(path: Path, *rest: Any, **named: Any) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, call, refuse)
    with pytest.raises(OutputRefused, match=rf"cannot be {done}: Permission denied"):
        write_site(site, "index.html")


def interrupted(*paths: str) -> Iterator[Page]:
    yield from (Page(path, b"half") for path in paths)
    raise KeyboardInterrupt


def test_an_interrupted_build_is_completed_by_the_next(site: Path) -> None:
    SiteDirectory(site)
    write_pages(site, [Page("index.html", b"half")])
    write_site(site, "index.html", "m/1.html")
    assert (site / "index.html").read_bytes() == b"index.html"
    assert files(site) == {"index.html", "m/1.html"}


def test_an_interrupted_build_keeps_the_record_of_earlier_files(site: Path) -> None:
    write_site(site, "index.html", "old.html")
    SiteDirectory(site)
    assert listed(site) == ["index.html", "old.html"]
    assert write_site(site, "index.html").removed == 1


def test_leftovers_of_an_interrupted_build_are_removed(site: Path) -> None:
    SiteDirectory(site)
    many = [f"m/gone/{number}.html" for number in range(500)]
    with pytest.raises(KeyboardInterrupt):
        write_pages(site, interrupted(*many))
    (site / "m" / "gone" / "mine.txt").write_bytes(b"mine")
    assert (site / UNFINISHED).exists()
    write_site(site, "index.html")
    assert files(site) == {"index.html", "m/gone/mine.txt"}


@pytest.mark.parametrize(
    ("content", "holds"), [(b"m/v/1.html", True), (b"m/v/1.htm?", False), (b"", False), (None, False)]
)
def test_a_part_is_intact_if_each_page_has_its_bytes(site: Path, content: bytes | None, holds: bool) -> None:
    write_site(site, "index.html", "m/v/1.html")
    page = site / "m" / "v" / "1.html"
    page.unlink() if content is None else page.write_bytes(content)
    assert is_intact(site, SiteDirectory(site).parts[""]) is holds


def test_pages_that_change_places_are_not_intact(site: Path) -> None:
    write_site(site, "1.html", "2.html")
    (site / "1.html").write_bytes(b"2.html")
    (site / "2.html").write_bytes(b"1.html")
    assert not is_intact(site, SiteDirectory(site).parts[""])


def pages(directory: Path) -> dict[str, bytes]:
    """Return every file but the list of those that a build was about to write."""
    return {path: content for path, content in tree(directory).items() if path != UNFINISHED}


def test_a_reader_never_sees_part_of_a_replaced_file(tmp_path: Path) -> None:
    """Whoever has the old one open goes on reading the old one."""
    write_pages(tmp_path, [Page("a.html", b"the old one")])
    with (tmp_path / "a.html").open("rb") as reader:
        write_pages(tmp_path, [Page("a.html", b"new")])
        assert reader.read() == b"the old one"
    assert (tmp_path / "a.html").read_bytes() == b"new"


def test_an_interrupted_replacement_leaves_only_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(path: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    write_pages(tmp_path, [Page("a.html", b"old")])
    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_pages(tmp_path, [Page("a.html", b"new")])
    assert pages(tmp_path) == {"a.html": b"old"}


def test_a_site_can_be_finished_several_times(tmp_path: Path) -> None:
    """Each time against what there was the time before."""
    directory = SiteDirectory(tmp_path)
    for name in ("a.html", "b.html", "c.html"):
        directory.finish({"": Part("", write_pages(tmp_path, [Page(name, b"")]).paths)})
        assert tree(tmp_path).keys() == {name, MANIFEST}


@posix_only
@pytest.mark.parametrize("name", ["m/page.html", "m/.page.html.unfinished", UNFINISHED, "m"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_pipe_or_a_link_in_the_place_of_a_file_or_a_folder_is_replaced(
    site: Path, stranger: Path, kind: str, name: str
) -> None:
    (site / name).parent.mkdir(parents=True)
    target = stranger.parent if name == "m" else stranger
    os.mkfifo(site / name) if kind == "pipe" else (site / name).symlink_to(target)
    assert write_pages(site, [Page("m/page.html", stranger.read_bytes())]).changed == 1
    assert pages(site) == {"m/page.html": stranger.read_bytes()}
    assert not (site / "m" / "page.html").is_symlink()
    write_pages(site, [Page("m/page.html", b"of a site")])
    assert stranger.read_bytes() == b"keep me"


PARTS = st.builds(
    Part,
    key=st.text(),
    paths=st.lists(st.from_regex(r"(m/|v/)?[a-c]{1,3}\.html", fullmatch=True), unique=True).map(sorted).map(tuple),
    size_bytes=st.integers(0, 1 << 60),
    digest=st.integers(0, (1 << 128) - 1),
    outcome=st.none() | st.dictionaries(st.text(), st.integers() | st.lists(st.text())),
)


@given(st.dictionaries(st.text(), PARTS, max_size=4))
def test_a_manifest_is_read_back_as_it_was_written_whatever_the_order_of_parts(parts: dict[str, Part]) -> None:
    with TemporaryDirectory() as folder:
        SiteDirectory(Path(folder)).finish(parts)
        written = (Path(folder) / MANIFEST).read_bytes()
        assert SiteDirectory(Path(folder)).parts == parts
        SiteDirectory(Path(folder)).finish(dict(reversed(parts.items())))
        assert (Path(folder) / MANIFEST).read_bytes() == written


@posix_only
def test_the_directory_of_a_site_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "site").symlink_to(tmp_path / "disk", target_is_directory=True)
    write_pages(tmp_path / "site", [Page("m/page.html", b"of a site")])
    assert (tmp_path / "disk" / "m" / "page.html").read_bytes() == b"of a site"
