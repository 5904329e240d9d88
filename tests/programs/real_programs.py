"""Real programs under `reportgen run`, with JAX on the CPU, in an environment of their own.

    python tests/programs/real_programs.py

makes `.venv-jax` beside the repository's `.venv`, installs the package and JAX into it and runs the tests of this file.
The main suite does not collect them, because JAX is no dependency, not even of the tests.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("jax", "pytest>=9,<10", "pytest-xdist", "ipykernel", "nbconvert")

BASE = """\
import jax, jax.numpy as jnp
def go():
    print(float(jax.jit(lambda x: jnp.tanh(x @ x).sum())(jnp.ones((64, 64)))), jax.device_count())
"""
GO = "from base import go; go()"
CACHE = """\
import jax
jax.config.update("jax_compilation_cache_dir", "cache")
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
"""
WORKERS = """\
import multiprocessing
def work():
    from base import go
    go()
if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    workers = [context.Process(target=work) for _ in range(2)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
"""
NOTEBOOK = [
    "%load_ext reportgen\nimport jax.numpy as jnp\ndef step(x): return jnp.tanh(x @ x).sum()",
    "%xla_memory step(jnp.ones((64, 64)))",
]
FOUR_DEVICES = "os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    (tmp_path / "base.py").write_text(BASE, encoding="utf-8")
    return tmp_path


def run(program: str, *options: str, **variables: str) -> tuple[int, int, int]:
    """Run a program and return its exit code, how many modules were found, and in how many processes."""
    Path("program.py").write_text(program, encoding="utf-8")
    return run_command([sys.executable, "program.py"], *options, **variables)


def run_command(command: list[str], *options: str, **variables: str) -> tuple[int, int, int]:
    called = [sys.executable, "-m", "reportgen", "run", "-q", *options, "--", *command]
    code = subprocess.run(called, env={**os.environ, **variables}, check=False).returncode
    marker = json.loads(Path("xla-dumps/.reportgen-run.json").read_text(encoding="utf-8"))
    return code, marker["modules"], marker["processes"]


@pytest.mark.parametrize(
    "program",
    [
        GO,
        f"import os; {FOUR_DEVICES}; {GO}; import jax; assert jax.device_count() == 4",
        f"import os, jax; {FOUR_DEVICES}; {GO}; assert jax.device_count() == 4",
        f"import os, jax; os.environ.pop('XLA_FLAGS', None); {GO}",
    ],
)
def test_every_module_of_a_program_is_found(program: str) -> None:
    assert run(program) == (0, 3, 1)


def test_flags_in_a_file() -> None:
    Path("flags.txt").write_text("--xla_force_host_platform_device_count=3\n", encoding="utf-8")
    assert run(f"{GO}; import jax; assert jax.device_count() == 3", XLA_FLAGS="flags.txt") == (0, 3, 1)


def test_isolated_python() -> None:
    program = f"import sys; sys.path.insert(0, '.'); {GO}"
    assert run_command([sys.executable, "-I", "-c", program]) == (0, 3, 1)


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_workers(method: str) -> None:
    assert run(WORKERS.format(method=method)) == (0, 6, 2)


@pytest.mark.parametrize(("options", "expected"), [([], (0, 4, 1)), (["-n", "2"], (0, 6, 2))])
def test_pytest(options: list[str], expected: tuple[int, int, int]) -> None:
    test = "import pytest\nfrom base import go\n@pytest.mark.parametrize('n', range(2))\ndef test_go(n): go()\n"
    Path("test_it.py").write_text(test, encoding="utf-8")
    assert run_command([sys.executable, "-m", "pytest", "-q", *options, "test_it.py"]) == expected


def test_a_warm_cache() -> None:
    subprocess.run([sys.executable, "-c", f"{CACHE}{GO}"], check=True)
    assert run(f"{CACHE}{GO}") == (0, 3, 1)
    assert run(f"{CACHE}{GO}", "--cache")[:2] == (1, 0)


@pytest.mark.parametrize(("end", "code"), [("import sys; sys.exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)])
def test_programs_that_fail(end: str, code: int) -> None:
    assert run(f"{GO}; {end}") == (code, 3, 1)


def test_a_program_that_compiles_nothing() -> None:
    assert run("print('hello')") == (1, 0, 0)


def test_only() -> None:
    assert run(GO, "--only", r"jit__la\w+") == (0, 1, 1)


def test_report_and_capture() -> None:
    program = """\
import jax, jax.numpy as jnp, reportgen
with reportgen.capture(output="block") as captured:
    x = jnp.ones((64, 64))
assert captured.report.page.is_file()
made = reportgen.report(lambda x: jnp.tanh(x @ x).sum(), x, output="function")
assert made.page.is_file() and made.modules[0].peak_resident_bytes >= 64 * 64 * 4
try:
    with reportgen.capture(): pass
except reportgen.errors.BackendIsUp: print("refused")
"""
    assert "refused" in subprocess.check_output([sys.executable, "-c", program], text=True)


def test_a_notebook() -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in NOTEBOOK
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    Path("notebook.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    convert = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done", "notebook.ipynb"]
    subprocess.run([sys.executable, *convert], check=True)
    [shown] = json.loads(Path("done.ipynb").read_text(encoding="utf-8"))["cells"][1]["outputs"]
    assert "xla-memory/step/index.html" in "".join(shown["data"]["text/html"])


def main() -> int:
    """Make the environment if it is not there and run these tests in it."""
    environment = ROOT / ".venv-jax"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", ROOT, *PACKAGES], check=True)
    alone = ["-c", os.devnull, "--noconftest", "--rootdir", str(ROOT)]
    return subprocess.run([python, "-m", "pytest", "-q", *alone, __file__], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
