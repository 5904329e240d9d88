"""Advice never fails, whatever a dump says, and is the same each time."""

import pytest
from hypothesis import given

from reportgen.advice.advise import advise
from reportgen.advice.withheld import OTHER_SPACE
from reportgen.analyse.analysis import analyse
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.model import Dump
from reportgen.reports.advice_words import first_suggestion, sentence
from reportgen.reports.module_figures import advice_figures
from tests.support.compiler import compiled
from tests.support.dumps import analysed
from tests.support.samples import sample_analysis, sample_labels
from tests.support.strategies import consistent_dumps, dumps


@given(consistent_dumps())
def test_every_consistent_dump_gets_advice_or_a_reason(dump: Dump) -> None:
    for advice in advise(analyse(dump)).values():
        assert bool(advice.withheld) != bool(advice.breakdown)


@given(dumps())
def test_every_dump_that_can_be_printed_gets_advice_or_a_reason(dump: Dump) -> None:
    for advice in advise(analyse(dump)).values():
        assert bool(advice.withheld) != bool(advice.breakdown)


@given(consistent_dumps())
def test_no_suggestion_leaves_less_than_nothing(dump: Dump) -> None:
    for advice in advise(analyse(dump)).values():
        assert all(suggestion.outcome.peak_bytes >= 0 for suggestion in advice.suggestions)


@pytest.mark.parametrize("label", sample_labels())
def test_the_same_dump_gets_the_same_advice(label: str) -> None:
    analysis = sample_analysis(label)
    first, second = advise(analysis), advise(analysis)
    for color in analysis.spaces:
        assert advice_figures(analysis, first[color]) == advice_figures(analysis, second[color])


@pytest.mark.parametrize("label", sample_labels())
def test_other_spaces_say_why_they_get_none(label: str) -> None:
    for color, advice in advise(sample_analysis(label)).items():
        assert (advice.withheld == OTHER_SPACE) == (color != MAIN_SPACE)


@pytest.mark.parametrize("label", sample_labels())
def test_the_first_suggestion_is_one_sentence(label: str) -> None:
    suggestion = first_suggestion(advise(sample_analysis(label))[MAIN_SPACE])
    if suggestion:
        assert "\n" not in sentence(suggestion)
        assert len(sentence(suggestion)) < 300


# Where the size of a shape is not understood, the donated argument saves nothing: 256 bytes more.
@pytest.mark.parametrize(("elements", "beside"), [(4096, 256), (5 * 10**18, 512)])
def test_the_floor_is_what_one_instruction_needs_however_large_its_values_are(elements: int, beside: int) -> None:
    breakdown = advise(analysed(*compiled(elements)))[MAIN_SPACE].breakdown
    assert breakdown is not None
    assert (breakdown.floor_moment, breakdown.floor_bytes) == (3, 4 * elements + beside)
