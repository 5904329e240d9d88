"""A comparison says why a peak changed and whether it fits now; its steps join what cancels and still add up."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import measure
from reportgen.analyse.devices import MAIN_SPACE, Capacity
from reportgen.analyse.fit import DeviceFit, Fit
from reportgen.analyse.matmul_work import WorkFigures
from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.builds import BuildComparison, ModuleComparison, Source, compare_modules
from reportgen.compare.compare_words import fit_words, headline
from reportgen.compare.dump_comparison import TermGroup
from reportgen.compare.module_pairing import ModulePair, Side
from reportgen.compare.reasons import Reason, causes, other_facts, recomputation, step_reason, why
from reportgen.compare.terms import KINDS, JoinedStep, Kind, Term, steps_of, total
from reportgen.input.discover import discover
from reportgen.redact.comparison import ComparisonRedactor
from reportgen.render.compare.comparison_overview import ComparisonOverview
from reportgen.render.compare.comparison_views import module_views, predicted_words
from reportgen.sides import compare_pair
from tests.advice.recompiled_programs import program
from tests.compare.texts import IN_PLACE, NOT_IN_PLACE, measured
from tests.support.gate_records import step_of
from tests.support.samples import ROOT

GIB = 1 << 30
TERMS = st.lists(
    st.builds(Term, kind=st.sampled_from(get_args(Kind)), change_bytes=st.integers(-(10**9), 10**9)), max_size=12
)


def module(name: str, after: str) -> ModuleComparison:
    before, later = (Side(one, "jit_step", 0, program(one)) for one in (name, after))
    return compare_modules(ModulePair(before, later, "name"))


def device_fit(allocated: int | None) -> DeviceFit:
    """Return whether a build fits a device of 2 GiB."""
    if allocated is None:
        return DeviceFit()
    return DeviceFit({MAIN_SPACE: Fit(Capacity(2 * GIB, "given", "flag"), allocated)})


@given(TERMS)
def test_steps_add_up_to_the_terms(terms: list[Term]) -> None:
    steps = steps_of(terms)
    assert sum(step.change_bytes for step in steps) == total(terms)
    assert sorted(map(id, (term for step in steps for term in step.terms))) == sorted(map(id, terms))
    assert [step.kind for step in steps] == list(dict.fromkeys(step.kind for step in steps))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_term_has_words_and_a_meaning_in_the_documentation(kind: Kind) -> None:
    assert f"`{kind}`" in (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    for change in (-1, 1):
        (step,) = steps_of([Term(kind=kind, change_bytes=change)] * 2)
        assert step.words
        assert step.sentence == step.words or re.fullmatch(r"2 [a-z ]+s are .+", step.sentence)


def test_what_is_live_at_another_place_is_one_step_with_the_place() -> None:
    terms = [Term(kind="elsewhere", change_bytes=110), Term(kind="not live any more", change_bytes=-20)]
    (step,) = steps_of(terms)
    assert (step.words, step.change_bytes) == ("the peak moved", 90)
    (alone,) = steps_of(terms[1:])
    assert alone.sentence == "1 temporary buffer is no longer live at the peak"


@pytest.mark.parametrize(("new", "count"), [(95, 1), (20, 2)])
def test_new_temporaries_replace_those_that_are_gone_if_little_is_left_of_both(new: int, count: int) -> None:
    assert len(steps_of([Term(kind="gone", change_bytes=-100), Term(kind="new", change_bytes=new)])) == count


@pytest.mark.parametrize(("static", "count"), [(95, 1), (20, 2), (-95, 2)])
def test_outputs_that_were_temporaries_are_one_step_if_little_is_left_of_both(static: int, count: int) -> None:
    terms = [
        Term(kind="held or temporary", change_bytes=-100),
        Term(kind="result not donated", change_bytes=static),
    ]
    steps = steps_of(terms)
    assert len(steps) == count
    if count == 1:
        assert steps[0].words == "temporaries in one build, arguments or outputs in the other"


def reason_of(compared: ModuleComparison) -> Reason:
    reason = why(compared).reason
    assert reason is not None
    return reason


def test_a_reason_says_what_is_gone_and_in_which_part_of_the_program() -> None:
    compared = module("vjp_ce+naive", "vjp_ce")
    reason = reason_of(compared)
    assert "gone" in reason.words
    assert reason.change_bytes < 0
    assert reason.largest is not None
    assert reason.largest.line.startswith("vjp_ce.py:")
    assert "/" not in reason.largest.name
    assert causes(compared)[0].endswith(f"mainly in {reason.largest.name} ({reason.largest.line})")


def test_checkpoints_in_one_build_only_are_the_cause_of_other_temporaries() -> None:
    names = "evoformer", "evoformer+remat"
    for (before, after), words in ((names, "added"), (names[::-1], "removed")):
        assert reason_of(module(before, after)).words.startswith(f"checkpoints {words}: ")


def test_a_second_step_is_named_where_the_first_is_less_than_half_of_the_change() -> None:
    compared = module("vjp_ce+naive", "vjp_ce")
    before, after = compared.needs[MAIN_SPACE]
    steps = why(compared).steps
    assert steps[0] == why(compared).reason
    assert len(steps) == 1 + (2 * abs(steps[0].change_bytes) < abs(after - before))
    (row,) = ComparisonOverview(
        BuildComparison(before=Source("a"), after=Source("b"), modules=(compared,)), has_sites=False
    ).shown
    assert row.rest_bytes == after - before - sum(step.change_bytes for step in steps)
    # The cause has the words of the first.
    assert [words for _, words in row.steps] == ["", *(step.words for step in steps[1:])]


@pytest.mark.parametrize(("subject_bytes", "most"), [(-50, "mainly"), (-49, "the largest part")])
def test_only_half_of_a_step_or_more_is_its_main_part(subject_bytes: int, most: str) -> None:
    step = JoinedStep(kind="gone", change_bytes=-100, terms=())
    gone = Reason("2 gone", -100, step, TermGroup("a", "", [Term(kind="gone", change_bytes=subject_bytes)]))
    assert gone.sentence.endswith(f", {most} a")


def test_a_peak_that_moved_is_one_row_with_both_instructions() -> None:
    (view,) = module_views([module("vjp_ce+naive", "vjp_ce")])
    space = view.views[0]
    ((step, moved),) = ((step, group) for step, group in space.groups if step.kind == "elsewhere")
    (row,) = (row for row, _ in space.waterfall if row.words.startswith("the peak moved"))
    assert (moved.change_bytes, space.words(step, moved)) == (row.change_bytes, row.words)
    assert space.link(moved, 0)
    assert space.link(moved, 1)


def test_the_peak_moves_to_a_part_of_the_program() -> None:
    comparison = module("vjp_ce+naive", "vjp_ce").comparison
    assert comparison is not None
    space = comparison.spaces[MAIN_SPACE]
    (step,) = (step for step in space.steps if step.kind == "elsewhere")
    moved = step_reason(comparison, space, step)
    assert re.fullmatch(r"the peak moved to \w+ at vjp_ce\.py:\d+", moved.words)


W = SiblingArguments("w", "f32[512]", 1, 2048, 0)


@pytest.mark.parametrize(
    ("before", "after", "peaks", "is_cause"),
    [
        ((W,), (replace(W, donated_bytes=2048),), (2, 1), True),
        ((W,), (replace(W, donated_bytes=2048),), (1, 2), False),
        ((replace(W, donated_bytes=2048),), (W,), (2, 1), False),
        ((W,), (replace(W, shape="f32[1024]", size_bytes=4096),), (1, 2), True),
        ((W,), (replace(W, shape="f32[1024]", size_bytes=4096),), (2, 1), False),
        ((W,), (replace(W, shape="f32[2,256]"),), (2, 1), True),
        ((W,), (W, replace(W, name="v")), (2, 1), False),
        ((W, replace(W, name="v")), (W,), (2, 1), True),
        ((W, replace(W, name="v")), (W,), (9000, 1), False),
        ((W,), (replace(W, donated_bytes=2048),), (9000, 1), False),
        ((W,), (replace(W, arrays=2),), (1, 2), True),
    ],
)
def test_arguments_explain_a_change_in_their_direction_that_is_not_much_larger(
    before: Sequence[SiblingArguments],
    after: Sequence[SiblingArguments],
    peaks: tuple[int, int],
    is_cause: bool,
) -> None:
    figures = [
        step_of(peak, arguments=tuple(arguments)) for peak, arguments in zip(peaks, (before, after), strict=True)
    ]
    compared = ModuleComparison(figures=(figures[0], figures[1]))
    assert (why(compared).reason is not None) == is_cause
    # What explains nothing is still said.
    assert bool(other_facts(compared, why(compared))) != is_cause


def recomputing(
    peaks: tuple[int, int], by_xla: tuple[int | None, int | None], by_checkpoint: tuple[int, int] = (0, 0)
) -> ModuleComparison:
    """Return a module of 10 TFLOP besides its recomputation, which changes with its peak."""
    before, after = (
        step_of(
            peak,
            work=WorkFigures(
                matmul_flops=(10 + (xla or 0) + checkpoint) * 10**12,
                again_by_checkpoint=checkpoint * 10**12,
                again_by_xla=None if xla is None else xla * 10**12,
            ),
        )
        for peak, xla, checkpoint in zip(peaks, by_xla, by_checkpoint, strict=True)
    )
    return ModuleComparison(figures=(before, after))


@pytest.mark.parametrize(("peaks", "is_likely"), [((2, 1), True), ((1, 2), False), ((1, 1), False)])
def test_recomputing_more_may_explain_a_lower_peak_only(peaks: tuple[int, int], is_likely: bool) -> None:
    likely, others = recomputation(recomputing(peaks, (0, 4)))
    (change,) = likely if is_likely else others
    assert change.sentence == "XLA recomputes 4.00 TFLOP more (+40.0 % matrix work)"
    assert len(likely) + len(others) == 1


@pytest.mark.parametrize(
    ("flops", "again", "cause"),
    [
        ((20, 24), (0, 4), "checkpoints added"),
        ((22, 24), (2, 4), "more is checkpointed"),
        ((20, 40), (2, 4), ""),  # twice the batch, with the same checkpoints
    ],
)
def test_more_checkpoints_are_a_cause_in_a_program_that_does_the_same_work(
    flops: tuple[int, int], again: tuple[int, int], cause: str
) -> None:
    compared = recomputing((2, 1), (0, 0), again)
    before, after = (
        replace(side, work=replace(side.work, matmul_flops=own * 10**12))
        for side, own in zip(compared.figures, flops, strict=True)
        if side
    )
    ((change,), _) = recomputation(ModuleComparison(figures=(before, after)))
    assert change.cause == cause


def test_recomputing_less_may_explain_a_higher_peak() -> None:
    (likely,), (other,) = recomputation(recomputing((1, 2), (1, 4), (2, 0)))
    assert likely.sentence == "checkpoints recompute 2.00 TFLOP less (−16.7 % matrix work)"
    assert other.sentence == "XLA recomputes 3.00 TFLOP more (+25.0 % matrix work)"


@given(*[st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))] * 2)
def test_no_difference_of_what_is_recomputed_is_more_than_that_of_all_work(
    before: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    compared = recomputing((2, 1), (before[1], after[1]), (before[2], after[2]))
    first, second = (
        replace(side, work=replace(side.work, matmul_flops=sum(flops) * 10**12))
        for side, flops in zip(compared.figures, (before, after), strict=True)
        if side
    )
    changes = [*chain(*recomputation(ModuleComparison(figures=(first, second))))]
    said = " ".join(change.words for change in changes)
    for who, other in ("XLA recomputes", 2), ("checkpoints recompute", 1):
        rest = sum(after) - after[other] - sum(before) + before[other]
        for number, way in re.findall(rf"{who} ([\d.]+) TFLOP (more|less)", said):
            assert float(number) <= (rest if way == "more" else -rest)


def test_a_checkpoint_is_no_cause_of_what_is_not_in_its_scope() -> None:
    compared = module("vjp_ce+naive", "vjp_ce")
    before, after = compared.figures
    assert before
    assert after
    own = before.work.matmul_flops or 0
    fewer = replace(before, work=replace(before.work, matmul_flops=own))
    more = replace(after, work=replace(after.work, matmul_flops=own + 9, again_by_checkpoint=9))
    known = why(replace(compared, figures=(fewer, more)))
    assert [change.cause for change in known.others] == ["checkpoints added"]
    assert known.likely == []
    assert known.reason
    assert "checkpoint" not in known.reason.sentence
    checkpointed = why(module("evoformer", "evoformer+remat"))
    assert checkpointed.reason
    assert checkpointed.reason.sentence.startswith("checkpoints added: ")


@pytest.mark.parametrize("by_xla", [(None, 4), (4, None), (None, None), (4, 4)])
def test_nothing_is_said_of_recomputation_that_is_unknown_or_the_same(by_xla: tuple[int | None, int | None]) -> None:
    assert recomputation(recomputing((2, 1), by_xla)) == ([], [])


def test_causes_begin_with_the_recomputation_that_may_explain_the_peak() -> None:
    before, after = (
        next((ROOT / "samples" / name).glob("*-buffer-assignment.txt.xz"))
        for name in ("v5e-train-step", "v5e-train-step-checkpoint")
    )
    (compared,) = compare_pair(*(Source("a", dumps=discover([path]).dumps) for path in (before, after))).modules
    first, main, last = causes(compared)
    assert first.startswith("checkpoints recompute 4.12 TFLOP more")
    assert "temporary buffers are gone" in main
    assert last.startswith("XLA recomputes 7.83 TFLOP less")


def test_the_prediction_of_the_checkpoint_that_was_added_is_said() -> None:
    names = "evoformer", "evoformer+remat"
    for (before, after), words in ((names, "9.23 to 12.5 GiB"), (names[::-1], "")):
        (view,) = module_views([module(before, after)])
        assert predicted_words(view, why(view.module)) == words


def test_the_bars_of_a_waterfall_follow_one_another() -> None:
    (view,) = module_views([module("vjp_ce+naive", "vjp_ce")])
    space = view.views[0]
    at, end = space.space.needed_bytes
    for step, low in space.waterfall:
        start = low + space.start_bytes
        assert (start, start + abs(step.change_bytes)) == tuple(sorted((at, at + step.change_bytes)))
        at += step.change_bytes
    assert at == end


def test_an_argument_that_is_given_to_the_host_has_moved() -> None:
    dump = program("offload_adam+nooffload").dump
    before = measure(dump, "tpu")
    largest = max(before.program.arguments, key=lambda number: dump.allocations[number].size_bytes)
    allocations = tuple(
        replace(one, color=5) if number == largest else one for number, one in enumerate(dump.allocations)
    )
    moved = measure(replace(dump, allocations=allocations), "tpu")
    compared = compare_modules(ModulePair(Side("a", "a", 0, before), Side("b", "b", 0, moved), "name"))
    assert reason_of(compared).words == "1 buffer moved to host"
    assert "in HBM" in headline(compared)


def test_a_redacted_comparison_names_no_argument_of_a_program() -> None:
    compared = module("offload_adam+nooffload", "vjp_ce")
    redacted = ComparisonRedactor("names").comparison(
        BuildComparison(before=Source("before"), after=Source("after"), modules=(compared,))
    )
    (one,) = redacted.modules
    hidden = {argument.name for figures in one.figures if figures for argument in figures.arguments}
    shown = {argument.name for figures in compared.figures if figures for argument in figures.arguments}
    assert "mu[#]['kernel']" in shown
    assert not any(name.startswith("mu") for name in hidden)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (3 * GIB, GIB, "fits now: 1.00 GiB left"),
        (GIB, GIB, "fits: 1.00 GiB left"),
        (GIB, 3 * GIB, "no longer fits, by 1.00 GiB"),
        (3 * GIB, 3 * GIB, "still does not fit, by 1.00 GiB"),
        (None, 3 * GIB, "does not fit, by 1.00 GiB"),
        (3 * GIB, None, ""),
    ],
)
def test_it_says_whether_a_build_fits_now(before: int | None, after: int | None, words: str) -> None:
    one = Side("a", "a", 0, measured(IN_PLACE), device_fit=device_fit(before))
    other = Side("b", "b", 0, measured(NOT_IN_PLACE), device_fit=device_fit(after))
    compared = compare_modules(ModulePair(one, other, "name"))
    assert fit_words(compared) == (words, ", by" in words)
