"""Say how a checkpoint is written in the framework that a program comes from, and where a loop is in its source."""

from collections.abc import Sequence, Set
from itertools import takewhile
from typing import NamedTuple

from reportgen.parse.stack_frames import Frame
from reportgen.program.program import Program


class Framework(NamedTuple):
    """How a framework's checkpoint is written; each text is compiled by `tests/world/test_offers.py`.

    `path` is a part of the paths of its own files, `scans` are those of the files between a user's scan and its loop.
    `function`, `method` (0) of a class (1) and `scope` (0) say how each is checkpointed; empty where nobody knows.
    """

    path: str
    scans: tuple[str, ...]
    function: str
    method: str
    scope: str


_FRAMEWORKS = (
    Framework(
        "/flax/nnx/",
        ("/flax/nnx/transforms/", "/flax/nnx/graph", "/flax/nnx/extract.py"),
        "nnx.remat({0})",
        "{1}.{0} = nnx.remat({1}.{0})",
        "f = nnx.remat(f)  # f: what runs in {0}",
    ),
    Framework(
        "/flax/",
        ("/flax/core/", "/flax/linen/transforms.py"),
        "nn.remat({0})",
        "{1}.{0} = nn.remat({1}.{0})",
        "Block.__call__ = nn.remat(Block.__call__)  # Block: the class of {0}",
    ),
    Framework(
        "/equinox/",
        (),
        "eqx.filter_checkpoint({0})",
        "{1}.{0} = eqx.filter_checkpoint({1}.{0})",
        "f = eqx.filter_checkpoint(f)  # f: what runs in {0}",
    ),
    Framework(
        "/haiku/_src/", ("/haiku/_src/stateful.py",), "hk.remat({0})", "", "f = hk.remat(f)  # f: what runs in {0}"
    ),
    Framework(
        "/keras/src/",
        ("/keras/src/ops/core.py", "/keras/src/backend/jax/core.py"),
        "keras.remat({0})",
        "",
        "f = keras.remat(f)  # f: what runs in {0}",
    ),
)
_JAX = Framework("/jax/", (), "jax.checkpoint({0})", "", "f = jax.checkpoint(f)  # f: what runs in {0}")
_HAIKU_METHOD = "layer = hk.remat(layer)  # layer: each {0}"
# Only where the function is called, because `hk.remat` fails outside of a function that Haiku transforms.
_HAIKU_FUNCTION = "f = hk.remat({0})  # f: to call instead of {0}"
_MODULES = {"/flax/": "/flax/", "/keras/src/": "/keras/src/layers/"}
"""The files of modules that a function may be passed, but its checkpoint may not, by a framework's path."""

_IN_HAIKU = "/haiku/_src/transform.py"

_IN_BLOCKS = "jax.lax.map(jax.checkpoint(attend), query_blocks)  # attend: one block of queries to all keys"
_FUSED = 'jax.nn.dot_product_attention(query, key, value, implementation="cudnn")'

_FUSED_TYPES = ("bf16", "f16")
_FUSED_HEADS = range(8, 129, 8)
"""The sizes of a head that cuDNN's kernel takes on every NVIDIA GPU."""

CHECKPOINT_OF_ATTENTION = "attend = jax.checkpoint(attend)  # attend: queries, keys and values to their result"

DIVIDED_ACTIVATIONS = (
    "x = jax.lax.with_sharding_constraint(x, batch_sharding)  "
    '# x: what each layer reads; batch_sharding: NamedSharding(mesh, P("data")), as of the data, on Auto axes'
)
"""How to keep the activations of layers divided among devices as the batch is."""

_OF_JAX = ("jit(", "pjit(", "pmap(")

_NO_ARGUMENTS = frozenset(("args", "kwargs", "flat_args", "dynamic_donate", "dynamic_nodonate"))
"""Names of arguments that `donate_argnames` does not take: variable ones, and those of a framework's own `jit`."""


