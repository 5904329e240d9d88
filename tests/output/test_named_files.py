"""The files that a user names: replaced whole or left, written to a stream, and never what the command reads."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from reportgen.errors import OptionError, OutputRefused
from reportgen.output.named_files import confirm_apart, confirm_outside, is_stdout, write_file
from tests.compare.texts import NAME
from tests.support.builds import BUILT
from tests.support.commands import Run
from tests.support.guards import posix_only

pytestmark = pytest.mark.usefixtures("two_builds")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder."""
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


# Replaced whole


def test_a_file_is_written_and_replaced_with_its_permissions(folder: Path) -> None:
    target = folder / "x"
    for content in (b"one", b"2"):
        write_file(target, content)
        assert target.read_bytes() == content
        target.chmod(0o640)
    assert (list(folder.iterdir()), target.stat().st_mode & 0o777) == ([target], 0o640)


def test_a_name_may_be_as_long_as_any(folder: Path) -> None:
    write_file(folder / ("x" * 255), b"x")
    assert [len(path.name) for path in folder.iterdir()] == [255]


@pytest.mark.parametrize("call", ["write", "replace"])
def test_what_fails_leaves_the_earlier_file_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    target = folder / "report.html"
    target.write_bytes(b"the last good one")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if call == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(Path, "chmod", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises((OutputRefused, KeyboardInterrupt)):
        write_file(target, b"x" * 100_000)
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("report.html", b"the last good one")]


@posix_only
def test_a_link_is_followed(folder: Path) -> None:
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("folder/file")
    for content in (b"one", b"two"):
        write_file(folder / "link", content)
        assert (folder / "link").is_symlink()
        assert (folder / "folder" / "file").read_bytes() == content


@pytest.mark.parametrize("target", ["folder", "missing/file"])
def test_what_cannot_be_written_is_refused(folder: Path, target: str) -> None:
    (folder / "folder").mkdir()
    with pytest.raises(OutputRefused, match="cannot be written"):
        write_file(folder / target, b"x")
    assert [path.name for path in folder.rglob("*")] == ["folder"]


COMMANDS = {
    "compare --json": ["compare", "before", "after", "--json", "FILE"],
    "compare --markdown": ["compare", "before", "after", "--markdown", "FILE"],
    "single file": ["build", "after", "--single-file", "FILE.html"],
    "history add": ["history", "add", "after", *BUILT, "--history", "FILE"],
    "history find": ["history", "find", "0" * 40, "--history", "h.jsonl", "-o", "FILE"],
}


@posix_only
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_leaves_the_last_good_file(run: Run, tmp_path: Path, name: str) -> None:
    history = "h.jsonl"
    begun = ("--commit", "0" * 40, "--time", "2026-01-01T00:00:00Z", "--history", history)
    assert run("history", "add", "before", *begun).code == 0
    arguments = [one.replace("FILE", "target") for one in COMMANDS[name]]
    target = Path(next(one for one in arguments if one.startswith("target")))
    target.write_bytes(Path(history).read_bytes())
    before = {path.name for path in tmp_path.iterdir()}
    limited = f"ulimit -f 0; exec {sys.executable} -m reportgen {' '.join(arguments)} 2> /dev/null | cat"
    subprocess.run(["bash", "-c", f"set -o pipefail; trap '' XFSZ; {limited}"], check=False, cwd=tmp_path)
    assert target.read_bytes() == Path(history).read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == before


# Streams


@posix_only
def test_a_pipe_gets_the_content(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"through a pipe")
    reader.join(10)
    assert (heard, pipe.is_fifo()) == ([b"through a pipe"], True)


