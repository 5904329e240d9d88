"""Say how a checkpoint is written in the framework that a program comes from, and where a loop is in its source."""

from collections.abc import Mapping

from reportgen.parse.stack_frames import Frame
from reportgen.program.program import Program

_CALLS: Mapping[str, str] = {
    "/flax/": "nn.remat({0})",
    "/keras/": "keras.remat({0})",
    "/torch_xla/": "torch_xla.utils.checkpoint.checkpoint({0}, …)",
    "/haiku/": "hk.remat({0})",
    "/jax/": "jax.checkpoint({0})",
}
"""The call by a part of the path of a framework's own files; the first that a stack goes through counts."""

_OF_JAX = ("jit(", "pjit(", "pmap(")


def checkpoint_call(program: Program, instruction: str, subject: str) -> str:
    """Return how to checkpoint `subject`, which an instruction is of; empty for an unknown framework."""
    files = [frame.file.replace("\\", "/") for frame in program.stack(instruction)]
    for part, call in _CALLS.items():
        if any(part in file for file in files):
            return call.format(subject)
    return f"jax.checkpoint({subject})" if is_of_jax(program.op_name(instruction)) else ""


def is_of_jax(op_name: str) -> bool:
    """Return whether JAX has named an operation."""
    return op_name.startswith(_OF_JAX)


def place(program: Program, instruction: str) -> str:
    """Return the user's source line of an instruction, as `FILE:LINE`; its scope where no line is known, or empty."""
    frame = user_frame(program, instruction)
    return str(frame) if frame else program.op_name(instruction)


def user_frame(program: Program, instruction: str) -> Frame | None:
    """Return the innermost frame of the user's own code around an instruction."""
    return next((frame for frame in program.stack(instruction) if not frame.is_of_library), None)
