"""The text of one dump, whole: up to three files, read as one address space.

A dump is one file up to jaxlib 0.9 and three files since 0.10. Joined, the three have the grammar of
the one, so the parser sees a single range of addresses and never learns which file a byte came from.
A *place* is such an address; `DumpText.locate` turns it into file, line and column when a finding or
a page needs them, so parsing never counts lines.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Place = int

_BLOCK = 1 << 12


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """Where a place is for a person: `file`, and `line` and `column` counted from 1 (columns in bytes)."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class TextPart:
    """One file, or the window [`start`, `end`) of a log, that belongs to a dump.

    `label` is the name a reader knows it by: relative to the given path, with forward slashes.
    """

    label: str
    data: bytes
    start: int
    end: int

    @cached_property
    def _lines_before(self) -> dict[int, int]:
        """How many lines end before each block of the data, as far as they were counted."""
        return {0: 0}

    def location(self, offset: int) -> Location:
        """Newlines are counted from the beginning of a block, and up to there once: any line may be asked for next."""
        # Threads that count the same blocks at once write the same numbers.
        lines_before, block = self._lines_before, offset // _BLOCK
        for counted in range(len(lines_before) - 1, block):
            newlines = self.data.count(b"\n", counted * _BLOCK, (counted + 1) * _BLOCK)
            lines_before[counted + 1] = lines_before[counted] + newlines
        number = lines_before[block] + self.data.count(b"\n", block * _BLOCK, offset) + 1
        return Location(self.label, number, offset - self.data.rfind(b"\n", 0, offset))


@dataclass(frozen=True, slots=True)
class Sibling:
    """A file beside a dump, written by the same compilation, which speaks of the same module."""

    kind: Literal["usage report", "HLO text", "proto"]
    label: str
    data: bytes


class DumpText:
    """The parts of a dump as one range of places, in the order given."""

    def __init__(self, parts: tuple[TextPart, ...]) -> None:
        self.parts = parts
        self._bases: list[Place] = []
        base = 0
        for part in parts:
            self._bases.append(base)
            base += len(part.data) + 1

    def parts_with_bases(self) -> Iterator[tuple[TextPart, Place]]:
        """Each part with the place of the first byte of its data."""
        return zip(self.parts, self._bases, strict=True)

    def _at(self, place: Place) -> tuple[TextPart, int]:
        number = bisect_right(self._bases, place) - 1
        return self.parts[number], place - self._bases[number]

    def locate(self, place: Place) -> Location:
        part, offset = self._at(place)
        return part.location(offset)

    def slice(self, start: Place, end: Place) -> bytes:
        """The bytes of [`start`, `end`), which must lie in one part."""
        part, offset = self._at(start)
        return part.data[offset : offset + end - start]

    def line(self, place: Place) -> str:
        """The whole line that `place` is in, without its newline."""
        part, offset = self._at(place)
        start = part.data.rfind(b"\n", 0, offset) + 1
        end = part.data.find(b"\n", offset)
        return part.data[start : end if end >= 0 else len(part.data)].decode("utf-8", "replace")

    def contains_within(self, start: Place, end: Place, needle: bytes) -> bool:
        """Whether `needle` occurs in [`start`, `end`), which must lie in one part."""
        part, offset = self._at(start)
        return part.data.find(needle, offset, offset + end - start) >= 0

    def continues_with(self, place: Place, beginning: bytes) -> bool:
        """Whether `beginning` stands at `place`."""
        part, offset = self._at(place)
        return part.data.startswith(beginning, offset)

    def contains(self, needle: bytes) -> bool:
        """Whether `needle` occurs in any part."""
        return any(part.data.find(needle, part.start, part.end) >= 0 for part in self.parts)
