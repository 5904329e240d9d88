"""`reportgen run`: whatever a program does, it runs as without us, and all that it compiles is in the report."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.cli import main
from tests.support.commands import Ran, Run
from tests.support.fake_xla import FUNCTION
from tests.support.samples import ROOT, SAMPLES
from tests.support.site import tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and the C library's environment")

COMPILE = "from tests.support.fake_xla import compile_module, flags; compile_module('jit_step')"
PYTHON = sys.executable
SITE = Path("xla-memory", Path(PYTHON).name)
SAMPLE = next((SAMPLES / "cpu-tiny").glob("*-buffer-assignment.txt"))
OOM = "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries (24.00G) exceeds"


def environment(**variables: str) -> dict[str, str]:
    """Return an environment in which programs find the stand-in for XLA, and no flags of the machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XLA", "JAX", "RANK", "PYTHON"))}
    return {**kept, "PYTHONPATH": str(ROOT), **variables}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return `run("print(1)", "--open")`: `reportgen run` of a Python program or of a command in a list."""
    monkeypatch.chdir(tmp_path)

    def run(program: str | list[str], *options: str, **variables: str) -> Ran:
        monkeypatch.setattr(os, "environ", environment(**variables))
        command = [PYTHON, "-c", program] if isinstance(program, str) else program
        code = main(["run", "--jobs", "1", *options, "--", *command])
        return Ran(code, *capfd.readouterr())

    return run


def dumped(folder: Path) -> list[str]:
    """Return the assignments in the folder of dumps, as paths in it."""
    dumps = folder / "xla-dumps"
    return sorted(path.relative_to(dumps).as_posix() for path in dumps.rglob("*-buffer-assignment.txt"))


OLD = ".reportgen-run-0123456789abcdef/pid-7"
FIRST = "module_0000.jit_step.cpu_after_optimizations-buffer-assignment.txt"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ([PYTHON, "train.py", "--steps", "3"], "train"),
        ([PYTHON, "-m", "train_pkg"], "train_pkg"),
        ([PYTHON, "-c", COMPILE], Path(PYTHON).name),
    ],
    ids=["file", "module", "text"],
)
def test_the_site_has_the_name_of_the_program_unless_it_is_given(
    run: Run, tmp_path: Path, command: list[str], name: str
) -> None:
    for path in ("train.py", "train_pkg.py"):
        (tmp_path / path).write_text(COMPILE, encoding="utf-8")
    assert run(command).err.endswith(f"{Path('xla-memory', name, 'index.html')}\n")
    assert run(command, "-o", "other").err.endswith(f"{Path('other', 'index.html')}\n")


# What the program does, and where its dumps are


def test_a_program_is_run_and_its_report_is_built(run: Run, tmp_path: Path) -> None:
    ran = run([PYTHON, "-c", f"{COMPILE}; print('its own words'); raise SystemExit(7)"])
    assert (ran.code, ran.out) == (7, "its own words\n")
    assert "1 module of 1 process; " in ran.err
    assert "jit_step: cpu, memory\nNeeds 896.00 KiB. Whether that fits is unknown.\n" in ran.err
    assert dumped(tmp_path) == [FIRST]
    dumps = tmp_path / "xla-dumps"
    assert [path for path in dumps.rglob("*") if path.suffix == ".ll" or path.is_dir()] == []
    marker = json.loads((dumps / ".reportgen-run.json").read_text(encoding="utf-8"))
    assert (marker["command"][:2], marker["exit_code"], marker["modules"]) == ([PYTHON, "-c"], 7, 1)
    assert (marker["processes"], marker["flags"]) == (1, "--xla_dump_hlo_as_text")
    kept = sum((dumps / name).stat().st_size for name in marker["files"])
    assert marker["kept_bytes"] == kept < marker["dumped_bytes"]
    assert main(["build", "xla-dumps", "-o", "again", "--jobs", "1"]) == 0
    first, again = tree(tmp_path / SITE), tree(tmp_path / "again")
    assert "index.html" in first
    assert all(again[path] == page for path, page in first.items() if path.endswith(".html"))


NAMES_ITSELF = """from tests.support.fake_xla import compile_module, flags; compile_module("jit_tiny_matmul_gelu")
import os, pathlib
for path in pathlib.Path(flags()["--xla_dump_to"]).rglob("*optimizations.txt"):
    path.write_text(path.read_text().replace("/home/u/corpus/scripts/progs.py", os.path.abspath("train.py")))
SECRET = 1
def other():
    return SECRET

