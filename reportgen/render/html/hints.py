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
    by_framework = ((_TORCH, _TORCH_HINT), (_TENSORFLOW, _TENSORFLOW_HINT), (_JAX, _JAX_HINT))
    hints = [hint for pattern, hint in by_framework if pattern.match(title)]
    if not has_text:
        hints.append(_BESIDE_HINT)
    return " ".join(hints)
