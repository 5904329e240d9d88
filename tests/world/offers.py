"""Small programs that are offered each text of `reportgen.advice.framework`, known without JAX.

A program defines `step` and its `args`, and may use `mesh`, all devices along the axis `data`. What the text takes the
place of stands between « and »: nothing for a line.
"""

import re
from dataclasses import dataclass

from reportgen.advice.kinds import Kind


@dataclass(frozen=True)
class Offer:
    """A program, the kind of the suggestion whose code it is offered, whole words of it, and what it is compiled for.

    What the suggestion asks for besides its code is `besides`: a text of the source, and the one that takes its place.
    """

    source: str
    kind: Kind
    what: str
    device: str = "gpu"
    besides: tuple[str, str] = ("", "")

    def with_code(self, code: str) -> str:
        """Return the source with `code`, literally, where the advice says; as it is for an empty one."""
        source = self.source.replace(*self.besides) if code else self.source
        return re.sub("«(.*?)»", lambda place: code or place[1], source)


_JAX = """
import jax
import jax.numpy as jnp
data = jax.ShapeDtypeStruct((4096, 256), "float32")
weights = jax.ShapeDtypeStruct((4, 256, 1024), "float32")
"""
_LAYER = "x + jnp.tanh(jax.nn.gelu(x @ w)) @ w.T"
_STEP = """
def loss(p, data):
    return (run(p, data) ** 2).mean()
step = jax.jit(jax.grad(loss))
"""
_LOOP = f"""{_JAX}
def body(x, w):
    return {_LAYER}, None
def run(p, data):
    return jax.lax.scan(«body», data, p)[0]
{_STEP}
args = weights, data
"""
_FUNCTION = f"""{_JAX}
def block(x, w):
    return {_LAYER}
«»
def run(p, x):
    for w in p:
        x = block(x, w)
    return x
{_STEP}
args = list(weights.shape[0] * [jax.ShapeDtypeStruct(weights.shape[1:], "float32")]), data
"""
_CLOSURE = f"""{_JAX}
def run(p, x):
    for i, w in enumerate(p):
        def f(x, w=w):
            return {_LAYER}
        «»
        with jax.named_scope(f"layer_{{i}}"):
            x = f(x)
    return x
{_STEP}
args = list(weights.shape[0] * [jax.ShapeDtypeStruct(weights.shape[1:], "float32")]), data
"""
_SCOPE = _CLOSURE.replace("def f(x, w=w):\n            return", "f = lambda x, w=w:")
_DONATED = f"""{_JAX}
def train(params, data):
    return jax.tree.map(lambda p, g: p - g, params, jax.grad(lambda p: ((data @ p[0]) ** 2).mean())(params))
step = jax.jit(train, «»)
args = weights, data
"""
_ATTENTION = f"""{_JAX}
HEADS, SIZE = 4, 64
def run(w, data):
    query, key, value = (part.reshape(*data.shape[:-1], HEADS, -1) for part in jnp.split(data @ w, 3, axis=-1))
    def attend(query):
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key).astype("float32")
        return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores).astype(query.dtype), value)
    query_blocks = jnp.stack(jnp.split(query, 8, axis=1))
    out = «attend(query)»
    return out.astype("float32")
{_STEP}
width = HEADS * SIZE
args = jax.ShapeDtypeStruct((width, 3 * width), "bfloat16"), jax.ShapeDtypeStruct((4, 2048, width), "bfloat16")
"""