"""
"""A program whose dump names its own file, where `FUNCTION` follows."""


@pytest.mark.parametrize("options", [[], ["--no-source"], ["--redact"], ["--redact-names"]], ids="".join)
def test_the_site_has_the_functions_of_the_program_unless_they_are_hidden(
    run: Run, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "train.py").write_text(NAMES_ITSELF + FUNCTION, encoding="utf-8")
    assert run([PYTHON, "train.py"], *options).code == 0
    pages = list((tmp_path / "xla-memory" / "train").rglob("source-*.html"))
    assert len(pages) == (0 if options else 1)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "def tiny_matmul_gelu(x, w):" in text
        assert "9 lines not in this report" in text
    whole = b"".join(path.read_bytes() for path in (tmp_path / "xla-memory").rglob("*") if path.is_file())
    assert b"SECRET" not in whole
    assert (b"def tiny_matmul_gelu" in whole) == (not options)


FLAGS = "print(os.environ['XLA_FLAGS']); print(flags().get('--xla_own'))"
SHELL = """\
for flag in $XLA_FLAGS; do
    case $flag in
        --xla_dump_to=*) mkdir -p "${flag#*=}" && cp "$1" "${flag#*=}/$2" ;;
    esac
done"""


@pytest.mark.parametrize(
    ("program", "variables", "out"),
    [
        (f"os.environ['XLA_FLAGS'] = '--xla_own=1'; {COMPILE}; {FLAGS}", {}, "--xla_own=1\n1\n"),
        (f"os.environ.setdefault('XLA_FLAGS', '--xla_own=1'); {COMPILE}; {FLAGS}", {}, "--xla_own=1\n1\n"),
        (
            f"os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_own=1'; {COMPILE}; {FLAGS}",
            {},
            " --xla_own=1\n1\n",
        ),
        (f"os.environb[b'XLA_FLAGS'] = b'--xla_own=1'; {COMPILE}; {FLAGS}", {}, "--xla_own=1\n1\n"),
        (
            f"open('flags', 'w').write('--xla_own=1'); os.environ['XLA_FLAGS'] = 'flags'; {COMPILE}; {FLAGS}",
            {},
            "flags\n1\n",
        ),
        (
            f"del os.environ['XLA_FLAGS']; {COMPILE}; print('--xla_own' in flags())",
            {"XLA_FLAGS": "--xla_own=1"},
            "False\n",
        ),
        (f"{COMPILE}; print('XLA_FLAGS' in os.environ)", {}, "False\n"),
        (
            f"{COMPILE}; print(flags()['--xla_own'], flags()['--xla_other'])",
            {"XLA_FLAGS": "flags.txt"},
            "2 3\n",
        ),
        (
            ["sh", "-c", f'XLA_FLAGS="$XLA_FLAGS --xla_own=1" {PYTHON} -c "import os; {COMPILE}; {FLAGS}"'],
            {"XLA_FLAGS": "--xla_first=2"},
            "--xla_first=2 --xla_own=1\n1\n",
        ),
        (COMPILE, {"FAKE_CACHE": "1"}, ""),
        ([PYTHON, "-I", "-c", f"import sys; sys.path.append({str(ROOT)!r}); {COMPILE}"], {}, ""),
        (["sh", "-c", SHELL, "sh", str(SAMPLE), FIRST], {}, ""),
    ],
)
def test_what_a_program_compiles_is_captured_and_it_sees_its_own_flags_alone(
    run: Run, tmp_path: Path, program: str | list[str], variables: dict[str, str], out: str
) -> None:
    (tmp_path / "flags.txt").write_text("--xla_own=2\n--xla_other=3\n", encoding="utf-8")
    ran = run(f"import os; {program}" if isinstance(program, str) else program, **variables)
    assert (ran.code, ran.out) == (0, out)
    assert dumped(tmp_path) == [FIRST]


def test_a_file_of_flags_that_is_not_there_is_an_error_that_names_it(run: Run) -> None:
    ran = run(COMPILE, XLA_FLAGS="nowhere.txt")
    assert ran.code == 1
    assert "XLA_FLAGS: nowhere.txt: No such file" in ran.err


def test_another_dump_folder_loses_and_the_user_is_told(run: Run, tmp_path: Path) -> None:
    ran = run(COMPILE, XLA_FLAGS=f"--xla_dump_to={tmp_path}/other")
    assert dumped(tmp_path) == [FIRST]
    assert not (tmp_path / "other").exists()
    assert "--xla_dump_to in your XLA_FLAGS was overridden" in ran.err


@pytest.mark.parametrize("name", ["with blanks in it", 'with "quotes"', "it's"])
def test_the_folder_may_have_any_name(run: Run, tmp_path: Path, name: str) -> None:
    assert run(COMPILE, "--dumps", name).code == 0
    assert (tmp_path / name / FIRST).is_file()


# Processes


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_each_process_has_a_folder_of_its_own(run: Run, tmp_path: Path, method: str) -> None:
    (tmp_path / "workers.py").write_text(
        f"""\
