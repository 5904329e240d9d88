"""Define the grammar of a dump: every shape that a line can have, as a sequence of pieces.

A `LineShape` matches a line with one compiled pattern. For a line that does not match, the same pieces are tried one
by one to find where it deviates and what was expected there, so errors always agree with the grammar. No piece may
depend on the next one to decide where it ends, because then matching one by one would differ from matching at once.
"""

import re

from reportgen.patterns import repeated

NAME = rb"([^\s{}<>,:()]+)"
INDEX = rb"(\{[\d,]*+\})"
BYTES = rb"(\d{1,20})"  # limited because Python refuses to convert more than 4,300 digits
MOMENT = rb"(\d{1,12})"
END = rb"(?:\r?\n|\Z)"  # CR LF because dumps are also copied through Windows


class LineMismatch(Exception):
    """Raised for a line that begins like a known shape but deviates from it, with the offset and what was expected."""

    def __init__(self, offset: int, expected: str) -> None:
        super().__init__(expected)
        self.offset = offset
        self.expected = expected


class LineShape:
    """A line as pieces of a pattern; a piece may come with a description of what is expected there."""

    def __init__(self, *pieces: tuple[bytes, str] | bytes) -> None:
        self._pieces = [piece if isinstance(piece, tuple) else (piece, "") for piece in pieces]
        self.pattern = b"".join(pattern for pattern, _ in self._pieces)
        self.match = re.compile(self.pattern).match

    def require(self, data: bytes, start: int, end: int) -> re.Match[bytes]:
        """Return the match at `start`. Raises LineMismatch for the first piece that does not match."""
        match = self.match(data, start, end)
        if match is None:
            raise self.mismatch(data, start, end)
        return match

    def mismatch(self, data: bytes, start: int, end: int) -> LineMismatch:
        """Return where a line deviates from this shape, and what was expected there."""
        for pattern, expected in self._pieces:
            match = re.compile(pattern).match(data, start, end)  # compiled only now, because most are never needed
            if match is None:
                return LineMismatch(start, expected or f'"{pattern.decode()}"')
            start = match.end()
        return LineMismatch(start, "a line of the known form")


_VALUE_HEAD: tuple[tuple[bytes, str] | bytes, ...] = (
    (rb"<(\d{1,19}) ", '"<" and the id of a value'),
    (NAME, "the name of the value"),
    INDEX + b"?",
    rb"( \(phi\))?",
    rb"(?: @(\d{1,9}))?",
    (b">", '">" after the name of the value'),
)
_LINE_END = (END, "the end of the line")

HEADING = LineShape((b"BufferAssignment:", '"BufferAssignment:"'), _LINE_END)
ALLOCATION = LineShape(
    (rb"allocation (\d{1,12}): ", '"allocation", its index and ": "'),
    rb"(?:0x[0-9a-fA-F]++, )?",  # the address of a compiler object, which XLA printed until 2022-09-07
    (rb"size " + BYTES, '"size" and the bytes of the allocation'),
)
VALUE = LineShape(
    (b" value: ", '" value: "'),
    rb"(?=(<[^>\n]++>)|)",  # captures the whole head, because `Used values:` repeats it byte for byte
    *_VALUE_HEAD,
    (rb" \(size=" + BYTES, '" (size=" and the bytes of the value'),
    (rb",offset=" + BYTES, '",offset=" after the size of the value'),
    (rb"\): ", '"): " after the offset of the value'),
    (rb"([^\r\n]++)", "the shape of the value"),
    _LINE_END,
)
OTHER_COLOR_HEADING = LineShape((b" reused by buffers of a different color:", "the note on other colors"), _LINE_END)
OTHER_COLOR_VALUE = LineShape(
    b"  value: ", *_VALUE_HEAD, (rb" \(color=\d++\)", '" (color=" and the color of the value'), _LINE_END
)
TOTAL = LineShape(
    (b"Total bytes used: " + BYTES, '"Total bytes used: " and a number'),
    rb"(?: \([^()\n]*+\))?",  # the same in a larger unit, which XLA prints since 2021-08-09
    _LINE_END,
)