_ATTENTION_OF_LAYERS = f"""{_JAX}
def attend(query, key, value):
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key).astype("float32")
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores).astype(query.dtype), value)
«»
def run(p, data):
    embedding, layers = p
    x, y = (embedding[tokens] for tokens in data)
    for w in layers:
        heads = (part.reshape(*part.shape[:2], 8, 64) for part in (x @ w[0], y @ w[1], y @ w[2]))
        x = x + attend(*heads).reshape(x.shape)
    return x
{_STEP}
layers = 8 * [[jax.ShapeDtypeStruct((512, 512), "bfloat16")] * 3]
tokens = [jax.ShapeDtypeStruct((32, length), "int32") for length in (256, 512)]
args = (jax.ShapeDtypeStruct((4096, 512), "bfloat16"), layers), tokens
"""
_DIVIDED = f"""{_JAX}
from jax.sharding import NamedSharding, PartitionSpec as P
batch_sharding = NamedSharding(mesh, P("data"))
def body(x, w):
    «»
    return {_LAYER}, None
def train(state, data):
    params, momentum = state
    gradient = jax.grad(lambda p: (jax.lax.scan(body, data, p)[0] ** 2).mean())(params)
    momentum = 0.9 * momentum + gradient
    return params - momentum, momentum
step = jax.jit(train, donate_argnums=0)
state = jax.ShapeDtypeStruct((8, 1024, 4096), "float32", sharding=NamedSharding(mesh, P()))
args = (state, state), jax.ShapeDtypeStruct((2048, 1024), "float32", sharding=batch_sharding)
"""

_LINEN = f"""{_JAX}
from flax import linen as nn
class Block(nn.Module):
    @nn.compact
    def __call__(self, x, _=None):
        x = x + nn.Dense(256)(jnp.tanh(nn.gelu(nn.Dense(1024)(x))))
        return x if _ is None else (x, None)
"""
_APPLIED = f"""
def run(p, x):
    return Model().apply(p, x)
{_STEP}
args = jax.eval_shape(Model().init, jax.random.key(0), data), data
"""
_LINEN_METHOD = f"""{_LINEN}
«»
class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        for i in range(4):
            x = Block(name=f"layer_{{i}}")(x)
        return x
{_APPLIED}"""
_LINEN_LOOP = f"""{_LINEN}
body = Block
class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        scanned = nn.scan(«body», variable_axes={{"params": 0}}, split_rngs={{"params": True}}, length=4)
        return scanned()(x, jnp.zeros(4))[0]
{_APPLIED}"""
_LINEN_JAX_LOOP = f"""{_LINEN}
class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        def body(x, w):
            return {_LAYER}, None
        return nn.Dense(256)(jax.lax.scan(«body», x, self.param("w", lambda key: jnp.zeros(weights.shape)))[0])
{_APPLIED}"""

_NNX = f"""{_JAX}
from flax import nnx
class Block(nnx.Module):
    def __init__(self, rngs):
        self.up, self.down = nnx.Linear(256, 1024, rngs=rngs), nnx.Linear(1024, 256, rngs=rngs)
    def __call__(self, x):
        return x + self.down(jnp.tanh(nnx.gelu(self.up(x))))
«»
"""
_NNX_STEP = """
graph, state = nnx.split(nnx.eval_shape(make))
def gradient(state, data):
    return nnx.grad(lambda model, data: (run(model, data) ** 2).mean())(nnx.merge(graph, state), data)
step, args = jax.jit(gradient), (state, data)
"""
_NNX_METHOD = f"""{_NNX}
def make():
    return nnx.List([Block(nnx.Rngs(0)) for _ in range(4)])
def run(blocks, x):
    for block in blocks:
        x = block(x)
    return x
{_NNX_STEP}"""
_NNX_FUNCTION = f"""{_NNX.replace("«»", "")}
def make():
    return nnx.List([Block(nnx.Rngs(0)) for _ in range(4)])
def block(layer, x):
    return x + layer.down(jnp.tanh(nnx.gelu(layer.up(x))))
«»
def run(layers, x):
    for i, layer in enumerate(layers):
        x = block(layer, x)
    return x
{_NNX_STEP}"""
_NNX_SCOPE = f"""{_NNX.replace("«»", "")}
def make():
    return nnx.List([Block(nnx.Rngs(0)) for _ in range(4)])
def run(layers, x):
    for i, f in enumerate(layers):
        «»
        with jax.named_scope(f"layer_{{i}}"):
            x = f(x)
    return x
{_NNX_STEP}"""
_NNX_LOOP = f"""{_NNX.replace("«»", "")}
@nnx.split_rngs(splits=4)
@nnx.vmap
def blocks(rngs):
    return Block(rngs)
def make():
    return blocks(nnx.Rngs(0))
def body(x, block):
    return block(x)
def run(blocks, x):
    return nnx.scan(«body», in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)(x, blocks)
{_NNX_STEP}"""

