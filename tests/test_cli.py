"""The command line: what it prints where, its exit codes, and that no input makes it fail with a traceback."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import reportgen
import reportgen.input.reading
from reportgen.dump_pages import module_of
from reportgen.pipeline import DumpReading
from tests.support.commands import Ran, Run
from tests.support.samples import SAMPLE_FOLDERS
from tests.support.site import ROOT, SAMPLES, link_problems, read_pages, tree

TINY = SAMPLES / "cpu-tiny"
NAME = next(path.name for path in TINY.glob("*-buffer-assignment.txt"))
ALLOCATIONS = (TINY / NAME).read_text(encoding="utf-8")
PAIRS = ROOT / "tests" / "advice" / "pairs"
ONE_FILE = next((SAMPLES / "cpu-train-step").glob("*-buffer-assignment.txt"))

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs signals, or names that Windows does not have")


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Return a copy of a small dump, for tests that add files to it."""
    return shutil.copytree(TINY, tmp_path / "dumps")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "site"


def process(*arguments: object, **environment: str) -> Ran:
    command = [sys.executable, "-m", "reportgen", *map(str, arguments)]
    ran = subprocess.run(command, env=os.environ | environment, capture_output=True, check=False)
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# Usage


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["check"],
        ["build"],
        ["build", "dumps", "--jobs", "0"],
        ["build", "dumps", "--jobs", "two"],
        ["build", "dumps", "--outp", "site"],
        ["check", "dumps", "--output", "site"],
        ["build", ""],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_reported_on_stderr_with_exit_code_2(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("usage: reportgen")
    assert "error: " in ran.err


def test_help_says_how_to_get_dumps_and_lists_exit_codes(run: Run) -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    assert "--xla_dump_to=" in ran.out
    assert "130" in ran.out
    assert "141" in ran.out
    assert run("help") == ran


@pytest.mark.parametrize("arguments", [[], ["help"]], ids=str)
def test_without_a_command_an_example_is_printed(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert "reportgen build dumps -o site\n" in ran.out + ran.err


def test_the_version_is_one_line(run: Run) -> None:
    assert run("--version") == (0, f"reportgen {reportgen.__version__}\n", "")


# Input


def test_a_sound_dump_is_fine(run: Run) -> None:
    ran = run("check", TINY)
    assert ran.code == 0
    assert re.fullmatch(rf"{re.escape(NAME)}: cpu, .*917,504 bytes.*\n", ran.out)
    assert ran.err == f"1/1 {NAME}\n"


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_missing_path_is_named(run: Run, tmp_path: Path, output: Path, command: str) -> None:
    ran = run(command, tmp_path / "nowhere", *(["-o", output] if command == "build" else []))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"reportgen: error: {(tmp_path / 'nowhere').as_posix()}: ")
    assert not output.exists()


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_dump_that_is_too_large_is_skipped_and_the_others_are_not(
    run: Run, dumps: Path, output: Path, command: str
) -> None:
    write_text(dumps / "large-buffer-assignment.txt", ALLOCATIONS * 4)
    options = ["--max-dump-bytes", 2 * len(ALLOCATIONS), *(["-o", output] if command == "build" else [])]
    ran = run(command, dumps, "--jobs", 1, *options)
    assert ran.code == 1
    assert "error: large-buffer-assignment.txt: it has more than 1,054 bytes; --max-dump-bytes N allows more" in ran.err
    assert NAME in ran.out or (output / "index.html").exists()


def test_a_log_that_is_too_large_is_reported(run: Run, tmp_path: Path) -> None:
    log = f"*** Begin {NAME} ***\n{ALLOCATIONS}\n*** End {NAME} ***\n"
    ran = run("check", write_text(tmp_path / "job.log", log), "--max-dump-bytes", 100)
    assert (ran.code, ran.out) == (1, "")
    assert "it has more than 100 bytes" in ran.err


def test_ten_thousand_other_files_are_ignored_and_hide_no_dump(run: Run, tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"{number}.txt").write_bytes(b"nothing\n")
    ran = run("check", tmp_path)
    assert (ran.code, ran.out, "--xla_dump_to=" in ran.err) == (1, "", True)
    write_text(tmp_path / NAME, ALLOCATIONS)
    ran = run("check", tmp_path)
    assert (ran.code, ran.err) == (0, f"1/1 {NAME}\n")


def damaged_texts() -> dict[str, str]:
    text = ONE_FILE.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    return {
        "empty": "",
        "first line only": "BufferAssignment:\n",
        "first half": text[: len(text) // 2],
        "a fifth": text[: len(text) // 5],
        "second half": text[len(text) // 2 :],
        "backwards": "".join(reversed(lines)),
        "twice": text + text,
        "every third line missing": "".join(line for number, line in enumerate(lines) if number % 3),
        "lines cut": "".join(line[: 5 + number % 40] + "\n" for number, line in enumerate(lines)),
        "no numbers": re.sub(r"\d", "x", text),
        "huge numbers": re.sub(r"\d+", "99999999999999999999999", text),
        "negative numbers": re.sub(r"(?<==)\d+", "-1", text),
        "zeros": re.sub(r"(?<=[ =])\d+", "0", text),
        "no brackets": re.sub(r"[\[\]{}()<>]", "", text),
        "NUL bytes": text.replace("\n", "\n\0"),
        "carriage returns": text.replace("\n", "\r\n"),
    }


@pytest.mark.parametrize("damage", damaged_texts())
def test_a_damaged_dump_gives_a_site_that_is_sound(run: Run, tmp_path: Path, output: Path, damage: str) -> None:
    write_text(tmp_path / "dumps" / NAME, damaged_texts()[damage])
    ran = run("build", tmp_path / "dumps", "-o", output)
    assert "failed" not in ran.err
    assert ran.code == 0
    pages = read_pages(output)
    assert link_problems(pages, frozenset(tree(output))) == []
    assert [path for path, page in pages.items() if len(page.ids) != len(set(page.ids))] == []


def test_truncated_compression_is_a_warning(run: Run, tmp_path: Path) -> None:
    whole = gzip.compress(ONE_FILE.read_bytes())
    (tmp_path / f"{NAME}.gz").write_bytes(whole[: len(whole) // 2])
    ran = run("check", tmp_path)
    assert ran.code == 0
    assert re.search(rf"^warning: {re.escape(NAME)}\.gz: its compressed data stops", ran.err, re.MULTILINE)
    assert run("check", "--strict", tmp_path).code == 1


def test_invalid_compression_is_an_error_and_the_rest_is_shown(run: Run, dumps: Path, output: Path) -> None:
    (dumps / f"other-{NAME}.gz").write_bytes(b"\1\2\3")
    ran = run("build", dumps, "-o", output)
    assert (ran.code, ran.out.partition(": ")[0]) == (1, "1 module")
    assert "its compressed data is damaged" in read_pages(output)["index.html"].text
    assert re.search(rf"^error: other-{re.escape(NAME)}\.gz: its compressed data is damaged", ran.err, re.MULTILINE)


def test_strict_fails_on_findings_that_are_more_than_notes(run: Run, dumps: Path) -> None:
    assert run("check", "--strict", SAMPLES / "cpu-odd-names").code == 0
    write_text(dumps / NAME, ALLOCATIONS.replace("size=262144", "size=262143"))
    ran = run("check", dumps)
    assert ran.code == 0
    assert re.search(rf"^  {re.escape(NAME)}:\d+:\d*:? ?(error|warning): .* \[[a-z-]+\]$", ran.out, re.MULTILINE)
    assert run("check", "--strict", dumps).code == 1


def test_a_defect_of_ours_in_one_dump_does_not_lose_the_others(
    run: Run, dumps: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(reading: DumpReading) -> Any:
        if reading.contents.files.label.startswith("other/"):
            raise ZeroDivisionError("a <defect>")
        return module_of(reading)

    monkeypatch.setattr("reportgen.dump_pages.module_of", failing)
    write_text(dumps / "other" / NAME, ONE_FILE.read_text(encoding="utf-8"))
    ran = run("build", dumps, "-o", output, "--jobs", 1)
    message = "reportgen failed on this dump, please report it: ZeroDivisionError: a <defect>"
    assert ran.code == 1
    assert f"error: other/{NAME}: {message}" in ran.err
    assert ran.out.startswith("1 module: ")
    assert message in read_pages(output)["index.html"].text


# Output


def test_the_figures_as_json_are_those_of_the_site(run: Run, output: Path) -> None:
    ran = run("check", "--json", "--jobs", 1, SAMPLES)
    run("build", SAMPLES, "--jobs", 1, "-o", output)
    assert ran.out.encode() == (output / "report.json").read_bytes()
    assert len(json.loads(ran.out)["modules"]) == len(SAMPLE_FOLDERS)


def test_the_number_of_processes_changes_nothing_on_stdout() -> None:
    one, two = (process("check", SAMPLES, "--jobs", jobs) for jobs in (1, 2))
    assert (one.code, one.out) == (two.code, two.out)
    assert sorted(line.partition(" ")[2] for line in one.err.splitlines()) == sorted(
        line.partition(" ")[2] for line in two.err.splitlines()
    )


def test_a_build_ends_with_the_path_and_a_link_to_click(run: Run, output: Path) -> None:
    ran = run("build", TINY, "-o", output)
    assert ran.code == 0
    result, files, shown, *places = ran.out.splitlines()
    assert result == "1 module: jit_tiny_matmul_gelu peaks at 896 KiB; no errors or warnings"
    assert re.fullmatch(r"\d+ files: \d+ written, 0 unchanged, 0 removed", files)
    assert shown.startswith("The site shows ")
    assert places == [str(output / "index.html"), (output / "index.html").as_uri()]
    assert " 0 written, " in run("build", TINY, "-o", output).out


def test_a_build_names_the_largest_module_and_counts_findings(run: Run, dumps: Path, output: Path) -> None:
    write_text(dumps / NAME, ALLOCATIONS.replace("size=262144", "size=262143"))
    write_text(dumps / "other" / NAME, ONE_FILE.read_text(encoding="utf-8"))
    out = run("build", dumps, "-o", output, "--jobs", 1).out
    assert re.match(
        r"2 modules: the largest, jit_\w+, (peaks at|needs) [\d.]+ \w+; (.*, )?1 module with (error|warning)s\n",
        out,
    )


def test_quiet_prints_nothing_but_errors(run: Run, dumps: Path, output: Path) -> None:
    assert run("build", TINY, "-o", output, "-q") == (0, "", "")
    (dumps / f"other-{NAME}.gz").write_bytes(b"\1\2\3")
    ran = run("build", dumps, "-o", output, "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"error: other-.*\n", ran.err)


def test_open_opens_the_page_of_a_single_module(run: Run, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run("build", TINY, "-o", output)
    run("build", TINY, "-o", output, "--open")
    assert opened == [index.as_uri() for index in output.glob("m/*/index.html")]


def test_open_opens_the_overview_of_several_modules(run: Run, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run("build", SAMPLES, "-o", output, "--open")
    assert opened == [(output / "index.html").as_uri()]


def test_a_title_is_text_on_every_page(run: Run, output: Path) -> None:
    title = "</title><script>alert('1')</script> & \"more\""
    assert run("build", TINY, "-o", output, "--title", title).code == 0
    for page in read_pages(output).values():
        assert title in page.text
        assert not page.inline_scripts


def test_a_foreign_directory_is_refused_without_force(run: Run, output: Path) -> None:
    write_text(output / "thesis.txt", "mine")
    refused = run("build", TINY, "-o", output)
    assert (refused.code, refused.out) == (1, "")
    assert "--force" in refused.err
    assert run("build", TINY, "-o", output, "--force").code == 0
    assert (output / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_a_site_inside_the_searched_directory_is_not_read_back(run: Run, dumps: Path) -> None:
    site = dumps / "site"
    run("build", dumps, "-o", site)
    before = tree(site)
    write_text(site / NAME, ALLOCATIONS)  # as if somebody had published the dump together with its report
    ran = run("build", dumps, "-o", site)
    assert (ran.code, ran.err) == (0, f"1/1 {NAME}\n")
    assert " 0 written, " in ran.out
    assert {path: content for path, content in tree(site).items() if path != NAME} == before


def test_dumps_in_the_output_directory_are_not_read(run: Run, dumps: Path) -> None:
    ran = run("build", dumps, "-o", dumps)
    assert ran.code == 1
    assert "-o" in ran.err
    assert tree(dumps) == tree(TINY)


# Terminal


def pretend_terminal(monkeypatch: pytest.MonkeyPatch, **environment: str) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def test_without_a_terminal_there_are_only_plain_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.gz").write_bytes(b"\1\2\3")
    for ran in (run("check", TINY), run("check", tmp_path), run("check", tmp_path / "nowhere")):
        assert not set("\r\x1b") & set(ran.out + ran.err)
        assert ran.err.endswith("\n")


@pytest.mark.parametrize(
    ("environment", "is_colored", "is_rewritten"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, False, False),
    ],
    ids=str,
)
def test_a_terminal_has_one_line_of_progress_and_colors(
    run: Run,
    dumps: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    is_colored: bool,
    is_rewritten: bool,
) -> None:
    (dumps / f"other-{NAME}.gz").write_bytes(b"\1\2\3")
    pretend_terminal(monkeypatch, **environment)
    err = run("check", dumps).err
    assert ("\x1b[31merror\x1b[0m" in err) == is_colored
    assert ("\r\x1b[K" in err) == is_rewritten
    assert err.count("\n") == (1 if is_rewritten else 2)


def test_a_terminal_shows_the_stages_of_a_single_dump(run: Run, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_terminal(monkeypatch)
    err = run("build", TINY, "-o", output).err
    stages = [r"parsing \(\d+ s\)", r"analysing \(\d+ s\)", r"writing pages: (\d+) of (\d+) \(\d+ s\)"]
    found = re.search(".*".join(stages), err, re.DOTALL)
    assert found
    last = re.findall(r"writing pages: (\d+) of (\d+)", err)[-1]
    assert last[0] == last[1]
    assert re.search(r"^\d+\.\d s$", err.rpartition("\x1b[K")[2], re.MULTILINE)


@posix_only
def test_a_name_cannot_play_tricks_on_the_terminal(run: Run, tmp_path: Path) -> None:
    name = "module_0001.\x1b[2J\rjit.cpu_after_optimizations-buffer-assignment.txt"
    write_text(tmp_path / name, ALLOCATIONS)
    (tmp_path / f"other-{name}.gz").write_bytes(b"\1\2\3")
    for ran in (run("check", tmp_path), run("check", tmp_path / "\x1b[2J")):
        assert ran.code == 1
        assert not set("\r\x1b") & set(ran.out + ran.err)


def test_a_character_that_stdout_cannot_encode_is_replaced() -> None:
    ran = process("check", TINY, PYTHONIOENCODING="ascii")
    assert ran.code == 0
    assert "space 0 ? memory" in ran.out
    ran = process("explain", "--markdown", SAMPLES / "v5e-train-step", PYTHONIOENCODING="ascii")
    assert "\N{MULTIPLICATION SIGN}" in ran.out


# Ends


def test_an_interruption_is_reported_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*rest: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("reportgen.commands.check.check", interrupted)
    assert run("check", TINY) == (130, "", "reportgen: error: interrupted\n")


@posix_only
def test_ctrl_c_ends_all_processes_without_a_traceback(tmp_path: Path) -> None:
    for number in range(300):
        shutil.copyfile(ONE_FILE, tmp_path / f"module_{number:04}.m.cpu_after_optimizations-buffer-assignment.txt")
    command = [sys.executable, "-m", "reportgen", "check", str(tmp_path), "--jobs", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        assert running.stderr
        running.stderr.readline()
        os.killpg(running.pid, signal.SIGINT)
        rest = running.stderr.read()
    assert running.returncode == 130
    assert rest.endswith("reportgen: error: interrupted\n")
    assert "Traceback" not in rest


@pytest.mark.parametrize("module", ["reportgen.cli", "argparse", "reportgen.commands.check", "reportgen.analyse"])
def test_ctrl_c_while_modules_are_imported_leaves_no_traceback(module: str) -> None:
    script = f"""
import sys
class Interrupting:
    def find_spec(self, name, *rest):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
sys.argv = ["reportgen", "check", {str(TINY)!r}]
from reportgen.__main__ import run
run()
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (130, "reportgen: error: interrupted\n")


LOSING_A_PROCESS = """
import os, sys
from reportgen import check, cli

class Deadly:
    def __reduce__(self):
        return os._exit, (9,)  # what the process does that receives it

    def __call__(self, *rest):
        raise AssertionError("the process that receives it is gone")

check.check_dump = Deadly()
if __name__ == "__main__":
    sys.exit(cli.main(["check", "--jobs", "2", sys.argv[1]]))
"""


def test_a_killed_process_is_reported_in_one_line(tmp_path: Path) -> None:
    script = write_text(tmp_path / "losing.py", LOSING_A_PROCESS)
    ran = subprocess.run([sys.executable, script, SAMPLES], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert re.fullmatch(r"reportgen: error: .* --jobs 1\.\n", ran.stderr)


@posix_only
@pytest.mark.parametrize(("name", "code"), [(".reportgen.json", 1), (".reportgen.unfinished", 1), ("index.html", 0)])
def test_a_pipe_in_the_place_of_a_file_of_the_site_is_not_waited_for(
    run: Run, output: Path, name: str, code: int
) -> None:
    run("build", TINY, "-o", output)
    (output / name).unlink(missing_ok=True)
    os.mkfifo(output / name)
    (output / "m").rename(output / "gone")  # so that pages have to be written
    ran = run("build", TINY, "-o", output)
    assert (ran.code, ran.err.count("error: ")) == (code, code)


@posix_only
@pytest.mark.parametrize(("name", "code"), [("pyproject.toml", 0), ("reportgen.toml", 0), ("given.toml", 2)])
def test_a_pipe_in_the_place_of_settings_is_not_waited_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(name)
    ran = run("check", TINY, *(["--budgets", name] if code else []))
    assert ran.code == code
    assert ("given.toml: cannot be read: it is not a regular file" in ran.err) == bool(code)


@posix_only
def test_warnings_about_files_are_counted_beside_the_findings(run: Run, dumps: Path, output: Path) -> None:
    (dumps / "link").symlink_to(SAMPLES, target_is_directory=True)
    ran = run("build", dumps, "-o", output)
    assert "1 warning about files" in ran.out
    assert "no errors or warnings" not in ran.out


def test_a_dump_without_its_live_ranges_is_not_sound(run: Run, tmp_path: Path) -> None:
    text = ONE_FILE.read_text(encoding="utf-8").partition("HloLiveRange")[0]
    write_text(tmp_path / ONE_FILE.name, text)
    ran = run("check", tmp_path, "--strict")
    assert (ran.code, "[live-ranges-lost]" in ran.out) == (1, True)


@posix_only
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=str)
def test_a_closed_pipe_ends_the_command_silently(flags: list[str]) -> None:
    command = [sys.executable, "-m", "reportgen", "check", str(SAMPLES), "--jobs", "1", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout
        running.stdout.close()
        assert running.stderr
        err = running.stderr.read()
    assert running.returncode == 141
    assert re.fullmatch(r"(\d+/\d+ \S+\n)+", err)


def test_check_says_whether_a_module_fits_and_what_would_lower_its_peak(run: Run) -> None:
    found = run("check", "--jobs", 1, "--capacity", "600MiB", PAIRS / "gpu" / "mid" / "nodonate")
    module, phases, capacity, advice, verdict = found.out.splitlines()
    assert verdict.startswith("fail: over: jit_train_step device memory")
    assert "peak resident 959 MiB" in module
    assert re.fullmatch(r"  phases: forward .*; backward .*; update .* MiB", phases)
    assert capacity == ("  capacity: needs 959 MiB, 359 MiB more than 600 MiB; predicted to fit with one suggestion")
    assert advice == "  advice: checkpoint layer_#: saves 376 MiB (range)"
    assert found.code == 3
    shown = found.out.removesuffix(f"{verdict}\n")
    assert all(shown.count(word) == 1 for word in ("needs 959", "359", "600"))


def test_check_says_how_much_is_left_of_a_device(run: Run) -> None:
    found = run("check", "--jobs", 1, "--capacity", "h100", PAIRS / "gpu" / "mid" / "nodonate")
    assert "  capacity: needs 959 MiB, 78.2 GiB less than 79.11 GiB; not included: code, other programs" in found.out
    assert found.code == 0


def test_check_says_how_to_tell_what_a_device_has_and_nothing_of_it_for_a_cpu(run: Run) -> None:
    out = run("check", "--jobs", 1, PAIRS / "gpu" / "mid" / "nodonate").out
    assert "  capacity: unknown; to check the fit, add --capacity h100\n" in out
    assert "capacity:" not in run("check", "--jobs", 1, TINY).out


@posix_only
def test_a_closed_stdout_is_named(tmp_path: Path) -> None:
    ran = _command(f"check {TINY} >&-")
    assert (ran.returncode, ran.stderr) == (1, "reportgen: error: stdout: cannot be written: it is closed\n")


@posix_only
@pytest.mark.parametrize(
    "command", ["check /dev/stdin < {0}", "check <(cat {0})", "cat {0} | reportgen check /dev/stdin"]
)
def test_a_dump_may_come_through_a_pipe(command: str) -> None:
    line = command.format(ONE_FILE)
    ran = _command(line) if not line.startswith("cat") else _shell(line)
    assert ran.returncode == 0, ran.stderr
    assert "peak resident" in ran.stdout


def _command(arguments: str) -> subprocess.CompletedProcess[str]:
    return _shell(f"reportgen {arguments}")


def _shell(line: str) -> subprocess.CompletedProcess[str]:
    script = f'reportgen() {{ "{sys.executable}" -m reportgen "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)


def test_numbers_of_any_length_beside_a_dump_lose_nothing(run: Run, dumps: Path) -> None:
    number = "9" * 5000
    report = dumps / NAME.replace("-buffer-assignment.txt", "-memory-usage-report.txt")
    report.write_text(re.sub(r"(Total bytes(?: used)?: )\d+", rf"\g<1>{number}", report.read_text("utf-8")), "utf-8")
    module = dumps / NAME.replace("-buffer-assignment.txt", ".txt")
    alias = f"input_output_alias={{ {{}}: ({number}, {{}}, may-alias) }}, entry_computation_layout"
    module.write_text(module.read_text("utf-8").replace("entry_computation_layout", alias, 1), "utf-8")
    ran = run("check", dumps)
    assert (ran.code, "peak resident 896 KiB" in ran.out) == (0, True)


def test_a_shape_that_no_memory_could_hold_has_no_size(run: Run, dumps: Path, tmp_path: Path) -> None:
    shape = f"f32[{','.join(['9' * 19] * 60)}]{{{','.join(map(str, reversed(range(60))))}}}"
    (dumps / NAME).write_text(ALLOCATIONS.replace("f32[128,512]{1,0}", shape), encoding="utf-8")
    ran = run("build", dumps, "-o", tmp_path / "site")
    assert (ran.code, "OverflowError" in ran.err) == (0, False)


def test_an_unreadable_file_that_may_be_a_dump_is_a_warning(run: Run, dumps: Path) -> None:
    (dumps / "run42.txt.gz").write_bytes(gzip.compress(ALLOCATIONS.encode())[:-20])
    (dumps / "run43.txt.gz").write_bytes(b"\x1f\x8b\x08 no gzip data")
    (dumps / "weights.bin.gz").write_bytes(b"\x1f\x8b\x08 no gzip data")
    ran = run("check", dumps, "--strict", "--jobs", "1")
    assert "run43.txt.gz: its compressed data is damaged" in ran.err
    assert "if it is a dump, it is missing here" in ran.err
    assert "weights" not in ran.err
    assert ran.code == 4  # because allocations are missing in run42


def test_a_log_is_read_once_for_all_of_its_dumps(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = (f"*** Begin {name} ***\n{ALLOCATIONS}*** End {name} ***\n" for name in (f"x{n}-{NAME}" for n in range(9)))
    (tmp_path / "run.log").write_text("".join(frames), encoding="utf-8")
    opened, pieces = [], reportgen.input.reading.pieces

    def counted(path: Path) -> object:
        opened.append(path.name)
        return pieces(path)

    monkeypatch.setattr(reportgen.input.reading, "pieces", counted)
    ran = run("check", tmp_path / "run.log", "--jobs", "1")
    assert ran.out.count("run.log#x") >= 9
    assert len(opened) <= 3  # to see that it is readable, to find the dumps, and to read them all


# A single file


def test_a_single_file_is_written_for_one_module(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    ran = run("build", TINY, "--single-file", target)
    assert (ran.code, ran.err) == (0, "")
    assert str(target) in ran.out
    assert target.read_bytes().startswith(b"<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [target]


def test_of_several_modules_a_single_file_shows_the_one_that_needs_most_and_says_so(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    ran = run("build", SAMPLES, "--single-file", target, "--jobs", "1")
    assert ran.code == 0
    assert ran.out.startswith("1 module: jit_train_step peaks at 27.4 GiB; ")
    assert "It needs most of 10 modules; --module NAME writes another one.\n" in ran.out
    assert list(tmp_path.iterdir()) == [target]


def test_a_single_file_shows_the_module_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    ran = run("build", SAMPLES, "--single-file", tmp_path / "report.html", "--module", "jit_tiny_matmul_gelu")
    assert ran.out.startswith("1 module: jit_tiny_matmul_gelu peaks at 896 KiB; ")
    assert "needs most" not in ran.out
    ran = run("build", SAMPLES, "--single-file", tmp_path / "other.html", "--module", "jit_nothing")
    assert (ran.code, ran.out) == (2, "")
    assert "no such module; there are jit_control_flow, " in ran.err
    assert not (tmp_path / "other.html").exists()


def test_a_site_takes_no_module(run: Run, tmp_path: Path) -> None:
    ran = run("build", SAMPLES, "-o", tmp_path / "site", "--module", "jit_tiny_matmul_gelu")
    assert (ran.code, ran.out) == (2, "")
    assert "--module chooses what --single-file writes" in ran.err


def test_a_single_file_overwrites_no_dump(run: Run, dumps: Path) -> None:
    ran = run("build", dumps, "--single-file", dumps / NAME)
    assert ran.code == 2
    assert "ends in .html" in ran.err


def test_a_redacted_single_file_shows_no_paths(run: Run, dumps: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert run("build", dumps, "--single-file", target, "--redact").code == 0
    assert str(tmp_path).encode() not in target.read_bytes()
    assert b"Redacted: " in target.read_bytes()
