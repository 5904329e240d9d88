"""Compile programs that are drawn at random: `python -m tests.world.drawn FOLDER TARGET/SEED...`, with JAX and libtpu.

Of each the dump is kept in `FOLDER/TARGET/SEED`, with `outcome.json`. Nothing is run, so no TPU is needed.
"""

import json
import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from math import prod
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

try:  # as it is called up to jax 0.10
    from jax.experimental.compute_on import compute_on2 as compute_on
except ImportError:
    from jax.experimental.compute_on import compute_on

from tests.world.cases import Case
from tests.world.programs import FLAGS, READ_COMPRESSED, ROOT, devices_of

TOPOLOGIES = {"cpu": None, "v5e": "v5e:2x4", "v5p": "v5p:2x2x2", "v6e": "v6e:2x4"}
devices = cache(lambda target: devices_of(Case(0, TOPOLOGIES[target], devices=8)))


Arrays = Sequence[Any]

SIZES = (1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 32, 64, 100, 128, 200, 256, 512, 1024)
TYPES = (jnp.float32, jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32, jnp.int8, jnp.uint8)
UNARY = (jnp.sin, jnp.tanh, jnp.exp, jnp.abs, jnp.negative, jnp.square, jax.nn.gelu, jax.nn.softmax, jnp.sign)
BINARY = (jnp.add, jnp.multiply, jnp.subtract, jnp.maximum, lambda x, y: jnp.where(x > y, x, y * 2))
REDUCTIONS = (jnp.sum, jnp.max, jnp.mean, jnp.var, jnp.argmax)
ORDERED = (jnp.sort, jnp.argsort, jnp.cumsum, lambda x: lax.top_k(x, min(4, x.shape[-1])))
EINSUMS = ("ab,bc->ac", "ab,cb->ca", "abc,cd->abd", "abcd,aecd->acbe", "ab,ab->", "ab,b->a", "a,b->ab", "ab,ac->bca")
DEEPEST, DEVICE, INT8 = 3, jax.memory.Space.Device, jnp.int8


@dataclass(frozen=True)
class Source:
    """What is drawn from, of how many elements at `most`, and where the operation stands."""

    random: Random
    mesh: Mesh
    sizes: tuple[int, ...]
    most: int
    on_tpu: bool
    depth: int = 0
    is_local: bool = False  # in a `shard_map`
    is_differentiated: bool = False

    def choice(self, choices: Sequence[Any]) -> Any:
        return self.random.choice(choices)

    def axis(self) -> Any:
        return self.choice(self.mesh.axis_names)

    def shape(self, rank: int) -> tuple[int, ...]:
        sizes = [self.choice(self.sizes) for _ in range(rank)]
        while prod(sizes) > self.most:
            sizes[sizes.index(max(sizes))] //= 2
        return tuple(sizes)

    def pick(self, arrays: Arrays, rank: int = 0) -> Any:
        """Return one of `arrays`, more often a new one, with at least `rank` dimensions."""
        x = arrays[-1 - min(int(self.random.expovariate(0.5)), len(arrays) - 1)]
        return x if x.ndim >= rank else fitted(x, self.shape(rank), x.dtype)

    def real(self, arrays: Arrays, rank: int = 0) -> Any:
        x = self.pick(arrays, rank)
        return x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(jnp.float32)

    def like(self, arrays: Arrays, x: Any) -> Any:
        return fitted(self.pick(arrays), x.shape, x.dtype)

    def new(self, arrays: Arrays, *shape: int, dtype: Any = jnp.float32) -> Any:
        return fitted(self.pick(arrays), shape, dtype)

    def index(self, arrays: Arrays, limit: int, *shape: int) -> Any:
        return jnp.abs(self.new(arrays, *shape, dtype=jnp.int32)) % limit

    def function(self, **changes: Any) -> Callable[..., Arrays]:
        """Return a function of a few operations. It is the same whenever it is traced."""
        seed, count = self.random.getrandbits(32), self.random.randint(1, 4)
        inner = replace(self, depth=self.depth + 1, **changes)
        return lambda *arrays: block(replace(inner, random=Random(seed)), arrays, count)


Operation = Callable[[Source, Arrays], Any]


