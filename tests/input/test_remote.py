"""Dumps at URLs are found and read like those on a disk, in few requests, and every failure is explained."""

import gzip
import lzma
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from reportgen.build import build
from reportgen.check import check
from reportgen.cli import main
from reportgen.errors import UnreadableInput
from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_note
from reportgen.input.reading import load_text
from reportgen.input.remote import AnyPath, RemotePath, is_url, located
from reportgen.options import BuildOptions
from tests.support.file_systems import Counted, register
from tests.support.folders import filled, framed, labels, severities
from tests.support.site import SAMPLES, tree

STEM = "module_0001.jit_f.cpu_after_optimizations"
ALLOCATIONS = f"{STEM}-buffer-assignment.txt"
VALUES = f"{STEM}-buffer-assignment-values.txt"
TEXT = b"BufferAssignment:\nallocation 0: size 4\n"


@pytest.fixture(autouse=True)
def _stores() -> None:
    register()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make dumps of every form with all that may lie beside them."""
    top = tmp_path_factory.mktemp("fleet") / "dumps"
    shutil.copytree(SAMPLES / "cpu-tiny", top / "host-0")
    tiny = next((top / "host-0").glob("*-buffer-assignment.txt"))
    stem = tiny.name.removesuffix("-buffer-assignment.txt")
    texts = list((top / "host-0").glob("*.txt"))
    files = {
        f"host-0/{stem}.md": b"# Notes of the tiny one\n",
        "README.md": b"# About the fleet\n",
        "host 2#%.log": b"noise\n" * 2000 + framed(tiny.name, tiny.read_text(encoding="utf-8")).encode(),
        "host-3/deep/seed.txt.xz": lzma.compress(tiny.read_bytes()),
        ".git/seed": TEXT,
        "host-3/.hidden-buffer-assignment.txt": TEXT,
        "host-3/orphan-live-range.txt": TEXT,
        "host-3/empty.txt": b"",
        "host-3/bad-buffer-assignment.txt.gz": b"\1\2\3",
    }
    return filled(top, files | {f"host-1/{path.name}.gz": gzip.compress(path.read_bytes(), mtime=0) for path in texts})


def site(paths: list[str], output: Path, jobs: int = 1) -> Mapping[str, bytes]:
    options = BuildOptions(paths=tuple(map(located, paths)), output=output, jobs=jobs)
    build(options, lambda *_: None)
    return tree(output)


def zipped(folder: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(folder.rglob("*")):
            file.write(path, path.relative_to(folder.parent).as_posix())
    return archive


# The same as on a disk


def test_a_url_gives_what_a_path_gives(local: Path, tmp_path: Path) -> None:
    Counted.fill(local, "dumps")
    remote, on_disk = discover([located("counted://dumps")]), discover([local])
    assert labels(remote) == labels(on_disk)
    assert len(labels(on_disk)) == 4
    assert remote.problems == on_disk.problems
    assert site(["counted://dumps/"], tmp_path / "a") == site([str(local)], tmp_path / "b")


@pytest.mark.parametrize("url", ["zip://dumps::file://{folder}/dumps.zip", "local://{folder}", "file://{folder}"])
def test_other_processes_read_from_a_url_too(local: Path, tmp_path: Path, url: str) -> None:
    zipped(local, tmp_path / "dumps.zip")
    folder = local if url.endswith("{folder}") else tmp_path
    assert site([url.format(folder=folder)], tmp_path / "a", jobs=2) == site([str(local)], tmp_path / "b")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_process_that_was_forked_opens_an_archive_for_itself(local: Path, tmp_path: Path) -> None:
    """It would share the place in the open file, and each would read what the other has looked for."""
    zipped(local, tmp_path / "dumps.zip")
    top = located(f"zip://::file://{tmp_path / 'dumps.zip'}")
    with ProcessPoolExecutor(1, get_context("fork")) as workers:
        mark_file_system(top)
        assert not workers.submit(is_marked, top).result()
    assert is_marked(top)


def mark_file_system(path: AnyPath) -> None:
    assert isinstance(path, RemotePath)
    vars(path.identity[0])["is_marked"] = True


def is_marked(path: AnyPath) -> bool:
    assert isinstance(path, RemotePath)
    return "is_marked" in vars(path.identity[0])


@pytest.mark.parametrize("name", [ALLOCATIONS, VALUES, "seed.txt", "run.log"])
def test_one_file_at_a_url(name: str) -> None:
    files = Counted()
    for part in (ALLOCATIONS, VALUES, "seed.txt"):
        files.pipe_file(f"/d/{part}", TEXT)
    files.pipe_file("/d/run.log", b"*** Begin %s ***\n%s" % (ALLOCATIONS.encode(), TEXT))
    for notes in (f"{STEM}.md", "seed.md"):
        files.pipe_file(f"/d/{notes}", b"notes")
    found = discover([located(f"counted://d/{name}")])
    assert labels(found) == [ALLOCATIONS if name == VALUES else name]
    assert load_text(found.dumps[0])[0].contains(b"allocation 0")
    assert read_note(found.dumps[0].notes) == "notes"


def test_urls_that_lead_to_one_file_give_one_dump(tmp_path: Path) -> None:
    Counted().pipe_file(f"/d/run/{ALLOCATIONS}", TEXT)
    assert labels(discover([located("counted://d"), located("counted://d/run")])) == [f"run/{ALLOCATIONS}"]


def test_urls_and_paths_with_equal_labels_get_prefixes(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / ALLOCATIONS).write_bytes(TEXT)
    Counted().pipe_file(f"/bucket/{ALLOCATIONS}", TEXT)
    found = discover([tmp_path / "disk", located("counted://bucket")])
    assert labels(found) == [f"bucket/{ALLOCATIONS}", f"disk/{ALLOCATIONS}"]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("gs://bucket/dumps", True),
        ("zip://dumps::s3://bucket/all.zip", True),
        ("simplecache::memory://d", True),
        ("dumps", False),
        ("C:\\dumps", False),
        ("host::1/dumps", False),
    ],
)
def test_what_a_url_is(text: str, is_one: bool) -> None:
    assert is_url(text) == is_one


def test_a_file_url_is_a_path_with_all_its_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a b#%20?"
    assert located(folder.as_uri()) == folder


# Cost


def test_ten_thousand_files_are_listed_and_sampled_in_few_requests() -> None:
    files = Counted()
    for number in range(10_000):
        name = f"module_{number:04}.f.cpu_after_optimizations"
        text = b"BufferAssignment:\n" if number % 2 else b"HloModule\n"
        suffix = "-buffer-assignment.txt" if number % 2 else ".txt"
        files.pipe_file(f"/d/{number % 500}/{name}{suffix}", text + b"x" * 20_000)
    files.pipe_file("/d/0/weights.npy", bytes(20_000))
    Counted.requests.clear()
    assert len(labels(discover([located("counted://d")]))) == 5_000
    assert Counted.requests["open"] == 0
    assert Counted.requests["cat_ranges"] == 10
    assert Counted.requests["info"] == 2  # the folder, and its README.md
    assert Counted.requests["ls"] == 501
    assert set(Counted.fetched.values()) == {4096}


def test_only_the_beginning_of_compressed_dumps_is_fetched() -> None:
    text = TEXT + bytes(range(32, 127)) * 5_000
    for name in (f"{ALLOCATIONS}.gz", "seed.txt.gz"):
        Counted().pipe_file(f"/d/{name}", gzip.compress(text, compresslevel=0))
    Counted().pipe_file("/d/other.xz", lzma.compress(text))
    Counted.requests.clear()
    found = discover([located("counted://d")])
    assert labels(found) == [f"{ALLOCATIONS}.gz", "other.xz", "seed.txt.gz"]
    assert Counted.requests["open"] == 0
    assert [load_text(dump)[0].parts[0].data for dump in found.dumps] == [text] * 3


# Failures


def test_a_connection_lost_in_a_file_leaves_its_beginning_and_the_other_dumps(tmp_path: Path) -> None:
    whole = (SAMPLES / "cpu-tiny").glob("*-buffer-assignment.txt")
    text = next(whole).read_bytes()
    for name in ("a", "b", "c"):
        Counted().pipe_file(f"/d/{name}-buffer-assignment.txt", text)
    Counted.breaks_at.update({"b-buffer-assignment.txt": 300, "c-buffer-assignment.txt": 0})
    report = check(discover([located("counted://d")]), 1, lambda *_: None)
    assert [entry.label for entry in report.summaries] == ["a-buffer-assignment.txt", "b-buffer-assignment.txt"]
    assert severities(report.problems) == [
        ("warning", "b-buffer-assignment.txt"),
        ("error", "c-buffer-assignment.txt"),
    ]
    assert all("RuntimeError: the connection was lost" in problem.message for problem in report.problems)
    assert "the first 300 bytes are used" in report.problems[0].message


def test_a_part_that_may_not_be_read_is_reported() -> None:
    for name in (ALLOCATIONS, VALUES, "secret-buffer-assignment.txt", "secret.txt"):
        Counted().pipe_file(f"/d/{name}", TEXT)
    for name in (VALUES, "secret-buffer-assignment.txt", "secret.txt"):
        Counted.refused[name] = PermissionError("Access Denied")
    found = discover([located("counted://d")])
    assert [[part.label for part in dump.parts] for dump in found.dumps] == [[ALLOCATIONS]]
    assert severities(found.problems) == [
        ("error", VALUES),
        ("error", "secret-buffer-assignment.txt"),
        ("warning", "secret.txt"),
    ]
    assert "permission denied (Access Denied)" in found.problems[0].message


def test_a_folder_that_may_not_be_listed_is_reported() -> None:
    Counted().pipe_file(f"/d/{ALLOCATIONS}", TEXT)
    Counted().pipe_file(f"/d/secret/{ALLOCATIONS}", TEXT)
    Counted.refused["secret"] = PermissionError("Access Denied")
    found = discover([located("counted://d")])
    assert severities(found.problems) == [("warning", "secret/")]
    assert labels(found) == [ALLOCATIONS]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError("The specified bucket does not exist"), "bucket does not exist"),
        (PermissionError("Access Denied"), "permission denied"),
        (TimeoutError(), "TimeoutError"),
        (RuntimeError("no credentials"), "no credentials"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_unreachable_url_is_named(error: Exception, words: str) -> None:
    Counted.refused["bucket"] = error
    with pytest.raises(UnreadableInput, match=rf"^counted://bucket: it cannot be read: .*{words}"):
        discover([located("counted://bucket")])


def test_a_remote_folder_without_dumps_is_named() -> None:
    Counted().pipe_file("/d/other.txt", b"other")
    assert discover([located("counted://d")]).why_none.startswith("counted://d: no dump found")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nope://bucket", "Protocol not known: nope"),
        ("memory://no/such/folder", "there is no such file, folder or bucket"),
        ("zip://x::file:///no/such/archive.zip", "No such file or directory"),
    ],
)
def test_a_url_that_cannot_be_opened_is_reported_in_one_line(
    url: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", url]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"reportgen: error: {url}: ")
    assert words in told
    assert told.count("\n") == 1


WITHOUT_A_PACKAGE = """
import sys
sys.modules[sys.argv[1]] = None  # as if it were not installed
from reportgen.cli import main
sys.exit(main(["check", sys.argv[2]]))
"""


@pytest.mark.parametrize(
    ("package", "url", "words"),
    [
        ("fsspec", "gs://bucket/dumps", "a URL needs fsspec: pip install 'xla-reportgen[remote]'"),
        ("gcsfs", "gs://bucket/dumps", "Please install gcsfs"),
    ],
)
def test_a_missing_package_is_named(package: str, url: str, words: str) -> None:
    command = [sys.executable, "-c", WITHOUT_A_PACKAGE, package, url]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"reportgen: error: {url}: ")
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_site_is_not_built_at_a_url(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["build", "dumps", "-o", "gs://bucket/site"])
    assert "not at a URL" in capsys.readouterr().err


def test_a_url_cannot_be_watched_and_its_password_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "memory://alice:secret@d"]) == 1
    assert capsys.readouterr().err == "reportgen: error: memory://d: dumps at a URL can be built, but not watched\n"


def test_a_local_path_imports_no_fsspec() -> None:
    program = (
        "import sys; from reportgen.cli import main; main(['check', '--jobs=1', sys.argv[1]]);"
        " sys.exit('fsspec' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(SAMPLES / "cpu-tiny")]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_no_message_and_no_label_shows_a_password() -> None:
    path = RemotePath("ftp://alice:secret@host/dumps", "dumps")
    assert str(path) == "ftp://host/dumps"
    with pytest.raises(UnreadableInput) as raised:
        located("nosuchprotocol://alice:secret@host/dumps")
    assert "secret" not in str(raised.value)