import multiprocessing
from tests.support.fake_xla import compile_module
if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    workers = [context.Process(target=compile_module, args=("jit_step",)) for _ in range(2)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
""",
        encoding="utf-8",
    )
    ran = run([PYTHON, "workers.py"])
    assert "2 modules of 2 processes; " in ran.err
    assert dumped(tmp_path) == [f"process-0/{FIRST}", f"process-1/{FIRST}"]


@pytest.mark.parametrize("change", ["", "env={**os.environ, 'MORE': '1'}"])
def test_children_that_are_programs_have_folders_of_their_own(run: Run, tmp_path: Path, change: str) -> None:
    child = f"subprocess.run([sys.executable, '-c', {COMPILE!r}], {change})"
    run(f"import os, subprocess, sys; {COMPILE}; {child}")
    assert dumped(tmp_path) == [f"process-0/{FIRST}", f"process-1/{FIRST}"]


def test_ranks_give_their_numbers_to_folders(run: Run, tmp_path: Path) -> None:
    launch = "[subprocess.Popen([sys.executable, '-c', worker], env={**os.environ, 'RANK': str(r)}) for r in (0, 1)]"
    run(f"import os, subprocess, sys; worker = {COMPILE!r}; [child.wait() for child in {launch}]")
    assert dumped(tmp_path) == [f"rank-0/{FIRST}", f"rank-1/{FIRST}"]


def test_a_program_that_replaces_itself_overwrites_nothing(run: Run, tmp_path: Path) -> None:
    program = f"{COMPILE}; import os, sys; os.execv(sys.executable, [sys.executable, '-c', {COMPILE!r}])"
    run(program)
    assert dumped(tmp_path) == [f"process-0/{FIRST}", f"process-1/{FIRST}"]


def test_the_users_own_sitecustomize_is_loaded(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import builtins; builtins.OWN = 1\n", encoding="utf-8")
    ran = run(f"{COMPILE}; import sys; print(OWN, [p for p in sys.path if 'hook' in p])", PYTHONPATH=f"own:{ROOT}")
    assert ran.out == "1 []\n"


# Ends


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("import os; os.kill(os.getpid(), 9)", 137),
        ("raise ValueError", 1),
    ],
)
def test_the_exit_code_is_the_programs_and_the_report_is_built(run: Run, tmp_path: Path, end: str, code: int) -> None:
    assert run(f"{COMPILE}; {end}").code == code
    assert (tmp_path / SITE / "index.html").is_file()


def test_a_program_that_dies_in_the_middle_of_a_dump_has_a_report(run: Run, tmp_path: Path) -> None:
    ran = run(f"{COMPILE}; compile_module('jit_last', ends=False)")
    assert ran.code == 128 + signal.SIGABRT
    assert "2 modules of 1 process; " in ran.err
    assert "Traceback" not in ran.err
    assert (tmp_path / SITE / "index.html").is_file()


def test_the_text_of_an_out_of_memory_error_is_kept_beside_the_dump(run: Run, tmp_path: Path) -> None:
    ran = run(f"{COMPILE}; raise RuntimeError({OOM!r})")
    assert OOM in ran.err
    kept = (tmp_path / "xla-dumps" / "out-of-memory.txt").read_text(encoding="utf-8")
    assert kept == f"RuntimeError: {OOM}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
@pytest.mark.parametrize("handles", [True, False])
def test_signals_reach_the_program(tmp_path: Path, number: signal.Signals, handles: bool) -> None:
    handler = f"signal.signal({number:d}, lambda *_: sys.exit(3)); " if handles else f"signal.signal({number:d}, 0); "
    program = f"{COMPILE}; import signal, sys; {handler}print('ready', flush=True); signal.pause()"
    with subprocess.Popen(
        [PYTHON, "-m", "reportgen", "run", "-q", "--", PYTHON, "-c", program],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        start_new_session=True,  # no terminal, which would send Ctrl-C to both
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait() == (3 if handles else 128 + number)
    assert (tmp_path / SITE / "index.html").is_file()


def test_an_interrupt_from_the_terminal_comes_once_and_the_report_is_built(tmp_path: Path) -> None:
    program = f"""\
{COMPILE}
import signal, sys, time
interrupts = []
signal.signal(signal.SIGINT, lambda *_: interrupts.append(1))
print("ready", flush=True)
while not interrupts:
    time.sleep(0.01)
time.sleep(0.5)
print("interrupts:", len(interrupts), flush=True)
sys.exit(5)
"""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        command = [PYTHON, "-m", "reportgen", "run", "-q", "--", PYTHON, "program.py"]
        os.execve(PYTHON, command, environment())
    shown = b""
    while b"ready" not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    while not (counted := re.search(rb"interrupts: (\d)", shown)):
        shown += os.read(terminal, 1000)
    assert counted[1] == b"1"
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
    os.close(terminal)
    assert (tmp_path / "xla-memory" / "program" / "index.html").is_file()


def test_input_and_output_are_the_programs(tmp_path: Path) -> None:
    program = f"{COMPILE}; import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    data = bytes(range(256)) * 1000
    command = [PYTHON, "-m", "reportgen", "run", "-q", "--", PYTHON, "-c", program]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), input=data, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, data)


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ([], 2, "write it after --"),
        (["train.py"], 127, "perhaps: reportgen run -- python"),  # or python3, where there is no python
        (["no-such-command"], 127, "no-such-command: command not found"),
        (["/"], 126, "cannot be started"),
    ],
)
def test_a_command_that_cannot_be_run_says_why(run: Run, command: list[str], code: int, words: str) -> None:
    ran = run(command)
    assert ran.code == code
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_a_command_may_have_flags_and_dashes_of_its_own(run: Run) -> None:
    arguments = ["--output", "x", "--", "-q", "--dumps"]
    ran = run([PYTHON, "-c", f"{COMPILE}; import sys; print(sys.argv[1:])", *arguments], "-q")
    assert ran.out == f"{arguments}\n"


# Why nothing came


@pytest.mark.parametrize(
    ("program", "options", "variables", "words"),
    [
        ("pass", [], {}, "XLA compiled nothing that this run could see"),
        (
            f"import os; os.environ['JAX_ENABLE_COMPILATION_CACHE'] = 'true'; {COMPILE}",
            [],
            {"FAKE_CACHE": "1"},
            "1 module was taken from a compilation cache",
        ),
        ("pass", ["--only", "nothing"], {}, "does a name of a module match 'nothing'"),
        ("import sys; sys.exit(4)", [], {}, "its Python has no JAX, TensorFlow or PyTorch/XLA: "),
    ],
)
def test_the_reason_is_named(
    run: Run, tmp_path: Path, program: str, options: list[str], variables: dict[str, str], words: str
) -> None:
    ran = run(program, *options, **variables)
    assert ran.code == (4 if "exit(4)" in program else 1)
    assert words in ran.err
    assert not (tmp_path / SITE).exists()


# The folder of dumps


def test_the_next_run_replaces_the_dumps_and_keeps_the_users_notes(run: Run, tmp_path: Path) -> None:
    run(f"{COMPILE}; compile_module('jit_other')")
    notes = tmp_path / "xla-dumps" / FIRST.replace("-buffer-assignment.txt", ".md")
    notes.write_text("look here", encoding="utf-8")
    run(COMPILE)
    assert dumped(tmp_path) == [FIRST]
    assert notes.read_text(encoding="utf-8") == "look here"


def test_a_folder_of_somebody_else_is_refused_and_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "xla-dumps").mkdir()
    (tmp_path / "xla-dumps" / "thesis.txt").write_text("years of work", encoding="utf-8")
    ran = run(f"{COMPILE}; print('ran')")
    assert (ran.code, ran.out) == (1, "")
    assert "name another folder with --dumps" in ran.err
    assert [path.name for path in (tmp_path / "xla-dumps").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("name", ["main", "pid-17", "rank-3-pid-17", "process-0"])
def test_folders_of_the_user_are_left_alone_whatever_they_are_called(run: Run, tmp_path: Path, name: str) -> None:
    run(COMPILE)
    results = tmp_path / "xla-dumps" / name / "results.csv"
    results.parent.mkdir()
    results.write_text("mine", encoding="utf-8")
    assert run(COMPILE).code == 0
    assert results.read_text(encoding="utf-8") == "mine"


def test_what_an_earlier_run_or_a_process_that_outlived_it_has_left_is_deleted(run: Run, tmp_path: Path) -> None:
    for late in (Path(run(f"{COMPILE}; print(flags()['--xla_dump_to'])").out.strip()), tmp_path / "xla-dumps" / OLD):
        late.mkdir(parents=True)
        (late / FIRST).write_text("cut off", encoding="utf-8")
    run(COMPILE)
    assert dumped(tmp_path) == [FIRST]
    assert not list((tmp_path / "xla-dumps").glob(".reportgen-run-*"))


@pytest.mark.parametrize("text", ['{"files": 5}', "[" * 100_000, "[]", "5"])
def test_a_marker_that_no_run_has_written_is_refused(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "xla-dumps").mkdir()
    (tmp_path / "xla-dumps" / ".reportgen-run.json").write_text(text, encoding="utf-8")
    ran = run(COMPILE)
    assert ran.code == 1
    assert "damaged; delete the folder or name another with --dumps" in ran.err


def test_a_marker_that_is_no_file_is_refused_and_not_waited_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "xla-dumps").mkdir()
    os.mkfifo(tmp_path / "xla-dumps" / ".reportgen-run.json")
    assert "damaged" in run(COMPILE).err
