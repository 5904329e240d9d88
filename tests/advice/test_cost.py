"""What a suggestion costs in matrix work: never less than what recompiled programs compute again."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import copy

import pytest

from reportgen.advice import cost
from reportgen.advice.advice_records import CombinedFigures, Suggestion
from reportgen.advice.advise import advise
from reportgen.advice.kinds import KINDS, Kind
from reportgen.analyse.records import Analysis
from reportgen.document import encoded, parsed, read
from reportgen.program.products import Product, Products
from reportgen.reports.advice_words import cost_words
from reportgen.reports.module_figures import advice_figures
from tests.advice.recompiled import largest
from tests.support.samples import SAMPLES

TRAIN_STEP = "v5e-train-step"
BODY_FLOPS = 5_772_436_045_824
"""What the body of the loop multiplies in all its passes, counted by hand: attention and MLP of 12 layers."""


@cache
def sample_analysis(label: str) -> Analysis:
    analysis = largest(SAMPLES / label)
    assert analysis
    return analysis


def kinds(suggestions: Iterable[Suggestion]) -> dict[Kind, Suggestion]:
    """Return the last suggestion of each kind."""
    return {suggestion.kind: suggestion for suggestion in suggestions}


def of_train_step() -> dict[Kind, Suggestion]:
    return kinds(advise(sample_analysis(TRAIN_STEP))[0].own_suggestions)


def with_products(products: Products) -> Analysis:
    analysis = replace(sample_analysis(TRAIN_STEP))
    vars(analysis)["products"] = products
    return analysis


def test_a_checkpoint_of_a_loop_costs_at_most_the_body_in_all_its_passes() -> None:
    truth = sample_analysis("v5e-train-step-checkpoint").work.again_by_checkpoint
    assert truth == 4_123_168_604_160
    assert of_train_step()["checkpoint-loop"].added_flops == BODY_FLOPS > truth


def test_the_scopes_of_a_body_cost_together_what_the_body_costs() -> None:
    analysis = sample_analysis(TRAIN_STEP)
    parts = [cost.of_scope(analysis, scope) for scope in ("attention", "mlp")]
    assert parts == [2_473_901_162_496, 3_298_534_883_328]
    assert sum(parts) == BODY_FLOPS  # type: ignore[arg-type]


def test_only_the_forward_pass_of_a_function_is_computed_again() -> None:
    analysis = sample_analysis(TRAIN_STEP)
    assert cost.of_function(analysis, "loss") == BODY_FLOPS + (cost.of_scope(analysis, "logits") or 0)
    assert cost.of_function(analysis, "no_such_function") == 0


def test_half_the_batch_is_half_the_work_that_xla_does_not_repeat() -> None:
    own = sample_analysis(TRAIN_STEP).work.own_flops
    assert own == 20_612_621_795_328
    assert of_train_step()["batch"].added_flops == -own // 2


def test_kinds_that_move_or_keep_data_cost_nothing_and_others_are_unknown() -> None:
    known = of_train_step()
    assert known["donate"].added_flops == 0
    assert known["attention"].added_flops is known["logits"].added_flops is known["offload"].added_flops is None
    assert all(kind.adds_no_work for kind in KINDS.values() if kind.is_free)


def test_suggestions_together_cost_what_each_of_them_does() -> None:
    first, second = advise(sample_analysis(TRAIN_STEP), 16 << 30)[0].combined[:2]
    assert [first.kind, second.kind] == ["checkpoint-loop", "donate"]
    assert (first.added_flops, second.added_flops) == (BODY_FLOPS, BODY_FLOPS)


def test_without_hlo_text_only_what_costs_nothing_is_known(tmp_path: Path) -> None:
    for file in (SAMPLES / TRAIN_STEP).glob("*"):
        if not file.name.endswith("after_optimizations.txt.xz"):
            copy(file, tmp_path)
    analysis = largest(tmp_path)
    assert analysis
    assert analysis.products is None
    suggestions = advise(analysis)[0].own_suggestions
    assert suggestions
    assert {suggestion.added_flops for suggestion in suggestions} <= {None, 0}
    assert not any(cost_words(suggestion, analysis.work) for suggestion in suggestions)


def test_what_may_multiply_without_saying_how_much_leaves_the_cost_unknown() -> None:
    counted = sample_analysis(TRAIN_STEP).products
    assert counted
    kernel = with_products(replace(counted, uncounted=("tpu_custom_call",)))
    circle = with_products(Products(is_readable=False))
    assert [cost.of_scope(analysis, "mlp") for analysis in (kernel, circle)] == [None, None]


def test_a_product_without_a_name_counts_as_part_of_every_checkpoint() -> None:
    unnamed = with_products(Products(products=[Product(name="nameless", flops=7, times=4, added=1)]))
    assert cost.of_scope(unnamed, "mlp") == cost.of_function(unnamed, "loss") == 3 * 7


def test_a_loop_whose_passes_are_not_known_has_no_cost() -> None:
    counted = sample_analysis(TRAIN_STEP).products
    assert counted
    unknown = with_products(Products(products=[replace(one, times=None, added=None) for one in counted.products]))
    assert cost.of_scope(unknown, "mlp") is None


@pytest.mark.parametrize(
    ("flops", "words"),
    [
        (BODY_FLOPS, "recomputes at most 5.77 TFLOP (+28.0 %)"),
        (-10_306_310_897_664, "half the matrix work a step"),
        (-9_688_000_000_000, "53 % of the matrix work a step"),
        (0, ""),
        (None, ""),
    ],
)
def test_the_cost_in_words(flops: int | None, words: str) -> None:
    suggestion = replace(of_train_step()["checkpoint-loop"], added_flops=flops)
    assert cost_words(suggestion, sample_analysis(TRAIN_STEP).work) == words


def test_documents_of_earlier_versions_have_no_cost() -> None:
    analysis = sample_analysis(TRAIN_STEP)
    figures = advice_figures(analysis, advise(analysis)[0])
    assert figures
    stated = parsed(encoded(figures.combined[0]).encode())
    assert read(CombinedFigures, stated).added_flops == stated.pop("added_flops")
    assert read(CombinedFigures, stated).added_flops is None
