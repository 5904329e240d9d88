"""However a dump is damaged, it is read and analysed to the end, and the numbers keep their laws."""

from random import Random

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.model import Dump
from tests.support.dumps import analysed
from tests.support.guards import finishes
from tests.support.mutations import assert_sound, mutated
from tests.support.samples import sample_files, sample_labels, samples
from tests.support.strategies import dumps

pytestmark = pytest.mark.slow

BYTES_TRIED = 20_000_000


@pytest.mark.parametrize("label", sample_labels())
def test_a_damaged_dump_is_read_and_analysed(label: str) -> None:
    files, backend = sample_files(label), samples()[label].name.backend
    for number in range(min(200, BYTES_TRIED // sum(map(len, files)))):
        damaged = mutated(files, Random(f"{label} {number}"))
        try:
            with finishes(20):
                analysis = analysed(*damaged, backend=backend)
            assert_sound(analysis)
        except Exception as error:
            error.add_note(f"damage number {number}")
            raise


@pytest.mark.parametrize("label", sample_labels())
def test_a_dump_that_is_still_being_written_is_read_at_every_length(label: str) -> None:
    """Cut a dump after any line or within any, as watch mode may see it."""
    [first, *rest] = sample_files(label)
    random = Random(label)
    for _ in range(20):
        assert_sound(analysed(first[: random.randint(0, len(first))]))
        assert_sound(analysed(first, *(later[: random.randint(0, len(later))] for later in rest)))


@given(dumps())
def test_numbers_that_do_not_fit_together_are_analysed(dump: Dump) -> None:
    assert_sound(analyse(dump))
