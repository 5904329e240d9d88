"""Find the passages of a text that may contain an out-of-memory error, however long the text is.

A log may have gigabytes of a few kinds of lines that differ in their digits. So each kind is searched once in each
piece for the signs, without what differs between its lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from reportgen.oom.forms import FORMS, OF_TABLES

SIGNS: Sequence[str] = tuple(dict.fromkeys((*(form.sign for form in FORMS), *OF_TABLES)))
_LEFT_OUT = b"0123456789>#"
"""What differs between lines of one kind, and what stands before the rest of a sign that was wrapped."""

_BEFORE, _AFTER = 8, 400
"""Lines around a sign that may belong to its error: lines of other ranks may stand between them."""

_PIECE = 1 << 18
_MOST_PIECES = 16  # of one passage, where a text has signs throughout


class Passage(NamedTuple):
    """A part of a text, and the number of its first line."""

    first_line: int
    data: bytes


def passages(pieces: Iterable[bytes]) -> Iterator[Passage]:
    """Yield the parts of a text around each sign, and nothing where it has none."""
    parts: list[bytes] = []
    before, first, number = b"", 1, 1  # the end of the piece before, and the first lines of the passage and the piece
    for piece in _whole_lines(pieces):
        if has_sign(before + piece):  # because a sign may be wrapped where a piece ends
            if not parts:
                first, parts = number - before.count(b"\n"), [before]
            parts.append(piece)
            if len(parts) > _MOST_PIECES:
                yield Passage(first, b"".join(parts))
                parts = []
        elif parts:
            yield Passage(first, b"".join((*parts, _first_lines(piece))))
            parts = []
        before = _last_lines(piece)
        number += piece.count(b"\n")
    if parts:
        yield Passage(first, b"".join(parts))


def has_sign(data: bytes) -> bool:
    """Return whether a text contains a sign of an out-of-memory error."""
    text = b"\n".join(dict.fromkeys(data.translate(None, _LEFT_OUT).split(b"\n")))
    text = b" ".join(text.split())
    return any(sign in text for sign in _plain_signs())


@cache
def _plain_signs() -> Sequence[bytes]:
    return list(dict.fromkeys(sign.strip().encode().translate(None, _LEFT_OUT) for sign in SIGNS))


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text in pieces of whole lines; the last may lack its newline."""
    rest: list[bytes] = []
    for piece in pieces:
        for start in range(0, len(piece), _PIECE):
            part = piece[start : start + _PIECE] if len(piece) > _PIECE else piece
            end = part.rfind(b"\n") + 1
            if end:
                yield b"".join((*rest, part[:end]))
                rest = [part[end:]]
            else:
                rest.append(part)
    if any(rest):
        yield b"".join(rest)


def _first_lines(piece: bytes) -> bytes:
    end = -1
    for _ in range(_AFTER):
        end = piece.find(b"\n", end + 1)
        if end < 0:
            return piece
    return piece[: end + 1]


def _last_lines(piece: bytes) -> bytes:
    start = len(piece)
    for _ in range(_BEFORE + 1):
        start = piece.rfind(b"\n", 0, start)
        if start < 0:
            return piece
    return piece[start + 1 :]
