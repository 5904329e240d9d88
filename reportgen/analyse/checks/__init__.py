"""What a dump is held to: the invariants that every sound dump satisfies, and the laws of the numbers.

Those of the first group need to know where values lie, those of the second the figures. No check needs both, so
two processes can share them.
"""

from collections.abc import Iterable

from reportgen.analyse.checks import (
    allocations,
    completeness,
    laws,
    live_ranges,
    printed_peak,
    schedule,
    sharing,
    values,
)
from reportgen.analyse.checks.check import Check, Known
from reportgen.analyse.judgements import Judgement
from reportgen.analyse.records import Figures, Placement

OF_PLACEMENT: tuple[Check[Placement], ...] = (
    *completeness.CHECKS,
    *allocations.CHECKS,
    *values.CHECKS,
    *schedule.CHECKS,
    *live_ranges.CHECKS,
    *sharing.CHECKS,
)
OF_FIGURES: tuple[Check[Figures], ...] = (*printed_peak.CHECKS, *laws.CHECKS)


def checked(known: Known, checks: Iterable[Check[Known]]) -> Judgement:
    """What comes of all of `checks`."""
    outcomes = [check(known) for check in checks]
    return Judgement([finding for found, _ in outcomes for finding in found], [result for _, result in outcomes])
