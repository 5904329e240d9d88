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
from tests.support.folders import filled
from tests.support.guards import posix_only
from tests.support.site import tree

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


STEM = NAME.removesuffix("-buffer-assignment.txt")
ADD, COMPARE = f"history add report.json {' '.join(BUILT)}", "compare before after"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (f"{ADD} --history report.json", "--history"),
        (f"{ADD} --history ./before/../report.json", "--history"),
        (f"history add before/{NAME} {' '.join(BUILT)} --history before/{NAME}", "--history"),
        (f"{ADD} --history b.toml --budgets b.toml", "--history"),
        (f"{ADD} --history pyproject.toml", "--history"),
        (f"history add before {' '.join(BUILT)} -o before --force", "-o"),
        (f"history find {BUILT[1]} --history h.jsonl -o h.jsonl", "-o"),
        (f"{COMPARE} --json reportgen.toml", "--json"),
        (f"{COMPARE} --json pyproject.toml", "--json"),
        (f"{COMPARE} --markdown after/README.md", "--markdown"),
        (f"{COMPARE} --markdown after/{STEM}.md", "--markdown"),
        (f"{COMPARE} --markdown after/other.ll", "--markdown"),
        (f"{COMPARE} --json x --markdown ./x", "--markdown"),
        ("compare site/report.json after -o site", "it has what is read"),
        ("compare before site/report.json -o site", "it has what is read"),
        (f"{COMPARE} -o . --force", "-o"),
        (f"run --dumps site/dumps -o site -- {sys.executable} -c open('ran','w')", "--dumps"),
    ],
)
def test_what_would_replace_what_is_read_changes_nothing(run: Run, tmp_path: Path, command: str, words: str) -> None:
    mine = ("b.toml", "pyproject.toml", "reportgen.toml", "after/README.md", f"after/{STEM}.md", "after/other.ll")
    run("history", "add", "before", *BUILT, "--history", "h.jsonl")
    run("build", "before", "-o", "site")
    filled(Path(), dict.fromkeys(mine, ""))
    before = tree(tmp_path)
    ran = run(*command.split())
    assert (ran.code, words in ran.err) == (2, True), ran.err
    assert tree(tmp_path) == before


@pytest.mark.parametrize("dump", ["after", f"after/{NAME}"])
def test_what_an_earlier_command_left_there_may_be_replaced(run: Run, dump: str) -> None:
    for _ in range(2):
        assert run("compare", "before", dump, "--json", "after/c.json", "--markdown", "after/c.md").code == 0
        assert run("build", dump, "--single-file", "after/r.html").code == 0
    Path("after/mine.html").write_text("<!DOCTYPE html>mine", encoding="utf-8")
    assert run("build", "after", "--single-file", "after/mine.html").code == 2


@pytest.mark.parametrize("content", ["buy milk\n", "{}\n", "[1]\n\n3\n", '{"schema":2}\n', "\0\n"])
def test_a_file_without_one_line_of_a_history_is_no_history(run: Run, tmp_path: Path, content: str) -> None:
    Path("notes.txt").write_text(content, encoding="utf-8")
    before = tree(tmp_path)
    for command in (["add", "report.json", *BUILT, "-o", "site"], ["find", BUILT[1]]):
        ran = run("history", *command, "--history", "notes.txt")
        assert (ran.code, "notes.txt: it is no history" in ran.err) == (2, True), ran.err
    assert tree(tmp_path) == before
    Path("empty").write_text("", encoding="utf-8")
    assert run("history", "add", "report.json", *BUILT, "--history", "empty").code == 0


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