_EQUINOX = f"""{_JAX}
import equinox as eqx
class Block(eqx.Module):
    up: eqx.nn.Linear
    down: eqx.nn.Linear
    def __init__(self, key):
        self.up, self.down = eqx.nn.Linear(256, 1024, key=key), eqx.nn.Linear(1024, 256, key=key)
    def __call__(self, x):
        return x + jax.vmap(self.down)(jnp.tanh(jax.nn.gelu(jax.vmap(self.up)(x))))
«»
def run(p, x):
    for i, f in enumerate(eqx.combine(p, static)):
        «f»
        with jax.named_scope(f"layer_{{i}}"):
            x = f(x)
    return x
{_STEP}
blocks = eqx.filter_eval_shape(lambda: [Block(jax.random.key(0)) for _ in range(4)])
params, static = eqx.partition(blocks, lambda leaf: hasattr(leaf, "shape"))
args = params, data
"""
_EQUINOX_FUNCTION = f"""{_EQUINOX.replace("«»", "").replace("        «f»", "").replace("x = f(x)", "x = block(f, x)")}
def block(layer, x):
    return x + jax.vmap(layer.down)(jnp.tanh(jax.nn.gelu(jax.vmap(layer.up)(x))))
«»
"""

_HAIKU = f"""{_JAX}
import haiku as hk
class Block(hk.Module):
    def __call__(self, x):
        return x + hk.Linear(256)(jnp.tanh(jax.nn.gelu(hk.Linear(1024)(x))))
"""
_TRANSFORMED = f"""
net = hk.without_apply_rng(hk.transform(model))
def run(p, x):
    return net.apply(p, x)
{_STEP}
args = jax.eval_shape(net.init, jax.random.key(0), data), data
"""
_HAIKU_METHOD = f"""{_HAIKU}
def model(x):
    for _ in range(4):
        layer = Block()
        «»
        x = layer(x)
    return x
{_TRANSFORMED}"""
_HAIKU_FUNCTION = f"""{_HAIKU}
def block(x):
    return x + hk.Linear(256)(jnp.tanh(jax.nn.gelu(hk.Linear(1024)(x))))
def model(x):
    f = block
    «»
    for _ in range(4):
        x = f(x)
    return x
{_TRANSFORMED}"""
_HAIKU_LOOP = f"""{_HAIKU}
def model(x):
    up, down = hk.Linear(1024), hk.Linear(256)
    def body(x, _):
        return x + down(jnp.tanh(jax.nn.gelu(up(x)))), None
    return body(x, None)[0] if hk.running_init() else hk.scan(«body», x, None, length=4)[0]
{_TRANSFORMED}"""
_HAIKU_OUTSIDE = f"""{_HAIKU}
net = hk.without_apply_rng(hk.transform(lambda x: hk.Linear(256)(x)))
def block(layer, x):
    return x + jnp.tanh(jax.nn.gelu(net.apply(layer, x)))
«»
def run(layers, x):
    for p in layers:
        x = block(p, x)
    return x
{_STEP}
args = [jax.eval_shape(net.init, jax.random.key(0), data)] * 4, data
"""

_KERAS = f"""{_JAX}
import keras
class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.up, self.down = keras.layers.Dense(1024, "gelu"), keras.layers.Dense(256)
    def build(self, shape):
        self.up.build(shape)
        self.down.build((*shape[:-1], 1024))
    def call(self, x):
        return x + self.down(keras.ops.tanh(self.up(x)))
"""
_STATELESS = f"""
model.build(data.shape)
def run(p, x):
    return model.stateless_call(p, [], x)[0]
{_STEP}
args = [variable.value for variable in model.trainable_variables], data
"""
_KERAS_SCOPE = f"""{_KERAS}
class Model(keras.layers.Layer):
    def build(self, shape):
        self.blocks = [Block() for _ in range(4)]
        for block in self.blocks:
            block.build(shape)
    def call(self, x):
        for f in self.blocks:
            «»
            x = f(x)
        return x
model = Model()
{_STATELESS}"""
_KERAS_LOOP = f"""{_KERAS}
class Model(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=weights.shape)
    def call(self, x):
        def body(x, w):
            return x + keras.ops.tanh(keras.ops.gelu(x @ w)) @ w.T, None
        return keras.ops.scan(«body», x, self.w.value)[0]
model = Model()
{_STATELESS}"""

