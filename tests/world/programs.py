"""Compile a program and keep its dump, compressed: `python -m tests.world.programs NAME FOLDER`, with JAX and libtpu.

Nothing is run and no array is allocated, so no TPU is needed.
"""

import lzma
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tests.world.cases import CASES, Case

ROOT = Path(__file__).parents[2]
FLAGS = "--xla_dump_hlo_as_text --xla_dump_hlo_as_proto"
READ_COMPRESSED = re.compile(
    r"after_optimizations(?:-buffer-assignment(?:-values)?|-live-range|-memory-usage-report)?\.txt$"
    r"|after_optimizations\.hlo\.pb$"
)
READ_AS_IT_IS = ".target_arguments.txt"


class Sizes(NamedTuple):
    layers: int
    width: int
    vocabulary: int
    batch: int
    length: int


HEADS = 8


def attention(x: Any, weights: Any) -> Any:
    query, key, value = jnp.split(x @ weights, 3, axis=-1)
    query, key, value = (part.reshape(*x.shape[:-1], HEADS, -1) for part in (query, key, value))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key).astype(jnp.float32)
    shares = jax.nn.softmax(scores).astype(x.dtype)
    return jnp.einsum("bhqk,bkhd->bqhd", shares, value).reshape(x.shape)


def layer(x: Any, weights: Any) -> tuple[Any, None]:
    x = x + attention(x, weights["attention"])
    return x + jax.nn.gelu(x @ weights["up"]) @ weights["down"], None


def loss(parameters: Any, tokens: Any) -> Any:
    x = parameters["embedding"][tokens]
    x, _ = jax.lax.scan(layer, x, parameters["layers"])
    logits = (x @ parameters["head"]).astype(jnp.float32)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[..., None], axis=-1)
    return -chosen.mean()


def train_step(parameters: Any, momentum: Any, tokens: Any) -> Any:
    value, gradient = jax.value_and_grad(loss)(parameters, tokens)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return jax.tree.map(lambda p, m: p - 1e-3 * m, parameters, momentum), momentum, value


def decode(weights: Any, cache: Any, tokens: Any) -> Any:
    """Write 64 more tokens, one after the other, and keep the keys and values of all in `cache`."""

    def step(position: Any, state: Any) -> Any:
        tokens, cache = state
        x = weights["embedding"][tokens[:, position]]
        row = jnp.stack([x @ weights["key"], x @ weights["value"]])
        cache = jax.lax.dynamic_update_slice(cache, row[:, :, None], (0, 0, position, 0))
        scores = jnp.einsum("bd,bsd->bs", x, cache[0])
        shares = jax.nn.softmax(jnp.where(jnp.arange(scores.shape[1]) <= position, scores, -jnp.inf))
        x = x + jnp.einsum("bs,bsd->bd", shares, cache[1])
        best = jnp.argmax(x @ weights["embedding"].T, axis=-1).astype(tokens.dtype)
        return tokens.at[:, position + 1].set(best), cache

    return jax.lax.fori_loop(0, 64, step, (tokens, cache))


def arguments_of_train_step(sizes: Sizes, dtype: Any, place: Callable[..., Any]) -> tuple[Any, ...]:
    width = sizes.width
    layers = {"attention": (width, 3 * width), "up": (width, 4 * width), "down": (4 * width, width)}
    state = {
        "embedding": place((sizes.vocabulary, width), dtype),
        "head": place((width, sizes.vocabulary), dtype),
        "layers": {name: place((sizes.layers, *shape), dtype) for name, shape in layers.items()},
    }
    return state, state, place((sizes.batch, sizes.length), jnp.int32, is_data=True)


def arguments_of_decode(place: Callable[..., Any]) -> tuple[Any, ...]:
    width, batch, length = 1024, 64, 4096
    weights = {"embedding": (8192, width), "key": (width, width), "value": (width, width)}
    placed = {name: place(shape, jnp.bfloat16) for name, shape in weights.items()}
    return placed, place((2, batch, length, width), jnp.bfloat16), place((batch, length), jnp.int32)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., tuple[Any, ...]], tuple[int, ...]]] = {
    "cpu": (train_step, partial(arguments_of_train_step, Sizes(3, 64, 256, 4, 32), jnp.float32), ()),
    "embedding": (train_step, partial(arguments_of_train_step, Sizes(4, 1024, 65_536, 4, 1024), jnp.bfloat16), (0,)),
    "decode": (decode, arguments_of_decode, (1,)),
    "sharded": (train_step, partial(arguments_of_train_step, Sizes(4, 1024, 32_768, 16, 1024), jnp.bfloat16), (0, 1)),
}


def main(name: str, folder: str) -> None:
    with TemporaryDirectory() as dumped:
        os.environ["XLA_FLAGS"] = f"--xla_dump_to={dumped} {FLAGS}"
        compile_program(name)
        keep(Path(dumped), Path(folder))


def compile_program(name: str) -> None:
    jax.config.update("jax_platforms", "cpu")  # because this machine need not have the device
    jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{ROOT}/"))
    mesh = Mesh(devices_of(CASES[name]), ("data",))

    def place(shape: tuple[int, ...], dtype: Any, is_data: bool = False) -> Any:
        """Return an array of which each device has a part: of data the first dimension, of weights the last one."""
        others = [None] * (len(shape) - 1)
        parts = PartitionSpec("data", *others) if is_data else PartitionSpec(*others, "data")
        return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, parts))

    function, arguments, donated = PROGRAMS[name]
    jax.jit(function, donate_argnums=donated).lower(*arguments(place)).compile()


def devices_of(case: Case) -> Any:
    if case.topology is None:
        return jax.devices("cpu")[: case.devices]
    # Otherwise libtpu asks the servers of Google Cloud about this machine, and waits for an answer.
    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_WORKER_HOSTNAMES="localhost")
    topology = topologies.get_topology_desc(platform="tpu", topology_name=case.topology)
    return topology.devices[: case.devices]


def keep(dumped: Path, folder: Path) -> None:
    """Write to `folder` what a report reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in dumped.iterdir():
        if READ_COMPRESSED.search(path.name):
            compressed = lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
            (folder / f"{path.name}.xz").write_bytes(compressed)
        elif path.name.endswith(READ_AS_IT_IS):
            (folder / path.name).write_bytes(path.read_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
