"""The model and the analysis of samples as text, reviewed by people."""

import pytest

from tests.support.goldens import Goldens
from tests.support.model_text import model_text
from tests.support.samples import label_in, sample_analysis

READABLE = ("cpu-odd-names", "cpu-tiny", "tpu-odd-shapes")


@pytest.mark.parametrize("folder", READABLE)
def test_the_model_of_a_sample(folder: str, goldens: Goldens) -> None:
    goldens.check(f"{folder}.model.txt", model_text(sample_analysis(label_in(folder))))
