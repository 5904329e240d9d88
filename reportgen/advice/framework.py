"""Say how a checkpoint is written in the framework that a program comes from, and where a loop is in its source."""

from collections.abc import Mapping, Set

from reportgen.parse.stack_frames import Frame
from reportgen.program.program import Program

_CALLS: Mapping[str, str] = {
    "/flax/nnx/": "nnx.remat({0})",
    "/flax/": "nn.remat({0})",
    "/equinox/": "eqx.filter_checkpoint({0})",
    "/keras/": "keras.remat({0})",
    "/torch_xla/": "torch_xla.utils.checkpoint.checkpoint({0}, …)",
    "/haiku/": "hk.remat({0})",
    "/jax/": "jax.checkpoint({0})",
}
"""The call by a part of the path of a framework's own files; the first that a stack goes through counts."""

_METHODS: Mapping[str, str] = {
    "/flax/nnx/": "{1}.{0} = nnx.remat({1}.{0})",
    "/flax/": "{1} = nn.remat({1})",
    "/equinox/": "layer = eqx.filter_checkpoint(layer)  # layer: each {1}",
    "/haiku/": "layer = hk.remat(layer)  # layer: each {1}",
}
"""The same for a method (0) of a class (1); of the others nobody knows whether the object may be passed through."""

_IN_BLOCKS = "jax.lax.map(jax.checkpoint(attend), query_blocks)  # attend: one block of queries to all keys"
_FUSED = 'jax.nn.dot_product_attention(query, key, value, implementation="cudnn")'

_OF_JAX = ("jit(", "pjit(", "pmap(")


def checkpoint_call(program: Program, instruction: str, subject: str) -> str:
    """Return how to checkpoint `subject`, which an instruction is of; empty for an unknown framework."""
    if call := _of_framework(_CALLS, program, instruction):
        return call.format(subject)
    return f"jax.checkpoint({subject})" if is_of_jax(program.op_name(instruction)) else ""


def checkpoint_of_function(program: Program, instruction: str, function: str) -> str:
    """Return how to checkpoint a function that an instruction is of, by its qualified name; empty if nobody knows."""
    *outer, name = function.split(".")
    if not outer or outer[-1] == "<locals>":
        call = checkpoint_call(program, instruction, name)
        return f"{name} = {call}" if call else ""
    return _of_framework(_METHODS, program, instruction).format(name, outer[-1])


def _of_framework(texts: Mapping[str, str], program: Program, instruction: str) -> str:
    """Return the text of the framework that the stack of an instruction goes through; empty for an unknown one."""
    files = [frame.file.replace("\\", "/") for frame in program.stack(instruction)]
    return next((text for part, text in texts.items() if any(part in file for file in files)), "")


def attention_code(backend: str, element_types: Set[str]) -> str:
    """Return how to compute attention without holding its scores.

    The default implementation of `jax.nn.dot_product_attention` holds them on every backend, and cuDNN's kernel takes
    16-bit types alone.
    """
    return _FUSED if backend == "gpu" and not element_types.isdisjoint(("bf16", "f16")) else _IN_BLOCKS


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
