"""Read one line of the tables and lists of an error, without what was put before it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from reportgen.oom.forms import SIZE
from reportgen.oom.printed_size import SizeRange, read_size

SIZED_HEAD = r"Total \w{1,20} usage >=|Program \w{1,20} requirement|HBM capacity|Output size"
BARE_HEAD = (
    r"Largest program allocations in \w{1,20}|BufferAssignment stats|Peak buffers|Stats|Heap allocator status"
    r"|Histogram of current allocation|Persistent allocations include some or all of|Summary of in-use Chunks by size"
)
HEAD = rf"(?:{SIZED_HEAD}) |(?:{BARE_HEAD}):"
_STATISTIC = "Limit|InUse|MaxInUse|MaxAllocSize|LargestFreeBlock|Reserved|PeakReserved"
ROW = (
    r"reserved(?:\([^)]{0,80}\))?|program|arguments|output|global|scoped|overlays|HLO temp"
    r"|heap allocations(?: \([^)]{0,80}\))?"
    r"|(?:parameter|constant|maybe_live_out|preallocated temp|total) (?:allocation|fragmentation)|Max free chunk"
    r"|Top-of-Memory reserved|Currently allocated|Program requirement|Available after request|NumAllocs"
)
FIELD = r"Size|Operator|Shape|Unpadded size|Extra memory.{0,20}|XLA .abel|Entry Parameter Subshape|Allocation type|Tag"
_ROLES: Mapping[str, re.Pattern[str]] = {
    "field": re.compile(rf"(?P<name>{FIELD}): (?P<detail>.*)", re.DOTALL),
    "separator": re.compile(r"={6,}\s*"),
    "map": re.compile(r"[*_x]{100}"),  # a sign for each hundredth of the pool, `_` where it is free
    "counted": re.compile(r"(?P<each>\d{1,19}), (?P<count>\d{1,9})"),
    "chunks": re.compile(rf"(?P<name>\d{{1,9}} Chunks of size \d{{1,20}}) totalling (?P<size>{SIZE})"),
    "entry": re.compile(
        r"(?:Buffer )?(?P<name>(?<=Buffer )\d{1,9}(?=:)|\d{1,9}(?=\\?\.))"
        rf"(?::|\\?\. Size: (?P<detail>{SIZE})?.*)\s*"
    ),
    "head": re.compile(
        rf"(?P<name>(?:{SIZED_HEAD})(?= )|(?:{BARE_HEAD})(?=:))(?: (?:(?P<size>{SIZE})|unknown))?"
        r"(?::(?:\s*\(allocation_size.*| Limit:\s*\d+)?|; (?P<detail>.*)|\.)?\s*"
    ),
    "row": re.compile(
        rf"(?P<name>{ROW}|(?P<statistic>{_STATISTIC})):?(?:\s+(?:(?P<size>{SIZE}|\d++(?:\.\d++)?)|unknown size))?"
        r"(?:\s*\((?P<detail>.*?)\)?)?(?:\s*\[[^]]{0,300}\])?\s*"
    ),
}
_EXACT = re.compile(r"-?[\d,]+ bytes")
_LONGEST = 1000  # characters read of a line that is no field, because a longer one could take long to match


class Line(NamedTuple):
    """The role of a line, and its parts: `name` is the number of an entry, `detail` what it has beside its size."""

    role: str
    name: str
    size: SizeRange | None
    detail: str


def read_line(text: str) -> Line | None:
    """Parse a line of a table or a list; return None for any other line."""
    for role, pattern in _ROLES.items():
        if match := pattern.fullmatch(text, 0, len(text) if role == "field" else _LONGEST):
            break
    else:
        return None
    parts = match.groupdict("")
    name, printed, detail = (parts.get(part, "").strip() for part in ("name", "size", "detail"))
    if exact := _EXACT.fullmatch(detail):
        printed = exact[0].replace(",", "")
    # Of an allocator's statistics some versions print bytes without a unit, and one row counts allocations.
    size = None if name == "NumAllocs" else read_size(printed, needs_unit=not parts.get("statistic"))
    if role == "counted":
        name, total = f"{parts['count']} Chunks of size {parts['each']}", int(parts["each"]) * int(parts["count"])
        size = SizeRange(total, total)
    return Line(role, name, size, detail.removesuffix("."))
