"""Find dumps, or pieces of them, that are quoted in another text, and take the quotation off their lines.

A piece may be in a fence of Markdown, behind `> ` or an indentation, behind what a launcher or a logger writes before
each line, and in strings of JSON. All of these are a *prefix*: what stands before the first words of the piece. Times
and colors differ from line to line and are one prefix all the same. Lines without it belong to something else.
"""

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from reportgen.patterns import repeated

Kind = str  # a key of `_PARTS`

_LONGEST_PREFIX = 400
_MOST_LINES = 1_000  # that other programs may write before the second line of a piece
_MOST_PREFIXES = 100  # because for each of them all lines of a text are read
_NEAREST = 100  # plans on each side of a piece that are compared with it
_END = rb"(?=[ \t]*(?:\\n|[\"']|\x1b\[|$))"  # of a line, also of one in a string or in color
_OPENING = re.compile(
    rb"(?P<heading>BufferAssignment:" + _END + rb")"
    rb"|(?P<allocation>allocation (?P<index>\d{1,12}): (?:0x[0-9a-f]++, )?size \d{1,20}[,:])"
    rb"|(?P<total>Total bytes used: \d{1,20}\b)"
    rb"|(?P<values>Used values:" + _END + rb")"
    rb"|(?P<ranges>HloLiveRange (?:\(max \d{1,12}\):|not available))"
    rb"|(?P<fence>(?<![`~])(?:`{3,20}|~{3,20})" + _END + rb")",
    re.MULTILINE,
)
_OPENING_OF_LINE = re.compile(rb"^(?:" + _OPENING.pattern + rb")", re.MULTILINE)
_SECTIONS = (b"allocation ", b"Used values:", b"HloLiveRange ")
_PARTS: dict[Kind, int] = {"heading": 0, "allocation": 0, "total": 1, "values": 1, "ranges": 2, "fence": 3}
"""The file of a dump that a section is in."""
_NAME = re.compile(
    rb"^(?: value: )?<\d{1,12} ([^\s{>]{1,300})|^ {2,8}([^\s{:]{1,300})\{[\d,]{0,100}\}:\d", re.MULTILINE
)
_ROW_OF_DUMP = re.compile(
    rb"BufferAssignment:|allocation \d| value: <|Total bytes used:|Used values:|<\d| (?:positions|uses|from instr)"
    rb"|HloLiveRange | reused by|  InstructionSequence:"
)
_COLOR = rb"\x1b\[[0-9;]*[A-Za-z]"
_COLORS = re.compile(_COLOR)
_TIME = (
    rb"\d{4}[-/]\d\d[-/]\d\d|\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b1\d{9}\b|(?<=[IWEF])\d{4}(?= )"
    rb"|(?<![\d.])\d+\.\d+(?![\d.])|(?<![\w.])\d{1,7}(?= \| )"
)
_VARYING = re.compile(rb"(?P<color>" + _COLOR + rb")|" + _TIME)
_STRINGS = {quote: re.compile(repeated(rb"[^\\\n" + quote + rb"]++|\\.")) for quote in (b'"', b"'", b"")}
_FIELD = re.compile(rb"\"[^\"]*\"\s*:\s*\"[^\"]*\Z")


class Prefix(NamedTuple):
    """What stands before each line of a piece, as its first line has it; a string of JSON ends at its `quote`."""

    text: bytes = b""
    is_string: bool = False
    quote: bytes = b""


class Piece(NamedTuple):
    """A piece of a dump: the bytes [`start`, `end`) of a text, which begin in line `line`.

    It has sections of some `kinds`, which are in one file of a dump, and the `names` of values.
    """

    start: int
    end: int
    line: int
    prefix: Prefix
    kinds: frozenset[Kind]
    names: frozenset[bytes]


class Unquoted(NamedTuple):
    """A text without its quotation, the line and the column before each of its lines, and how many were left out."""

    data: bytes
    places: Sequence[tuple[int, int]]
    left_out: int


class _Opening(NamedTuple):
    """The place where a section may begin; `number` is that of its allocation, 0 for other sections."""

    kind: Kind
    number: int
    start: int
    prefix: Prefix


