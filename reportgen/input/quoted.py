"""Find dumps, or pieces of them, that are quoted in another text, and take the quotation off their lines.

A piece may be in a fence of Markdown, behind `> ` or an indentation, behind what a launcher or a logger writes before
each line, and in strings of JSON. All of these are a *prefix*: what stands before the first words of the piece. Times
and colors differ from line to line and are one prefix all the same. Lines without it belong to something else.
"""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from reportgen.patterns import repeated

Kind = str  # a key of `_PARTS`

_LONGEST_PREFIX = 400
_FARTHEST = 1 << 18  # bytes that other programs may write before the second line of a piece
_MOST_PREFIXES = 100  # because for each of them all lines of a text are read
_NEAREST = 100  # plans on each side of a piece that are compared with it
_END = rb"(?=[ \t]*(?:\\n|[\"']|\x1b\[|$))"  # of a line, also of one in a string or in color
_OPENING = re.compile(
    rb"(?=[BaTUH`~])(?:"  # which takes a fifth of the time, because few places have one of these
    rb"(?P<heading>BufferAssignment:" + _END + rb")"
    rb"|(?P<allocation>allocation (?P<index>\d{1,12}): (?:0x[0-9a-f]++, )?size \d{1,20}[,:])"
    rb"|(?P<total>Total bytes used: \d{1,20}\b)"
    rb"|(?P<values>Used values:" + _END + rb")"
    rb"|(?P<ranges>HloLiveRange (?:\(max \d{1,12}\):|not available))"
    rb"|(?P<fence>(?<![`~])(?:`{3,20}|~{3,20})" + _END + rb"))",
    re.MULTILINE,
)
_OPENING_OF_LINE = re.compile(rb"^(?:" + _OPENING.pattern + rb")", re.MULTILINE)
_PARTS: dict[Kind, int] = {"heading": 0, "allocation": 0, "total": 1, "values": 1, "ranges": 2, "fence": 3}
"""The file of a dump that a section is in. The groups of `_OPENING` have the order of the sections in a file."""
_NAME = re.compile(rb"(?m)^(?: value: )?<\d{1,12} ([^\s{>]{1,300})|^ {2,8}([^\s{:]{1,300})\{[\d,]{0,100}\}:\d")
_ROW = (
    rb"BufferAssignment:|allocation \d| value: <|Total bytes used:|Used values:|<\d| (?:positions|uses|from instr)"
    rb"|HloLiveRange | reused by|  InstructionSequence:"
)
_ROW_OR_INDENTED = re.compile(rb"  |" + _ROW)  # other texts have indented lines, too
_COLOR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_TIME = (
    rb"\d{4}[-/]\d\d[-/]\d\d|\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b1\d{9}\b|(?<=[IWEF])\d{4}(?= )"
    rb"|(?<![\d.])\d+\.\d+(?![\d.])|(?<![\w.])\d{1,7}(?= \|)"
)
_VARYING = re.compile(repeated(_COLOR.pattern + rb"|(?<! ) *+(?:" + _TIME + rb")", least=1))
_FIELD = re.compile(rb"\"[^\"]*\"\s*:\s*\"[^\"]*\Z")


class Prefix(NamedTuple):
    """What stands before each line of a piece, as its first line has it; in a string, which ends at its `quote`."""

    text: bytes = b""
    quote: bytes = b""


class Piece(NamedTuple):
    """Sections of one file of a dump: the bytes [`start`, `end`) of a text, from line `line` on, which name values."""

    start: int
    end: int
    line: int
    prefix: Prefix
    kinds: frozenset[Kind]
    names: frozenset[bytes]


def unquoted(data: bytes, prefix: Prefix, first_line: int) -> tuple[bytes, Sequence[tuple[int, int]], int]:
    """Return a quoted text without its prefixes, up to the last line that can belong to a dump.

    With it come the line and the column before each of its lines, and how many lines between them are left out.
    """
    own = repeated(rb"[^\\\n" + prefix.quote + rb"]++|\\.") if prefix.quote else rb".*\n?"
    match_line = re.compile(pattern_of(prefix) + rb"(?P<own>" + own + rb")").match
    texts: list[bytes] = []
    places: list[tuple[int, int]] = []
    skipped: list[int] = []  # how many lines are in `texts` when a line is left out
    for number, line in enumerate(data.splitlines(keepends=True), start=first_line):
        if match := match_line(line):
            lines = _lines_of_string(match["own"]) if prefix.quote else [_COLOR.sub(b"", match["own"])]
            texts += lines
            places += [(number, match.start("own"))] * len(lines)
        elif line.strip():
            skipped.append(len(texts))
    while texts and not _ROW_OR_INDENTED.match(texts[-1]):
        del texts[-1], places[-1]
    return b"".join(texts), places, sum(before < len(texts) for before in skipped)


def _lines_of_string(raw: bytes) -> list[bytes]:
    try:
        plain = json.loads(b'"' + raw + b'"', strict=False).encode("utf-8", "replace")
    except ValueError:  # as Python's own strings escape some characters
        plain = re.sub(rb"\\([n'\"\\])", lambda escaped: b"\n" if escaped[1] == b"n" else escaped[1], raw)
    return [line + b"\n" for line in plain.removesuffix(b"\n").split(b"\n")]


