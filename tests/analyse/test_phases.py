"""The phases of a schedule: they cover it, and say what is resident at their borders."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.phases import PASSES, Phase, forward_end, label, phases
from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import main_space
from reportgen.model import Dump
from tests.advice.recompiled import largest
from tests.advice.recompiled_programs import names, program
from tests.support.samples import sample_analysis, sample_labels
from tests.support.strategies import consistent_dumps


def holds(analysis: Analysis) -> None:
    found = phases(analysis)
    passes = [phase for phase in found if phase.kind in (*PASSES, "program")]
    space = main_space(analysis.spaces)
    if not passes or space is None or space.peak_resident is None:
        return
    assert passes[0].first == 0
    assert passes[-1].last == max(analysis.moments, 1) - 1
    assert all(before.last + 1 == after.first for before, after in pairwise(passes))
    for phase in found:
        assert phase.first <= phase.peak_moment <= phase.last
        assert max(phase.begin_bytes, phase.end_bytes) <= phase.peak_bytes <= space.peak_resident.amount
    assert max(phase.peak_bytes for phase in passes) == space.peak_resident.amount
    transposed = instructions(analysis, "backward")
    outside = [moment for moment in transposed if "backward" not in passes_at(found, moment)]
    assert not analysis.program.has_backward_pass or 20 * len(outside) <= len(transposed)


@given(consistent_dumps())
def test_passes_cover_the_schedule_and_the_highest_has_the_peak(dump: Dump) -> None:
    holds(analyse(dump))


@pytest.mark.parametrize("label", sample_labels())
def test_so_they_do_in_the_samples(label: str) -> None:
    holds(sample_analysis(label))


@pytest.mark.parametrize("name", names())
def test_so_they_do_in_programs(name: str) -> None:
    holds(program(name))


def test_a_training_step_has_three_passes_with_a_loop_in_two() -> None:
    found = phases(program("qlora"))
    kinds = [phase.kind for phase in found if phase.kind != "scope"]
    assert kinds == ["forward", "loop", "backward", "loop", "update"]
    assert all(phase.source.endswith("/qlora.py:40") for phase in found if phase.kind == "loop")
    assert peak(found, "update") < peak(found, "backward")


def test_a_program_without_a_gradient_is_one_phase() -> None:
    assert [phase.kind for phase in phases(program("generate"))] == ["program", "loop", "loop"]


def test_scopes_whose_instructions_lie_together_are_phases_of_their_pass() -> None:
    analysis = largest(Path(__file__).parents[1] / "advice" / "pairs" / "cpu" / "tfscan" / "base")
    assert analysis
    found = phases(analysis)
    order = [phase.scope or label(phase.kind, phase.passes) for phase in found if phase.kind != "loop"]
    assert [name for name in order if name in ("forward and backward", "backward", "attn", "mlp")] == [
        "forward and backward", "attn", "mlp", "backward", "mlp", "attn",
    ]  # fmt: skip


def test_where_two_passes_run_into_each_other_there_is_a_phase_of_both() -> None:
    """The layers are unrolled, so that XLA updates each as soon as its gradient is there."""
    analysis = program("gnn")
    assert labels(phases(analysis)) == ["forward", "backward", "backward and update", "update"]
    both = next(phase for phase in phases(analysis) if len(phase.passes) > 1)
    assert both.kind == "backward"
    assert sum(both.first <= moment for moment in instructions(analysis, "backward")) > 1
    assert not any(moment > both.last for moment in instructions(analysis, "forward"))


def test_what_is_prepared_for_the_backward_pass_does_not_hide_where_the_forward_pass_ends() -> None:
    analysis = largest(Path(__file__).parents[1] / "advice" / "pairs" / "cpu" / "tfscan" / "base")
    assert analysis
    passes = [phase for phase in phases(analysis) if phase.kind in PASSES]
    assert labels(passes) == ["forward", "forward and backward", "backward", "update"]
    assert passes[1].last == forward_end(analysis.program, analysis.moments)


@pytest.mark.parametrize("kind", PASSES)
def test_a_phase_of_one_pass_is_called_as_it(kind: str) -> None:
    assert label(kind, [kind]) == kind
    assert label("backward", PASSES) == "forward, backward and update"


def instructions(analysis: Analysis, towards: str) -> Sequence[int]:
    """Return the moments of the instructions of a pass."""
    rows = zip(analysis.dump.schedule.moments, analysis.program.directions, strict=True)
    return [moment for moment, one in rows if one == towards]


def passes_at(found: Sequence[Phase], moment: int) -> Sequence[str]:
    return next((phase.passes for phase in found if phase.passes and phase.first <= moment <= phase.last), ())


def labels(found: Sequence[Phase]) -> Sequence[str]:
    return [label(phase.kind, phase.passes) for phase in found if phase.passes]


def peak(found: Sequence[Phase], kind: str) -> int:
    return next(phase.peak_bytes for phase in found if phase.kind == kind)
