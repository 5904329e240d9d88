"""Cut the repeated lines of a dump, because XLA prints the whole text of an instruction for every leaf of its tuple.

Repeats are 95 % of a large dump. A line is cut only if it equals, byte for byte, the last long line that was kept, so
no information is lost. Every line keeps its place and more of its beginning than a page shows, so line and column
numbers are those of the file.
"""

from io import BytesIO

from reportgen.input.line_ends import with_newlines

_START = b" from instruction: %"
_LONG_BYTES = 2_000
_KEPT_BYTES = 1_500  # more than a page shows of a line
CUT = b"\0 as above"
"""The end of a cut line, which distinguishes it from a line that is that short in the file."""


class WithoutRepeats:
    """Collect a text with newlines as line ends, and cut each long instruction line that repeats the one before it."""

    def __init__(self) -> None:
        self._text = BytesIO()
        self._unfinished = bytearray()  # the line that the next piece continues
        self._last = b""
        self.whole_lines: list[int] = []
        """Offsets of the long lines that were kept whole; a cut line equals the last of them before it."""

    def write(self, piece: bytes) -> None:
        """Add the next bytes of the text."""
        start, end = 0, piece.rfind(b"\n") + 1
        if end and self._unfinished:
            start = piece.index(b"\n") + 1
            self._unfinished += memoryview(piece)[:start]
            self._write_lines(bytes(self._unfinished), 0, len(self._unfinished))
            self._unfinished.clear()
        self._write_lines(piece, start, end)  # with offsets, because slicing copies, which takes as long as searching
        self._unfinished += memoryview(piece)[end:]

    def getvalue(self) -> bytes:
        """Return the text. A last line without a newline is never cut."""
        self._text.write(with_newlines(bytes(self._unfinished)))
        self._unfinished.clear()
        return self._text.getvalue()

    def _write_lines(self, text: bytes, start: int, end: int) -> None:
        """Write the lines of `text` from `start` to `end`."""
        if text.find(b"\r", start, end) >= 0:
            text = with_newlines(text[start:end])
            start, end = 0, len(text)
        view, written, position = memoryview(text), start, _instruction(text, start, end)
        while position >= 0:
            if self._last and text.startswith(self._last, position):
                self._text.write(view[written : position + _KEPT_BYTES])
                self._text.write(CUT)
                after = position + len(self._last)
                written = after - 1  # its newline
            else:
                after = text.index(b"\n", position) + 1
                if after - position > _LONG_BYTES:
                    self._last = text[position:after]
                    self.whole_lines.append(self._text.tell() + position - written)
            position = _instruction(text, after, end)
        self._text.write(view[written:end])


def _instruction(text: bytes, start: int, end: int) -> int:
    """Return where the next instruction line starts, at or after the start of a line; -1 if there is none."""
    if text.startswith(_START, start, end):
        return start
    return text.find(b"\n" + _START, start, end) + 1 or -1
