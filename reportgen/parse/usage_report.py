"""Parse those parts of a `-memory-usage-report.txt` that can be compared with a dump.

XLA has written this sibling file since 2024-10-04. Until 2026-03-10 it has one total and a line for each allocation
with a rounded size; since then it has a total for each memory space.
"""

import re
from collections.abc import Mapping
from dataclasses import field

from reportgen.record import record

_TOTAL = re.compile(r"^Total bytes used: (\d{1,20})", re.MULTILINE)
_SPACE = re.compile(r"^Memory Space: .*\(color=(\d{1,9})\)\nTotal bytes: (\d{1,20})", re.MULTILINE)
# Kept as printed, because XLA rounds it to a unit: a comparison must round the dump's size in the same way.
_ALLOCATION = re.compile(r"; allocation (\d{1,12}): size ([\d.]+[A-Za-z]+)")


@record(kw_only=False)
class UsageReport:
    """The totals of a report: exact `space_bytes` by color, and `rounded_sizes`, as printed, by allocation index."""

    total_bytes: int | None
    space_bytes: Mapping[int, int] = field(default_factory=dict)
    rounded_sizes: Mapping[int, str] = field(default_factory=dict)


def parse_usage_report(data: bytes) -> UsageReport | None:
    """Return the totals of a report, or None if the text has neither of the two forms."""
    text = data.decode("utf-8", "replace")
    total = _TOTAL.search(text)
    spaces = {int(color): int(size) for color, size in _SPACE.findall(text)}
    if total is None and not spaces:
        return None
    rounded = {int(index): size for index, size in _ALLOCATION.findall(text)}
    return UsageReport(int(total[1]) if total else None, spaces, rounded)
