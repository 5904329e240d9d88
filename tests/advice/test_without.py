"""What is said without a buffer is compared with programs that were compiled without it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.advice.recompiled import variants
from tests.advice.removed import removal
from tests.advice.without import Row, main, pairs, row, verdict

PAIRS = Path(__file__).parent / "pairs"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows() -> Mapping[str, Row]:
    return {pair.case: row(pair) for pair in pairs(PAIRS)}


def test_a_checkpoint_around_a_loop_saves_what_is_said_of_the_stacks_that_it_removes(rows: Mapping[str, Row]) -> None:
    found = rows["cpu/tfscan/donate → both"]
    assert not found.reason
    assert found.off(found.said) < 0.001
    assert found.off(found.values) > 0.8  # the stacks are many values, and few of them are live at the peak


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("cpu/tfscan/base → donate", "other arguments"),
        ("gpu/mid/base → aux", "removes no buffer at the peak"),
        ("cpu/tf12/base → remat", "other changes are as large"),
    ],
)
def test_a_pair_is_left_out_for_a_reason(rows: Mapping[str, Row], case: str, reason: str) -> None:
    assert rows[case].reason == reason


def test_a_program_removes_nothing_from_itself() -> None:
    program = next(iter(variants(PAIRS / "cpu")))
    found = removal(program, program)
    assert not found.at_peak
    assert not found.anywhere
    assert found.other_bytes == 0
    assert found.saving(found.at_peak) == 0


def made_up(said: int, saved: int) -> Row:
    return Row(
        case="", change="", peak=0, removed=0, other=0, said=said, anywhere=said, values=said, saved=saved, reason=""
    )


def test_the_bar_is_for_the_median_and_for_the_worst() -> None:
    assert ": met" in verdict([made_up(100, 96), made_up(100, 96), made_up(76, 100)])
    assert "missed" in verdict([made_up(100, 96), made_up(100, 96), made_up(74, 100)])
    assert "missed" in verdict([made_up(100, 94), made_up(94, 100), made_up(100, 100)])


def test_the_table_has_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(PAIRS)]) == 0
    printed = capsys.readouterr().out
    assert "| gpu/mid/base → dots |" in printed
    assert "| other arguments |" in printed