@lru_cache(maxsize=256)
def pattern_of(prefix: Prefix) -> bytes:
    """Return the pattern of a prefix, with any times and colors in place of its own: one pattern for each writer."""
    text = prefix.text.rstrip()
    pattern = _VARYING.pattern.join(map(re.escape, _VARYING.split(text)))
    if space := re.escape(prefix.text[len(text) :]):  # a logger may strip it from an empty line
        pattern += rb"(?:" + space + rb"|(?=[ \t]*$))"
    is_field = prefix.quote and text.startswith(b'"')  # others may be before it
    return rb".*?" + pattern if is_field else pattern


def prefix_at(data: bytes, start: int) -> Prefix | None:
    """Return what stands before `start` on its line; None if that is too much for a prefix."""
    before = data[max(0, start - _LONGEST_PREFIX) : start].rpartition(b"\n")[2]
    if len(before) == _LONGEST_PREFIX:
        return None
    quote = next((quote for quote in (b'"', b"'") if before.count(quote) % 2), b"")
    field = _FIELD.search(before) if quote else None
    return Prefix(field[0] if field else before, quote)


def _is_confirmed(data: bytes, start: int, prefix: Prefix) -> bool:
    """Return whether the next row of a dump has the prefix, too; if not, it is only other output before `start`."""
    after = data.find(b"\n", start) + 1
    row = re.compile(rb"(?m)^(?:(?P<own>" + pattern_of(prefix) + rb"(?:  |" + _ROW + rb"))|" + _ROW + rb")")
    match = row.search(data, after, after + _FARTHEST)
    return not after or (match is not None and match["own"] is not None)


def quoted_pieces(data: bytes) -> Iterator[Piece]:
    """Yield each piece of a dump in a text."""
    counted, line = 0, 1
    for start, prefix, end in sorted(_regions(data)):
        line, counted = line + data.count(b"\n", counted, start), start
        text, _, _ = unquoted(data[start:end], prefix, 1)
        kinds = Counter(match.lastgroup or "" for match in _OPENING_OF_LINE.finditer(text))
        names = frozenset(match[1] or match[2] for match in _NAME.finditer(text))
        is_plan = kinds["allocation"] > 1 or ("allocation" in kinds and ("heading" in kinds or names))
        if is_plan or kinds.keys() & {"total", "values", "ranges"}:  # and not only a mention of one
            yield Piece(start, end, line, prefix, frozenset(kinds), names)


def _regions(data: bytes) -> Iterator[tuple[int, Prefix, int]]:
    """Yield the start, the prefix and the end of what may be a piece, which ends at what cannot follow in it."""
    begun: dict[bytes, tuple[int, Prefix]] = {}  # by the pattern of the prefix
    places = {pattern_of(Prefix()): (-1, 0, 0)}  # of the last section behind it, in the order of a dump
    position, tried = 0, 0
    # Most texts have none of these words, and this takes a twentieth of the time of a search.
    is_likely = any(word in data for word in (b"allocation ", b"Used values:", b"HloLiveRange "))
    while is_likely and (match := _OPENING.search(data, position)):
        start, position = match.span()
        prefix = prefix_at(data, start)
        if prefix is None or (tried >= _MOST_PREFIXES and pattern_of(prefix) not in places):
            continue
        if pattern_of(prefix) not in places:
            tried += 1
            if not prefix.quote and not _is_confirmed(data, start, prefix):
                prefix = Prefix()
        if prefix.quote:
            position = data.find(b"\n", start) + 1 or len(data)
        if prefix.text:  # so that lines are whole
            start = data.rfind(b"\n", 0, start) + 1
        key, kind = pattern_of(prefix), match.lastgroup or ""
        place = _PARTS[kind], match.lastindex or 0, int(match["index"] or 0)
        last = places.get(key, place)
        places[key] = place
        if last[0] != place[0] or last >= place:
            if key in begun:
                yield *begun.pop(key), start
            if kind != "fence":
                begun[key] = start, prefix
    yield from ((*region, len(data)) for region in begun.values())


def group_pieces(pieces: Iterable[Piece]) -> tuple[list[list[Piece]], list[Piece]]:
    """Return the dumps, each as its allocations and other pieces, and the pieces that belong to no allocations.

    A piece belongs to the nearby plan with the most of the values that it names; of several, to the last before it.
    """
    every, orphans = list(pieces), list[Piece]()
    plans = [[piece] for piece in every if "allocation" in piece.kinds]
    for piece in every:
        if "allocation" in piece.kinds:
            continue
        place = bisect_left(plans, piece.start, key=lambda plan: plan[0].start)
        near = plans[max(0, place - _NEAREST) : place][::-1] + plans[place : place + _NEAREST]
        if fitting := [plan for plan in near if _may_have(plan, piece)]:
            best = max(fitting, key=lambda plan: len(plan[0].names & piece.names))
            if best[-1].end == piece.start:
                last = best.pop()
                piece = last._replace(end=piece.end, kinds=last.kinds | piece.kinds)
            best.append(piece)
        elif piece.kinds != {"total"}:  # which other programs may print
            orphans.append(piece)
    return plans, orphans


def _may_have(plan: Sequence[Piece], piece: Piece) -> bool:
    """Return whether a plan may have a piece: one behind the same prefix, of kinds that it lacks, about its values."""
    first = plan[0]
    if not first.names & piece.names and (first.names if piece.names else piece.start < first.start):
        return False
    return pattern_of(first.prefix) == pattern_of(piece.prefix) and not any(part.kinds & piece.kinds for part in plan)
