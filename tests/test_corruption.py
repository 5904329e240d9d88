"""How many plausible corruptions of the samples the checks report: a floor under `tests.support.corruption`."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from reportgen.analyse.records import Analysis
from tests.support.corruption import Figure, Outcome, loaded, main, measured
from tests.support.damages import KINDS
from tests.support.samples import SAMPLES

_EACH = 60
_FLOOR = 0.993


@cache
def samples() -> list[Analysis]:
    return loaded([SAMPLES])


@cache
def outcomes() -> Counter[tuple[Figure, Outcome]]:
    """Count the outcomes of all kinds together; the same in every run."""
    counts: Counter[tuple[Figure, Outcome]] = Counter()
    for kind, corruption in KINDS.items():
        counts += measured(samples(), corruption, _EACH, Random(kind))
    return counts


@pytest.mark.slow
def test_nearly_all_corruptions_that_change_a_peak_are_errors_or_warnings() -> None:
    changed = sum(outcomes()["peak", told] for told in ("told", "noted", "silent"))
    assert changed > 100
    assert outcomes()["peak", "told"] / changed >= _FLOOR


@pytest.mark.parametrize("kind", [kind for kind in KINDS if " called " in kind])
def test_a_wrong_kind_of_an_allocation_is_always_reported(kind: str) -> None:
    found = measured(samples(), KINDS[kind], _EACH, Random(kind))
    assert found.total() == _EACH
    assert found["peak", "noted"] + found["peak", "silent"] == 0


def test_the_command_prints_a_row_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SAMPLES / "cpu-tiny"), "--per", "1"]) == 0
    printed = capsys.readouterr().out
    assert all(f"| {kind} |" in printed for kind in (*KINDS, "all plausible kinds"))
