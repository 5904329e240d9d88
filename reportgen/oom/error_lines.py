"""Read one line of an out-of-memory error, without what a logger or a reader put before it.

line   = prefix , ( anchor | head | row | entry | field | separator )
size   = ["-"] digits ["." digits] ["K" | "M" | "G" | "T" | "P" | "E"] ["B" | "iB" | " bytes"]
anchor = a sentence of libtpu, of XLA or of an allocator; anywhere in a line
head   = "Total hbm usage >= " size ":" | "Program hbm requirement " size ":" | "BufferAssignment stats:" | …
row    = name [":"] ( size | "unknown size" ) ["(" detail ")"] ["[" text "]"]
entry  = N ". Size: " size | "Buffer " N ":"
field  = "Shape: " shape | "Operator: " metadata | "XLA label: " instruction | …
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from reportgen.oom.error_event import Kind
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.patterns import repeated

_SPACE = r"(?:(?P<space>(?i:hbm|vmem|smem|cmem|sflag|spmem|tilespmem|host|device))\b|\w+)"
_SIZE = r"-?\d++(?:\.\d++)?(?:[KMGTPE](?:i?B)?|B| bytes)?"
_PREFIX = re.compile(
    repeated(r"[>\#]\s?")
    + r"""
    (?:\(\w+\ pid=\d+\)\s)?
    (?:[A-Z]+\ \d\d-\d\d\ \d\d:\d\d:\d\d\ \[[^\]]*\])?
    (?:\d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d[.,]\d+:\ [A-Z]\s+(?:\d+\s)?\S+:\d+\])?
    (?:[A-Z]\d{4}\ \d\d:\d\d:\d+\.\d+\s+\d+\ \S+:\d+\])?
    (?:[A-Z]\ \S+:\d+\])?
    \s*""",
    re.VERBOSE,
)

# Each sentence begins with a text by which it is found, and may name: needed, capacity, excess, free, space, …
_ANCHORS: tuple[tuple[str, Kind, str], ...] = (
    (
        "Ran out of memory in memory space ",
        "compile",
        (
            rf"{_SPACE}(?:.{{0,500}}?Used (?P<needed>{_SIZE}) of (?P<capacity>{_SIZE})(?: \w+)?\."
            rf" Exceeded \w+ capacity by (?P<excess>{_SIZE})\.)?"
        ),
    ),
    (
        "Ran out of memory on ",
        "compile",
        (
            rf"{_SPACE}, the total memory required for HLO temporaries \((?P<needed>{_SIZE})\)"
            rf" exceeds available \w+ \((?P<capacity>{_SIZE})\)(?:\. HLO module: (?P<module>\S*[^\s.]))?"
        ),
    ),
    (
        "Allocation (size=",
        "allocation",
        (
            r"(?P<needed>\d+)\) would exceed memory \(size=(?P<capacity>\d+)\)(?: :: #allocation\d+"
            rf" \[shape = '(?P<shape>[^']*)', space={_SPACE}"
            r"(?:.{0,2000}?tag = '(?P<tag>[^']*)'\] :: (?P<hlo>\S+))?)?"
        ),
    ),
    (
        "Scoped allocation with size ",
        "compile",
        (
            rf"(?P<needed>{_SIZE}) and limit (?P<capacity>{_SIZE}) exceeded scoped {_SPACE} limit"
            rf" by (?P<excess>{_SIZE})"
        ),
    ),
    (
        "Aborting compilation early because it's unlikely to have enough ",
        "compile",
        rf".{{0,500}}?Requires (?P<needed>{_SIZE}), has (?P<capacity>{_SIZE}) available",
    ),
    (
        "TPU TensorCore Hbm usage: ",
        "compile",
        (
            rf"(?P<needed>{_SIZE}), SparseCore (?P<space>Hbm) usage (?P<more>{_SIZE}),"
            rf" exceeding available bytes: (?P<capacity>{_SIZE})"
        ),
    ),
    (
        "Attempting to reserve ",
        "load",
        (
            rf"(?P<needed>{_SIZE}) at the bottom of memory(?:\. That was not possible)?"
            rf"(?:\. There are (?P<free>{_SIZE}) free(?:, {_SIZE} reserved, and (?P<reservable>{_SIZE}) reservable)?)?"
        ),
    ),
    (
        "Attempting to allocate ",
        "data",
        (
            rf"(?P<needed>{_SIZE})\. That was not possible(?:\. There are (?P<free>{_SIZE}) free"
            r"(?:\.; \((?P<device>\w+)\))?)?"
        ),
    ),
    ("Out of memory while trying to allocate ", "execution", rf"(?P<needed>{_SIZE})"),
    (
        "Failed to allocate request for ",
        "execution",
        rf"{_SIZE} \((?P<needed>\d+)B\)(?: on device ordinal (?P<device>\d+))?",
    ),
    (
        ") ran out of memory trying to allocate ",
        "execution",
        rf"(?P<needed>{_SIZE})(?: \(rounded to \d+\))?",
    ),
    (
        "Can't reduce memory use below ",
        "rematerialization",
        (
            rf"{_SIZE} \((?P<capacity>\d+) bytes\) by rematerialization; only reduced to {_SIZE}"
            r" \((?P<needed>\d+) bytes\)"
        ),
    ),
    (
        "The byte size of input/output arguments (",
        "arguments",
        r"(?P<needed>\d+)\) exceeds the base limit \((?P<capacity>\d+)\)",
    ),
    ("memory_limit_: ", "allocator", rf"(?P<capacity>{_SIZE}) available (?:bytes|size): (?P<free>{_SIZE})"),
)
_PATTERNS = tuple((sign, kind, re.compile(re.escape(sign) + rest)) for sign, kind, rest in _ANCHORS)
_CODE = re.compile(r"\b(E\d{4}): ")
_ALLOCATOR = re.compile(r"Allocator \((\w+)$")
_LOADED = re.compile(r"Error loading program '([^']*)'")
_SIZES = ("needed", "capacity", "excess", "free", "reservable")

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
    | (?P<entry>(?P<number>\d{{1,9}})\\?\.\ Size:\ (?P<entry_size>{_SIZE})?.*|Buffer\ (?P<gpu_number>\d{{1,9}}):\s*)
    | (?P<head>(?P<sized_head>Total\ \w+\ usage\ >=|Program\ \w+\ requirement|HBM\ capacity)\ (?P<head_size>{_SIZE}):\s*
        | (?P<bare_head>Largest\ program\ allocations\ in\ \w+|BufferAssignment\ stats|Peak\ buffers|Stats
            |Heap\ allocator\ status|Persistent\ allocations\ include\ some\ or\ all\ of):\s*
        | (?P<output>Output\ size)\ (?:(?P<output_size>{_SIZE})(?:;\ (?P<output_detail>.*))?|unknown)\.?\s*)
    | (?P<row>(?P<row_name>
            reserved(?:\([^)]*\))?|program|arguments|output|global|scoped|overlays|HLO\ temp
            |heap\ allocations(?:\ \([^)]*\))?|Max\ free\ chunk
            |(?:parameter|constant|maybe_live_out|preallocated\ temp|total)\ allocation
            |(?:preallocated\ temp|total)\ fragmentation
            |Top-of-Memory\ reserved|Currently\ allocated|Program\ requirement|Available\ after\ request
            |Limit|InUse|MaxInUse|NumAllocs|MaxAllocSize|LargestFreeBlock|Reserved|PeakReserved
        ):?(?:\s+(?:(?P<row_size>{_SIZE})|unknown\ size))?
        (?:\s*\((?P<row_detail>.*)\)|\s*\((?P<cut_detail>.*))?(?:\s*\[.*\])?\s*)""",
    re.VERBOSE,
)
_EXACT = re.compile(r"\s*([\d,-]+) bytes")
_LONGEST = 1000  # characters read of a line that is no field, because a longer one could take long to match