def unquoted(data: bytes, prefix: Prefix, first_line: int) -> Unquoted:
    """Return a quoted text without its prefixes, up to the last line that can belong to a dump."""
    match_prefix = re.compile(pattern_of(prefix)).match
    texts: list[bytes] = []
    places: list[tuple[int, int]] = []
    skipped: list[int] = []  # how many lines are in `texts` when a line is left out
    for number, line in enumerate(data.splitlines(keepends=True), start=first_line):
        match = match_prefix(line)
        if match is None:
            if line.strip():
                skipped.append(len(texts))
            continue
        text = line[match.end() :]
        own = _lines_of_string(text, prefix.quote) if prefix.is_string else [_COLORS.sub(b"", text)]
        texts += own
        places += [(number, match.end())] * len(own)
    while texts and not _is_row(texts[-1]):
        del texts[-1], places[-1]
    return Unquoted(b"".join(texts), places, sum(before < len(texts) for before in skipped))


def _lines_of_string(text: bytes, quote: bytes) -> list[bytes]:
    """Return the lines in a string up to its end."""
    body = _STRINGS[quote].match(text)
    raw = body[0] if body else b""
    try:
        plain = json.loads(b'"' + raw + b'"', strict=False).encode("utf-8", "replace")
    except ValueError:  # as Python's own strings escape some characters
        plain = raw.replace(rb"\n", b"\n").replace(rb"\'", b"'").replace(rb"\"", b'"').replace(rb"\\", b"\\")
    return [line + b"\n" for line in plain.removesuffix(b"\n").split(b"\n")]


@lru_cache(maxsize=256)
def pattern_of(prefix: Prefix) -> bytes:
    """Return the pattern of a prefix, with any time and color in place of its own: one pattern for each writer."""
    parts, after = [], 0
    for match in _VARYING.finditer(prefix.text):
        parts.append(re.escape(prefix.text[after : match.start()]))
        parts.append(rb"(?:" + _COLOR + rb")*" if match["color"] else rb" *(?:" + _TIME.replace(rb"\b", b"") + rb")")
        after = match.end()
    last = prefix.text[after:]
    before, whole, bare = b"".join(parts), re.escape(last), re.escape(last.rstrip())
    if prefix.is_string:
        return rb".*?" + before + whole
    # A logger may strip the space from an empty line.
    return before + rb"(?:" + whole + rb"|" + bare + rb"(?=\s*\Z))"


def prefix_at(data: bytes, start: int) -> Prefix | None:
    """Return what stands before `start` on its line; None if that is too much for a prefix."""
    least = max(0, start - _LONGEST_PREFIX)
    newline = data.rfind(b"\n", least, start)
    if newline < 0 and least:
        return None
    before, end = data[newline + 1 : start], data.find(b"\n", start)
    rest = data[start : min(end if end >= 0 else len(data), start + _LONGEST_PREFIX)]
    quote = next((quote for quote in (b'"', b"'") if before.count(quote) % 2), b"")
    if not quote and rb"\n" not in rest:
        return Prefix(before)
    field = _FIELD.search(before)
    return Prefix(field[0] if field else before, is_string=True, quote=quote)


def prefix_of_frame(data: bytes, marker: int, end: int) -> Prefix | None:
    """Return the prefix of the lines of a file in a log, which begins at `marker`; None if it has none."""
    match = _OPENING.search(data, marker, end)
    # Other output may share the line of the marker.
    for place in (marker, match.start()) if match else (marker,):
        prefix = prefix_at(data, place)
        if prefix and prefix.text and _is_confirmed(data, place, end, prefix):
            return prefix
    return None


def _is_confirmed(data: bytes, start: int, end: int, prefix: Prefix) -> bool:
    """Return whether the next line has the prefix as well, so that it is not only other output before `start`."""
    match_prefix, position = re.compile(pattern_of(prefix)).match, data.find(b"\n", start, end) + 1
    for _ in range(_MOST_LINES):
        if not 0 < position < end:
            break
        after = data.find(b"\n", position, end) + 1 or end
        line = data[position:after]
        if (match := match_prefix(line)) and (prefix.is_string or _is_row(line[match.end() :])):
            return True
        if _ROW_OF_DUMP.match(line):
            return False
        position = after
    return data.find(b"\n", start, end) < 0


def _is_row(line: bytes) -> bool:
    """Return whether a line may be of a dump; other texts have indented lines, too."""
    return line.startswith(b"  ") or _ROW_OF_DUMP.match(line) is not None


def quoted_pieces(data: bytes) -> Iterator[Piece]:
    """Yield each piece of a dump in a text."""
    regions = [region for openings in _openings(data).values() for region in _regions(openings, len(data))]
    counted, line = 0, 1
    for first, end in sorted(regions, key=lambda region: region[0].start):
        start = first.start
        if first.prefix.text:  # so that lines are whole
            start, end = data.rfind(b"\n", 0, start) + 1, data.rfind(b"\n", 0, end) + 1 if end < len(data) else end
        line, counted = line + data.count(b"\n", counted, start), start
        text = unquoted(data[start:end], first.prefix, 1).data
        if kinds := _sections(text):
            names = frozenset(match[1] or match[2] for match in _NAME.finditer(text))
            yield Piece(start, end, line, first.prefix, kinds, names)


