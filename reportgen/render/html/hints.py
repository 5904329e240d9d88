"""Say how the framework that compiled a module gets names into its dumps, for those who miss them."""

import re

_TORCH = re.compile(r"SyncTensorsGraph|IrToHlo")
_TENSORFLOW = re.compile(r"a_inference_|cluster_\d")
_JAX = re.compile(r"(jit|pjit|pmap|xmap)_")

_TORCH_HINT = (
    "For PyTorch/XLA, set XLA_IR_DEBUG=1 and XLA_HLO_DEBUG=1: they put the operation and the line of Python code into"
    " the HLO."
)
_TENSORFLOW_HINT = "TensorFlow calls operations by their layers and tf.name_scope; arguments have no names."
_JAX_HINT = "Wrap code in jax.named_scope to name it."
_BESIDE_HINT = (
    "Keep the HLO text next to the dump (--xla_dump_hlo_as_text writes it): it names what loops and fusions make."
)


def naming_hint(title: str, *, has_text: bool) -> str:
    """Return how to get more names for a module with this title; `has_text` is whether its HLO text was read."""
    hints = [_TORCH_HINT] if _TORCH.match(title) else []
    hints += [_TENSORFLOW_HINT] if _TENSORFLOW.match(title) else []
    hints += [_JAX_HINT] if _JAX.match(title) else []
    return " ".join(hints if has_text else [*hints, _BESIDE_HINT])
