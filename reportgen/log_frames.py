"""The files inside a log: with `--xla_dump_to=-` XLA prints every dump file to its standard output.

    *** Begin FILE ***
    the file's text
    *** End FILE ***

Other output stands around the frames and may be glued to the marker lines, because other threads write
to the same stream; a process that was killed leaves its last frame without an end.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from reportgen.dump_names import split_part

SEARCHED_SIZE = 16 << 20
"""How far into a file `search` looks for a first frame: compilers print theirs before a program runs."""

# Only names that XLA gives: programs print lines such as "*** Begin epoch ***" of their own.
_MARKER = re.compile(
    rb"\*\*\* (Begin|End) "
    rb"((?:[0-9]+\.)?module_[0-9]{4}\S*|\S+-(?:buffer-assignment(?:-values)?|live-range)\.txt) \*\*\*"
)
_LONGEST_MARKER = 512  # a file name has at most 255 bytes


@dataclass(frozen=True, slots=True)
class Frame:
    """A file in a log: its text is the bytes [`start`, `end`). `is_complete` is False without an End line."""

    name: str
    start: int
    end: int
    is_complete: bool


def search(pieces: Iterable[bytes]) -> Literal["log", "other", "too long"]:
    """Whether a text that arrives in `pieces` has frames. "too long": none within `SEARCHED_SIZE`."""
    tail, searched = b"", 0
    for piece in pieces:
        if _MARKER.search(tail + piece):
            return "log"
        searched += len(piece)
        if searched >= SEARCHED_SIZE:
            return "too long"
        tail = (tail + piece)[-_LONGEST_MARKER:]
    return "other"


def find_frames(data: bytes) -> Iterator[Frame]:
    """Every frame, in the order of the log."""
    markers = list(_MARKER.finditer(data))
    ended = {marker[2] for marker in markers if marker[1] == b"End"}
    opened: re.Match[bytes] | None = None
    for marker in markers:
        if opened is None:
            opened = marker if marker[1] == b"Begin" else None
        elif marker[1] == b"End" and marker[2] == opened[2]:
            yield _frame(data, opened, marker)
            opened = None
        elif _interrupts(data, marker, ended):
            yield _frame(data, opened, marker)
            opened = marker
    if opened is not None:
        yield _frame(data, opened, None)


def _interrupts(data: bytes, marker: re.Match[bytes], ended: set[bytes]) -> bool:
    """Whether a marker inside a frame begins another one, or is only quoted by the frame's text."""
    starts_line = data[marker.start() - 1 : marker.start()] == b"\n"
    return marker[1] == b"Begin" and (starts_line or marker[2] in ended)


def _frame(data: bytes, begin: re.Match[bytes], stop: re.Match[bytes] | None) -> Frame:
    newline = data.find(b"\n", begin.end())
    start = newline + 1 if newline >= 0 else len(data)
    end = stop.start() if stop else len(data)
    is_complete = stop is not None and stop[1] == b"End"
    if is_complete:
        end = data.rfind(b"\n", 0, end)  # whatever is glued before the marker is not the file's
    return Frame(begin[2].decode("utf-8", "replace"), start, max(start, end), is_complete)


def group_dumps(frames: Iterable[Frame]) -> tuple[list[tuple[Frame, ...]], list[Frame]]:
    """The dumps among `frames`, allocations first, and the parts that lack their allocations.

    A module may be printed twice; a part belongs to the allocations printed last before it.
    """
    dumps: list[dict[int, Frame]] = []
    latest: dict[str, dict[int, Frame]] = {}
    orphans: list[Frame] = []
    for frame in frames:
        stem, part = split_part(frame.name) or ("", None)
        if part == 0:
            latest[stem] = {}
            dumps.append(latest[stem])
        if part is not None and part not in latest.get(stem, {part: frame}):
            latest[stem][part] = frame
        elif part is not None:
            orphans.append(frame)
    return [tuple(parts[part] for part in sorted(parts)) for parts in dumps], orphans
