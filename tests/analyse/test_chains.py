"""Buffers that go from hand to hand."""

from collections.abc import Mapping, Sequence

from reportgen.analyse.analysis import analyse
from tests.support.builder import Lives, temporaries


def chains_of(*lives: Lives) -> Mapping[int, Sequence[int]]:
    return analyse(temporaries(*lives)).reuse.chains


def test_values_that_take_over_a_slice_form_a_chain() -> None:
    found = chains_of(Lives("b", 3, 5), Lives("a", 0, 3), Lives("c", 5, 9))
    assert found == dict.fromkeys((0, 1, 2), (1, 0, 2))


def test_values_with_a_gap_between_them_form_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3), Lives("b", 4, 5)) == {}


def test_values_with_different_slices_form_no_chain() -> None:
    assert chains_of(Lives("a", 0, 3, size=8), Lives("b", 3, 5)) == {}
