"""Find the texts that may contain out-of-memory errors: files on the command line, and logs in directories.

A directory may hold many logs of any program, so only the beginning and the end of each are searched for the signs of
an error, the beginning while it is searched for dumps. Only a text that has one is read as a whole.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(slots=True)
class WordSearch:
    """Search the first bytes of a text, up to a limit, for the signs of an error while something else reads it."""

    limit: int = _SEARCHED_SIZE
    size: int = 0
    has_found: bool = False

    def watched(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces as they are."""
        tail = b""
        for piece in pieces:
            if self.size < self.limit and not self.has_found:
                self.has_found = has_sign(tail + piece)
                tail = piece[-_LONGEST_SIGN:]
            self.size += len(piece)
            yield piece

    def finds_error(self, path: AnyPath) -> bool:
        """Return whether the pieces of the text at `path` had a sign, or its end has one, if it is longer and local."""
        if not self.has_found and self.size >= self.limit and isinstance(path, Path):
            with suppress(OSError), path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _SEARCHED_SIZE))
                return has_sign(file.read(_SEARCHED_SIZE).replace(b"\0", b""))  # as UTF-16 has next to each letter
        return self.has_found


def available_pieces(path: AnyPath, max_bytes: int) -> Iterator[bytes]:
    """Yield what can be read of a text, up to `max_bytes` of it and with newlines as line ends."""
    size, rest = 0, b""
    with suppress(*UNREADABLE):
        for piece in pieces(path):
            size += len(piece)
            if size > max_bytes:
                return
            piece = rest + piece
            rest = b"\r" if piece.endswith(b"\r") else b""  # because a newline may follow it
            yield with_newlines(piece.removesuffix(rest))
