"""Find the texts that may contain out-of-memory errors: files on the command line, and logs in directories.

A directory may hold many logs of any program, so only the beginning and the end of each are searched for the signs of
an error, the beginning while it is searched for dumps. Only a text that has one is read as a whole.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from reportgen.input.line_ends import with_newlines
from reportgen.input.reading import UNREADABLE, pieces
from reportgen.input.remote import AnyPath
from reportgen.oom.passages import has_sign
from reportgen.record import record

_LONGEST_SIGN = 200
_SEARCHED_SIZE = 1 << 20  # bytes at the beginning and at the end of a text: most programs end with their error
MOST_TEXTS = 20  # short ones of a folder, which are read with each dump in it


@record(kw_only=False)
class TextFile:
    """A file that may contain errors, and its label in a report.

    One that `is_short` is read with each dump of its folder, because its error may be about that one.
    """

    label: str
    path: AnyPath
    is_short: bool = False


class WordSearch:
    """Search pieces of a text for the signs of an error while something else reads them."""

    def __init__(self) -> None:
        self.has_found = False
        self.size = 0

    def watched(self, pieces: Iterable[bytes], *, whole: bool = False) -> Iterator[bytes]:
        """Yield the pieces as they are; without `whole`, only the beginning is searched."""
        tail = b""
        for piece in pieces:
            if whole or self.size < _SEARCHED_SIZE:
                self.has_found = self.has_found or has_sign(tail + piece)
                tail = piece[-_LONGEST_SIGN:]
            self.size += len(piece)
            yield piece

    @property
    def is_short(self) -> bool:
        """Whether the whole text was searched."""
        return self.size < _SEARCHED_SIZE

    def finds_error(self, path: AnyPath) -> bool:
        """Return whether the pieces of the text at `path` had a sign, or its end has one, if it is longer and local."""
        if self.has_found or self.is_short or not isinstance(path, Path) or path.suffix.lower() in (".gz", ".xz"):
            return self.has_found
        try:
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _SEARCHED_SIZE))
                return has_sign(file.read(_SEARCHED_SIZE).replace(b"\0", b""))  # as UTF-16 has next to each letter
        except OSError:
            return False


def available_pieces(path: AnyPath, max_bytes: int) -> Iterator[bytes]:
    """Yield what can be read of a text, up to `max_bytes` of it and with newlines as line ends."""
    size, rest = 0, b""
    try:
        for piece in pieces(path):
            size += len(piece)
            if size > max_bytes:
                return
            piece = rest + piece
            rest = b"\r" if piece.endswith(b"\r") else b""  # because a newline may follow it
            yield with_newlines(piece.removesuffix(rest))
    except UNREADABLE:
        return
