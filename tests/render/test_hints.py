"""Who misses names in a dump is told how the framework that compiled it gets them there."""

import pytest

from reportgen.render.module.index import naming_hint


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("SyncTensorsGraph.689", "XLA_HLO_DEBUG=1"),
        ("a_inference_tf_train_step_236__XlaMustCompile", "tf.name_scope"),
        ("jit_train_step", "jax.named_scope"),
    ],
)
def test_the_hint_is_that_of_the_framework(title: str, words: str) -> None:
    assert words in naming_hint(title, has_text=True)


def test_without_the_hlo_text_the_hint_is_to_keep_it() -> None:
    assert "xla_dump_hlo_as_text" in naming_hint("anything", has_text=False)
    assert naming_hint("anything", has_text=True) == ""
