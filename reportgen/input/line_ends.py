"""The one place that knows how lines end: whatever reads a text after it sees only newlines.

Dumps are copied through Windows, which puts a carriage return before each newline, and sometimes another. One without a
newline ends a line, too. Lines and columns stay those that an editor shows.
"""

import re
from io import StringIO

_LINE_END = re.compile(rb"\r{1,2}\n|\r")


def with_newlines(text: bytes) -> bytes:
    """Return a text with a newline at the end of each line, and no carriage return."""
    return _LINE_END.sub(b"\n", text) if b"\r" in text else text


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that Python has read: not those of `splitlines`, which counts form feeds as well."""
    return [line.removesuffix("\n") for line in StringIO(text)]
