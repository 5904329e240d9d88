"""The command line: what it prints where, its exit codes, and that no input makes it fail with a traceback."""

import gzip
import json
import os
import re
import shlex
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
from tests.support.folders import filled, framed
from tests.support.guards import posix_only
from tests.support.samples import SAMPLE_FOLDERS
from tests.support.site import ROOT, SAMPLES, link_problems, read_pages, tree

pytestmark = pytest.mark.usefixtures("empty_folder")

TINY = SAMPLES / "cpu-tiny"
NAME = next(path.name for path in TINY.glob("*-buffer-assignment.txt"))
ALLOCATIONS = (TINY / NAME).read_text(encoding="utf-8")
PAIR = ROOT / "tests" / "advice" / "pairs" / "gpu" / "mid" / "nodonate"
ONE_FILE = next((SAMPLES / "cpu-train-step").glob("*-buffer-assignment.txt"))
TRAIN_STEP = ONE_FILE.read_text(encoding="utf-8")
STEM = NAME.removesuffix("-buffer-assignment.txt")
TINY_FILES: dict[str, str | bytes] = {path.name: path.read_bytes() for path in TINY.iterdir()}
DAMAGED_GZ = {f"other-{NAME}.gz": b"\1\2\3"}


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Return a copy of a small dump, for tests that add files to it."""
    return shutil.copytree(TINY, tmp_path / "dumps")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "site"


def with_long_numbers() -> dict[str, str | bytes]:
    """Return the files of the small dump, in those next to it numbers of any length."""
    number = "9" * 5000
    report, module = ((TINY / f"{STEM}{end}").read_text("utf-8") for end in ("-memory-usage-report.txt", ".txt"))
    alias = f"input_output_alias={{ {{}}: ({number}, {{}}, may-alias) }}, entry_computation_layout"
    return TINY_FILES | {
        f"{STEM}-memory-usage-report.txt": re.sub(r"(Total bytes(?: used)?: )\d+", rf"\g<1>{number}", report),
        f"{STEM}.txt": module.replace("entry_computation_layout", alias, 1),
    }


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return folders of dumps, each of which has something of its own; no test changes them."""
    no_memory = f"f32[{','.join(['9' * 19] * 60)}]{{{','.join(map(str, reversed(range(60))))}}}"
    whole, cut = gzip.compress(TRAIN_STEP.encode()), gzip.compress(ALLOCATIONS.encode())[:-20]
    folders: dict[str, dict[str, str | bytes]] = {
        "others": {"1.txt": "nothing\n", "2.txt": "nothing\n"},
        "large": {**TINY_FILES, "large-buffer-assignment.txt": ALLOCATIONS * 4},
        "log": {"job.log": framed(NAME, ALLOCATIONS)},
        "cut": {f"{NAME}.gz": whole[: len(whole) // 2]},
        "damaged": {**TINY_FILES, **DAMAGED_GZ},
        "unsound": {**TINY_FILES, NAME: ALLOCATIONS.replace("size=262144", "size=262143")},
        "two": {
            **TINY_FILES,
            NAME: ALLOCATIONS.replace("size=262144", "size=262143"),
            f"other/{ONE_FILE.name}": TRAIN_STEP,
        },
        "no-ranges": {ONE_FILE.name: TRAIN_STEP.partition("HloLiveRange")[0]},
        "numbers": with_long_numbers(),
        "no-memory": {**TINY_FILES, NAME: ALLOCATIONS.replace("f32[128,512]{1,0}", no_memory)},
        "unreadable": {
            **TINY_FILES,
            "run42.txt.gz": cut,
            "run43.txt.gz": b"\x1f\x8b\x08 no gzip data",
            "weights.bin.gz": b"\x1f\x8b\x08 no gzip data",
        },
    }
    top = tmp_path_factory.mktemp("given")
    for name, files in folders.items():
        filled(top / name, files)
    return top


def process(*arguments: object, **environment: str) -> Ran:
    command = [sys.executable, "-m", "reportgen", *map(str, arguments)]
    ran = subprocess.run(command, env=os.environ | environment, capture_output=True, check=False)
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


# Commands

HELP = r"--xla_dump_to=[\s\S]* 130[\s\S]* 141"
FINDING = rf"^  {re.escape(NAME)}:\d+:\d*:? ?(error|warning): .* \[[a-z-]+\]$"
TOO_LARGE = r"error: large-buffer-assignment\.txt: it has more than 1,054 bytes; --max-dump-bytes N allows more$"
LARGE = f"GIVEN/large --jobs 1 --max-dump-bytes {2 * len(ALLOCATIONS)}"
STOPS = rf"^warning: {re.escape(NAME)}\.gz: its compressed data stops"
DAMAGED = rf"^error: other-{re.escape(NAME)}\.gz: its compressed data is damaged"
UNREADABLE = (
    r"\A(?![\s\S]*weights)[\s\S]*run43\.txt\.gz: its compressed data is damaged.*if it is a dump, it is missing here"
)
WRONG_USAGE = (
    "frobnicate",
    "check",
    "build",
    "build dumps --jobs 0",
    "build dumps --jobs two",
    "build dumps --outp site",
    "check dumps --output site",
    "build ''",
)


CASES = [
    *((arguments, 2, "", r"\Ausage: reportgen[\s\S]*error: ") for arguments in WRONG_USAGE),
    ("", 2, "", r"\Ausage: reportgen[\s\S]*error: [\s\S]*reportgen build dumps -o site\n"),
    ("--help", 0, HELP, ""),
    ("help", 0, HELP, ""),
    ("help", 0, r"reportgen build dumps -o site\n", ""),
    ("--version", 0, rf"\Areportgen {re.escape(reportgen.__version__)}\n\Z", ""),
    ("check TINY", 0, rf"\A{re.escape(NAME)}: cpu, .*917,504 bytes.*\n\Z", rf"\A1/1 {re.escape(NAME)}\n\Z"),
    ("check nowhere", 1, "", r"\Areportgen: error: nowhere: "),
    ("build nowhere -o site", 1, "", r"\Areportgen: error: nowhere: "),
    ("check GIVEN/others", 1, "", "--xla_dump_to="),
    (f"check {LARGE}", 1, f"^{re.escape(NAME)}: ", TOO_LARGE),
    (f"build {LARGE} -o site", 1, r"\A1 module: ", TOO_LARGE),
    ("check GIVEN/log/job.log --max-dump-bytes 100", 1, "", "it has more than 100 bytes"),
    ("check GIVEN/cut", 0, "cpu, ", STOPS),
    ("check GIVEN/cut --strict", 1, "cpu, ", STOPS),
    ("build GIVEN/damaged -o site", 1, r"\A1 module: ", DAMAGED),
    ("build GIVEN/damaged -o site --quiet", 1, "", rf"{DAMAGED.replace('^', chr(92) + 'A')}.*\n\Z"),
    ("build TINY -o site -q", 0, "", ""),
    ("check ODD --strict", 0, "cpu, ", ""),
    ("check GIVEN/unsound", 0, FINDING, ""),
    ("check GIVEN/unsound --strict", 1, FINDING, ""),
    ("check GIVEN/no-ranges --strict", 1, r"\[live-ranges-lost\]$", ""),
    ("check GIVEN/unreadable --strict --jobs 1", 4, "cpu, ", UNREADABLE),  # as allocations are missing in run42
    ("check GIVEN/numbers", 0, "peak resident 896 KiB", ""),
    ("build GIVEN/no-memory -o site", 0, r"\A1 module: ", ""),
    (
        "build GIVEN/two -o site --jobs 1",
        0,
        r"\A2 modules: the largest, jit_\w+, (peaks at|needs) [\d.]+ \w+; (.*, )?1 module with (error|warning)s\n",
        "",
    ),
    (
        "check --jobs 1 --capacity h100 PAIR",
        0,
        r"^  capacity: needs 959 MiB, 78\.2 GiB less than 79\.11 GiB; not included: code, other programs",
        "",
    ),
    ("check --jobs 1 PAIR", 0, r"^  capacity: unknown; to check the fit, add --capacity h100$", ""),
    ("check TINY", 0, r"\A(?![\s\S]*capacity:)", ""),
    (
        "build GIVEN/two --single-file r.html --jobs 1",
        0,
        r"\A1 module: jit_mlp_train_step [\s\S]*^It needs most of 2 modules; --module NAME writes another one\.$",
        "",
    ),
    (
        "build GIVEN/two --single-file r.html --jobs 1 --module jit_tiny_matmul_gelu",
        0,
        r"\A1 module: jit_tiny_matmul_gelu peaks at 896 KiB; (?![\s\S]*needs most)",
        "",
    ),
    (
        "build GIVEN/two --single-file r.html --jobs 1 --module jit_nothing",
        2,
        "",
        "no such module; there are jit_mlp_train_step, jit_tiny_matmul_gelu$",
    ),
    ("build TINY -o site --module jit_tiny_matmul_gelu", 2, "", "--module chooses what --single-file writes"),
    (f"build TINY --single-file TINY/{NAME}", 2, "", r"ends in \.html"),
]


@pytest.mark.parametrize(("arguments", "code", "out", "err"), CASES, ids=[case[0] or "nothing" for case in CASES])
def test_a_command_has_its_exit_code_and_its_words(
    run: Run, tmp_path: Path, given: Path, arguments: str, code: int, out: str, err: str
) -> None:
    places = {"GIVEN": given, "TINY": TINY, "PAIR": PAIR, "ODD": SAMPLES / "cpu-odd-names"}
    for name, path in places.items():
        arguments = arguments.replace(name, str(path))
    ran = run(*shlex.split(arguments))
    assert (ran.code, bool(ran.out)) == (code, bool(out)), ran
    assert re.search(out, ran.out, re.MULTILINE), ran.out
    progress = re.sub(r"^\d+/\d+ .*\n", "", ran.err, flags=re.MULTILINE)
    assert re.search(err, ran.err, re.MULTILINE) if err else not progress, ran.err
    if ran.err.startswith(("reportgen: error", "usage")):
        assert list(tmp_path.iterdir()) == []


# Input


def damaged_texts() -> dict[str, str]:
    lines = TRAIN_STEP.splitlines(keepends=True)
    return {
        "empty": "",
        "first line only": "BufferAssignment:\n",
        "first half": TRAIN_STEP[: len(TRAIN_STEP) // 2],
        "a fifth": TRAIN_STEP[: len(TRAIN_STEP) // 5],
        "second half": TRAIN_STEP[len(TRAIN_STEP) // 2 :],
        "backwards": "".join(reversed(lines)),
        "twice": TRAIN_STEP * 2,
        "every third line missing": "".join(line for number, line in enumerate(lines) if number % 3),
        "lines cut": "".join(line[: 5 + number % 40] + "\n" for number, line in enumerate(lines)),
        "no numbers": re.sub(r"\d", "x", TRAIN_STEP),
        "huge numbers": re.sub(r"\d+", "99999999999999999999999", TRAIN_STEP),
        "negative numbers": re.sub(r"(?<==)\d+", "-1", TRAIN_STEP),
        "zeros": re.sub(r"(?<=[ =])\d+", "0", TRAIN_STEP),
        "no brackets": re.sub(r"[\[\]{}()<>]", "", TRAIN_STEP),
        "NUL bytes": TRAIN_STEP.replace("\n", "\n\0"),
        "carriage returns": TRAIN_STEP.replace("\n", "\r\n"),
    }


def test_damaged_dumps_give_a_site_that_is_sound(run: Run, tmp_path: Path, output: Path) -> None:
    texts = {f"{damage}/{NAME}": text for damage, text in damaged_texts().items()}
    ran = run("build", filled(tmp_path / "dumps", texts), "-o", output, "--jobs", 1)
    assert (ran.code, "failed" in ran.err) == (0, False)
    pages = read_pages(output)
    assert sum(path.endswith("/index.html") for path in pages) == len(texts)
    assert link_problems(pages, frozenset(tree(output))) == []
    assert [path for path, page in pages.items() if len(page.ids) != len(set(page.ids))] == []


def test_a_defect_of_ours_in_one_dump_does_not_lose_the_others(
    run: Run, dumps: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(reading: DumpReading) -> Any:
        if reading.contents.files.label.startswith("other/"):
            raise ZeroDivisionError("a <defect>")
        return module_of(reading)

    monkeypatch.setattr("reportgen.dump_pages.module_of", failing)
    filled(dumps, {f"other/{NAME}": TRAIN_STEP, **DAMAGED_GZ})
    ran = run("build", dumps, "-o", output, "--jobs", 1)
    message = "reportgen failed on this dump, please report it: ZeroDivisionError: a <defect>"
    assert ran.code == 1
    assert f"error: other/{NAME}: {message}" in ran.err
    assert ran.out.startswith("1 module: ")
    shown = read_pages(output)["index.html"].text
    assert message in shown
    assert "its compressed data is damaged" in shown


@posix_only
def test_warnings_about_files_are_counted_beside_the_findings(run: Run, dumps: Path, output: Path) -> None:
    (dumps / "link").symlink_to(SAMPLES, target_is_directory=True)
    ran = run("build", dumps, "-o", output)
    assert "1 warning about files" in ran.out
    assert "no errors or warnings" not in ran.out


def test_a_log_is_read_once_for_all_of_its_dumps(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, {"run.log": "".join(framed(f"x{number}-{NAME}", ALLOCATIONS) for number in range(9))})
    opened, pieces = [], reportgen.input.reading.pieces

    def counted(path: Path) -> object:
        opened.append(path.name)
        return pieces(path)

    monkeypatch.setattr(reportgen.input.reading, "pieces", counted)
    ran = run("check", tmp_path / "run.log", "--jobs", "1")
    assert ran.out.count("run.log#x") >= 9
    assert len(opened) <= 3  # to see that it is readable, to find the dumps, and to read them all


# Output


def test_the_figures_as_json_are_those_of_the_site(run: Run, samples_site: Path) -> None:
    ran = run("check", "--json", "--jobs", 1, SAMPLES)
    assert ran.out.encode() == (samples_site / "report.json").read_bytes()
    assert len(json.loads(ran.out)["modules"]) == len(SAMPLE_FOLDERS)


def test_the_number_of_processes_changes_nothing_on_stdout(given: Path) -> None:
    one, two = (process("check", given, "--jobs", jobs) for jobs in (1, 2))
    assert (one.code, one.out) == (two.code, two.out)
    assert one.out.count("\n") > 8
    assert sorted(line.partition(" ")[2] for line in one.err.splitlines()) == sorted(
        line.partition(" ")[2] for line in two.err.splitlines()
    )


def test_a_build_ends_with_the_path_and_a_link_to_click(
    run: Run, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    ran = run("build", TINY, "-o", output)
    assert ran.code == 0
    result, files, shown, *places = ran.out.splitlines()
    assert result == "1 module: jit_tiny_matmul_gelu peaks at 896 KiB; no errors or warnings"
    assert re.fullmatch(r"\d+ files: \d+ written, 0 unchanged, 0 removed", files)
    assert shown.startswith("The site shows ")
    assert places == [str(output / "index.html"), (output / "index.html").as_uri()]
    assert opened == []
    assert " 0 written, " in run("build", TINY, "-o", output, "--open").out
    assert opened == [index.as_uri() for index in output.glob("m/*/index.html")]


def test_open_opens_the_overview_of_several_modules(
    run: Run, given: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run("build", given / "two", "-o", output, "--open", "--jobs", 1)
    assert opened == [(output / "index.html").as_uri()]


def test_a_title_is_text_on_every_page(run: Run, output: Path) -> None:
    title = "</title><script>alert('1')</script> & \"more\""
    assert run("build", TINY, "-o", output, "--title", title).code == 0
    for page in read_pages(output).values():
        assert title in page.text
        assert not page.inline_scripts


def test_a_foreign_directory_is_refused_without_force(run: Run, output: Path) -> None:
    filled(output, {"thesis.txt": "mine"})
    refused = run("build", TINY, "-o", output)
    assert (refused.code, refused.out) == (1, "")
    assert "--force" in refused.err
    assert run("build", TINY, "-o", output, "--force").code == 0
    assert (output / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_a_site_inside_the_searched_directory_is_not_read_back(run: Run, dumps: Path) -> None:
    site = dumps / "site"
    run("build", dumps, "-o", site)
    before = tree(site)
    filled(site, {NAME: ALLOCATIONS})  # as if somebody had published the dump together with its report
    ran = run("build", dumps, "-o", site)
    assert (ran.code, ran.err) == (0, f"1/1 {NAME}\n")
    assert " 0 written, " in ran.out
    assert {path: content for path, content in tree(site).items() if path != NAME} == before


def test_dumps_in_the_output_directory_are_not_read(run: Run, dumps: Path) -> None:
    ran = run("build", dumps, "-o", dumps)
    assert ran.code == 1
    assert "-o" in ran.err
    assert tree(dumps) == tree(TINY)


@pytest.mark.parametrize("flags", [[], ["--redact"]], ids=str)
def test_a_single_file_is_all_that_is_written_and_redacted_shows_no_paths(
    run: Run, tmp_path: Path, flags: list[str]
) -> None:
    target = tmp_path / "report.html"
    ran = run("build", TINY, "--single-file", target, *flags)
    assert (ran.code, ran.err, str(target) in ran.out) == (0, "", not flags)
    content = target.read_bytes()
    assert content.startswith(b"<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [target]
    assert (b"Redacted: " in content) == bool(flags)
    assert str(SAMPLES).encode() not in content


def test_check_says_whether_a_module_fits_and_what_would_lower_its_peak(run: Run) -> None:
    found = run("check", "--jobs", 1, "--capacity", "600MiB", PAIR)
    module, phases, capacity, advice, verdict = found.out.splitlines()
    assert verdict.startswith("fail: over: jit_train_step device memory")
    assert "peak resident 959 MiB" in module
    assert re.fullmatch(r"  phases: forward .*; backward .*; update .* MiB", phases)
    assert capacity == "  capacity: needs 959 MiB, 359 MiB more than 600 MiB; predicted to fit with one suggestion"
    assert advice == "  advice: checkpoint layer_#: saves 376 MiB (range)"
    assert found.code == 3
    shown = found.out.removesuffix(f"{verdict}\n")
    assert all(shown.count(word) == 1 for word in ("needs 959", "359", "600"))


# Terminal


def pretend_terminal(monkeypatch: pytest.MonkeyPatch, **environment: str) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("environment", "is_colored", "is_rewritten"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, False, False),
        (None, False, False),
    ],
    ids=str,
)
def test_a_terminal_has_one_line_of_progress_and_colors(
    run: Run,
    given: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str] | None,
    is_colored: bool,
    is_rewritten: bool,
) -> None:
    if environment is not None:
        pretend_terminal(monkeypatch, **environment)
    err = run("check", given / "damaged").err
    assert ("\x1b[31merror\x1b[0m" in err) == is_colored
    assert ("\r\x1b[K" in err) == is_rewritten
    assert ("\r" in err or "\x1b" in err) == (is_colored or is_rewritten)
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
    filled(tmp_path, {name: ALLOCATIONS, f"other-{name}.gz": b"\1\2\3"})
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

    monkeypatch.setattr("reportgen.commands.arguments.check", interrupted)
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


def test_a_killed_process_is_reported_in_one_line(given: Path, tmp_path: Path) -> None:
    script = filled(tmp_path, {"losing.py": LOSING_A_PROCESS}) / "losing.py"
    ran = subprocess.run([sys.executable, script, given / "two"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert re.fullmatch(r"reportgen: error: .* --jobs 1\.\n", ran.stderr)


@posix_only
@pytest.mark.parametrize(("name", "code"), [(".reportgen.json", 1), (".reportgen.unfinished", 0), ("index.html", 0)])
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
def test_a_pipe_in_the_place_of_settings_is_not_waited_for(run: Run, name: str, code: int) -> None:
    os.mkfifo(name)
    ran = run("check", TINY, *(["--budgets", name] if code else []))
    assert ran.code == code
    assert ("given.toml: cannot be read: it is not a regular file" in ran.err) == bool(code)


@posix_only
@pytest.mark.parametrize(
    ("line", "code", "out", "err"),
    [
        ("reportgen check {} >&-", 1, "", r"reportgen: error: stdout: cannot be written: it is closed\n"),
        ("(reportgen check {} --jobs 1; echo $? >&2) | true", 0, "", r"1/1 \S+\n141\n"),
        ("(reportgen check {} --jobs 1 --json; echo $? >&2) | true", 0, "", r"1/1 \S+\n141\n"),
        ("reportgen check /dev/stdin < {}", 0, "peak resident", None),
        ("reportgen check <(cat {})", 0, "peak resident", None),
        ("cat {} | reportgen check /dev/stdin", 0, "peak resident", None),
    ],
)
def test_pipes_are_read_and_closed_ones_end_the_command(line: str, code: int, out: str, err: str | None) -> None:
    script = f'reportgen() {{ "{sys.executable}" -m reportgen "$@"; }}; {line.format(ONE_FILE)}'
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ran.returncode, out in ran.stdout) == (code, True), ran
    assert err is None or re.fullmatch(err, ran.stderr)
