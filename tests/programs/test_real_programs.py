"""Real programs under `reportgen run`, with JAX on the CPU: every module that they compile is found."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.samples import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals and fork"),
]

BASE = """\
import os, jax, jax.numpy as jnp
def note(event, seconds, **details):
    if event == "/jax/core/compile/backend_compile_duration":
        with open(f"compiled-{os.getpid()}", "a") as file:
            file.write("x")
jax.monitoring.register_event_duration_secs_listener(note)
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
WAITING = f"""\
import pathlib, signal, sys, time
{GO}
{{handler}}
pathlib.Path("ready").touch()
signal.pause()
"""
DYING = f"""\
import os, pathlib, signal, threading
def die_in_the_second_dump():
    dumps = pathlib.Path(os.environ["REPORTGEN_RUN_DIRECTORY"])
    while len(list(dumps.rglob("*-buffer-assignment.txt"))) < 2:
        pass
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=die_in_the_second_dump, daemon=True).start()
{GO}
threading.Event().wait()
"""
NOTEBOOK = """\
import jax.numpy as jnp, reportgen
def step(x): return jnp.tanh(x @ x).sum()
print(reportgen.report(step, jnp.ones((64, 64)))._repr_html_())
"""
FOUR_DEVICES = "os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'"


class Ran(NamedTuple):
    """What came of a program: modules `found` of those that JAX `compiled`, in so many processes."""

    code: int
    found: int
    compiled: int
    processes: int


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the folder of the program the current one, without flags of the machine."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("JAX", "RANK", "XLA", "PYTEST"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "base.py").write_text(BASE, encoding="utf-8")
    return tmp_path


def command(python: str, program: str) -> list[str]:
    Path("program.py").write_text(program, encoding="utf-8")
    return [python, "program.py"]


def started(command: Sequence[str], *options: str, **variables: str) -> "subprocess.Popen[bytes]":
    """Start the command under `reportgen run`, which is in another environment than the program."""
    run = [sys.executable, "-m", "reportgen", "run", "-q", "--jobs", "1", *options, "--", *command]
    return subprocess.Popen(run, env={**os.environ, **variables})


def ended(process: "subprocess.Popen[bytes]") -> Ran:
    code = process.wait()
    marker = json.loads(Path("xla-dumps/.reportgen-run.json").read_text(encoding="utf-8"))
    compiled = sum(len(path.read_text(encoding="utf-8")) for path in Path().glob("compiled-*"))
    assert any(Path("xla-memory").glob("*/index.html")) or not marker["modules"]
    return Ran(code, marker["modules"], compiled, marker["processes"])


def run(command: Sequence[str], *options: str, **variables: str) -> Ran:
    return ended(started(command, *options, **variables))


@pytest.mark.parametrize(
    "program",
    [
        GO,
        f"import os; {FOUR_DEVICES}; {GO}; import jax; assert jax.device_count() == 4",
        f"import os, jax; {FOUR_DEVICES}; {GO}; assert jax.device_count() == 4",
        f"import os, jax; os.environ.pop('XLA_FLAGS', None); {GO}",
    ],
    ids=["plain", "sets flags before import", "sets flags after import", "deletes flags"],
)
def test_a_script(python: str, program: str) -> None:
    assert run(command(python, program)) == Ran(0, 3, 3, 1)


def test_flags_in_a_file(python: str) -> None:
    Path("flags.txt").write_text("--xla_force_host_platform_device_count=3\n", encoding="utf-8")
    program = f"{GO}; import jax; assert jax.device_count() == 3"
    assert run(command(python, program), XLA_FLAGS="flags.txt") == Ran(0, 3, 3, 1)