SIGNS = (
    *(sign.encode() for sign, _, _ in _ANCHORS),
    b" usage >= ",
    b" requirement ",
    b"Largest program allocations in ",
    b"BufferAssignment stats:",
    b"XLA label: ",
    b"XLA Label: ",
    b"Entry Parameter Subshape: ",
    b"\nLimit: ",
)
"""Each event contains at least one of these texts; searching for them is much faster than reading every line."""


_BREAK = rb"(?: |[ \t]*\r?\n[ \t>#]*)"
_WRAPPED_SIGN = re.compile(
    rb"(?P<sign>"
    + b"|".join(_BREAK.join(map(re.escape, sign.encode().split(b" "))) for sign, _, _ in _ANCHORS)
    + rb")(?P<rest>[^\n]*\n?)"
)


class Line(NamedTuple):
    """What one line is, and the parts of it by name."""

    role: Literal["anchor", "head", "row", "entry", "field", "separator", "blank", "other"]
    parts: Mapping[str, Any]


_SEPARATOR, _BLANK, _OTHER = Line("separator", {}), Line("blank", {}), Line("other", {})


def without_prefix(text: str) -> str:
    """Return a line without what a logger or a reader put before it."""
    prefix = _PREFIX.match(text)
    return text[prefix.end() :] if prefix else text


