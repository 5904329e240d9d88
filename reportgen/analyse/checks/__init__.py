"""What a dump is held to: the invariants that every sound dump satisfies, and the laws of the numbers."""

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
from reportgen.analyse.checks.check import Check
from reportgen.analyse.records import Analysis, CheckResult, Finding

CHECKS: tuple[Check, ...] = (
    *completeness.CHECKS,
    *allocations.CHECKS,
    *values.CHECKS,
    *schedule.CHECKS,
    *live_ranges.CHECKS,
    *sharing.CHECKS,
    *printed_peak.CHECKS,
    *laws.CHECKS,
)


def checked(analysis: Analysis) -> tuple[list[Finding], tuple[CheckResult, ...]]:
    """Everything that was found, and what each check looked at for that."""
    outcomes = [check(analysis) for check in CHECKS]
    return [finding for found, _ in outcomes for finding in found], tuple(result for _, result in outcomes)
