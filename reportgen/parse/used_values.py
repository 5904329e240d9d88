"""Parse the `Used values:` block: positions, uses and the defining instruction of each value.

Instruction text is by far the largest part of a dump, so only its start and end are recorded here.
"""

from reportgen.model import WHOLE, ValueKey
from reportgen.parse import line_shapes
from reportgen.parse.instruction_parser import end_of_instruction
from reportgen.parse.line_shapes import LineMismatch
from reportgen.parse.scan import Scan, UsedDraft

_CARRIAGE_RETURN, _CLOSING_BRACKET = b"\r>"


def heading(scan: Scan, position: int) -> int:
    match = line_shapes.USED_HEADING.require(scan.data, position, scan.end)
    scan.collected.all_used_values()
    return match.end()


def entries(scan: Scan, position: int) -> int:
    """Match each entry that has XLA's usual form as a whole; parse the lines of any other entry one by one."""
    match, data, end = line_shapes.USED_ENTRY.match, scan.data, scan.end
    number_by_head, base = scan.collected.number_by_head, scan.base
    entry = match(data, position, end)
    if entry is None or entry[1] not in number_by_head:
        return _head(scan, position)
    columns = scan.collected.all_used_values()
    numbers: list[int] = []
    while entry is not None and (number := number_by_head.get(entry[1])) is not None:
        _, positions, uses = entry.groups()
        numbers.append(number)
        columns.text_offsets.append(base + position)
        columns.positions.append(positions if positions.isascii() else _utf8(positions))
        columns.uses.append((uses if uses.isascii() else _utf8(uses)) if uses else b"")
        text_start = entry.end()
        text_end, position = _instruction_end(scan, text_start)
        columns.instruction_starts.append(base + text_start)
        columns.instruction_ends.append(base + text_end)
        entry = match(data, position, end)
    # Copied from the values, because equal heads have equal fields: each is parsed only once.
    for field in ("ids", "keys", "names", "phis", "colors"):
        getattr(columns, field).extend(map(getattr(scan.collected.values, field).__getitem__, numbers))
    scan.rows = ""
    return position


def _head(scan: Scan, position: int) -> int:
    """Parse the head of an entry and begin a draft, to which the lines after it are added."""
    match = line_shapes.USED_VALUE.require(scan.data, position, scan.end)
    number, name, index, phi, color = match.groups()
    scan.collected.all_used_values()
    scan.collected.used_draft = UsedDraft(
        int(number),
        ValueKey(name.decode("utf-8", "replace"), scan.collected.texts[index] if index else WHOLE),
        phi is not None,
        int(color) if color else None,
        scan.base + position,
    )
    scan.rows = ""
    return match.end()


def _current(scan: Scan, position: int) -> UsedDraft:
    """Return the entry that a line belongs to; reopen the last one if a damaged line has ended it too early."""
    collected = scan.collected
    if collected.used_draft is None:
        if not collected.used_values:
            raise LineMismatch(position, 'a value, as in "<12 name @0>", before this line')
        collected.used_draft = UsedDraft.reopened(collected.used_values.pop())
    return collected.used_draft


def positions(scan: Scan, position: int) -> int:
    match = line_shapes.POSITIONS.require(scan.data, position, scan.end)
    _current(scan, position)
    scan.rows = "positions"
    return position_rows(scan, match.end())


def position_rows(scan: Scan, position: int) -> int:
    match = line_shapes.POSITION_ROWS.match(scan.data, position, scan.end)
    after = match.end() if match else position
    _current(scan, position).positions_text += _utf8(scan.data[position:after])
    return after


def uses(scan: Scan, position: int) -> int:
    """Parse the heading of the uses and its rows; builds until 2026-06-02 print no row instead of `(none)`."""
    if scan.data.startswith(b" uses are", position):
        return line_shapes.USES_UNKNOWN.require(scan.data, position, scan.end).end()
    match = line_shapes.USES.require(scan.data, position, scan.end)
    _current(scan, position)
    scan.rows = "uses"
    none = line_shapes.NO_USES.match(scan.data, match.end(), scan.end)
    return none.end() if none else use_rows(scan, match.end())


def use_rows(scan: Scan, position: int) -> int:
    match = line_shapes.USE_ROWS.match(scan.data, position, scan.end)
    after = match.end() if match else position
    _current(scan, position).uses_text += _utf8(scan.data[position:after])
    return after


def _utf8(rows: bytes) -> bytes:
    """Return rows as valid UTF-8, with bytes that are not text replaced as they are in all other lines."""
    return rows if rows.isascii() else rows.decode("utf-8", "replace").encode()


def instruction(scan: Scan, position: int) -> int:
    start = line_shapes.INSTRUCTION.require(scan.data, position, scan.end).end()
    draft = _current(scan, position)
    end, after = _instruction_end(scan, start)
    draft.instruction_start, draft.instruction_end = scan.base + start, scan.base + end
    scan.rows = ""
    return after


def _instruction_end(scan: Scan, start: int) -> tuple[int, int]:
    """Return where the text of an instruction ends, and where the next line starts.

    Text with the metadata of a kernel has several lines. XLA from 2024-01-16 to 2024-11-01 prints no newline after the
    text, so the head of the next value follows it.
    """
    data = scan.data
    newline = end_of_instruction(data, start, scan.end)
    end, after = (newline, newline + 1) if newline >= 0 else (scan.end, scan.end)
    end -= data[end - 1] == _CARRIAGE_RETURN
    if data[end - 1] == _CLOSING_BRACKET:
        head = data.rfind(b"<", start, end)
        if head >= 0 and line_shapes.GLUED_HEAD.match(data, head, scan.end):
            return head, head
    return end, after
