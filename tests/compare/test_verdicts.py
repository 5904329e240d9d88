"""Each verdict, and the exit code that follows from it."""

from dataclasses import replace

import pytest

from reportgen.analyse.fit import Refusal
from reportgen.analyse.matmul_work import WorkFigures
from reportgen.compare.budgets import Budgets, parse_budgets
from reportgen.compare.module_pairing import pair_by_name
from reportgen.compare.verdicts import judge
from reportgen.redact.vocabulary import redact_message
from reportgen.reports.report_document import GateModule
from tests.support.gate_records import gate_module_of, space_of


def module(peak: int | None, name: str = "jit_f", space: str = "HBM", color: int = 0) -> GateModule:
    return gate_module_of(path=f"{name}.txt", name=name, backend="tpu", spaces={color: space_of(space, peak)})


def budgets(text: str) -> Budgets:
    return parse_budgets(f"[[budget]]\n{text}", "reportgen.toml")


@pytest.mark.parametrize(
    ("text", "before", "after", "status", "code"),
    [
        ("max = '100 B'", None, 100, "pass", 0),
        ("max = '100 B'", None, 101, "over", 3),
        ("max-growth = '0%'", 100, 100, "pass", 0),
        ("max-growth = '0%'", 100, 101, "grown", 3),
        ("max-growth = '1%'", 100, 101, "pass", 0),
        ("max-growth = '1%'", 100, 102, "grown", 3),
        ("max-growth = ['1%', '5 B']", 100, 105, "pass", 0),
        ("max-growth = ['1%', '5 B']", 100, 106, "grown", 3),
        ("max-growth = '0%'", 100, 50, "pass", 0),
        ("max = '100 B'", None, None, "unknown", 1),
        ("max = '100 B'\nmodule = 'jit_g'", None, 1, "unmatched", 1),
        ("max = '100 B'\nspace = 'VMEM'", None, 1, "unmatched", 1),
        ("max = '100 B'\nbackend = 'gpu'", None, 1, "unmatched", 1),
        ("max = '100 B'\nspace = 'hbm'", None, 101, "over", 3),
        ("max = '100 B'\nspace = 0", None, 101, "over", 3),
    ],
)
def test_a_figure_is_judged(text: str, before: int | None, after: int | None, status: str, code: int) -> None:
    pairs = [(None if before is None else module(before), module(after))]
    judgement = judge(budgets(text), pairs, has_baseline=True)
    assert status in [verdict.status for verdict in judgement.verdicts]
    assert judgement.exit_code == code


@pytest.mark.parametrize(
    ("again", "whole", "status", "code"),
    [
        (50, 1000, "pass", 0),
        (51, 1000, "over", 3),
        (0, 1000, "pass", 0),
        (0, None, "pass", 0),
        (None, 1000, "unknown", 1),
        (None, None, "unknown", 1),
        (50, None, "unknown", 1),
    ],
)
def test_what_xla_recomputes_is_judged_where_it_is_known(
    again: int | None, whole: int | None, status: str, code: int
) -> None:
    work = WorkFigures(matmul_flops=whole, again_by_checkpoint=None, again_by_xla=again)
    judgement = judge(budgets("max-recomputed = '5 %'"), [(None, replace(module(7), work=work))], has_baseline=False)
    (verdict,) = judgement.verdicts
    assert (verdict.status, judgement.exit_code) == (status, code)
    words = verdict.message.removeprefix("jit_f: ")
    assert redact_message(words) == words


@pytest.mark.parametrize(
    ("again", "whole", "status", "code"),
    [(0, 0, "unknown", 1), (50, 1000, "pass", 0), (51, 1000, "over", 3), (0, 1000, "pass", 0)],
)
def test_work_that_is_not_counted_is_named_and_is_no_pass_alone(again: int, whole: int, status: str, code: int) -> None:
    calls = ("tpu_custom_call", "custom-call")
    work = WorkFigures(matmul_flops=whole, again_by_checkpoint=None, again_by_xla=again, uncounted=calls)
    judgement = judge(budgets("max-recomputed = '5 %'"), [(None, replace(module(7), work=work))], has_baseline=False)
    (verdict,) = judgement.verdicts
    assert (verdict.status, judgement.exit_code) == (status, code)
    assert "tpu_custom_call, custom-call" in verdict.message
    words = verdict.message.removeprefix("jit_f: ")
    assert redact_message(words) == words


