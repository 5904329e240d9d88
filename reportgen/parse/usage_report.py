"""What a `-memory-usage-report.txt` says of the same assignment, as far as it can be compared.

XLA writes it beside a dump since 2024-10-04. Up to 2026-03-10 it has one total and a line for each allocation, whose
size is rounded; since then a total for each memory space.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TOTAL = re.compile(r"^Total bytes used: (\d+)", re.MULTILINE)
_SPACE = re.compile(r"^Memory Space: .*\(color=(\d+)\)\nTotal bytes: (\d+)", re.MULTILINE)
_ALLOCATION = re.compile(r"; allocation (\d+): size ([\d.]+[A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class UsageReport:
    """`space_bytes` by color, exact; `rounded_sizes` by the index of the allocation, as printed."""

    total_bytes: int | None
    space_bytes: Mapping[int, int] = field(default_factory=dict)
    rounded_sizes: Mapping[int, str] = field(default_factory=dict)


def parse_usage_report(data: bytes) -> UsageReport | None:
    """None where neither of the two forms is met."""
    text = data.decode("utf-8", "replace")
    total = _TOTAL.search(text)
    spaces = {int(color): int(size) for color, size in _SPACE.findall(text)}
    if total is None and not spaces:
        return None
    rounded = {int(index): size for index, size in _ALLOCATION.findall(text)}
    return UsageReport(int(total[1]) if total else None, spaces, rounded)
