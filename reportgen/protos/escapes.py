"""Print text in quotes as XLA does, and names so that no name can end the line or the list that it is in."""

import re

_ESCAPED = re.compile(rb"[^\x20-\x21\x23-\x26\x28-\x5b\x5d-\x7e]")
_NAMED = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x22: '\\"', 0x27: "\\'", 0x5C: "\\\\"}
_LONGEST_NAME = 4_096  # bytes; limited because a damaged module may read a long name again and again
_UNSAFE = re.compile(r"[\s{}<>,:()=%\x00-\x1f]")


def quoted(text: bytes) -> str:
    """Return a text in quotes, with bytes other than printable ASCII as octal numbers."""
    if _ESCAPED.search(text) is None:
        return f'"{text.decode()}"'
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(byte: int) -> str:
    return _NAMED.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")


def plain_name(name: bytes) -> str:
    """Return a name without the characters that no name of XLA's has."""
    return _UNSAFE.sub("_", name[:_LONGEST_NAME].decode("utf-8", "replace"))
