"""The phases of a schedule: they cover it, and say what is resident at their borders."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from benchmarks.recompiled import largest
from reportgen.analyse.analysis import analyse
from reportgen.analyse.phases import Phase, phases
from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import main_space
from reportgen.model import Dump
from tests.advice.recompiled_programs import names, program
from tests.support.samples import sample_analysis, sample_labels
from tests.support.strategies import consistent_dumps


def holds(analysis: Analysis) -> None:
    found = phases(analysis)
    passes = [phase for phase in found if phase.kind not in ("loop", "scope")]
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
    found = phases(program("flax_gpt+donate"))
    kinds = [phase.kind for phase in found if phase.kind != "scope"]
    assert kinds == ["forward", "loop", "backward", "loop", "update"]
    assert all(phase.source.endswith("/flax_gpt.py:46") for phase in found if phase.kind == "loop")
    assert peak(found, "update") < peak(found, "backward")


def test_a_program_without_a_gradient_is_one_phase() -> None:
    assert [phase.kind for phase in phases(program("generate"))] == ["program", "loop", "loop"]


def test_scopes_whose_instructions_lie_together_are_phases_of_their_pass() -> None:
    analysis = largest(Path(__file__).parents[1] / "advice" / "pairs" / "cpu" / "tfscan" / "base")
    assert analysis
    found = phases(analysis)
    order = [phase.scope or phase.kind for phase in found if phase.kind != "loop"]
    assert [name for name in order if name in ("forward", "backward", "attn", "mlp")] == [
        "forward", "attn", "mlp", "backward", "mlp", "attn",
    ]  # fmt: skip


def peak(found: Sequence[Phase], kind: str) -> int:
    return next(phase.peak_bytes for phase in found if phase.kind == kind)
