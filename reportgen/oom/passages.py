"""Find the passages of a text that may contain an out-of-memory error, however long the text is.

A log may have gigabytes of a few kinds of lines that differ in their digits. So each kind is searched once in each
piece, with its words in one line.
"""

from collections.abc import Iterable, Iterator, Sequence

from reportgen.oom.forms import FORMS, OF_TABLES

SIGNS: Sequence[str] = tuple(dict.fromkeys((*(form.sign for form in FORMS), *OF_TABLES)))
_IGNORED = b"0123456789>#"  # what differs between lines of one kind, or quotes a line
_BEFORE, _AFTER = 8, 400  # lines around a sign that may belong to its error, between those of other ranks

_PIECE = 1 << 18
_MOST_PIECES = 16  # of one passage, where a text has signs throughout


def passages(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of a text around each sign, each after the number of its first line."""
    parts: list[bytes] = []
    before, first, number = b"", 1, 1  # the end of the piece before, and the first lines of the passage and the piece
    for piece in _whole_lines(pieces):
        is_part = has_sign(before + piece)  # because a sign may be wrapped where a piece ends
        if is_part and not parts:
            first, parts = number - before.count(b"\n"), [before]
        if parts:
            parts.append(piece if is_part else b"\n".join([*piece.split(b"\n", _AFTER)[:_AFTER], b""]))
            if not is_part or len(parts) > _MOST_PIECES:
                yield first, b"".join(parts)
                parts = []
        before = b"\n".join(piece.rsplit(b"\n", _BEFORE + 1)[-_BEFORE - 1 :])
        number += piece.count(b"\n")
    if parts:
        yield first, b"".join(parts)


def has_sign(data: bytes) -> bool:
    """Return whether a text contains a sign of an out-of-memory error, which may be wrapped."""
    kinds = dict.fromkeys(data.translate(None, _IGNORED).split(b"\n"))
    words = b" ".join(b" ".join(kinds).split())
    return any(sign in words for sign in _SEARCHED)


_SEARCHED = {b" ".join(sign.encode().translate(None, _IGNORED).split()) for sign in SIGNS}


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text in pieces of whole lines; the last may lack its newline."""
    rest: list[bytes] = []
    for piece in pieces:
        for start in range(0, len(piece), _PIECE):
            lines, newline, begun = piece[start : start + _PIECE].rpartition(b"\n")
            if newline:
                yield b"".join((*rest, lines, newline))
                rest = []
            rest.append(begun)
    if any(rest):
        yield b"".join(rest)