def fitted(x: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    x, count = x.astype(dtype), prod(shape)
    return x if x.shape == shape else jnp.tile(x.ravel(), -(-count // x.size))[:count].reshape(shape)


def block(source: Source, arrays: Arrays, count: int) -> Arrays:
    """Return `arrays`, and what `count` operations make of them."""
    for _ in range(count):
        arrays = [*arrays, *jax.tree.leaves(source.choice(operations(source))(source, arrays))]
    return arrays


def operations(source: Source) -> Sequence[Operation]:
    found = ANYWHERE + [scattered] * 3 * min(source.depth, 1) + NESTED * (source.depth < DEEPEST)
    if source.is_local:
        found += COLLECTIVES * 2
    elif source.depth == 0:
        found += SHARDED * (source.mesh.size > 1) + ON_TPU * source.on_tpu
    return [one for one in found if not (source.is_differentiated and one in NOT_DIFFERENTIABLE)]


def product(s: Source, a: Arrays) -> Any:
    """Return a product of 2 to 4 dimensions, by a matrix or by as many as there are."""
    x = s.real(a, s.random.randint(2, 4))
    shape = (*s.choice((x.shape[:-2], ())), x.shape[-1], *s.shape(1))
    return x @ s.new(a, *shape, dtype=x.dtype) if prod(shape) <= s.most else None


def einsum(s: Source, a: Arrays) -> Any:
    spec, sizes = s.choice(EINSUMS), dict(zip("abcde", s.shape(5), strict=True))
    return jnp.einsum(spec, *(s.new(a, *(sizes[x] for x in one)) for one in spec.partition("->")[0].split(",")))


def view(s: Source, a: Arrays) -> Any:
    x = s.pick(a, 1)
    permuted = x.transpose(s.random.sample(range(x.ndim), x.ndim))
    return s.choice((x[None], x.ravel(), x.reshape(x.shape[::-1]), x.reshape(x.shape[0], -1), permuted))


def scattered(s: Source, a: Arrays) -> Any:
    x = s.pick(a, 1)
    place = x.at[s.index(a, x.shape[0], s.choice((1, 5, 64)))]
    return s.choice((place.add, place.add, place.set))(s.like(a, place.get()))


def scanned(s: Source, a: Arrays) -> Any:
    carry, body = s.pick(a), s.function()

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        *_, y, z = body(carry, row)
        return fitted(z, carry.shape, carry.dtype), y.ravel()[:64]

    return lax.scan(step, carry, s.pick(a, 1), reverse=s.random.random() < 0.3)


def repeated(s: Source, a: Arrays) -> Any:
    """Return the results of a `while` that ends early or late."""
    start, body, limit = [s.pick(a), s.pick(a)], s.function(), s.random.randint(2, 9)

    def step(state: Arrays) -> Arrays:
        *_, y, z = body(*state[1:])
        return [state[0] + 1, fitted(y, start[0].shape, start[0].dtype), fitted(z, start[1].shape, start[1].dtype)]

    return lax.while_loop(lambda state: (state[0] < limit) & (state[-1].ravel()[0] < 9), step, [0, *start])[1:]


def branched(s: Source, a: Arrays) -> Any:
    """Return the result of a `cond` or a `switch`. A branch may return what it is given."""
    operands = [s.pick(a) for _ in range(s.random.randint(1, 3))]
    x, count = operands[-1], s.random.randint(2, 4)

    def branch(body: Callable[..., Arrays]) -> Callable[..., Any]:
        return lambda *given: fitted(body(*given)[-1], x.shape, x.dtype)

    bodies = [s.choice((s.function(), s.function(), lambda *given: given)) for _ in range(count)]
    return lax.switch(s.index(a, count), list(map(branch, bodies)), *operands)


def differentiated(s: Source, a: Arrays) -> Any:
    body, policy = s.function(is_differentiated=True), s.choice((None, jax.checkpoint_policies.dots_saveable))
    once = lambda x: jnp.sum(body(x)[-1].astype(jnp.float32))  # noqa: E731
    again = s.choice((once, jax.checkpoint(once, policy=policy)))
    return jax.grad(lambda x: again(x * 2))(s.real(a))


def local(s: Source, a: Arrays) -> Any:
    """Return what each device makes of its part of two arrays, by the first dimension, and of a third."""
    body, split = s.function(is_local=True), PartitionSpec(s.mesh.axis_names)
    x, y = (s.new(a, 8 * (-(-x.shape[0] // 8)), *x.shape[1:], dtype=x.dtype) for x in (s.pick(a, 1), s.pick(a, 1)))

    def run(x: Any, y: Any, whole: Any) -> Any:
        *_, second, first = body(whole, y, x)
        return fitted(first, x.shape, x.dtype), fitted(second, y.shape, y.dtype)

    specs = (split, split, PartitionSpec())
    return jax.shard_map(run, mesh=s.mesh, in_specs=specs, out_specs=specs[:2], check_vma=False)(x, y, s.pick(a, 1))


def sharding(s: Source, shape: tuple[int, ...], memory: str | None = None) -> NamedSharding:
    """Return a sharding of random dimensions that the axes of the mesh divide."""
    parts: list[str | None] = [None] * len(shape)
    for name in s.mesh.axis_names:
        free = [i for i, size in enumerate(shape) if parts[i] is None and size % s.mesh.shape[name] == 0]
        if free and s.random.random() < 0.7:
            parts[s.choice(free)] = name
    return NamedSharding(s.mesh, PartitionSpec(*parts), memory_kind=memory)


ANYWHERE: list[Operation] = [
    *(product, einsum, view, scattered),
    lambda s, a: lax.dot(s.new(a, 64, 32, dtype=INT8), s.new(a, 32, 9, dtype=INT8), preferred_element_type=jnp.int32),
    lambda s, a: (x := s.pick(a, 1)[..., :64])[s.index(a, x.shape[0], s.choice((3, 64)))],
    lambda s, a: s.pick(a, 1)[
        s.choice((slice(None, None, -1), slice(None, None, 2), (..., slice(9)), slice(-1, None)))
    ],
    lambda s, a: lax.dynamic_slice_in_dim(x := s.pick(a, 1), s.index(a, x.shape[0]), -(-x.shape[0] // 2)),
    lambda s, a: s.choice((jnp.asarray([s.random.random() for _ in range(300)]), jnp.arange(s.shape(1)[0]))),
    lambda s, a: jax.random.normal(jax.random.key(s.random.getrandbits(16)), s.shape(2)),
    lambda s, a: lax.dynamic_update_slice_in_dim(x := s.pick(a, 1), s.like(a, x[:1]), s.index(a, x.shape[0]), 0),
    lambda s, a: s.choice(UNARY)(s.real(a, 1)),
    lambda s, a: s.choice(BINARY)(x := s.pick(a), s.like(a, x)),
    lambda s, a: s.pick(a).astype(s.choice(TYPES)),
    lambda s, a: s.choice((jnp.concatenate, jnp.stack))((x := s.pick(a, 1), s.like(a, x))),
    lambda s, a: jnp.pad(x := s.pick(a, 1)[..., :99], [(1, 2)] + [(0, 1)] * (x.ndim - 1)),
    lambda s, a: s.choice(ORDERED)(s.pick(a, 1)[..., :100]),
    lambda s, a: lax.sort((x := s.pick(a, 1)[..., :100], s.like(a, x))),
    lambda s, a: jnp.abs(s.choice((jnp.fft.fft, jnp.fft.rfft))(s.pick(a, 1).astype(jnp.float32))),
    lambda s, a: lax.conv(s.new(a, 2, 3, 16, 16), s.new(a, 8, 3, 3, 3), s.choice(((1, 1), (2, 2))), "SAME"),
    lambda s, a: lax.reduce_window(s.new(a, 2, 3, 16, 16), -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "SAME"),
    lambda s, a: s.choice(REDUCTIONS)(s.real(a, 1), axis=s.choice((None, 0, -1))),
    lambda s, a: lax.optimization_barrier((s.pick(a), s.pick(a))),
    lambda s, a: lax.ragged_dot(s.new(a, 64, 32), s.new(a, 4, 32, 128), s.index(a, 16, 4)),
    lambda s, a: jax.debug.print("{}", s.pick(a)),
    lambda s, a: None if s.on_tpu else jax.pure_callback(lambda x: x, x := s.pick(a, 1), x),
]
NESTED: list[Operation] = [scanned, repeated, branched, branched, differentiated]
SHARDED: list[Operation] = [local] * 4 + [
    lambda s, a: lax.with_sharding_constraint(x := s.pick(a), sharding(s, x.shape))
]
ON_TPU: list[Operation] = [
    lambda s, a: compute_on(s.choice(UNARY), compute_type="device_host", out_memory_spaces=DEVICE)(s.real(a, 1)),
    lambda s, a: jax.device_put(jax.device_put(s.pick(a, 1), jax.memory.Space.Host), DEVICE),
]
COLLECTIVES: list[Operation] = [
    lambda s, a: lax.all_gather(s.pick(a, 1)[..., :64], s.axis(), tiled=True),
    lambda s, a: lax.psum(s.pick(a), s.axis()),
    lambda s, a: lax.ppermute(s.pick(a), s.axis(), [(0, 1), (1, 0)]),
    lambda s, a: lax.all_to_all(s.new(a, s.mesh.shape[x := s.axis()], *s.shape(2)), x, 0, 0),
    lambda s, a: lax.psum_scatter(s.new(a, s.mesh.shape[x := s.axis()], *s.shape(2)), x),
    lambda s, a: lax.axis_index(s.axis()) + s.pick(a),
]
NOT_DIFFERENTIABLE = (repeated, ANYWHERE[-1])


def main(folder: str, *names: str) -> None:
    jax.config.update("jax_platforms", "cpu")  # because this machine need not have the device
    jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{ROOT}/"))
    with TemporaryDirectory() as dumped:
        flags = f"--xla_dump_to={dumped} {FLAGS} --xla_force_host_platform_device_count=8"
        os.environ.update(XLA_FLAGS=flags, ALLOW_MULTIPLE_LIBTPU_LOAD="1")
        for name in names:
            outcome, kept = outcome_of(*name.split("/")), Path(folder, name)
            kept.mkdir(parents=True)
            for path in Path(dumped).glob("*.jit_drawn.*"):
                if READ_COMPRESSED.search(path.name) and (".cpu_" in path.name) == name.startswith("cpu"):
                    shutil.copy(path, kept)
                if path.is_file():
                    path.unlink()
            (kept / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")


def outcome_of(target: str, seed: str) -> dict[str, Any]:
    """Return the bytes that XLA allocates, why it refuses the program, or what is wrong with the generator."""
    try:
        function, arguments, donated = program(target, Random(int(seed)))
        # Without all arguments a program may have none on the device, and is one for the CPU.
        lowered = jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*arguments)
    except Exception:
        return {"error": traceback.format_exc()}
    try:
        return {"bytes": getattr(lowered.compile().memory_analysis(), "total_allocation_bytes", None)}
    except jax.errors.JaxRuntimeError as error:
        return {"refused": str(error)}


def program(target: str, random: Random) -> tuple[Any, tuple[Any, ...], tuple[int, ...]]:
    """Return a function that is the same whenever it is traced, its arguments, and which of them it is donated."""
    eight, on_tpu = devices(target), target != "cpu"
    placed = random.choice((eight[:1], eight, list(zip(eight[::2], eight[1::2], strict=True))))
    mesh = Mesh(placed, ("x", "y") if isinstance(placed[0], tuple) else ("x",))
    sizes, most = tuple(random.sample(SIZES, 4)), 1 << random.choice((12, 15, 18))
    source = Source(random, mesh, sizes, most, on_tpu)

    def argument(*shape: int, memory: str | None = None) -> Any:
        return jax.ShapeDtypeStruct(shape, random.choice(TYPES), sharding=sharding(source, shape, memory))

    arguments = [argument(*source.shape(random.randint(0, 4))) for _ in range(random.randint(1, 5))]
    streams = random.choice((0, 0, 0, 1, 2)) * on_tpu
    streamed = [argument(8, 256, 256, memory="pinned_host") for _ in range(streams)]
    seed, count, donated = random.getrandbits(32), random.randint(4, 14), random.choice(((), (), (0,)))

    def drawn(arguments: Any, streamed: Any) -> Any:
        source = Source(Random(seed), mesh, sizes, most, on_tpu)
        x = source.new(arguments, 64, 256, dtype=jnp.bfloat16)
        x, _ = lax.scan(lambda x, rows: (reduce(fetched, rows, x), None), x, streamed, length=8)
        return results(source, arguments, block(source, [*arguments, x] if streamed else arguments, count))

    return drawn, (arguments, streamed), donated


def fetched(x: Any, weights: Any) -> Any:
    return jnp.tanh(x @ jax.device_put(weights, DEVICE).astype(x.dtype))


def results(source: Source, arguments: Any, arrays: Any) -> Any:
    """Return one array, a view of one, or several in a dictionary, also arguments, empty and repeated ones."""
    found = [source.pick(arrays, 1) for _ in range(source.random.randint(1, 6))]
    extra = source.choice(([], found, [found[-1][:0]], [source.pick(arguments)], [view(source, arrays)]))
    many = {"first": found[0], "others": [*found, *extra]}
    return source.choice((view(source, arrays), source.pick(arrays), many, many))


if __name__ == "__main__":
    main(*sys.argv[1:])
