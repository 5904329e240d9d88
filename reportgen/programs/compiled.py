"""Ask a compiled JAX function for XLA's plan of its memory, which its runtime may have kept.

A runtime gives the optimized module and, since jax 0.5, the buffer assignment, each as a serialized proto. Some give
only one of them.
"""

from typing import Any

from reportgen.errors import UnreadableInput
from reportgen.protos.hlo_proto import joined_proto
from reportgen.record import record

_STAGES = {"cpu": "cpu_after_optimizations", "gpu": "gpu_after_optimizations", "cuda": "gpu_after_optimizations"}
_OTHERWISE = """\
reportgen.report(function, *args) compiles it again and asks for a dump, and `reportgen run -- COMMAND` reports on a
whole program."""


@record(kw_only=False)
class CompiledPlan:
    """The HloProto of a compiled function, the name of its module, and the name of XLA's dump of it."""

    name: str
    file_name: str
    proto: bytes


def compiled_plan(compiled: Any) -> CompiledPlan:
    """Return the plan of a `jax.stages.Compiled`. Raises UnreadableInput if its runtime does not give it."""
    try:
        analysis = compiled.memory_analysis()
        assignment = bytes(getattr(analysis, "serialized_buffer_assignment_proto", None) or b"")
        executable = compiled.runtime_executable()
        module = executable.hlo_modules()[0]
        proto = bytes(module.as_serialized_hlo_module_proto())
    except Exception as error:  # each runtime raises errors of its own for what it does not implement
        raise UnreadableInput(
            f"the runtime of this compiled function does not give its program ({error}). {_OTHERWISE}"
        ) from error
    if not assignment:
        raise UnreadableInput(
            f"the runtime of this compiled function does not give XLA's buffer assignment. {_OTHERWISE}"
        )
    stage = _STAGES.get(_platform(executable), "after_optimizations")
    name = str(module.name).replace("/", "_") or "module"
    return CompiledPlan(name, f"module_0000.{name}.{stage}.hlo.pb", joined_proto(proto, assignment))


def _platform(executable: Any) -> str:
    """Return the platform that a function was compiled for, such as `cuda`; empty if the runtime does not say it."""
    try:
        return str(executable.local_devices()[0].platform)
    except Exception:  # as above; the report then finds out by itself
        return ""
