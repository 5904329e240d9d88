"""What advice must not say, because it misleads in other tools: fourteen things, and the test of each."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice, advise
from reportgen.advice.kinds import Kind
from reportgen.analyse.devices import Capacity
from reportgen.analyse.fit import Fit
from reportgen.analyse.records import Analysis
from reportgen.render.site.assets import template_root
from reportgen.reports.advice_words import (
    amount_words,
    capacity_words,
    curve_words,
    floor_words,
    joint_words,
    needed_words,
    sentence,
    what_words,
)
from reportgen.reports.module_figures import advice_figures
from tests.advice import recompiled_programs
from tests.advice.recompiled import Variant, variants
from tests.advice.recompiled_programs import names
from tests.analyse.test_lifetimes import STEP
from tests.support.dumps import analysed, edited
from tests.support.samples import sample_analysis, sample_labels

PAIRS = Path(__file__).parent / "pairs"
KINDS_THAT_QUOTE = ("family", "unreturned-result")


@cache
def compiled() -> dict[str, Variant]:
    return {f"{one.backend}/{one.case}/{one.name}": one for one in variants(PAIRS)}


@cache
def everything() -> tuple[tuple[str, Analysis, Advice], ...]:
    own = [(path, variant.analysis, variant.advice) for path, variant in compiled().items()]
    samples = [(label, sample_analysis(label)) for label in sample_labels()]
    programs = [(name, recompiled_programs.program(name), recompiled_programs.advice(name)) for name in names()]
    return (*own, *programs, *((label, analysis, advise(analysis)[0]) for label, analysis in samples))


def suggestions() -> Iterator[tuple[str, Advice, Suggestion]]:
    for label, _, advice in everything():
        for suggestion in (*advice.suggestions, *advice.combined):
            yield label, advice, suggestion


def words_of(advice: Advice, suggestion: Suggestion) -> str:
    """Return everything that is said of a suggestion, except names from the program."""
    own = (
        ""
        if suggestion.kind in KINDS_THAT_QUOTE
        else f"{suggestion.what} {sentence(suggestion)} {curve_words(what_words(advice, suggestion), suggestion)}"
    )
    return f"{own} {suggestion.reason} {suggestion.caveat} {suggestion.code}"


def said() -> Iterator[tuple[str, str]]:
    for label, advice, suggestion in suggestions():
        yield label, words_of(advice, suggestion)


def never(pattern: str) -> None:
    refused = re.compile(pattern, re.IGNORECASE)
    assert [(label, words) for label, words in said() if refused.search(words)] == []


def test_1_what_is_saved_is_never_the_size_of_something() -> None:
    """The words of a saving come from two peaks, and a saving that is smaller than the size is shown as such."""
    for label, advice, suggestion in suggestions():
        assert advice.peak is not None
        assert suggestion.saving_bytes == advice.peak.peak_bytes - max(suggestion.outcome.curve()), label
    smaller = [suggestion for _, _, suggestion in suggestions() if suggestion.saving_bytes < suggestion.involved_bytes]
    assert any(amount_words(suggestion) == "0" for suggestion in smaller)


def test_2_savings_are_not_added() -> None:
    """Suggestions have a joint peak, computed on the changed dump, which is not that of the sum of their savings."""
    joint = [advice for _, _, advice in everything() if len(advice.combined) > 1]
    sums_differ = []
    for advice in joint:
        for position, suggestion in enumerate(advice.combined):
            assert suggestion.after == tuple(one.kind for one in advice.combined[:position])
        alone = {(suggestion.kind, suggestion.what): suggestion.saving_bytes for suggestion in advice.suggestions}
        added = sum(alone.get((suggestion.kind, suggestion.what), 0) for suggestion in advice.combined)
        sums_differ.append(advice.combined[-1].saving_bytes != added)
        assert f"{needed_words(advice.combined[-1])} needed" in joint_words(advice)
    assert any(sums_differ)


def test_3_slack_is_not_called_fragmentation() -> None:
    never("fragment")
    for template in ("parts/advice.html", "pages/module.html"):
        assert "fragment" not in (template_root() / template).read_text(encoding="utf-8").lower()


def test_4_a_checkpoint_is_not_advised_on_cpu() -> None:
    """Of a scope, up to jaxlib 0.11.0; loops are another matter, because XLA on CPU keeps those apart."""
    older = [
        advice
        for _, analysis, advice in everything()
        if analysis.backend == "cpu" and all(one.page is None for one in analysis.dump.allocations)
    ]
    on_cpu = [suggestion for advice in older for suggestion in advice.suggestions]
    assert on_cpu
    assert [suggestion for suggestion in on_cpu if suggestion.kind == "checkpoint"] == []
    assert all(
        "does not lower the peak" in suggestion.caveat for suggestion in on_cpu if suggestion.kind == "recomputed-early"
    )


def test_5_no_order_of_dimensions_is_advised() -> None:
    never(r"transpos(?!e\(jvp)|another layout saves|swap the dimensions")


def test_6_offloading_saves_at_most_its_bytes_and_never_its_size() -> None:
    offloads = [suggestion for _, _, suggestion in suggestions() if suggestion.kind == "offload"]
    assert offloads
    for suggestion in offloads:
        assert suggestion.confidence == "up to"
        assert suggestion.saving_bytes <= suggestion.involved_bytes
        assert "up to about" in sentence(suggestion)
        assert "all at once needs more" in suggestion.caveat


def test_7_no_element_type_has_a_number_but_that_of_state() -> None:
    """The caller holds the state, so half of its bytes is half; what a program computes changes with its types."""
    never(r"bf16 (halves|saves)|half precision|lower precision")
    types = [suggestion for _, _, suggestion in suggestions() if suggestion.kind == "type"]
    of_state = [suggestion for suggestion in types if suggestion.is_computed]
    others = [suggestion for suggestion in types if suggestion not in of_state]
    assert of_state
    assert others
    assert all(
        suggestion.confidence == "estimate" and suggestion.saving_bytes <= suggestion.involved_bytes
        for suggestion in of_state
    )
    assert all("computes in the wider type as before" in suggestion.caveat for suggestion in of_state)
    assert all("saving unknown" in sentence(suggestion) for suggestion in others)


def test_8_a_donation_has_an_equal_result_and_says_what_the_caller_must_not_do() -> None:
    donations = [(label, suggestion) for label, _, suggestion in suggestions() if suggestion.kind == "donate"]
    assert donations
    for label, suggestion in donations:
        assert "Do not use these arrays afterwards" in suggestion.caveat
        assert suggestion.involved_bytes > 0
        advised = next(advice for other, _, advice in everything() if other == label)
        states = {group.name for group in advised.arguments if group.state in ("can", "conflict")}
        assert set(suggestion.argument_names) <= states


def test_9_nothing_is_said_of_memory_that_the_compiler_fills_on_purpose() -> None:
    others = [advice for _, analysis, _ in everything() for color, advice in advise(analysis).items() if color]
    assert others
    assert all(advice.withheld and not advice.suggestions for advice in others)


def test_10_nothing_is_called_waste_or_a_duplicate() -> None:
    never(r"duplicat|wast|leak|unnecessar|useless|free[d]? up")


def test_11_whether_a_program_fits_is_a_matter_of_what_it_needs() -> None:
    variant = compiled()["gpu/mid/dots"]
    between = (variant.peak_bytes + variant.space.needed_bytes) // 2
    advised = advise(variant.analysis, between)[0].capacity
    assert advised is not None
    assert advised.verdict == "slack"
    device = Fit(Capacity(between, "given", "flag"), variant.space.needed_bytes)
    assert "more than" in capacity_words(device, advised)
    ample = advise(variant.analysis, 2 * between)[0].capacity
    words = capacity_words(Fit(Capacity(2 * between, "given", "flag"), variant.space.needed_bytes), ample)
    assert "not included: code, other programs" in words


@pytest.mark.parametrize(("part", "words"), [(0.99, "predicted to fit"), (0.4, "does not fit yet")])
def test_11_that_a_sequence_fits_is_a_prediction(part: float, words: str) -> None:
    variant = compiled()["gpu/mid/nodonate"]
    advice = advise(variant.analysis, round(part * variant.space.needed_bytes))[0]
    said = joint_words(advice) if len(advice.combined) > 1 else capacity_words_of(variant, advice)
    assert words in said


def capacity_words_of(variant: Variant, advice: Advice) -> str:
    assert advice.capacity is not None
    return capacity_words(
        Fit(Capacity(advice.capacity.size_bytes, "given", "flag"), variant.space.needed_bytes), advice.capacity
    )


@pytest.mark.parametrize("path", ["gpu/mid/base", "tpu/kvcarry/base"])
def test_12_impossible_is_bound_to_these_shapes_and_instructions(path: str) -> None:
    """On a TPU it is not said at all within the size of VMEM below the floor."""
    variant = compiled()[path]
    breakdown = variant.advice.breakdown
    assert breakdown is not None
    vmem = variant.analysis.spaces.get(1) if variant.backend == "tpu" else None
    sure = breakdown.floor_bytes - (vmem.needed_bytes if vmem else 0)
    assert _verdict(variant.analysis, sure) != "impossible"
    assert _verdict(variant.analysis, sure - 1) in ("impossible", "arguments")
    advised = advise(variant.analysis, sure - 1)[0].capacity
    words = capacity_words(Fit(Capacity(sure - 1, "given", "flag"), variant.space.needed_bytes), advised)
    assert "with these shapes and " in words
    assert floor_words(breakdown, "x", variant.backend).startswith("With these shapes and instructions")
    assert ("VMEM" in floor_words(breakdown, "x", variant.backend)) == (variant.backend == "tpu")


def _verdict(analysis: Analysis, size_bytes: int) -> str:
    capacity = advise(analysis, size_bytes)[0].capacity
    assert capacity is not None
    return capacity.verdict


def test_13_a_program_without_state_or_backward_pass_has_no_batch() -> None:
    without = compiled()["cpu/bincounts/base"]
    assert not without.program.has_backward_pass
    assert without.advice.half_batch_bytes is None
    advised = advise(without.analysis, without.peak_bytes // 2)[0].capacity
    assert advised is not None
    assert advised.fits_factor is None
    assert "batch" not in capacity_words(
        Fit(Capacity(without.peak_bytes // 2, "given", "flag"), without.space.needed_bytes), advised
    )


@pytest.mark.parametrize(
    ("dump", "reason"),
    [
        (STEP.partition("HloLiveRange")[0], "no live ranges"),
        (edited(STEP, ("allocation 1: size 30", "allocation 1: size 31")), "errors"),
    ],
)
def test_14_a_dump_that_cannot_be_trusted_gets_a_reason_and_no_number(dump: str, reason: str) -> None:
    analysis = analysed(dump)
    for advice in advise(analysis).values():
        assert advice_figures(analysis, advice) is None
        assert reason in advice.withheld
        assert not re.search(r"\d", advice.withheld)


def test_every_suggestion_says_how_it_is_computed_how_it_did_and_what_else_may_happen() -> None:
    glossary = (template_root() / "help" / "glossary.md").read_text(encoding="utf-8")
    sections = re.findall(
        r"^## Suggestion: [\w -]+ \{#suggestion-([\w-]+)\}\n(.*?)(?=^## |\Z)", glossary, re.MULTILINE | re.DOTALL
    )
    assert len(sections) == len(get_args(Kind))
    for name, text in sections:
        labels = re.findall(r"\*\*([^*]+)\.\*\*", text)
        assert labels == [
            "How it is computed",
            "Against recompiled programs",
            "What the compiler may do otherwise",
        ], name