def test_a_budget_of_recomputation_must_match_a_module() -> None:
    stated = budgets("max-recomputed = '5%'\nmodule = 'jit_g'")
    assert "unmatched" in [one.status for one in judge(stated, [(None, module(7))], has_baseline=False).verdicts]


def test_a_budget_that_need_not_match_may_match_nothing_if_another_judges() -> None:
    optional = "max = '1 B'\nmodule = 'x'\nrequired = false"
    assert judge(budgets(f"{optional}\n[[budget]]\nmax = '9 B'"), [(None, module(7))], has_baseline=True).exit_code == 0
    alone = judge(budgets(optional), [(None, module(7))], has_baseline=True)
    assert (alone.overall, alone.exit_code) == ("cannot judge", 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, module(7)),
        (module(7), None),
        (module(None), module(7)),
        (module(7), module(None)),
        (module(None), module(None)),
        (module(7), gate_module_of(path="x", name="jit_f", backend="tpu")),
        (None, None),
    ],
    ids=str,
)
@pytest.mark.parametrize("growth", ["0%", "1%", "9 GiB"])
def test_a_gate_that_judged_no_figure_never_passes(growth: str, before: object, after: object) -> None:
    pairs = [] if before is None and after is None else [(before, after)]
    judgement = judge(budgets(f"max-growth = '{growth}'\nrequired = false"), pairs, has_baseline=True)  # type: ignore[arg-type]
    assert (judgement.judged, judgement.overall, judgement.exit_code) == (0, "cannot judge", 1)
    assert judgement.reported[-1].level == "fail"


def test_the_side_on_which_a_figure_is_unknown_is_named() -> None:
    for before, after, words in (
        (module(None), module(7), "peak_resident before"),
        (module(7), module(None), "resident is"),
    ):
        (verdict,) = judge(budgets("max-growth = '0%'"), [(before, after)], has_baseline=True).verdicts
        assert (verdict.status, words in verdict.message) == ("unknown", True)


def test_what_is_over_a_limit_is_said_although_growth_is_unknown() -> None:
    judgement = judge(budgets("max = '1 B'\nmax-growth = '0%'"), [(module(None), module(7))], has_baseline=True)
    assert ({one.status for one in judgement.verdicts}, judgement.exit_code) == ({"unknown", "over"}, 3)


def test_files_that_could_not_be_read_are_no_pass() -> None:
    judgement = judge(budgets("max = '9 B'"), [(None, module(7))], has_baseline=True, unread=2)
    assert (judgement.judged, judgement.overall, judgement.exit_code) == (1, "cannot judge", 1)
    assert "2 files could not be read" in judgement.reported[-1].message


def test_a_missing_baseline_warns_passes_and_calls_nothing_new() -> None:
    judgement = judge(budgets("max-growth = '0%'"), [(None, module(7))], has_baseline=False)
    assert [(verdict.status, verdict.level) for verdict in judgement.verdicts] == [("no baseline", "warn")]
    assert (judgement.overall, judgement.exit_code) == ("cannot judge", 0)
    assert judge(budgets("max-growth = '0%'"), [], has_baseline=False).exit_code == 1


def test_new_and_missing_modules_are_reported_and_pass_beside_others() -> None:
    pairs = pair_by_name([module(1, "jit_old"), module(1)], [module(1, "jit_new"), module(1)])
    judgement = judge(budgets("max-growth = '0%'"), pairs, has_baseline=True)
    found = {(verdict.status, verdict.level, verdict.module) for verdict in judgement.reported}
    assert found == {("new", "note", "jit_new"), ("missing", "warn", "jit_old")}
    assert judgement.exit_code == 0


def test_a_regression_comes_before_what_cannot_be_judged() -> None:
    pairs = [(module(1), module(2)), (None, module(None, "jit_g"))]
    assert judge(budgets("max = '1 B'"), pairs, has_baseline=True).exit_code == 3