def has_anchor(text: str) -> bool:
    """Return whether the sentence of an error begins in a text; its rest may be on the next lines."""
    return any(sign in text for sign, _, _ in _PATTERNS)


def unwrapped(data: bytes) -> bytes:
    """Return a text in which no line ends within a sign. Each line break that is taken away follows the next one."""
    return _WRAPPED_SIGN.sub(_joined, data)


def _joined(found: re.Match[bytes]) -> bytes:
    return re.sub(rb"(?<!\s)\s*\n[\s>#]*", b" ", found["sign"]) + found["rest"] + b"\n" * found["sign"].count(b"\n")


def read_field(text: str) -> tuple[str, str] | None:
    """Return the name and the value of a field, if a line without a prefix is one."""
    name, _, value = text.partition(": ")
    return (name, value) if name in _FIELDS else None


def read_line(text: str) -> Line:
    """Return what a line without indentation says, unless it is a field without a prefix, which `read_field` reads."""
    if part := _read_part(text[:_LONGEST]):
        return part
    prefix = _PREFIX.match(text)
    if prefix is None or not prefix.end():
        return _read_anchor(text) or _OTHER
    text = text[prefix.end() :]
    if not text:
        return _BLANK
    if anchor := _read_anchor(text):
        return anchor
    if field := read_field(text):
        return Line("field", {"name": field[0], "value": field[1]})
    return _read_part(text[:_LONGEST]) or _OTHER


def _read_anchor(text: str) -> Line | None:
    for sign, kind, pattern in _PATTERNS:
        if sign in text and (match := pattern.search(text)):
            before = text[: match.start()]
            named = {
                "code": _CODE.search(before),
                "device": _ALLOCATOR.search(before),
                "module": _LOADED.search(before),
            }
            found = {name: context[1] for name, context in named.items() if context}
            found |= {name: value for name, value in match.groupdict().items() if value}
            return Line("anchor", {"kind": kind, "message": text.strip(), **found})
    return None


def anchor_sizes(parts: Mapping[str, Any]) -> dict[str, SizeRange | None]:
    """Return the sizes of an anchor by name; numbers without a unit are bytes there."""
    sizes = {name: read_size(parts[name], needs_unit=False) for name in _SIZES if name in parts}
    more, needed = read_size(parts.get("more", "")), sizes.get("needed")
    return {**sizes, "needed": needed + more} if more and needed else sizes


@lru_cache(maxsize=1024)  # because tables and lists repeat most of their short lines
def _read_part(text: str) -> Line | None:
    match = _PART.fullmatch(text)
    if match is None:
        return None
    match match.lastgroup:
        case "separator":
            return _SEPARATOR
        case "entry":
            return Line("entry", {"number": int(match["number"] or match["gpu_number"]), "size": match["entry_size"]})
        case "row":
            name, detail = match["row_name"], (match["row_detail"] or match["cut_detail"] or "").strip()
            exact = _EXACT.fullmatch(detail)
            printed = exact[1].replace(",", "") if exact else match["row_size"] or ""
            # This row alone counts allocations instead of bytes.
            amount = None if name == "NumAllocs" else read_size(printed, needs_unit=False)
            return Line("row", {"name": name, "size": amount, "detail": detail})
    name = match["sized_head"] or match["bare_head"] or match["output"]
    size = match["head_size"] or match["output_size"]
    detail = (match["output_detail"] or "").rstrip().removesuffix(".")
    return Line("head", {"name": name, "size": size, "detail": detail})
