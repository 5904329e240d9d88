"""Counterfactuals on real dumps, held against slow programs that share nothing with the search."""

from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.advice.context import AdviceContext
from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.parse.parser import parse_dump
from tests.advice.recompiled import variants
from tests.advice.recompiled_programs import names, program
from tests.advice.test_memory import memories, swept
from tests.support.samples import ROOT, sample_analysis, sample_labels

PAIRS = Path(__file__).parent / "pairs"
SMALL = ROOT.parent / "shared" / "dumps" / "small"
MOST_VALUES = 1_500


@cache
def compiled() -> list[Analysis]:
    return [variant.analysis for variant in variants(PAIRS)]


@cache
def real() -> list[Analysis]:
    """Return the samples and, if they are beside the checkout, small dumps of all backends."""
    found = [sample_analysis(label) for label in sample_labels()]
    for files in discover([SMALL]).dumps if SMALL.is_dir() else ():
        dump = parse_dump(load_text(files)[0])
        if len(dump.values) <= MOST_VALUES:
            found.append(analyse(dump, files.name.backend))
    return found


@settings(max_examples=60)
@given(st.data())
def test_cuts_in_real_dumps_equal_brute_force(data: st.DataObject) -> None:
    analysis = data.draw(st.sampled_from(range(len(real()))).map(real().__getitem__))
    for memory in memories(analysis):
        if not memory.temps:
            continue
        numbers = data.draw(st.lists(st.sampled_from(sorted(memory.temps)), max_size=6))
        length = st.integers(0, memory.moments)
        ends = st.tuples(length, length).map(lambda pair: (min(pair), max(pair)))
        cuts = {number: data.draw(st.lists(ends, min_size=1, max_size=2)) for number in numbers}
        assert memory.without(cuts).peak_bytes == swept(memory, cuts)


def test_a_space_after_a_donation_equals_brute_force() -> None:
    """Results, scratch and copies are counted where the change has moved them."""
    checked = 0
    for analysis in compiled():
        context = AdviceContext(analysis, analysis.spaces[0])
        after = context.donation.after
        moved = sum(pair.result.reserved_bytes for pair in context.donation.pairs)
        assert after.static_bytes == context.memory.static_bytes - moved
        assert after.peak.peak_bytes == swept(after, {})
        checked += bool(context.donation.pairs)
    assert checked >= 3


def test_the_same_batch_has_the_same_curve() -> None:
    analyses = (*compiled(), *map(program, names()))
    batches = [
        (one.batch, one.memory) for analysis in analyses for one in [AdviceContext(analysis, analysis.spaces[0])]
    ]
    assert any(batch for batch, _ in batches)
    for batch, memory in batches:
        assert batch is None or list(batch.peak(1).curve()) == memory.curve
