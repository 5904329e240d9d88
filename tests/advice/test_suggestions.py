"""Each suggestion on programs that were really changed and compiled again, and what advice must never say."""

from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice, advise
from reportgen.advice.framework import donation_code
from reportgen.advice.kinds import KINDS, Kind
from reportgen.render.site.assets import template_root
from tests.advice.accuracy import verdicts
from tests.advice.predicted import Row, rows
from tests.advice.recompiled import Variant, variants
from tests.support.samples import sample_analysis, sample_labels

PAIRS = Path(__file__).parent / "pairs"
MIB = 1 << 20


@cache
def compiled() -> dict[str, Variant]:
    return {f"{one.backend}/{one.case}/{one.name}": one for one in variants(PAIRS)}


@cache
def compared() -> tuple[Row, ...]:
    return tuple(rows(list(compiled().values())))


def advice(path: str) -> Advice:
    return compiled()[path].advice


def suggestions(path: str, kind: Kind) -> list[Suggestion]:
    return [suggestion for suggestion in advice(path).suggestions if suggestion.kind == kind]


def everything() -> list[tuple[str, Advice]]:
    own = [(path, variant.advice) for path, variant in compiled().items()]
    return own + [(label, advise(sample_analysis(label))[0]) for label in sample_labels()]


def test_donation_is_predicted_within_two_percent_of_the_peak() -> None:
    errors = [row.error for row in compared() if row.change.startswith("donate ") and row.high is None]
    assert len(errors) == 4
    assert all(error is not None and abs(error) < 0.002 for error in errors)


def test_a_donation_that_saves_nothing_says_who_still_reads_the_argument() -> None:
    (suggestion,) = suggestions("gpu/kvbig/base", "donate")
    assert (suggestion.argument_names, suggestion.involved_bytes, suggestion.saving_bytes) == (
        ("cache",),
        2048 * MIB,
        0,
    )
    assert {conflict.read_by for conflict in suggestion.conflicts} == {"while.7"}
    assert "is still read by while.7" in suggestion.reason


def test_each_argument_is_also_a_suggestion_of_its_own() -> None:
    found = suggestions("gpu/mid/nodonate", "donate")
    assert [suggestion.argument_names for suggestion in found] == [("p", "o"), ("p",), ("o",)]
    assert found[0].code == 'donate_argnames=("p", "o")'


def test_names_that_jit_does_not_take_get_no_code() -> None:
    assert donation_code(["p"]) == 'donate_argnames=("p",)'
    assert {donation_code([name, "p"]) for name in ("argument 5", "args", "kwargs", "dynamic_nodonate")} == {""}


def test_donated_arguments_are_not_advised_again() -> None:
    assert suggestions("gpu/mid/base", "donate") == []
    states = {group.name: group.state for group in advice("gpu/mid/base").arguments}
    assert states == {"p": "donated", "o": "donated", "t": "no result"}


def test_what_is_made_early_is_named() -> None:
    (suggestion,) = suggestions("cpu/bincounts/base", "made-early")
    assert len(suggestion.buffers) == 36
    assert round(suggestion.saving_bytes / MIB, 1) == 133.5


def test_a_checkpoint_on_gpu_saves_as_much_as_it_promises() -> None:
    before, after = compiled()["gpu/mid/base"], compiled()["gpu/mid/remat"]
    suggestion = suggestions("gpu/mid/base", "checkpoint")[0]
    actual = before.peak_bytes - after.peak_bytes
    assert suggestion.what == "checkpoint layer_#"
    assert suggestion.confidence == "range"
    assert suggestion.saving_high_bytes is not None
    assert suggestion.saving_bytes <= actual <= suggestion.saving_high_bytes


def test_a_checkpoint_of_a_loop_saves_as_much_as_it_promises() -> None:
    before, after = compiled()["cpu/tfscan/donate"], compiled()["cpu/tfscan/both"]
    suggestion = suggestions("cpu/tfscan/donate", "checkpoint-loop")[0]
    assert suggestion.saving_bytes <= before.peak_bytes - after.peak_bytes


def test_on_cpu_a_checkpoint_is_not_advised_but_what_it_recomputes_early_is_found() -> None:
    assert suggestions("cpu/tf12/base", "checkpoint") == []
    (suggestion,) = suggestions("cpu/tf12/remat", "recomputed-early")
    assert len(suggestion.buffers) == 129
    assert "does not lower the peak" in suggestion.caveat


def test_two_moves_together_are_nearer_to_the_truth_than_their_sum() -> None:
    joint = [row for row in compared() if "+" in row.change]
    assert len(joint) == 2
    assert not any("not nearer" in row.note for row in joint)


def test_a_result_that_is_not_returned_is_exact() -> None:
    (row,) = [row for row in compared() if row.change.startswith("do not return")]
    assert row.predicted == row.actual


def test_a_copy_of_what_the_caller_holds_is_found() -> None:
    (suggestion,) = suggestions("tpu/kvcarry/donate", "copy")
    assert suggestion.saving_bytes == 4096 * MIB


def test_padding_is_at_least() -> None:
    (suggestion,) = suggestions("tpu/kvcarry/donate", "padding")
    assert suggestion.confidence == "at least"
    assert suggestion.saving_bytes // MIB == 2048


def test_the_bars_of_the_table_are_met() -> None:
    assert not any("missed" in line for line in verdicts(compared()))


@pytest.mark.parametrize("label", sample_labels())
def test_every_saving_is_the_difference_of_two_peaks(label: str) -> None:
    found = advise(sample_analysis(label))[0]
    for suggestion in found.suggestions:
        if found.peak:
            assert suggestion.saving_bytes == found.peak.peak_bytes - suggestion.outcome.peak_bytes


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_of_suggestion_has_a_help_section(kind: str) -> None:
    glossary = (template_root() / "help" / "glossary.md").read_text(encoding="utf-8")
    assert f"{{#suggestion-{kind}}}" in glossary


def test_every_kind_has_a_record_and_one_that_is_combined_has_a_phrase() -> None:
    assert [*KINDS] == [*get_args(Kind)]
    combined = [kind for kind in KINDS.values() if kind.is_change and not kind.trains_otherwise]
    assert all(kind.phrase for kind in combined)


def test_a_program_fits_if_what_it_asks_for_does() -> None:
    analysis = compiled()["gpu/mid/dots"].analysis
    breakdown = advise(analysis)[0].breakdown
    assert breakdown is not None
    for size, verdict in (
        (breakdown.needed_bytes, "fits"),
        (breakdown.needed_bytes - 1, "slack"),
        (breakdown.floor_bytes - 1, "impossible"),
        (breakdown.arguments_bytes - 1, "arguments"),
    ):
        capacity = advise(analysis, size)[0].capacity
        assert capacity is not None
        assert capacity.verdict == verdict


def test_the_breakdown_goes_down() -> None:
    for label, found in everything():
        if found.breakdown:
            steps = found.breakdown
            assert steps.needed_bytes >= steps.peak_bytes >= steps.donated_bytes >= steps.floor_bytes, label
