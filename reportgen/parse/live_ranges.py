"""Parse the `HloLiveRange` block: the schedule, the live ranges, XLA's own peak and its stack-trace tree."""

import re

from reportgen.model import LiveRanges, PeakRow, StackFrame, StackTrace
from reportgen.parse import line_shapes
from reportgen.parse.line_shapes import LineMismatch
from reportgen.parse.scan import Scan

_BRANCH_WIDTH = 4
_BRANCHES = ("├── ", "└── ")


def heading(scan: Scan, position: int) -> int:
    """Parse the first line of the block, or the sentence that replaces it since 2026-04-13 (XLA ebe1b89608)."""
    absent = line_shapes.LIVE_RANGES_ABSENT.match(scan.data, position, scan.end)
    if absent:
        scan.collected.live_range_note = absent[1].decode("utf-8", "replace")
        return absent.end()
    match = line_shapes.LIVE_RANGES.require(scan.data, position, scan.end)
    scan.collected.schedule_length = int(match[1])
    scan.collected.schedule_text_offset = scan.base + position
    if scan.collected.live_ranges is None:
        scan.collected.live_ranges = LiveRanges()
    return match.end()


def sequence_heading(scan: Scan, position: int) -> int:
    scan.rows = "sequence"
    return line_shapes.SEQUENCE_HEADING.require(scan.data, position, scan.end).end()


def sequence_rows(scan: Scan, position: int) -> int:
    row: re.Match[bytes] | None = line_shapes.SEQUENCE_ROW.require(scan.data, position, scan.end)
    match, data, end = line_shapes.SEQUENCE_ROW.match, scan.data, scan.end
    moments, names = scan.collected.schedule.moments, scan.collected.schedule.names
    while row is not None:
        moment, name = row.groups()
        moments.append(int(moment))
        names.append(name.decode("utf-8", "replace"))
        position = row.end()
        row = match(data, position, end)
    return position


def range_heading(scan: Scan, position: int) -> int:
    scan.rows = "ranges"
    return line_shapes.RANGE_HEADING.require(scan.data, position, scan.end).end()


def range_rows(scan: Scan, position: int) -> int:
    """Parse the rows of live ranges up to the next line of another shape; return the start of that line."""
    if scan.collected.live_ranges is None:
        scan.collected.live_ranges = LiveRanges()
    row: re.Match[bytes] | None = line_shapes.RANGE_ROW.require(scan.data, position, scan.end)
    match, data, base, end = line_shapes.RANGE_ROW.match, scan.data, scan.base, scan.end
    columns = scan.collected.live_ranges
    while row is not None:
        name, index, first, last = row.groups()
        columns.keys.append((name + index).decode("utf-8", "replace"))
        columns.starts.append(int(first))
        columns.ends.append(int(last))
        columns.text_offsets.append(base + position)
        position = row.end()
        row = match(data, position, end)
    return position


def peak_heading(scan: Scan, position: int) -> int:
    match = line_shapes.PEAK_HEADING.require(scan.data, position, scan.end)
    scan.collected.peak_moment = int(match[1])
    scan.collected.peak_text_offset = scan.base + position
    scan.rows = "peak"
    return match.end()


def peak_rows(scan: Scan, position: int) -> int:
    row: re.Match[bytes] | None = line_shapes.PEAK_ROW.require(scan.data, position, scan.end)
    match, append = line_shapes.PEAK_ROW.match, scan.collected.peak_rows.append
    data, end, texts = scan.data, scan.end, scan.collected.texts
    while row is not None:
        name, index, size, cumulative = row.groups()
        text, leaf = name.decode("utf-8", "replace"), texts[index] if index else None
        append(PeakRow(text, leaf, int(size), int(cumulative) if cumulative else None))
        position = row.end()
        row = match(data, position, end)
    return position


def peak_absent(scan: Scan, position: int) -> int:
    match = line_shapes.PEAK_ABSENT.require(scan.data, position, scan.end)
    scan.collected.live_range_note = match[1].decode("utf-8", "replace")
    return match.end()


def stack_trace(scan: Scan, position: int) -> int:
    """Parse the tree up to the end of the text, by the tails of its frames because a label may be any text."""
    match = line_shapes.STACK_HEADING.require(scan.data, position, scan.end)
    frames = []
    after = match.end()
    for tail in line_shapes.STACK_TAIL.finditer(scan.data, match.end(), scan.end):
        frames.append(_frame(scan.data[after : tail.start()], tail.groups()))
        after = tail.end()
    scan.collected.stack_trace = StackTrace(
        total_bytes=_grouped(match[1]), frames=tuple(frames), text_offset=scan.base + position
    )
    scan.rows = "stack trace"
    return after


def _frame(prefixed_label: bytes, numbers: tuple[bytes, ...]) -> StackFrame:
    """Return a node with the depth of its branch; the root is preceded by four spaces and no branch."""
    text = prefixed_label.decode("utf-8", "replace")
    at = min((text.find(branch) for branch in _BRANCHES if branch in text), default=-1)
    # Only after indentation, because a label may contain such a character too.
    indented = at >= 0 and not text[:at].strip(" │")
    depth = (at - 2) // _BRANCH_WIDTH if indented else 0
    label = text[at + _BRANCH_WIDTH :] if indented else text[4:]
    percent, *amounts = numbers
    total, current, remaining = map(_grouped, amounts)
    return StackFrame(depth, label, total, current, remaining, percent.decode("utf-8", "replace"))


def _grouped(digits: bytes) -> int:
    return int(digits.replace(b" ", b""))


def rows(scan: Scan, position: int) -> int:
    """Parse rows indented by four spaces, which belong to the list with the most recent heading."""
    match scan.rows:
        case "sequence":
            return sequence_rows(scan, position)
        case "ranges":
            return range_rows(scan, position)
        case "peak":
            return peak_rows(scan, position)
    raise LineMismatch(position, "a list heading before this row")