def test_a_space_that_is_new_in_a_module_has_grown_from_nothing() -> None:
    judgement = judge(budgets("max-growth = '50%'"), [(module(9), module(9, color=1))], has_baseline=True)
    assert judgement.overall == "grown"


def shaped(peak: int, shapes: str, name: str = "jit_f") -> GateModule:
    return replace(module(peak, name), path=f"{peak} {name} {shapes}", shapes=shapes)


def test_modules_of_one_name_are_paired_by_shapes_then_in_order() -> None:
    before = [shaped(1, "aaaa"), shaped(2, "bbbb"), shaped(3, "bbbb")]
    after = [shaped(4, "bbbb"), shaped(5, "bbbb"), shaped(6, "bbbb"), shaped(7, "aaaa")]
    assert pair_by_name(before, after) == [
        (before[1], after[0]),
        (before[2], after[1]),
        (None, after[2]),
        (before[0], after[3]),
    ]


def test_equal_shapes_come_before_an_equal_name() -> None:
    before, after = [shaped(1, "aaaa")], [shaped(2, "bbbb"), shaped(3, "aaaa", "jit_f_1")]
    assert pair_by_name(before, after) == [(None, after[0]), (before[0], after[1])]


def test_the_last_module_of_a_name_is_paired_whatever_its_shapes() -> None:
    before, after = [shaped(1, "aaaa"), shaped(2, "bbbb")], [shaped(3, "cccc"), shaped(4, "aaaa")]
    assert pair_by_name(before, after) == [(before[1], after[0]), (before[0], after[1])]


@pytest.mark.parametrize("shapes", [("aaaa", "bbbb"), ("", "")])
def test_growth_is_not_judged_where_nothing_says_which_modules_belong_together(shapes: tuple[str, str]) -> None:
    pairs = pair_by_name([shaped(9, shapes[0]), shaped(1, shapes[1])], [shaped(1, "cccc"), shaped(1, "dddd")])
    judgement = judge(budgets("max-growth = '0%'"), pairs, has_baseline=True)
    assert (judgement.overall, judgement.exit_code) == ("cannot judge", 1)
    assert "which of 2 of this name it was before; 2 are new" in judgement.reported[0].message
    assert judge(budgets("max = '9 B'"), pairs, has_baseline=True).exit_code == 0


@pytest.mark.parametrize("text", [None, "max = '9 B'", "max-growth = '0%'\nspace = 'HBM'"])
def test_a_module_that_needs_more_than_the_capacity_fails_with_and_without_budgets(text: str | None) -> None:
    stated = None if text is None else budgets(text)
    pairs = [(module(7), module(7)), (None, module(6, "jit_small"))]
    judgement = judge(stated, pairs, has_baseline=True, capacities=["6B"])
    (over,) = (verdict for verdict in judgement.verdicts if verdict.level == "fail")
    assert over.message == "jit_f HBM: needs 7 bytes; the capacity is 6 bytes"
    assert over.sentence == "jit_f does not fit: it needs 7 B of 6 B."
    assert (judgement.overall, judgement.exit_code) == ("over", 3)
    assert judge(stated, pairs, has_baseline=True, capacities=["7B", "1=1B"]).exit_code == 0


@pytest.mark.parametrize(("refused", "space", "color"), [("hbm", "HBM", 0), ("vmem", "VMEM", 1)])
@pytest.mark.parametrize("limit", ["max = '9 B'", "max-growth = '9%'"])
def test_no_figure_of_the_memory_for_which_a_module_was_refused_passes(
    refused: str, space: str, color: int, limit: str
) -> None:
    one = replace(module(7, space=space, color=color), refused=Refusal(space=refused, needed=None, usable=None))
    judgement = judge(budgets(limit), [(one, one)], has_baseline=True)
    assert [verdict.status for verdict in judgement.verdicts] == ["over"]
    assert (judgement.overall, judgement.exit_code) == ("over", 3)
    other = replace(one, refused=Refusal(space="smem", needed=None, usable=None))
    assert [one.status for one in judge(budgets(limit), [(other, other)], has_baseline=True).verdicts] == [
        "over",
        "pass",
    ]
    assert judge(None, [(one, one)], has_baseline=True).exit_code == 0
