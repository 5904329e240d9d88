"""The model and the analysis of samples as text, reviewed by people."""

import pytest

from tests.support.goldens import Goldens
from tests.support.model_text import model_text
from tests.support.samples import sample_analysis, sample_labels

READABLE = ("cpu-odd-names", "cpu-tiny", "tpu-odd-shapes")


@pytest.mark.parametrize("folder", READABLE)
def test_the_model_of_a_sample(folder: str, goldens: Goldens) -> None:
    [label] = [label for label in sample_labels() if label.startswith(f"{folder}/")]
    goldens.check(f"{folder}.model.txt", model_text(sample_analysis(label)))
