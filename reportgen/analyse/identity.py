"""What tells two modules apart: the content of their dumps, and the shapes that they take and give.

A program that compiles the same function again and again fills a directory with modules of one name: some
are copies of each other, others were compiled anew because a shape changed.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

from reportgen.source import DumpText

_HEAD = 4096  # a dialect with addresses prints one with the first allocation
_ADDRESS = re.compile(rb"(?<=\nallocation )(\d+: )0x[0-9a-f]+")


class Leaf(NamedTuple):
    """A leaf of what a module takes or gives: `parameter 1{0}`, `output{2}`, and its shape."""

    place: str
    shape: str


Signature = tuple[Leaf, ...]


class Digests(NamedTuple):
    """`exact` tells any two contents apart; `content` is the same whatever addresses a compiler's objects had."""

    exact: str
    content: str


def digests(text: DumpText) -> Digests:
    """Of everything in a dump's text, its parts told apart."""
    exact = _digest(part.data[part.start : part.end] for part in text.parts)
    if not any(_ADDRESS.search(part.data, part.start, min(part.end, part.start + _HEAD)) for part in text.parts):
        return Digests(exact, exact)
    return Digests(exact, _digest(_ADDRESS.sub(rb"\1", part.data[part.start : part.end]) for part in text.parts))


def _digest(contents: Iterable[bytes]) -> str:
    made = hashlib.sha256()
    for content in contents:
        made.update(content)
        made.update(b"\0")
    return made.hexdigest()
