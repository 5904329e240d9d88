"""What a program needs, against XLA's own figures for programs that were compiled for CPU and GPU."""

from pathlib import Path

import pytest

from tests.advice.recompiled import Variant, variants

PAIRS = Path(__file__).parent / "pairs"
MEASURED = [one for one in variants(PAIRS) if one.backend in ("cpu", "gpu")]


@pytest.mark.parametrize("one", MEASURED, ids=lambda one: f"{one.backend}-{one.case}-{one.name}")
def test_what_is_needed_is_what_xla_states_and_the_constants(one: Variant) -> None:
    of = one.figures
    stated = of["argument_size_in_bytes"] + of["output_size_in_bytes"] + of["temp_size_in_bytes"]
    allocations = (one.analysis.dump.allocations[number] for number in one.space.allocations)
    constants = sum(each.size_bytes for each in allocations if each.is_constant)
    assert one.space.thread_local_bytes > 0
    assert one.space.needed_bytes == stated - of["alias_size_in_bytes"] + constants
