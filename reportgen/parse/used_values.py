"""The `Used values:` block: positions, uses and the defining instruction of each value.

Instruction text is by far the largest part of a dump (95 % of a 430 MB one), so it is never looked at
here: only where it starts and ends is kept.
"""

from reportgen.model import WHOLE, ValueKey
from reportgen.parse import line_shapes
from reportgen.parse.line_shapes import LineMismatch
from reportgen.parse.scan import Scan, UsedDraft


def heading(scan: Scan, position: int) -> int:
    found = line_shapes.USED_HEADING.require(scan.data, position, scan.end)
    if scan.collected.used_values is None:
        scan.collected.used_values = []
    return found.end()


def used_value(scan: Scan, position: int) -> int:
    found = line_shapes.USED_VALUE.require(scan.data, position, scan.end)
    number, name, index, phi, color = found.groups()
    if scan.collected.used_values is None:
        scan.collected.used_values = []
    scan.collected.used_values.append(
        UsedDraft(
            int(number),
            ValueKey(name.decode("utf-8", "replace"), index.decode() if index else WHOLE),
            phi is not None,
            int(color) if color else None,
            scan.base + position,
        )
    )
    scan.rows = ""
    return found.end()


def _current(scan: Scan, position: int) -> UsedDraft:
    if not scan.collected.used_values:
        raise LineMismatch(position, 'a value, as in "<12 name @0>", before this line')
    return scan.collected.used_values[-1]


def positions(scan: Scan, position: int) -> int:
    found = line_shapes.POSITIONS.require(scan.data, position, scan.end)
    _current(scan, position)
    scan.rows = "positions"
    return position_rows(scan, found.end())


def position_rows(scan: Scan, position: int) -> int:
    found = line_shapes.POSITION_ROWS.match(scan.data, position, scan.end)
    after = found.end() if found else position
    _current(scan, position).positions_text += _rows(scan, position, after)
    return after


def uses(scan: Scan, position: int) -> int:
    if scan.data.startswith(b" uses are", position):
        return line_shapes.USES_UNKNOWN.require(scan.data, position, scan.end).end()
    found = line_shapes.USES.require(scan.data, position, scan.end)
    _current(scan, position)
    scan.rows = "uses"
    none = line_shapes.NO_USES.match(scan.data, found.end(), scan.end)
    return none.end() if none else use_rows(scan, found.end())


def use_rows(scan: Scan, position: int) -> int:
    found = line_shapes.USE_ROWS.match(scan.data, position, scan.end)
    after = found.end() if found else position
    _current(scan, position).uses_text += _rows(scan, position, after)
    return after


def _rows(scan: Scan, position: int, after: int) -> bytes:
    """Rows as the model keeps them: in UTF-8, with the names that other lines give to bytes that are no text."""
    rows = scan.data[position:after]
    return rows if rows.isascii() else rows.decode("utf-8", "replace").encode()


def instruction(scan: Scan, position: int) -> int:
    """Keep the span of the text; builds of 2024 glue the next value's header to its end."""
    start = line_shapes.INSTRUCTION.require(scan.data, position, scan.end).end()
    draft = _current(scan, position)
    after = scan.line_end(start)
    end = scan.text_end(after)
    if scan.data[end - 1] == 0x3E:
        head = scan.data.rfind(b"<", start, end)
        if head >= 0 and line_shapes.GLUED_HEAD.match(scan.data, head, scan.end):
            after = end = head
    draft.instruction_place, draft.instruction_end = scan.base + start, scan.base + end
    scan.rows = ""
    return after
