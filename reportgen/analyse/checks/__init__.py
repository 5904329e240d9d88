"""Check a dump against the invariants that every sound dump satisfies, and a report against the laws of its numbers."""

from reportgen.analyse.checks import (
    allocations,
    completeness,
    contents,
    definitions,
    laws,
    live_ranges,
    printed_peak,
    schedule,
    sharing,
    values,
)
from reportgen.analyse.checks.check import Check
from reportgen.analyse.records import Figures
from reportgen.analyse.results import CheckResults

CHECKS: tuple[Check, ...] = (
    *completeness.CHECKS,
    *allocations.CHECKS,
    *contents.CHECKS,
    *values.CHECKS,
    *definitions.CHECKS,
    *schedule.CHECKS,
    *live_ranges.CHECKS,
    *sharing.CHECKS,
    *printed_peak.CHECKS,
    *laws.CHECKS,
)


def checked(figures: Figures) -> CheckResults:
    """Return what all checks find."""
    outcomes = [check(figures) for check in CHECKS]
    return CheckResults([finding for found, _ in outcomes for finding in found], [result for _, result in outcomes])