def test_isolated_python(python: str) -> None:
    assert run([python, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {GO}"]) == Ran(0, 3, 3, 1)


def test_a_sitecustomize_of_its_own(python: str, folder: Path) -> None:
    (folder / "own").mkdir()
    (folder / "own" / "sitecustomize.py").write_text("import sys; sys.is_customized = True\n", encoding="utf-8")
    program = f"import sys; assert sys.is_customized; {GO}"
    assert run(command(python, program), PYTHONPATH=str(folder / "own")) == Ran(0, 3, 3, 1)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers(python: str, method: str) -> None:
    assert run(command(python, WORKERS.format(method=method))) == Ran(0, 6, 6, 2)


def test_pytest(python: str) -> None:
    test = "import pytest\nfrom base import go\n@pytest.mark.parametrize('n', range(2))\ndef test_go(n): go()\n"
    Path("test_it.py").write_text(test, encoding="utf-8")
    assert run([python, "-m", "pytest", "-q", "-n", "2", "test_it.py"]) == Ran(0, 6, 6, 2)


def test_a_warm_cache_is_turned_off(python: str) -> None:
    program = command(python, f"{CACHE}{GO}")
    subprocess.run(program, check=True)
    for path in Path().glob("compiled-*"):
        path.unlink()
    assert run(program) == Ran(0, 3, 3, 1)


@pytest.mark.parametrize(("end", "code"), [("import sys; sys.exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)])
def test_a_program_that_fails(python: str, end: str, code: int) -> None:
    assert run(command(python, f"{GO}; {end}")) == Ran(code, 3, 3, 1)


@pytest.mark.parametrize(
    ("handler", "code"),
    [("", 143), ("signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))", 5)],
    ids=["not caught", "caught"],
)
def test_sigterm(python: str, handler: str, code: int) -> None:
    process = started(command(python, WAITING.format(handler=handler)))
    while not Path("ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert ended(process) == Ran(code, 3, 3, 1)


def test_a_program_that_dies_in_the_middle_of_a_dump(python: str) -> None:
    ran = run(command(python, DYING))
    assert (ran.code, ran.processes) == (137, 1)
    assert ran.found >= 2


def test_a_program_that_compiles_nothing(python: str) -> None:
    assert run(command(python, "print('hello')")) == Ran(1, 0, 0, 0)


def test_only(python: str) -> None:
    assert run(command(python, GO), "--only", r"jit__la\w+") == Ran(0, 1, 3, 1)


def test_report_of_a_function(python: str) -> None:
    program = """\
import jax, jax.numpy as jnp, reportgen
x = jnp.ones((64, 64))
made = reportgen.report(lambda x: jnp.tanh(x @ x).sum(), x, output="function")
assert made.page.is_file() and made.modules[0].peak_resident_bytes >= 64 * 64 * 4
"""
    subprocess.run([python, "-c", program], check=True)


def test_a_compiled_function_and_a_profile_say_what_the_dump_says(python: str, folder: Path) -> None:
    program = """\
import jax, jax.numpy as jnp, reportgen
def step(params, x):
    def loss(params, x):
        carry, _ = jax.lax.scan(lambda carry, weight: (jnp.tanh(carry @ weight), None), x, params)
        return (carry**2).sum()
    return params - 0.1 * jax.grad(loss)(params, x)
params, x = jnp.ones((4, 64, 64)), jnp.ones((8, 64))
jitted = jax.jit(step, donate_argnums=0)
compiled = jitted.lower(params, x).compile()
made = reportgen.report(compiled, output="compiled")
with jax.profiler.trace("profile"):
    jax.block_until_ready(jitted(params, x))
    jax.block_until_ready(jax.jit(lambda x: jnp.tanh(x @ x).sum())(jnp.ones((32, 32))))
"""
    variables = {"XLA_FLAGS": "--xla_dump_to=dump --xla_dump_hlo_as_text"}
    subprocess.run([python, "-c", program], check=True, env={**os.environ, **variables})
    dumped = figures("dump")
    (compiled,) = json.loads((folder / "compiled" / "report.json").read_text(encoding="utf-8"))["modules"]
    assert spaces(compiled) == dumped["jit_step"]
    profiled = figures("profile")
    assert profiled.keys() >= {"jit_step", "jit__lambda"}
    assert profiled == {name: dumped[name] for name in profiled}


def figures(folder: str) -> dict[str, object]:
    """Return what `check` says of the spaces of each module in a folder; modules of one name are alike here."""
    checked = subprocess.check_output([sys.executable, "-m", "reportgen", "check", "--json", "--jobs", "1", folder])
    return {
        module["name"]: spaces(module) for module in json.loads(checked)["modules"] if "broadcast" not in module["name"]
    }


def spaces(module: Mapping[str, Any]) -> object:
    """Return the figures of a module's memory spaces, without its names and advice."""
    return {
        color: {name: found for name, found in space.items() if name.endswith(("_bytes", "_moment"))}
        for color, space in module["spaces"].items()
    }


def test_the_program_of_the_samples_does_not_fit_until_it_is_changed(python: str) -> None:
    program = [python, str(ROOT / "samples" / "programs" / "train_step.py")]
    verdicts = []
    for change in ([], ["--checkpoint"]):
        subprocess.run([sys.executable, "-m", "reportgen", "run", "-q", "--", *program, *change], check=True)
        explain = [sys.executable, "-m", "reportgen", "explain", "--json", "--capacity", "v5e", "xla-dumps"]
        [module] = json.loads(subprocess.check_output(explain))["modules"]
        advice = module["figures"]["spaces"]["0"]["advice"]
        first = advice["suggestions"][advice["best"][0]]
        verdicts.append((module["sentences"]["fits"], first["what"].partition(" at ")[0]))
    assert verdicts[0] == (False, "checkpoint the body of the loop")
    assert verdicts[1][0] is True


def test_a_notebook(python: str) -> None:
    shown = subprocess.check_output([python, "-c", NOTEBOOK], text=True)
    assert "xla-memory/step/index.html" in shown
    assert '<iframe srcdoc="&lt;!DOCTYPE html&gt;' in shown
