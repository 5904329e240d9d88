"""Read one line of the tables and lists of an error, without what was put before it.

line   = head | row | chunks | entry | field | separator
size   = ["-"] digits ["." digits] ["K" | "M" | "G" | "T" | "P" | "E"] ["B" | "iB" | " bytes"]
head   = "Total hbm usage >= " size ":" | "Program hbm requirement " size ":" | "BufferAssignment stats:" | …
row    = name [":"] ( size | "unknown size" ) ["(" detail ")"] ["[" text "]"]
chunks = N " Chunks of size " N " totalling " size | N ", " N
map    = 100 * ( "*" | "_" | "x" )
entry  = N ". Size: " size | "Buffer " N ":"
field  = "Shape: " shape | "Operator: " metadata | "XLA label: " instruction | …
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from reportgen.oom.forms import SIZE
from reportgen.oom.printed_size import SizeRange, read_size

_FIELDS = frozenset(
    {
        "Size",
        "Operator",
        "Shape",
        "Unpadded size",
        "Extra memory due to padding",
        "XLA label",
        "XLA Label",
        "Entry Parameter Subshape",
        "Allocation type",
        "Tag",
    }
)
_PART = re.compile(
    rf"""(?P<separator>={{6,}}\s*)
    | (?P<map>[*_x]{{100}})
    | (?P<histogram>(?P<each>\d{{1,19}}),\ (?P<count>\d{{1,9}}))
    | (?P<chunks>(?P<chunks_name>\d{{1,9}}\ Chunks\ of\ size\ \d{{1,20}})\ totalling\ (?P<chunks_size>{SIZE}))
    | (?P<entry>(?P<number>\d{{1,9}})\\?\.\ Size:\ (?P<entry_size>{SIZE})?.*|Buffer\ (?P<gpu_number>\d{{1,9}}):\s*)
    | (?P<head>(?P<sized_head>Total\ \w+\ usage\ >=|Program\ \w+\ requirement|HBM\ capacity)\ (?P<head_size>{SIZE}):\s*
        | (?P<bare_head>Largest\ program\ allocations\ in\ \w+|BufferAssignment\ stats|Peak\ buffers|Stats
            |Histogram\ of\ current\ allocation|Heap\ allocator\ status
            |Persistent\ allocations\ include\ some\ or\ all\ of
            |Summary\ of\ in-use\ Chunks\ by\ size):(?:\s*\(allocation_size.*|\ Limit:\s*\d+)?\s*
        | (?P<output>Output\ size)\ (?:(?P<output_size>{SIZE})(?:;\ (?P<output_detail>.*))?|unknown)\.?\s*)
    | (?P<row>(?P<row_name>
            reserved(?:\([^)]*\))?|program|arguments|output|global|scoped|overlays|HLO\ temp
            |heap\ allocations(?:\ \([^)]*\))?|Max\ free\ chunk
            |(?:parameter|constant|maybe_live_out|preallocated\ temp|total)\ allocation
            |(?:preallocated\ temp|total)\ fragmentation
            |Top-of-Memory\ reserved|Currently\ allocated|Program\ requirement|Available\ after\ request
            |Limit|InUse|MaxInUse|NumAllocs|MaxAllocSize|LargestFreeBlock|Reserved|PeakReserved
        ):?(?:\s+(?:(?P<row_size>{SIZE}|\d++(?:\.\d++)?)|unknown\ size))?
        (?:\s*\((?P<row_detail>.*)\)|\s*\((?P<cut_detail>.*))?(?:\s*\[.*\])?\s*)""",
    re.VERBOSE,
)
_STATISTICS = frozenset(("Limit", "InUse", "MaxInUse", "MaxAllocSize", "LargestFreeBlock", "Reserved", "PeakReserved"))
_EXACT = re.compile(r"\s*([\d,-]+) bytes")
_LONGEST = 1000  # characters read of a line that is no field, because a longer one could take long to match


class Line(NamedTuple):
    """The role of a line, and its parts by name."""

    role: Literal["head", "row", "chunks", "counted", "map", "entry", "field", "separator"]
    parts: Mapping[str, Any]


def read_line(text: str) -> Line | None:
    """Parse a line of a table or a list; return None for any other line."""
    name, _, value = text.partition(": ")
    return Line("field", {"name": name, "value": value}) if name in _FIELDS else _read_part(text[:_LONGEST])


@lru_cache(maxsize=1024)  # because tables and lists repeat most of their short lines
def _read_part(text: str) -> Line | None:
    """Parse a line that is a separator, a heading, a row, a total of chunks, or the beginning of an entry."""
    match = _PART.fullmatch(text)
    if match is None:
        return None
    match match.lastgroup:
        case "separator":
            return Line("separator", {})
        case "map":  # a sign for each hundredth of the pool, `_` where it is free
            return Line("map", {"share": f"{100 - text.count('_')} %"})
        case "histogram":
            each, count = int(match["each"]), int(match["count"])
            return Line(
                "counted", {"name": f"{count} Chunks of size {each}", "size": SizeRange(each * count, each * count)}
            )
        case "chunks":
            return Line("chunks", {"name": match["chunks_name"], "size": read_size(match["chunks_size"])})
        case "entry":
            return Line("entry", {"number": int(match["number"] or match["gpu_number"]), "size": match["entry_size"]})
        case "row":
            return _row(match)
    name = match["sized_head"] or match["bare_head"] or "Output size"
    size = match["head_size"] or match["output_size"]
    detail = (match["output_detail"] or "").rstrip().removesuffix(".")
    return Line("head", {"name": name, "size": size, "detail": detail})


def _row(match: re.Match[str]) -> Line:
    """Return a row of a table; its size is None where the text has none, or where the row is no amount of memory."""
    name, detail = match["row_name"], (match["row_detail"] or match["cut_detail"] or "").strip()
    exact = _EXACT.fullmatch(detail)
    printed = exact[1].replace(",", "") if exact else match["row_size"] or ""
    # Of an allocator's statistics some versions print bytes without a unit, and one row counts allocations.
    is_bare = name in _STATISTICS or exact is not None
    amount = None if name == "NumAllocs" else read_size(printed, needs_unit=not is_bare)
    return Line("row", {"name": name, "size": amount, "detail": detail})
