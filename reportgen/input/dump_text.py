"""Hold the text of one dump, up to three files, as one range of offsets.

A dump is one file up to jaxlib 0.9 and three files since 0.10. Joined, the three have the grammar of the one, so the
parser sees a single range and never learns which file a byte came from. A *text offset* is an offset into that range;
it is always called by its full name, because the offset of a value is a byte in an allocation. `DumpText.locate`
returns its file, line and column when a finding or a page needs them, so parsing never counts lines.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Literal

from reportgen.input.names import SiblingKind
from reportgen.input.repeats import CUT
from reportgen.record import record

TextOffset = int

TextOrigin = Literal["dump", "schedule", "trace", "proto"]
"""Where the text of a dump is from: from XLA itself, or printed from a proto, which has no live ranges.

Those were then rebuilt from its schedule or, without one, from the heap simulator's trace; a `proto` has neither.
"""

_LONGEST_COPYING = 30
"""Seconds between two files of a folder that was copied without their times."""

_LONGEST_WRITING = 5
"""Minutes that one compilation may take between two files about its result; real ones take a second or two."""


@record(kw_only=False, order=True)
class Location:
    """A text offset as shown to people: `file`, and `line` and `column` counted from 1 (columns in bytes)."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@record(slots=False, kw_only=False)
class TextPart:
    """One file, or a frame of a log, that belongs to a dump.

    `label` is its name for people: relative to the given path, with forward slashes. `whole_lines` are the offsets of
    the lines whose repeats are cut (see `reportgen.input.repeats`). `first_line` is the number of the first line in the
    file; of a text that is quoted, `places` are the line of each line and the bytes before it there. `is_whole` is
    False for a piece of text that nothing marks as a whole file of the compiler.
    """

    label: str
    data: bytes
    whole_lines: Sequence[int] = ()
    first_line: int = 1
    places: Sequence[tuple[int, int]] = ()
    is_whole: bool = True

    @cached_property
    def _newlines(self) -> Sequence[int]:
        """The offsets of the newlines, found once, because locations may be requested in any order."""
        return array("Q", (match.start() for match in re.finditer(b"\n", self.data)))

    def text(self, start: int, end: int) -> bytes:
        """Return [`start`, `end`) of the data; a line that is cut at `end` is returned as it is in the file."""
        text = self.data[start:end]
        if not self.whole_lines or not text.endswith(CUT):
            return text
        line_start = self.data.rfind(b"\n", 0, start) + 1
        whole = self.whole_lines[bisect_right(self.whole_lines, start) - 1] + start - line_start
        return self.data[whole : self.data.index(b"\n", whole)]

    def location(self, offset: int) -> Location:
        """Return the location of an offset in the data."""
        row = bisect_left(self._newlines, offset)
        column = offset - (self._newlines[row - 1] if row else -1)
        if self.places:
            line, before = self.places[min(row, len(self.places) - 1)]
            return Location(self.label, line, before + column)
        return Location(self.label, row + self.first_line, column)


@record(kw_only=False)
class Sibling:
    """The content of another file about the same module, written by the same compilation.

    A `module` is the HLO text of the dump's own proto, with which it agrees by construction. `older_seconds` is how
    long before the dump the file was written, where that is known; it is negative for a file that is newer.
    """

    kind: SiblingKind | Literal["module"]
    label: str
    data: bytes
    older_seconds: int = 0

    @property
    def is_from_before(self) -> bool:
        """Return whether an earlier compilation wrote it: it is older than the dump, and a compiler writes it later."""
        return self.older_seconds >= _LONGEST_COPYING

    @property
    def age(self) -> str:
        """Return when it was written in words."""
        return age_words(self.older_seconds)


def age_words(older_seconds: int) -> str:
    """Return `3 hours before the dump`, of a file that is older by so much; empty if one compilation may write both."""
    minutes, side = abs(older_seconds) // 60, "before" if older_seconds > 0 else "after"
    for unit, size in (("days", 24 * 60), ("hours", 60)):
        if minutes >= 2 * size:
            return f"{minutes // size:,} {unit} {side} the dump"
    return f"{minutes} minutes {side} the dump" if minutes >= _LONGEST_WRITING else ""


class DumpText:
    """The parts of a dump as one range of offsets, in the order given, and their origin."""

    def __init__(self, parts: tuple[TextPart, ...], origin: TextOrigin = "dump") -> None:
        self.parts = parts
        self.origin: TextOrigin = origin
        # One more than the data, so that the end of a part is not the start of the next one.
        self._bases = [*accumulate((len(part.data) + 1 for part in parts), initial=0)][:-1]

    def parts_with_bases(self) -> Iterator[tuple[TextPart, TextOffset]]:
        """Return each part with the text offset of the first byte of its data."""
        return zip(self.parts, self._bases, strict=True)

    @property
    def size_bytes(self) -> int:
        """Return the bytes of all parts that are in memory."""
        return sum(len(part.data) for part in self.parts)

    def _at(self, text_offset: TextOffset) -> tuple[TextPart, int]:
        number = bisect_right(self._bases, text_offset) - 1
        return self.parts[number], text_offset - self._bases[number]

    def locate(self, text_offset: TextOffset) -> Location:
        """Return the file, line and column of a text offset."""
        part, offset = self._at(text_offset)
        return part.location(offset)

    def slice(self, start: TextOffset, end: TextOffset) -> bytes:
        """Return the bytes [`start`, `end`), which must be in one part."""
        part, offset = self._at(start)
        return part.text(offset, offset + end - start)

    def line(self, text_offset: TextOffset) -> str:
        """Return the whole line that contains `text_offset`, without its newline."""
        part, offset = self._at(text_offset)
        start = part.data.rfind(b"\n", 0, offset) + 1
        end = part.data.find(b"\n", offset)
        return part.data[start : end if end >= 0 else len(part.data)].decode("utf-8", "replace")

    def continues_with(self, text_offset: TextOffset, beginning: bytes) -> bool:
        """Return whether the text at `text_offset` starts with `beginning`."""
        part, offset = self._at(text_offset)
        return part.data.startswith(beginning, offset)

    def matches(self, pattern: re.Pattern[bytes], places: Iterable[TextOffset]) -> Iterator[re.Match[bytes] | None]:
        """Yield the match of a pattern that begins at each place, or None."""
        for place in places:
            part, offset = self._at(place)
            yield pattern.match(part.data, offset)

    def searches(
        self, pattern: re.Pattern[bytes], beginning: bytes, spans: Iterable[tuple[TextOffset, TextOffset]]
    ) -> Iterator[re.Match[bytes] | None]:
        """Yield the match of a pattern at the last place in each span that has its `beginning`."""
        for start, stop in spans:
            part, offset = self._at(start)
            end = offset + stop - start
            place = part.data.rfind(beginning, offset, end)
            yield pattern.match(part.data, place, end) if place >= 0 else None

    def contains(self, needle: bytes) -> bool:
        """Return whether `needle` occurs in any part."""
        return any(needle in part.data for part in self.parts)
