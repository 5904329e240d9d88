"""A stand-in for XLA in the programs that tests run: it reads XLA_FLAGS once for each process and numbers its modules.

It asks the C library, as XLA does: `os.environ` shows what the program has set, and not what `reportgen run` adds.
"""

import ctypes
import os
import shlex
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "samples" / "cpu-tiny"
FUNCTION = "def tiny():\n    def tiny_matmul_gelu(x, w):\n        return jax.nn.gelu(x @ w)\n"
"""What `SAMPLE` was compiled from: its dump names the last line as line 11 of a file."""
_state: dict[str, object] = {}


def flags() -> dict[str, str]:
    """Return the flags as XLA parses them: the last one of a name wins, and a value without a dash names a file."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    value = (libc.getenv(b"XLA_FLAGS") or b"").decode()
    if value and not value.startswith("-"):
        value = Path(value).read_text(encoding="utf-8")
    return {name: text for name, _, text in (flag.partition("=") for flag in shlex.split(value))}


def compile_module(name: str, *, ends: bool = True) -> None:
    """Dump a module called `name` if the flags say so; with `ends=False`, die in the middle of its first file."""
    options = _state.setdefault("flags", flags())
    number = _state["modules"] = int(str(_state.get("modules", -1))) + 1
    if not isinstance(options, dict) or "--xla_dump_to" not in options:
        return
    folder = Path(options["--xla_dump_to"])
    (folder / f"module_{number:04}.{name}").mkdir(parents=True, exist_ok=True)
    stem = f"module_{number:04}.{name}.cpu_after_optimizations"
    (folder / f"module_{number:04}.{name}" / "ir.ll").write_text("; LLVM IR\n" * 100, encoding="utf-8")
    if os.environ.get("JAX_ENABLE_COMPILATION_CACHE") != "false" and os.environ.get("FAKE_CACHE"):
        (folder / f"{stem}.txt").write_text("HloModule cached\n", encoding="utf-8")
        return
    if "--xla_dump_hlo_as_text" not in options:
        (folder / f"{stem}.hlo.pb").write_bytes(b"\n")
        return
    for path in sorted(
        SAMPLE.glob("*_after_optimizations*.txt"), key=lambda path: "-buffer-assignment." not in path.name
    ):
        data = path.read_bytes()
        written = folder / (stem + path.name.partition("_after_optimizations")[2])
        written.write_bytes(data if ends else data[: len(data) // 2])
        if not ends:
            sys.stdout.flush()
            os.abort()
