"""Find the texts that may contain out-of-memory errors: files on the command line, and logs in directories.

A directory may hold many logs of any program, so only the beginning and the end of each are searched for the words of
an error, the beginning while it is searched for dumps. Only a text that has such words is read as a whole.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from reportgen.input.reading import UNREADABLE, read_text
from reportgen.input.remote import AnyPath
from reportgen.record import record

_WORDS = (
    b"RESOURCE_EXHAUSTED",
    b"ut of memory",
    b" usage >= ",
    b"XLA label: ",
    b"XLA Label: ",
    b"Entry Parameter Subshape: ",
    b"memory_limit_: ",
    b"MaxInUse: ",
)
_LONGEST_WORD = max(map(len, _WORDS))
_SEARCHED_SIZE = 1 << 20
"""The bytes that are searched at the beginning and at the end of a text: most programs end with their error."""
MOST_TEXTS = 20
"""The short texts of a folder that are read with each dump in it."""


@record(kw_only=False)
class TextFile:
    """A file that may contain errors, and its label in a report.

    One that `is_short` is read with each dump of its folder, because its error may be about that one.
    """

    label: str
    path: AnyPath
    is_short: bool = False


@record(kw_only=False)
class ErrorText:
    """The text of a file, and the name of the file in a report."""

    label: str
    data: bytes


class WordSearch:
    """Search pieces of a text for the words of an error while something else reads them."""

    def __init__(self) -> None:
        self.has_found = False
        self.size = 0

    def watched(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces as they are."""
        tail = b""
        for piece in pieces:
            if self.size < _SEARCHED_SIZE:
                self.has_found = self.has_found or has_words(tail + piece)
                tail = piece[-_LONGEST_WORD:]
            self.size += len(piece)
            yield piece

    @property
    def is_short(self) -> bool:
        """Whether the whole text was searched."""
        return self.size < _SEARCHED_SIZE

    def finds_error(self, path: AnyPath) -> bool:
        """Return whether the text at `path` had the words, or a longer local one has them at its end."""
        return self.has_found or (not self.is_short and _ends_with_error(path))


def _ends_with_error(path: AnyPath) -> bool:
    if not isinstance(path, Path) or path.suffix.lower() in (".gz", ".xz"):
        return False
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _SEARCHED_SIZE))
            return has_words(file.read(_SEARCHED_SIZE).replace(b"\0", b""))  # as UTF-16 has beside each letter
    except OSError:
        return False


def read_texts(files: Iterable[TextFile], max_bytes: int) -> Iterator[ErrorText]:
    """Yield the texts of the files that can be read."""
    for file in files:
        try:
            yield ErrorText(file.label, read_text(file.path, max_bytes)[0])
        except UNREADABLE:
            continue


def has_words(data: bytes) -> bool:
    """Return whether a text has words of an error."""
    return any(word in data for word in _WORDS)
