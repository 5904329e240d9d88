"""A new check is listed here, in `CHECKS`, and declared in one of the check_*.py files next to this one.

Each of those files ends with the checks that it declares. They test a dump against the invariants that every sound
dump satisfies; `laws` tests a report against the laws of its numbers.
"""

from reportgen.analyse.checks import (
    check_allocations,
    check_completeness,
    check_contents,
    check_definitions,
    check_dialect,
    check_live_ranges,
    check_printed_peak,
    check_schedule,
    check_sharing,
    check_values,
    laws,
)
from reportgen.analyse.checks.declaration import Check
from reportgen.analyse.records import Figures
from reportgen.analyse.results import CheckResults

CHECKS: tuple[Check, ...] = (
    *check_completeness.CHECKS,
    *check_dialect.CHECKS,
    *check_allocations.CHECKS,
    *check_contents.CHECKS,
    *check_values.CHECKS,
    *check_definitions.CHECKS,
    *check_schedule.CHECKS,
    *check_live_ranges.CHECKS,
    *check_sharing.CHECKS,
    *check_printed_peak.CHECKS,
    *laws.CHECKS,
)


def checked(figures: Figures) -> CheckResults:
    """Return the findings and the results of all checks."""
    outcomes = [check(figures) for check in CHECKS]
    return CheckResults(
        [finding for findings, _ in outcomes for finding in findings], [result for _, result in outcomes]
    )