@posix_only
@pytest.mark.parametrize("target", ["-", "/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize("redirected", ["| cat", "> out"])
def test_stdout_has_the_document_alone(run: Run, tmp_path: Path, target: str, redirected: str) -> None:
    run("compare", "before", "after", "--json", "expected.json")
    command = f"{sys.executable} -m reportgen compare before after --json {target} 2> told {redirected}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, check=True, cwd=tmp_path)
    assert (ran.stdout or Path("out").read_bytes()) == Path("expected.json").read_bytes()
    assert "1 module changed" in Path("told").read_text(encoding="utf-8")
    assert is_stdout(Path(target))


# Never what is read


@posix_only
@pytest.mark.parametrize("way", ["itself", "link", "hard link", "other spelling"])
@pytest.mark.parametrize("option", ["--json", "--markdown"])
@pytest.mark.parametrize("read", ["report.json", f"after/{NAME}", "b.toml"])
def test_no_file_is_replaced_that_is_read(run: Run, read: str, option: str, way: str) -> None:
    Path("b.toml").write_text("[[budget]]\nmax = '9 GiB'\n", encoding="utf-8")
    before = Path(read).read_bytes()
    target = {"itself": read, "other spelling": f"./after/../{read}"}.get(way, "another")
    if way == "link":
        Path(target).symlink_to(read)
    elif way == "hard link":
        Path(target).hardlink_to(read)
    # A hard link of a file in a directory is replaced, and the file stays.
    for after in (f"after/{NAME}",) if way == "hard link" else ("after", f"after/{NAME}"):
        ran = run("compare", "report.json", after, option, target, "--budgets", "b.toml")
        assert (ran.code, f"{option} " in ran.err, "it is what the command reads" in ran.err) == (2, True, True)
    assert Path(read).read_bytes() == before


def test_default_budgets_and_settings_are_read_too(run: Run) -> None:
    for name in ("reportgen.toml", "pyproject.toml"):
        Path(name).write_text("", encoding="utf-8")
        assert run("compare", "before", "after", "--json", name).code == 2


@pytest.mark.parametrize("name", ["README.md", f"{NAME.removesuffix('-buffer-assignment.txt')}.md", "other.ll"])
def test_no_file_of_a_directory_that_is_read_is_replaced(run: Run, name: str) -> None:
    (Path("after") / name).write_text("mine", encoding="utf-8")
    assert run("compare", "before", "after", "--markdown", f"after/{name}").code == 2
    assert (Path("after") / name).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("dump", ["after", f"after/{NAME}"])
def test_what_an_earlier_command_left_there_may_be_replaced(run: Run, dump: str) -> None:
    for _ in range(2):
        assert run("compare", "before", dump, "--json", "after/c.json", "--markdown", "after/c.md").code == 0
        assert run("build", dump, "--single-file", "after/r.html").code == 0
    Path("after/mine.html").write_text("<!DOCTYPE html>mine", encoding="utf-8")
    assert run("build", "after", "--single-file", "after/mine.html").code == 2


def test_two_outputs_are_two_files(run: Run) -> None:
    ran = run("compare", "before", "after", "--json", "x", "--markdown", "./x")
    assert (ran.code, Path("x").exists()) == (2, False)


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_site_replaces_no_side_of_its_comparison(run: Run, side: str) -> None:
    assert run("build", side, "-o", "site").code == 0
    sides = ["site/report.json" if one == side else one for one in ("before", "after")]
    ran = run("compare", *sides, "-o", "site")
    assert (ran.code, "it has what is read" in ran.err, Path("site/report.json").exists()) == (2, True, True)
    assert run("compare", "before", "after", "-o", ".", "--force").code == 2


@pytest.mark.parametrize(
    "add",
    [
        ["report.json", "--history", "report.json"],
        ["report.json", "--history", "./before/../report.json"],
        [f"before/{NAME}", "--history", f"before/{NAME}"],
        ["report.json", "--history", "b.toml", "--budgets", "b.toml"],
        ["report.json", "--history", "pyproject.toml"],
        ["before", "-o", "before", "--force"],
    ],
    ids=" ".join,
)
def test_a_history_is_none_of_the_files_that_are_read(run: Run, tmp_path: Path, add: list[str]) -> None:
    for name in ("b.toml", "pyproject.toml"):
        Path(name).write_text("", encoding="utf-8")
    before = _contents(tmp_path)
    assert run("history", "add", add[0], *BUILT, *add[1:]).code == 2
    assert _contents(tmp_path) == before


def test_a_history_is_not_replaced_by_the_baseline_that_is_found_in_it(run: Run, tmp_path: Path) -> None:
    run("history", "add", "before", *BUILT, "--history", "h.jsonl")
    before = _contents(tmp_path)
    assert run("history", "find", BUILT[1], "--history", "h.jsonl", "-o", "h.jsonl").code == 2
    assert _contents(tmp_path) == before


@pytest.mark.parametrize("content", ["buy milk\n", "{}\n", "[1]\n\n3\n", '{"schema":2}\n', "\0\n"])
def test_a_file_without_one_line_of_a_history_is_no_history(run: Run, tmp_path: Path, content: str) -> None:
    Path("notes.txt").write_text(content, encoding="utf-8")
    before = _contents(tmp_path)
    for command in (["add", "report.json", *BUILT, "-o", "site"], ["find", BUILT[1]]):
        ran = run("history", *command, "--history", "notes.txt")
        assert (ran.code, "notes.txt: it is no history" in ran.err) == (2, True), ran.err
    assert _contents(tmp_path) == before
    Path("empty").write_text("", encoding="utf-8")
    assert run("history", "add", "report.json", *BUILT, "--history", "empty").code == 0


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_dumps_are_not_kept_in_the_site_of_a_run(run: Run) -> None:
    ran = run("run", "--dumps", "site/dumps", "-o", "site", "--", sys.executable, "-c", "open('ran', 'w')")
    assert (ran.code, Path("ran").exists()) == (2, False)


def test_a_path_that_does_not_exist_yet_is_compared_by_its_name(tmp_path: Path) -> None:
    confirm: list[Callable[[], None]] = [
        lambda: confirm_apart({"--json": tmp_path / "a" / ".." / "new", "--markdown": tmp_path / "new"}, ()),
        lambda: confirm_outside(tmp_path / "x" / "..", [tmp_path]),
    ]
    for one in confirm:
        with pytest.raises(OptionError):
            one()
    confirm_apart({"--json": tmp_path / "new", "--markdown": None}, [None, tmp_path])
    confirm_outside(None, [tmp_path])
