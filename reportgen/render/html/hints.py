"""Say how the framework that compiled a module gets names into its dumps, for those who miss them."""

import re

_OF_FRAMEWORKS = {
    "SyncTensorsGraph|IrToHlo": "For PyTorch/XLA, set XLA_IR_DEBUG=1 and XLA_HLO_DEBUG=1: they put the operation and"
    " the line of Python code into the HLO.",
    r"a_inference_|cluster_\d": "TensorFlow calls operations by their layers and tf.name_scope; arguments have no"
    " names.",
    "(jit|pjit|pmap|xmap)_": "Wrap code in jax.named_scope to name it.",
}
"""The hints by what the titles of modules begin with."""
_BESIDE_HINT = (
    "Keep the HLO text next to the dump (--xla_dump_hlo_as_text writes it): it names what loops and fusions make."
)


def naming_hint(title: str, *, has_text: bool) -> str:
    """Return how to get more names for a module with this title; `has_text` is whether its HLO text was read."""
    hints = [hint for pattern, hint in _OF_FRAMEWORKS.items() if re.match(pattern, title)]
    return " ".join(hints if has_text else [*hints, _BESIDE_HINT])
