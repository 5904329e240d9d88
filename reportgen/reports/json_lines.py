"""Write JSON as lines that are safe to print on a terminal, and find the lines of modules in report.json."""

import hashlib
import re
from collections.abc import Iterator

from reportgen.document import encoded

# Escaped because documents are also printed on terminals and in logs of CI jobs, whose runners obey `##[…]`.
_UNPRINTABLE = re.compile("(?<=#)#(?=\\w*\\[)|[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escape_unprintable(text: str) -> bytes:
    """Return JSON as bytes that are safe to print on a terminal."""
    escaped = _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return escaped.encode("utf-8", "replace")


def json_line(value: object) -> bytes:
    """Return a value, which may have records of documents in it, as one line of JSON."""
    return escape_unprintable(encoded(value))


def line_digest(line: bytes) -> str:
    """Return the digest by which a manifest names a line of report.json."""
    return hashlib.sha256(line).hexdigest()[:32]


def module_lines(document: bytes) -> Iterator[bytes]:
    """Yield the line of each module in a report.json."""
    for line in document.split(b"\n")[1:]:
        if line.startswith(b"]"):
            return
        yield line.removesuffix(b",")