_KERAS_RNN = f"""{_JAX}
import keras
model = keras.layers.LSTM(64)
model.build((32, 200, 64))
def run(p, x):
    return model.stateless_call(p, [variable.value for variable in model.non_trainable_variables], x)[0]
{_STEP}
args = [variable.value for variable in model.trainable_variables], jax.ShapeDtypeStruct((32, 200, 64), "float32")
"""

OFFERS = {
    "jax-loop": Offer(_LOOP, "checkpoint-loop", "the body of the loop at", "v5e:2x2"),
    "jax-function": Offer(_FUNCTION, "checkpoint", "the calls of"),
    "jax-scope": Offer(_SCOPE, "checkpoint", "checkpoint layer_#"),
    "jax-closure": Offer(_CLOSURE, "checkpoint", "the calls of"),
    "donation": Offer(_DONATED, "donate", "donate params"),
    "attention-tpu": Offer(_ATTENTION, "attention", "compute attention in blocks:", "v5e:2x2"),
    "attention-gpu": Offer(_ATTENTION, "attention", "compute attention in blocks:"),
    "attention-gpu-head-20": Offer(
        _ATTENTION.replace("SIZE = 4, 64", "SIZE = 4, 20"), "attention", "compute attention in blocks:"
    ),
    "attention-layers": Offer(
        _ATTENTION_OF_LAYERS, "attention", "recompute attention in the backward pass:", "v5e:2x2"
    ),
    "divided": Offer(_DIVIDED, "shard", "keep activations sharded", "v5e:2x2", ("P()", 'P(None, "data")')),
    "linen-method": Offer(_LINEN_METHOD, "checkpoint", "the calls of"),
    "linen-scope": Offer(_LINEN_METHOD, "checkpoint", "/layer_#"),
    "linen-loop": Offer(_LINEN_LOOP, "checkpoint-loop", "the body of the loop at"),
    "linen-jax-loop": Offer(_LINEN_JAX_LOOP, "checkpoint-loop", "the body of the loop at"),
    "nnx-method": Offer(_NNX_METHOD, "checkpoint", "the calls of"),
    "nnx-function": Offer(_NNX_FUNCTION, "checkpoint", "the calls of"),
    "nnx-scope": Offer(_NNX_SCOPE, "checkpoint", "checkpoint layer_#"),
    "nnx-loop": Offer(_NNX_LOOP, "checkpoint-loop", "the body of the loop at"),
    "equinox-method": Offer(_EQUINOX.replace("        «f»", ""), "checkpoint", "the calls of"),
    "equinox-function": Offer(_EQUINOX_FUNCTION, "checkpoint", "the calls of"),
    "equinox-scope": Offer(_EQUINOX.replace("«»", "").replace("«f»", "«»"), "checkpoint", "checkpoint layer_#"),
    "haiku-method": Offer(_HAIKU_METHOD, "checkpoint", "the calls of"),
    "haiku-scope": Offer(_HAIKU_METHOD.replace("layer", "f"), "checkpoint", "checkpoint block_#"),
    "haiku-function": Offer(_HAIKU_FUNCTION, "checkpoint", "the calls of"),
    "haiku-loop": Offer(_HAIKU_LOOP, "checkpoint-loop", "the body of the loop at"),
    "haiku-outside": Offer(_HAIKU_OUTSIDE, "checkpoint", "the calls of"),
    "keras-scope": Offer(_KERAS_SCOPE, "checkpoint", "checkpoint block_#"),
    "keras-loop": Offer(_KERAS_LOOP, "checkpoint-loop", "the body of the loop at"),
    # Its loop has a body that is not the user's, so no code is offered.
    "keras-rnn": Offer(_KERAS_RNN, "checkpoint-loop", "the body of the loop at"),
}
