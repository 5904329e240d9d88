"""What a dump is held to: the invariants that every sound dump satisfies, and the laws of the numbers.

A check looks at a finished analysis and yields findings; none raises and none changes a number.
"""

from collections.abc import Callable, Iterator

from reportgen.analyse.checks.allocations import check_allocations
from reportgen.analyse.checks.completeness import check_completeness
from reportgen.analyse.checks.laws import check_laws
from reportgen.analyse.checks.live_ranges import check_live_ranges
from reportgen.analyse.checks.printed_peak import check_printed_peak
from reportgen.analyse.checks.schedule import check_schedule
from reportgen.analyse.checks.sharing import check_sharing
from reportgen.analyse.checks.values import check_values
from reportgen.analyse.records import Analysis, Finding

CHECKS: tuple[Callable[[Analysis], Iterator[Finding]], ...] = (
    check_completeness,
    check_allocations,
    check_values,
    check_schedule,
    check_live_ranges,
    check_sharing,
    check_printed_peak,
    check_laws,
)