USED_HEADING = LineShape((b"Used values:", '"Used values:"'), _LINE_END)
USED_VALUE = LineShape(*_VALUE_HEAD, _LINE_END)
_POSITION_ROWS = repeated(rb"  [^\s{}<>,:()]++(?: \{[\d,]*+\})?" + END)
POSITION_ROWS = re.compile(_POSITION_ROWS)
POSITIONS = LineShape((b" positions:", '" positions:"'), _LINE_END)
_USE_ROWS = repeated(rb"  [^\s{}<>,:()]++, operand \d{1,9}(?: \{[\d,]*+\})?" + END)
USE_ROWS = re.compile(_USE_ROWS)
USES = LineShape((b" uses:", '" uses:"'), _LINE_END)
_NO_USES = rb"  \(none\)" + END
NO_USES = re.compile(_NO_USES)
USES_UNKNOWN = LineShape((b" uses are not initialized yet.", '" uses are not initialized yet."'), _LINE_END)
_INSTRUCTION = rb" from instruction: ?(?=%)"  # without the space until 2024-01-16
INSTRUCTION = LineShape((_INSTRUCTION, '" from instruction:" and "%"'))
GLUED_HEAD = LineShape(*_VALUE_HEAD, rb"(?=\r?\n positions:)")
USED_ENTRY = re.compile(
    rb"(<[^>\n]++>)" + END + rb" positions:" + END + rb"(" + _POSITION_ROWS + rb")"
    rb" uses:" + END + rb"(?:" + _NO_USES + rb"|(" + _USE_ROWS + rb"))" + _INSTRUCTION
)
"""A whole used value in the usual form, up to the text of its instruction; the shapes above diagnose any other form."""

LIVE_RANGES = LineShape((rb"HloLiveRange \(max " + MOMENT, '"HloLiveRange (max " and a number'), rb"\):", _LINE_END)
LIVE_RANGES_ABSENT = LineShape((rb"(HloLiveRange not available[^\r\n]*+)", "HloLiveRange"), _LINE_END)
SEQUENCE_HEADING = LineShape(b"  InstructionSequence:", _LINE_END)
SEQUENCE_ROW = LineShape(
    (b"    " + MOMENT, "an instruction number of the schedule"),
    (b":" + NAME, '":" and the name of an instruction'),
    _LINE_END,
)
RANGE_HEADING = LineShape(b"  BufferLiveRange:", _LINE_END)
RANGE_ROW = LineShape(
    (b"    " + NAME, "the name of a value"),
    (INDEX, "the index of the value, as in {0}"),
    (b":" + MOMENT, '":" and the first instruction number of the range'),
    (b"-" + MOMENT, '"-" and the last instruction number of the range'),
    _LINE_END,
)
PEAK_HEADING = LineShape(
    (rb"  Live ranges at " + MOMENT, "the instruction number of the peak"), rb" \(peak\):", _LINE_END
)
PEAK_ROW = LineShape(
    (b"    " + NAME, "the name of a value"),
    INDEX + b"?",
    (rb": " + BYTES + b" bytes", '": ", a number and " bytes"'),
    rb"(?: \(cumulative: " + BYTES + rb" bytes\))?",
    _LINE_END,
)
PEAK_ABSENT = LineShape((rb"  (Peak memory could not be determined[^\r\n]*+)", "the note on the peak"), _LINE_END)
STACK_HEADING = LineShape(
    (rb"  Stack trace breakdown for peak usage: (\d[\d ]{0,25}) bytes", "the total of the stack trace"), _LINE_END
)
# Identifies a frame by its tail, because a label is text of the user that may include newlines. XLA separates
# thousands by spaces here.
STACK_TAIL = re.compile(
    rb" \(([-\w.]++)%, total: (\d[\d ]{0,25}) bytes, current: (\d[\d ]{0,25}) bytes,"
    rb" remaining: (\d[\d ]{0,25}) bytes\)" + END
)