def _openings(data: bytes) -> Mapping[bytes, Sequence[_Opening]]:
    """Return the places where a section may begin, by the pattern of their prefix."""
    openings: dict[bytes, list[_Opening]] = {pattern_of(Prefix()): []}
    after, refused = 0, 0
    # Most texts have none of these words, and this takes a hundredth of the time of a search.
    for match in _OPENING.finditer(data) if any(word in data for word in _SECTIONS) else ():
        place = match.start()
        if place < after or (prefix := prefix_at(data, place)) is None:
            continue
        if prefix.is_string:
            after = data.find(b"\n", place) + 1 or len(data)
        key = pattern_of(prefix)
        if key not in openings and len(openings) + refused > _MOST_PREFIXES:
            continue
        if key not in openings and not prefix.is_string and not _is_confirmed(data, place, len(data), prefix):
            refused += 1
            prefix, key = Prefix(), pattern_of(Prefix())  # because it is other output on the same line
        openings.setdefault(key, []).append(_Opening(match.lastgroup or "", int(match["index"] or 0), place, prefix))
    return openings


def _regions(openings: Sequence[_Opening], size: int) -> Iterator[tuple[_Opening, int]]:
    """Yield the first opening of each piece, and the offset at which the next piece, a fence or the text ends it."""
    first: _Opening | None = None
    kinds: set[Kind] = set()
    index = -1  # of the last allocation; a smaller or equal one begins another dump
    for opening in openings:
        if first is not None and (
            opening.kind in ("heading", "fence")
            or opening.kind in kinds - {"allocation"}
            or _PARTS[opening.kind] != _PARTS[first.kind]
            or (opening.kind == "allocation" and opening.number <= index)
        ):
            yield first, opening.start
            first = None
        if opening.kind == "fence":
            continue
        if first is None:
            first, kinds, index = opening, set(), -1
        kinds.add(opening.kind)
        index = opening.number if opening.kind == "allocation" else index
    if first is not None:
        yield first, size


def _sections(text: bytes) -> frozenset[Kind]:
    """Return the sections of a dump that a text has; empty if it only mentions some of their words."""
    kinds = Counter(match.lastgroup or "" for match in _OPENING_OF_LINE.finditer(text))
    is_dump = "heading" in kinds or kinds["allocation"] > 1 or b"\n value: <" in text
    return frozenset(kinds if (kinds["allocation"] and is_dump) or kinds.keys() & {"total", "values", "ranges"} else ())


def group_pieces(pieces: Iterable[Piece]) -> tuple[list[list[Piece]], list[Piece]]:
    """Return the dumps, each as its allocations and other pieces, and the pieces that belong to no allocations.

    A piece belongs to the nearby plan with the most of the values that it names; of several, to the last before it.
    """
    every, orphans = list(pieces), list[Piece]()
    plans: dict[bytes, list[list[Piece]]] = defaultdict(list)
    for piece in every:
        if "allocation" in piece.kinds:
            plans[pattern_of(piece.prefix)].append([piece])
    for piece in every:
        if "allocation" in piece.kinds:
            continue
        own = plans[pattern_of(piece.prefix)]
        place = bisect_left(own, piece.start, key=lambda plan: plan[0].start)
        near = own[max(0, place - _NEAREST) : place][::-1]
        near = [*near, *own[place : place + _NEAREST]] if piece.names else near[:1]
        best = max(near, key=partial(_shared_names, piece), default=None)
        if best and _shared_names(piece, best) >= 0:
            last = best[-1]
            joined = last._replace(end=piece.end, kinds=last.kinds | piece.kinds)
            best[-1:] = [joined] if last.end == piece.start else [last, piece]
        elif piece.kinds != {"total"}:  # which other programs may print
            orphans.append(piece)
    return sorted(chain.from_iterable(plans.values()), key=lambda plan: plan[0].start), orphans


def _shared_names(piece: Piece, plan: Sequence[Piece]) -> int:
    """Return how many names a piece shares with a plan; -1 if that has such a piece already, or other names only."""
    shared = len(piece.names & plan[0].names)
    is_other = not shared and piece.names and plan[0].names
    return -1 if is_other or any(piece.kinds & part.kinds for part in plan) else shared
