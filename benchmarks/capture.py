"""What `reportgen run` costs a program, in pairs with the program alone, and how fast a log is searched."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from benchmarks.commands import ROOT, NotMeasured, in_turn, python
from benchmarks.setting import Setting
from benchmarks.table import BARS, Table, noted, reached, spread
from reportgen.oom.find_errors import find_out_of_memory
from tests.support.mutations import mutated

JAX = ROOT / ".venv-jax" / "bin" / "python"
"""The Python that tests/programs/test_real_programs.py installs JAX for."""

_STEP = """\
import jax, jax.numpy as jnp
def layer(x, w):
    return jax.nn.softmax(x @ w @ x.T) @ x, None
def loss(ws, x):
    return {stack}.sum()
step = jax.jit(lambda ws, x: jax.tree.map(lambda w, g: w - 0.1 * g, ws, jax.grad(loss)(ws, x)))
ws, x = jax.random.normal(jax.random.key(0), ({layers}, 64, 64)), jnp.ones((32, 64))
for _ in range(10):
    ws = step(ws, x)
print(float(ws.sum()))
"""
_UNROLLED = "__import__('functools').reduce(lambda x, w: layer(x, w)[0], list(ws), x)"
PROGRAMS: Mapping[str, str] = {
    "training step, 4 layers in a loop": _STEP.format(stack="jax.lax.scan(layer, x, ws)[0]", layers=4),
    "training step, 24 layers unrolled": _STEP.format(stack=_UNROLLED, layers=24),
}
_RUN_ALONE = """\
import pathlib, sys
from reportgen.programs.run import RunOptions, run_program
run_program(RunOptions(command=tuple(sys.argv[2:]), dumps=pathlib.Path(sys.argv[1])))
"""


def capture(setting: Setting) -> Table:
    """Measure processor time of programs alone and under `run`, with and without the report, and what is written."""
    if not JAX.is_file():
        raise NotMeasured("there is no .venv-jax; `python tests/run.py tests/programs/test_real_programs.py` makes it")
    rows = [_row(setting, name, program) for name, program in PROGRAMS.items()]
    return Table("Capture", ("program", "alone", "under `run`", "with the report", "modules", "written", "kept"), rows)


def _row(setting: Setting, name: str, program: str) -> Sequence[str]:
    folder = setting.fresh("capture")
    folder.mkdir()
    (folder / "program.py").write_text(program, encoding="utf-8")
    run = [str(JAX), "program.py"]
    times = in_turn(
        setting.rounds,
        alone=lambda: _processor_seconds(run, folder),
        captured=lambda: _processor_seconds(python("-c", _RUN_ALONE, "xla-dumps", *run), folder),
        whole=lambda: _processor_seconds(python("-m", "reportgen", "run", "-q", "--", *run), folder),
    )
    marker = json.loads((folder / "xla-dumps" / ".reportgen-run.json").read_text(encoding="utf-8"))
    sizes = (f"{marker[key] / 1e6:.2f} MB" for key in ("dumped_bytes", "kept_bytes"))
    return name, *map(spread, times.values()), str(marker["modules"]), *sizes


def _processor_seconds(command: Sequence[str], folder: Path) -> float:
    """Return the user and system time of a command and of its children, in seconds. Raises NotMeasured if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise NotMeasured(f"`{' '.join(command)}`: {(folder / 'errors').read_text(encoding='utf-8')[-500:]}")
    return usage.ru_utime + usage.ru_stime


def logs(setting: Setting) -> Table:
    """Measure the search for out-of-memory errors: in a log with few, and in texts of nothing else."""
    texts = [path.read_bytes() for path in sorted((ROOT / "tests" / "oom" / "texts").glob("*.txt"))]
    chatter = b"I1122 07:35:00.272763 1404 trainer.py:81] step 1234 loss 2.3145 tokens/s 20480 grad_norm 0.82\n" * 5000
    size = 1 if setting.is_quick else 20
    kinds = {
        "a log with an error every 500 kB": b"".join((chatter + text) for text in texts) * max(size // 8, 1),
        "lists of the largest buffers, all different": different_lists(size * 100),
        "the texts of tests/oom, one after the other": b"\n".join(texts) * (size * 50),
        "the same, each damaged in another way": b"\n".join(
            mutated([text], Random(number))[0] for number, text in enumerate(texts * (size * 25))
        ),
        "metadata in lines of 1 MB": (b"1. Size: 3.00G\nOperator: " + b"a" * 1_000_000 + b"\nXLA label: a\n") * size,
    }
    times = in_turn(setting.rounds, **{name: lambda data=data: _search_seconds(data) for name, data in kinds.items()})
    rows = [noted(f"{name}, {len(data) / 1e6:.1f} MB", spread(times[name])) for name, data in kinds.items()]
    rates = [reached(name, len(data) / 1e6 / times[name].median, 20, "MB/s") for name, data in kinds.items()]
    return Table("Search in logs", BARS, [*rows, *rates])


def _search_seconds(data: bytes) -> float:
    started = os.times()
    find_out_of_memory(data)
    ended = os.times()
    return ended.user + ended.system - started.user - started.system


def different_lists(events: int) -> bytes:
    """Return refusals of a TPU compiler, each with its 20 largest buffers, no two alike."""
    chance = Random(1)
    return "".join(_event(chance) for _ in range(events)).encode()


def _event(chance: Random) -> str:
    used = chance.randrange(1600, 9000) / 100
    head = (
        f"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used {used}G"
        f" of 15.75G hbm. Exceeded hbm capacity by {used - 15.75:.2f}G.\n\nTotal hbm usage >= {used}G:\n"
        f"    reserved        258.00M\n    program          {used}G\n    arguments            0B\n\n"
        f"Program hbm requirement {used}G:\n    HLO temp         {used}G (100.0% utilization)\n\n"
        "  Largest program allocations in hbm:\n\n"
    )
    return head + "".join(_entry(chance, number) for number in range(1, 21))


def _entry(chance: Random, number: int) -> str:
    rows, columns, name = chance.choice([512, 1024, 4096]), chance.randrange(1, 65536), chance.randrange(10**5)
    size = f"{rows * columns / 2**18:.2f}G"
    return (
        f"  {number}. Size: {size}\n"
        f'     Operator: op_name="jit(step)/jit(main)/jvp(Model)/layer_{name % 96}/attention/dot_general"'
        f' source_file="/home/user/model/attention.py" source_line={chance.randrange(1, 2000)}\n'
        f"     Shape: bf16[{rows},{columns},128]{{2,1,0:T(8,128)(2,1)}}\n     Unpadded size: {size}\n"
        f"     XLA label: fusion.{name} = fusion(param.{name % 977}, get-tuple-element.{name}), kind=kOutput,"
        f" calls=fused_computation.{name}\n     Allocation type: HLO temp\n     ==========================\n\n"
    )
