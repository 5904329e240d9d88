"""Compile the training step of a small transformer, which does not fit into a TPU v5e until it is changed.

    reportgen run --capacity v5e -- python samples/programs/train_step.py
    reportgen run --capacity v5e -- python samples/programs/train_step.py --checkpoint --donate

It needs JAX. With libtpu installed too, it is compiled for a TPU v5e, without one; otherwise for the CPU. Nothing is
run, and no array is allocated: only shapes are given to the compiler.
"""

import argparse
from functools import partial
from importlib.util import find_spec

import jax
import jax.numpy as jnp
from jax.experimental import topologies

LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH = 12, 1024, 16, 32_768, 1024


def target():
    """Return the device to compile for."""
    if find_spec("libtpu") is None:
        return jax.devices("cpu")[0]
    return topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2").devices[0]


def parameters():
    """Return the shapes of all parameters; those of the layers are stacked."""
    layer = {"attention": (WIDTH, 4 * WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    stacked = {name: (LAYERS, *shape) for name, shape in layer.items()}
    return {"embedding": (VOCABULARY, WIDTH), "layers": stacked}


def attention(x, weights):
    with jax.named_scope("attention"):
        query, key, value, output = jnp.split(weights, 4, axis=1)
        query, key, value = (heads(x @ one) for one in (query, key, value))
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / (WIDTH // HEADS) ** 0.5
        scores = jnp.where(jnp.tri(LENGTH, dtype=bool), scores, -jnp.inf)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)
        return mixed.reshape(x.shape) @ output.T


def heads(x):
    return x.reshape(*x.shape[:2], HEADS, -1)


def mlp(x, up, down):
    with jax.named_scope("mlp"):
        return jax.nn.gelu(x @ up) @ down


def normed(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def layer(x, weights):
    x = x + attention(normed(x), weights["attention"])
    return x + mlp(normed(x), weights["up"], weights["down"]), None


def loss(parameters, tokens, body):
    x = parameters["embedding"][tokens].astype(jnp.bfloat16)
    weights = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), parameters["layers"])
    x, _ = jax.lax.scan(body, x, weights)
    with jax.named_scope("logits"):
        logits = normed(x)[:, :-1] @ parameters["embedding"].T.astype(jnp.bfloat16)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], axis=-1)
        return -jnp.mean(chosen)


def train_step(parameters, momentum, tokens, *, body):
    value, gradient = jax.value_and_grad(loss)(parameters, tokens, body)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    parameters = jax.tree.map(lambda p, m: p - 1e-3 * m, parameters, momentum)
    return parameters, momentum, value


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--checkpoint", action="store_true", help="compute the layers again in the backward pass")
    parser.add_argument("--donate", action="store_true", help="let the results take the place of the arguments")
    options = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")  # because this machine need not have the device
    here = jax.sharding.SingleDeviceSharding(target())

    def array(shape, dtype=jnp.float32):
        return jax.ShapeDtypeStruct(shape, dtype, sharding=here)

    state = jax.tree.map(array, parameters(), is_leaf=lambda leaf: isinstance(leaf, tuple))
    step = partial(train_step, body=jax.checkpoint(layer) if options.checkpoint else layer)
    donated = ("parameters", "momentum") if options.donate else ()
    jitted = jax.jit(step, donate_argnames=donated)
    jitted.lower(state, state, array((options.batch, LENGTH), jnp.int32)).compile()
    print("compiled")


if __name__ == "__main__":
    main()
