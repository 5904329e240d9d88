"""Texts as other systems write them: a dump says the same with any line ends, and in UTF-16."""

import shutil
from codecs import BOM_UTF16_BE
from collections.abc import Callable
from pathlib import Path

import pytest

from reportgen.input.line_ends import lines_of, with_newlines
from reportgen.input.reading import read_text
from tests.support.commands import Run
from tests.support.folders import filled, framed
from tests.support.memory import peak_bytes
from tests.support.samples import ROOT, SAMPLES
from tests.support.site import tree

WINDOWS, TWICE, MAC = b"\r\n", b"\r\r\n", b"\r"
FOLDERS = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir() and any(path.glob("*assignment.txt")))


def mixed(data: bytes) -> bytes:
    """Return a text with all kinds in turn, but none that means another together with an empty line after it."""
    ends, lines = (b"\n", WINDOWS, MAC), [*data.removesuffix(b"\n").split(b"\n"), b"last"]
    after = [ends[number % (3 if line else 2)] for number, line in enumerate(lines[1:])]
    return b"".join(map(bytes.__add__, lines, after))


def ended(end: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(b"\n", end)


def powershell(data: bytes) -> bytes:
    return data.replace(b"\n", WINDOWS).decode().encode("utf-16")


def big_endian(data: bytes) -> bytes:
    return BOM_UTF16_BE + data.decode().encode("utf-16-be")


ENDS = {
    "windows": ended(WINDOWS),
    "twice": ended(TWICE),
    "mac": ended(MAC),
    "mixed": mixed,
    "powershell": powershell,
    "big-endian": big_endian,
}


def copied(sample: str, folder: Path, change: Callable[[bytes], bytes]) -> Path:
    shutil.copytree(SAMPLES / sample, folder)
    for path in [*folder.glob("*.txt"), *folder.glob("*.md"), *folder.glob("*.debug_options")]:
        path.write_bytes(change(path.read_bytes()))
    return folder


@pytest.mark.parametrize("redaction", [[], ["--redact-names"]], ids=["", "redacted"])
@pytest.mark.parametrize("sample", FOLDERS)
def test_the_report_does_not_depend_on_line_ends(sample: str, redaction: list[str], tmp_path: Path, run: Run) -> None:
    same = run("check", "--json", *redaction, copied(sample, tmp_path / "same" / "dump", bytes))
    for ends, change in ENDS.items():
        assert run("check", "--json", *redaction, copied(sample, tmp_path / ends / "dump", change)) == same, ends


@pytest.mark.parametrize("sample", ["cpu-tiny", "tpu-train-step"])
def test_the_site_does_not_depend_on_line_ends(sample: str, tmp_path: Path, run: Run) -> None:
    for name, change in ("a", bytes), ("b", ENDS["windows"]):
        dump, site = copied(sample, tmp_path / name / "dump", change), tmp_path / name / "site"
        assert run("build", dump, "-o", site, "--jobs", 1).code == 0
    assert run("compare", tmp_path / "a" / "dump", tmp_path / "b" / "dump", "--max-growth", "0%").code == 0
    assert tree(tmp_path / "a" / "site") == tree(tmp_path / "b" / "site")


def test_logs_are_read_with_any_line_ends(tmp_path: Path, run: Run) -> None:
    names = sorted((SAMPLES / "cpu-tiny").glob("*.txt"))
    log = "".join(framed(path.name, path.read_text(encoding="utf-8")) for path in names).encode()
    same = run("check", "--json", filled(tmp_path / "same", {"run.log": log}))
    for ends, change in ENDS.items():
        assert run("check", "--json", filled(tmp_path / ends, {"run.log": change(log)})) == same, ends


@pytest.mark.parametrize("before", [0, 3 << 20], ids=["short", "long"])
@pytest.mark.parametrize("ends", ["powershell", "big-endian"])
def test_errors_in_utf_16_are_read(before: int, ends: str, tmp_path: Path, run: Run) -> None:
    error = (ROOT / "tests" / "oom" / "texts" / "33-gpu-made-early-and-request.txt").read_bytes()
    for name, change in ("a", bytes), ("b", ENDS[ends]):
        copied("cpu-tiny", tmp_path / name, bytes)
        (tmp_path / name / "train.log").write_bytes(change(b"step\n" * (before // 5) + error))
    shown = run("check", tmp_path / "a")
    assert "train.log" in shown.out
    assert run("check", tmp_path / "b") == shown


def test_half_a_letter_of_utf_16_at_the_end_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("é\n".encode("utf-16") + b"x")
    assert read_text(tmp_path / "a") == ("é\n".encode(), None)


def test_each_line_ends_with_a_newline() -> None:
    assert with_newlines(b"a\r\r\nb\rc\n\r\nd\r") == b"a\nb\nc\n\nd\n"


@pytest.mark.parametrize("ends", [WINDOWS, TWICE, MAC])
def test_lines_of_windows_take_no_more_memory(ends: bytes) -> None:
    assert peak_bytes(lambda: with_newlines(ends * 300_000)) < 8 * len(ends) * 300_000


def test_a_form_feed_ends_no_line() -> None:
    assert lines_of("a\x0cb\n\x85c\n") == ["a\x0cb", "\x85c"]
    assert lines_of("") == []
