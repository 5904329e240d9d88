"""Parse the `BufferAssignment:` block: allocations, the values in them, and the total."""

import re
from typing import Any

from reportgen.model import WHOLE, Allocation
from reportgen.parse import line_shapes
from reportgen.parse.line_shapes import LineMismatch
from reportgen.parse.scan import Scan
from reportgen.patterns import repeated

_LONGEST_UNKNOWN = 1_000  # bytes, because a hostile line may have a gigabyte
_FLAGS = {
    b", constant": "is_constant",
    b", thread-local": "is_thread_local",
    b", maybe-live-out": "is_maybe_live_out",
    b", preallocated-temp": "is_preallocated_temp",
}
_ATTRIBUTE = re.compile(
    rb"(?P<color>, color (?P<space>\d{1,9}))|(?P<page>, page (?P<page_number>\d{1,12}))"
    rb"|(?P<parameter>, parameter (?P<number>\d{1,9})(?:, shape \|(?P<shape>[^|\n]*+)\|)?"
    rb" at ShapeIndex (?P<index>\{[\d,]*+\}))"
    rb"|(?P<output>, output shape is \|(?P<output_shape>[^|\n]*+)\|)"
    rb"|(?P<flag>, (?:constant|thread-local|maybe-live-out|preallocated-temp)(?=[,:]))"
    rb"|(?P<unknown>, " + repeated(rb"[^,:|\n]++|\|[^|\n]*+\|", 1) + rb")"
)


def heading(scan: Scan, position: int) -> int:
    return line_shapes.HEADING.require(scan.data, position, scan.end).end()


def allocation(scan: Scan, position: int) -> int:
    scan.in_allocation = False
    match = line_shapes.ALLOCATION.require(scan.data, position, scan.end)
    attributes, after = _attributes(scan, match.end())
    scan.collected.allocations.append(
        Allocation(index=int(match[1]), size_bytes=int(match[2]), text_offset=scan.base + position, **attributes)
    )
    scan.in_allocation = True
    return after


def _attributes(scan: Scan, position: int) -> tuple[dict[str, Any], int]:
    """Return the attributes as fields of `Allocation`, and the start of the next line."""
    attributes: dict[str, Any] = {}
    unknown: list[str] = []
    while match := _ATTRIBUTE.match(scan.data, position, scan.end):
        _take_attribute(match, attributes, unknown)
        position = match.end()
    end = scan.line_end(position)
    if scan.data[position:end].rstrip(b"\r\n") != b":":
        raise LineMismatch(position, '":" or "," and an attribute of the allocation')
    if unknown:
        attributes["unknown_attributes"] = tuple(unknown)
    return attributes, end


def _take_attribute(attribute: re.Match[bytes], attributes: dict[str, Any], unknown: list[str]) -> None:
    """Add one attribute; keep an unknown one as text, because compilers add some: libtpu 0.0.51 prints `page`."""
    match attribute.lastgroup:
        case "flag":
            attributes[_FLAGS[attribute["flag"]]] = True
        case "color":
            attributes["color"] = int(attribute["space"])
        case "page":
            attributes["page"] = int(attribute["page_number"])
        case "parameter":
            attributes["parameter"] = int(attribute["number"])
            attributes["parameter_shape"] = _text(attribute["shape"])
            attributes["parameter_shape_index"] = _text(attribute["index"])
        case "output":
            attributes["output_shape"] = _text(attribute["output_shape"])
        case _:
            start = attribute.start() + len(", ")
            text = attribute.string[start : min(attribute.end(), start + _LONGEST_UNKNOWN)]
            unknown.append(text.decode("utf-8", "replace"))


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")


def values(scan: Scan, position: int) -> int:
    """Parse all value lines up to the next line of another shape."""
    line: re.Match[bytes] | None = line_shapes.VALUE.require(scan.data, position, scan.end)
    if not scan.in_allocation:
        raise LineMismatch(position, 'an "allocation" line that can be read before this value')
    match, data, base, end = line_shapes.VALUE.match, scan.data, scan.base, scan.end
    texts, number_by_head, columns = scan.collected.texts, scan.collected.number_by_head, scan.collected.values
    first = number = len(columns)
    while line is not None:
        head, id_, name, index, phi, color, size, offset, shape = line.groups()
        text = name.decode("utf-8", "replace")
        number_by_head[head] = number
        columns.ids.append(int(id_))
        columns.keys.append(text + texts[index] if index else text + WHOLE)
        columns.names.append(text)
        columns.phis.append(phi is not None)
        columns.colors.append(int(color) if color else None)
        columns.sizes.append(int(size))
        columns.offsets.append(int(offset))
        columns.shapes.append(texts[shape])
        columns.text_offsets.append(base + position)
        number += 1
        position = line.end()
        line = match(data, position, end)
    # Positions instead of printed indexes, because a damaged dump may repeat or skip an index.
    columns.allocations += [len(scan.collected.allocations) - 1] * (number - first)
    return position


def other_color_heading(scan: Scan, position: int) -> int:
    return line_shapes.OTHER_COLOR_HEADING.require(scan.data, position, scan.end).end()


def other_color_value(scan: Scan, position: int) -> int:
    """Skip a line that repeats a value of another allocation, because it would count twice (XLA b93001da59)."""
    return line_shapes.OTHER_COLOR_VALUE.require(scan.data, position, scan.end).end()


def total(scan: Scan, position: int) -> int:
    match = line_shapes.TOTAL.require(scan.data, position, scan.end)
    scan.collected.total_bytes = int(match[1])
    scan.collected.total_text_offset = scan.base + position
    return match.end()
