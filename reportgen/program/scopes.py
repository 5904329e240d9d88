"""Name the parts of a program as a reader would, `layer_3` or `layer_3/attn`, from the op_names of instructions.

An op_name is a path with JAX's own steps in between: `jit(step)/transpose(jvp(layer_3))/attn/dot_general` is the
backward pass of `layer_3/attn`. Without them, forward and backward of one part have one path.
"""

import re
from functools import lru_cache
from typing import Literal

from reportgen.parse.op_names import path_parts
from reportgen.patterns import repeated

Direction = Literal["forward", "backward", ""]

_WRAPPERS = re.compile(repeated(r"(?:jvp|transpose|vmap|remat|checkpoint)\("))
_COMPUTATION = (
    r"(?:while|body|cond|closed_call|checkpoint|eval_jaxpr|remat\d?|rematted_computation|branch_\d+_fun|shard_map)"
)
"""The parts of an op_name that JAX adds for a computation around operations; `eval_jaxpr` since 0.12."""

_OF_JAX = re.compile(rf"|p?jit\(.*\)|p?jit|custom_[jv]vp_call|xla_call|core_call|{_COMPUTATION}")
_ENDS_WITH_COMPUTATION = re.compile(rf"/{_COMPUTATION}$")
_DIGITS = re.compile(r"\d+")

REMATERIALIZED = "rematted_computation"
_COPIED = ".remat"
"""What the name of an instruction goes on with that XLA's own rematerialisation runs a second time."""


def direction(op_name: str) -> Direction:
    """Return whether an operation belongs to the forward or to the backward pass of a gradient."""
    if "transpose(" in op_name:
        return "backward"
    return "forward" if "jvp(" in op_name else ""


def original_of(instruction: str) -> str:
    """Return the name of the instruction that XLA's rematerialisation copied one from; empty for no copy."""
    original, copied, _ = instruction.partition(_COPIED)
    return original if copied else ""


def is_operation(op_name: str | None) -> bool:
    """Return whether an op_name names an operation and not only the computation around it.

    The compiler gives the name of a computation to what it adds to it.
    """
    return bool(op_name and not _ENDS_WITH_COMPUTATION.search(op_name))


@lru_cache(maxsize=1 << 16)
def path(op_name: str) -> tuple[str, ...]:
    """Return the named scopes around an operation, the outermost first, without the operation itself."""
    parts: list[str] = []
    for part in path_parts(op_name)[:-1]:
        for name in _unwrapped(part).split("/"):
            if not _OF_JAX.fullmatch(name) and parts[-1:] != [name]:
                parts.append(name)
    return tuple(parts)


def short_name(op_name: str) -> str:
    """Return an operation in the named scopes around it, without what JAX adds: `attn/exp`; other names as they are."""
    parts = path_parts(op_name)
    return "/".join((*path(op_name), parts[-1])) if len(parts) > 1 and "/" in op_name else op_name


def _unwrapped(part: str) -> str:
    """Return `attn` for `transpose(jvp(attn))`, whatever the number of transformations."""
    opened = _WRAPPERS.match(part)
    levels = min(opened[0].count("(") if opened else 0, len(part) - len(part.rstrip(")")))
    return part.split("(", levels)[-1].removesuffix(")" * levels)


def pattern(text: str) -> str:
    """Return a name with `#` for each number, so that the layers of a network agree."""
    return _DIGITS.sub("#", text)


def is_in_scope(op_name: str, scope: str) -> bool:
    """Return whether an operation is in a scope of a name with `#` for each number."""
    return pattern("/".join(path(op_name)[: scope.count("/") + 1])) == scope
