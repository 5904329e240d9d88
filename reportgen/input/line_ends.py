"""The one place that knows how texts are written: whatever reads one after it sees only newlines, and UTF-8.

Dumps are copied through Windows, which puts a carriage return before each newline, and sometimes another. One without a
newline ends a line, too. Lines and columns stay those that an editor shows. The `>` of PowerShell writes UTF-16.
"""

import codecs
from collections.abc import Callable
from io import StringIO


def with_newlines(text: bytes) -> bytes:
    """Return a text with a newline at the end of each line, and no carriage return."""
    # Not by a pattern, which makes an object of each line.
    return text.replace(b"\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def to_utf8(head: bytes) -> Callable[[bytes], bytes] | None:
    """Return a function that converts pieces of UTF-16 to UTF-8, if the text that begins with `head` is UTF-16."""
    if not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    return lambda piece: decoder.decode(piece).encode()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that Python has read: not those of `splitlines`, which counts form feeds as well."""
    return [line.removesuffix("\n") for line in StringIO(text)]
