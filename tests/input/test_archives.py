"""Archives of dumps are read as the folders that were packed, whatever else is in them."""

import io
import shutil
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

from reportgen.errors import UnreadableInput
from reportgen.input.discover import discover
from reportgen.input.remote import located
from tests.support.commands import Run
from tests.support.folders import labels
from tests.support.site import SAMPLES

PLAN = next((SAMPLES / "cpu-tiny").glob("*-buffer-assignment.txt")).read_bytes()
NAME = "module_0000.jit_f.cpu_after_optimizations-buffer-assignment.txt"
OUTSIDE = ("../a.txt", "/absolute/b.txt", "c/../../d.txt", "..\\e.txt", "C:\\f.txt")
LINKS = {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "device": tarfile.CHRTYPE, "pipe": tarfile.FIFOTYPE}
FORMATS = {"d.tar": "tar", "d.tar.gz": "gztar", "d.tar.xz": "xztar", "d.tar.bz2": "bztar", "d.zip": "zip"}


@pytest.fixture
def dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("cpu-tiny", "tpu-odd-shapes"):
        shutil.copytree(SAMPLES / name, tmp_path / "top" / "dumps" / name)
    return tmp_path / "top" / "dumps"


def tar_of(
    path: Path,
    files: Mapping[str, bytes],
    links: Mapping[str, bytes] = LINKS,
    mode: Literal["w", "w:gz"] = "w:gz",
) -> Path:
    """Write an archive of links, each of a type, and files."""
    with tarfile.open(path, mode) as tar:
        for name, data in {**links, **files}.items():
            header = tarfile.TarInfo(name)
            if name in files:
                header.size = len(data)
            else:
                header.type, header.linkname = data, "/etc/passwd"
            tar.addfile(header, io.BytesIO(data))
    return path


@pytest.mark.parametrize("base", ["dumps", "."], ids=["with its folder", "its content"])
def test_an_archive_is_read_as_what_was_packed(base: str, dumps: Path, run: Run) -> None:
    whole = run("check", "--json", "--jobs", 1, dumps).out
    for name, kind in FORMATS.items():
        shutil.make_archive("d", kind, dumps.parent if base == "dumps" else dumps, base)
        assert run("check", "--json", "--jobs", 1, name).out == whole
        Path(name).rename("any")
        assert run("check", "--json", "--jobs", 1, "any").out == whole


def test_every_command_reads_an_archive(dumps: Path, run: Run) -> None:
    shutil.make_archive("d", "gztar", dumps.parent, "dumps")
    assert run("explain", "d.tar.gz").out == run("explain", dumps).out
    assert "0 modules changed" in run("compare", dumps, "d.tar.gz").out
    assert run("build", "--jobs", 1, "d.tar.gz", "-o", "site").code == 0
    added = ("--commit", "1" * 40, "--time", "2026-01-01T00:00:00Z", "--history", "h.jsonl")
    assert run("history", "add", "d.tar.gz", *added).code == 0


def test_an_archive_at_a_url_is_read(dumps: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    archive = shutil.make_archive("d", "zip", dumps)
    fsspec.filesystem("memory").pipe_file("/bucket/d.zip", Path(archive).read_bytes())
    assert labels(discover([located("memory://bucket/d.zip")])) == labels(discover([dumps]))


def test_members_that_lead_out_and_links_are_left_out_and_said(tmp_path: Path) -> None:
    packed = tar_of(tmp_path / "d.tgz", {NAME: PLAN})
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as made:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        for name in (NAME, *OUTSIDE):
            made.writestr(name, PLAN)
    left_out, outside = "not read: it is a link or a device", "not read: its name leads out of the archive"
    of_zip = [f"{outside}; so are 4 others", left_out]
    for archive, messages in ((packed, [f"{left_out}; so are 3 others"]), (tmp_path / "d.zip", of_zip)):
        found = discover([archive])
        assert labels(found) == [NAME]
        assert [problem.message for problem in found.problems] == messages
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.tgz", "d.zip"]


def test_an_archive_that_is_too_large_is_refused_before_it_is_written(tmp_path: Path) -> None:
    bomb = tar_of(tmp_path / "d.tgz", {NAME: PLAN, "zeros": bytes(1 << 22)}, {})
    with pytest.raises(UnreadableInput, match="more than 1,000,000 bytes; --max-dump-bytes N allows more"):
        discover([bomb], max_bytes=1_000_000)
    assert len(discover([bomb]).dumps) == 1


def test_what_is_missing_of_an_archive_that_was_cut_off_is_said(tmp_path: Path) -> None:
    whole = tar_of(tmp_path / "d.tgz", {f"a/{NAME}": PLAN, "b.txt": bytes(range(256)) * 400}, {}).read_bytes()
    (tmp_path / "d.tgz").write_bytes(whole[:-200])
    found = discover([tmp_path / "d.tgz"])
    assert len(found.dumps) == 1
    assert [problem.file for problem in found.problems] == ["b.txt", "d.tgz"]
    first = 512 * (1 + -(-len(PLAN) // 512))  # its header and its blocks; `tarfile` takes what follows for the end
    tar_of(tmp_path / "d.tar", {NAME: PLAN, "b.txt": PLAN}, {}, "w")
    (tmp_path / "d.tar").write_bytes((tmp_path / "d.tar").read_bytes()[:first])
    (problem,) = discover([tmp_path / "d.tar"]).problems
    assert "its end is missing; the files before that are used" in problem.message


def test_a_build_of_which_a_part_is_lost_passes_no_gate_and_gets_into_no_history(dumps: Path, run: Run) -> None:
    whole, added = shutil.make_archive("d", "tar", dumps), ("--time", "2026-01-01T00:00:00Z", "--history", "h.jsonl")
    Path("cut.tar").write_bytes(Path(whole).read_bytes()[:30_000])
    assert run("history", "add", whole, "--commit", "1" * 40, *added).code == 0
    for command in (
        ("check", "--jobs", 1, "cut.tar"),
        ("compare", whole, "cut.tar", "--max-growth", "1%"),
        ("history", "add", "cut.tar", "--commit", "2" * 40, *added),
    ):
        assert run(*command).code == 1
    assert "gone" not in Path("h.jsonl").read_text(encoding="utf-8")


def test_why_nothing_of_an_archive_is_read_is_said_in_words(tmp_path: Path) -> None:
    zipfile.ZipFile(tmp_path / "a.zip", "w").close()
    tar_of(tmp_path / "b.tar.gz", {}, {})
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as made:
        made.writestr(NAME, PLAN)
    whole = (tmp_path / "c.zip").read_bytes()
    (tmp_path / "c.zip").write_bytes(whole[:-30])
    (tmp_path / "d.zip").write_bytes(whole.replace(b"\x14\0\0\0", b"\x14\0\1\0"))  # the flag of encryption
    words = (*["it is an archive without files"] * 2, "its end is missing", "not read: it is encrypted\n")
    for path, why in zip(sorted(tmp_path.iterdir()), words, strict=True):
        try:
            said = "".join(f"{problem.message}\n" for problem in discover([path]).problems)
        except UnreadableInput as error:
            said = f"{error}\n"
        assert why in said


def test_archives_in_a_folder_are_named_once(dumps: Path) -> None:
    for name in ("a.zip", "b.tar.gz", "cpu-tiny/c.tgz"):
        (dumps / name).write_bytes(b"")
    (problem,) = discover([dumps]).problems
    assert (problem.severity, "here 3; give the path of one" in problem.message) == ("note", True)