def checkpoint_of_loop(program: Program, loop: str) -> str:
    """Return how to checkpoint the body of a loop; empty if a library has written the body."""
    if not is_of_jax(program.op_name(loop)):
        return ""
    library = [_path(frame) for frame in takewhile(lambda frame: frame.is_of_library, program.stack(loop))]
    between = [file for file in library if _JAX.path not in file]
    for framework in (_JAX, *_FRAMEWORKS):
        # What scans is JAX itself, or else a framework, whose body has the modules of that framework in it.
        if all(any(part in file for part in framework.scans) for file in between):
            return framework.function.format("body")
    return ""


def checkpoint_of_scope(program: Program, instruction: str, scope: str) -> str:
    """Return how to checkpoint what runs in a scope that an instruction is of; empty if nobody knows."""
    return _framework(program).scope.format(scope) if is_of_jax(program.op_name(instruction)) else ""


def checkpoint_of_function(program: Program, instruction: str, function: str) -> str:
    """Return how to checkpoint a function that an instruction is of, by its qualified name; empty if nobody knows."""
    if not is_of_jax(program.op_name(instruction)):
        return ""
    *outer, name = function.split(".")
    framework = _framework(program)
    is_method = bool(outer) and outer[-1] != "<locals>"
    if framework.path == "/haiku/_src/":
        stack = program.stack(instruction)
        around = stack[max((at for at, frame in enumerate(stack) if frame.function == function), default=0) :]
        if not any(_IN_HAIKU in _path(frame) for frame in around):
            framework = _JAX
        elif not is_method:
            return _HAIKU_FUNCTION.format(name)
        else:
            return _HAIKU_METHOD.format(outer[-1]) if name == "__call__" else ""
    if framework.path.startswith("/flax/") and is_method and not _calls(program, function, framework.path):
        return ""
    if (modules := _MODULES.get(framework.path)) and not is_method:
        if _calls(program, function, modules):
            return ""
        framework = _JAX
    if is_method:
        return framework.method.format(name, outer[-1])
    return f"{name} = {framework.function.format(name)}"


def _framework(program: Program) -> Framework:
    """Return the first framework whose files a program has, since each has more or less of its own in every stack."""
    files = [_path(frame) for file in program.source_files if (frame := Frame(file, "", 0)).is_of_library]
    return next((framework for framework in _FRAMEWORKS if any(framework.path in file for file in files)), _JAX)


def _calls(program: Program, function: str, path: str) -> bool:
    """Return whether a function calls, perhaps through others, what is in files whose paths have a part."""
    tables = program.join.frames
    if tables is None:
        return False
    files = {number for number, file in tables.files.items() if path in file.replace("\\", "/")}
    own = {number for number, (file, _, _) in tables.locations.items() if file in files}
    callers = {link.parent for link in tables.links.values() if link.location in own}
    return any(frame.function == function for caller in callers for frame in tables.stack(caller))


def _path(frame: Frame) -> str:
    return frame.file.replace("\\", "/")


def donation_code(names: Sequence[str]) -> str:
    """Return the argument of `jax.jit` that donates what has these names; empty where it does not take them."""
    if not all(name.isidentifier() and name not in _NO_ARGUMENTS for name in names):
        return ""
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"donate_argnames=({quoted}{',' if len(names) == 1 else ''})"


def attention_code(backend: str, multiplied: Set[tuple[str, int]]) -> str:
    """Return how to compute attention without holding its scores, which the default implementation of JAX holds.

    `multiplied` are the element types and the sizes of the heads whose products are the scores.
    """
    is_fused = backend == "gpu" and bool(multiplied)
    takes_all = all(kind in _FUSED_TYPES and size in _FUSED_HEADS for kind, size in multiplied)
    return _FUSED if is_fused and takes_all else _IN_BLOCKS


def is_of_jax(op_name: str) -> bool:
    """Return whether JAX has named an operation."""
    return op_name.startswith(_OF_JAX)


def place(program: Program, instruction: str) -> str:
    """Return the user's source line of an instruction, as `FILE:LINE`; its scope where no line is known, or empty."""
    frame = program.user_frame(instruction)
    return str(frame) if frame else program.op_name(instruction)
