"""Of two builds into one directory the second is refused, and neither leaves a lock."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reportgen.errors import OutputRefused
from reportgen.output import lock as locking
from reportgen.output.lock import LOCK, locked
from reportgen.output.writer import MANIFEST, SiteDirectory
from tests.support.guards import PATIENCE
from tests.support.site import SAMPLES, build_site, tree

_HOLDER = """
import sys
from pathlib import Path
from reportgen.output.lock import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "PATIENCE_SECONDS", 0)


@contextmanager
def another_process(directory: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process that holds the lock until it is ended."""
    command = [sys.executable, "-c", _HOLDER, str(directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"locked"
        yield process
        process.kill()


def test_a_second_build_is_refused_and_names_the_first(tmp_path: Path) -> None:
    with another_process(tmp_path) as process:
        with pytest.raises(OutputRefused, match=rf"another reportgen \(process {process.pid}\) is writing into .*wait"):
            build_site(SAMPLES / "cpu-tiny", tmp_path)
        assert set(tree(tmp_path)) == {LOCK}


def test_the_message_reaches_the_terminal_without_a_traceback(tmp_path: Path) -> None:
    with another_process(tmp_path):
        command = [sys.executable, "-m", "reportgen", "build", str(SAMPLES / "cpu-tiny"), "-o", str(tmp_path)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("reportgen: error: another reportgen (process ")
    assert len(ran.stderr.splitlines()) == 1


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with another_process(tmp_path) as process:
        process.kill()
        process.wait()
    assert (tmp_path / LOCK).exists()
    build_site(SAMPLES / "cpu-tiny", tmp_path / "clean")
    (tmp_path / "clean").rename(tmp_path.with_name("clean"))
    build_site(SAMPLES / "cpu-tiny", tmp_path)
    assert tree(tmp_path) == tree(tmp_path.with_name("clean"))


def test_a_waiting_build_continues_when_the_lock_is_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "PATIENCE_SECONDS", PATIENCE)
    with another_process(tmp_path) as process:
        monkeypatch.setattr("time.sleep", lambda seconds: process.kill())
        with locked(tmp_path):
            assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
    assert not (tmp_path / LOCK).exists()


def test_a_lock_on_a_removed_file_is_acquired_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last holder removes the file while the next one waits for it: its lock would be on no file at all."""
    try_lock = getattr(locking, "_try_lock")  # noqa: B009
    removed: list[bool] = []

    def slow(file: int) -> bool:
        if not removed:
            (tmp_path / LOCK).unlink()
        removed.append(True)
        return bool(try_lock(file))

    monkeypatch.setattr(locking, "_try_lock", slow)
    with locked(tmp_path):
        assert len(removed) == 2
        with pytest.raises(OutputRefused, match="another reportgen"), locked(tmp_path):
            pass


@pytest.mark.skipif(sys.platform == "win32", reason="locks of another kind")
@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_written_anyway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(file: int, operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", refuse)
    build_site(SAMPLES / "cpu-tiny", tmp_path / "site")
    assert not (tmp_path / "site" / LOCK).exists()


def test_a_directory_of_other_origin_is_refused_untouched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.open", None)
    (tmp_path / "thesis.txt").write_bytes(b"mine")
    with pytest.raises(OutputRefused, match="was not made by reportgen"), SiteDirectory.opened(tmp_path):
        pass
    assert set(tree(tmp_path)) == {"thesis.txt"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_link_or_a_pipe_in_place_of_the_lock_is_replaced(tmp_path: Path, kind: str) -> None:
    (tmp_path / "mine.txt").write_bytes(b"mine")
    (tmp_path / "site").mkdir()
    lock = tmp_path / "site" / LOCK
    lock.symlink_to(tmp_path / "mine.txt") if kind == "link" else os.mkfifo(lock)
    with SiteDirectory.opened(tmp_path / "site"):
        assert lock.is_file()
        assert not lock.is_symlink()
    assert (tmp_path / "mine.txt").read_bytes() == b"mine"


def test_leftovers_of_a_killed_first_build_are_accepted(tmp_path: Path) -> None:
    for name in (LOCK, f".{MANIFEST}.unfinished"):
        (tmp_path / name).write_bytes(b"")
    build_site(SAMPLES / "cpu-tiny", tmp_path)
    assert set(tree(tmp_path)) & {LOCK, f".{MANIFEST}.unfinished"} == set()
