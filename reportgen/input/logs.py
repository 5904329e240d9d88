"""Find dump files inside a log: with `--xla_dump_to=-` XLA prints every dump file to its standard output.

    *** Begin FILE ***
    the file's text
    *** End FILE ***

Other output surrounds the frames and may share a line with a marker, because other threads write to the same stream.
The last frame of a killed process has no end.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from reportgen.input.names import split_part
from reportgen.input.quoted import Prefix, pattern_of, prefix_at, quoted_pieces
from reportgen.record import record

SEARCHED_SIZE = 16 << 20
"""The bytes that `search` searches for a first frame; few are enough, because a program is compiled before it runs."""

# Only names that XLA gives, because programs print lines such as "*** Begin epoch ***" of their own.
_MARKER = re.compile(
    rb"\*\*\* (Begin|End) "
    rb"((?:[0-9]+\.)?module_[0-9]{4}\S*|\S+-(?:buffer-assignment(?:-values)?|live-range)\.txt) \*\*\*"
)
_LONGEST_MARKER = 512  # more than enough, because a file name has at most 255 bytes
_BEGINNING = 1 << 15  # bytes of a frame in which its first sections are


@record(kw_only=False)
class LogFrame:
    """A file in a log: its text is the bytes [`start`, `end`) of the decompressed log, and begins in line `line`.

    `is_complete` is False without an End line. `prefix` is what stands before each line; None if nothing does.
    """

    name: str
    start: int
    end: int
    line: int
    is_complete: bool
    prefix: Prefix | None = None


def search(pieces: Iterable[bytes]) -> Literal["log", "other", "too long"]:
    """Return whether a text that arrives in `pieces` has frames; "too long" if none is in `SEARCHED_SIZE` bytes."""
    tail, searched = b"", 0
    for piece in pieces:
        if _MARKER.search(tail + piece):
            return "log"
        searched += len(piece)
        if searched >= SEARCHED_SIZE:
            return "too long"
        tail = (tail + piece)[-_LONGEST_MARKER:]  # because a marker may span two pieces
    return "other"


def find_frames(data: bytes) -> Iterator[LogFrame]:
    """Yield every frame, in the order of the log."""
    line, counted = 1, 0
    marked = [pair for markers in _by_writer(data).values() for pair in _marked(data, markers)]
    for begin, stop in sorted(marked, key=lambda pair: pair[0].start()):
        end = stop.start() if stop else len(data)
        start = data.find(b"\n", begin.end(), end) + 1 or end
        is_complete = stop is not None and stop[1] == b"End"
        if is_complete:
            end = data.rfind(b"\n", start, end)  # because other output may precede the marker on its line
        line, counted = line + data.count(b"\n", counted, start), start
        name = begin[2].decode("utf-8", "replace")
        key = pattern_of(prefix_at(data, begin.start()) or Prefix())
        quoted = quoted_pieces(data[start : min(end, start + _BEGINNING)]) if split_part(name) and start < end else ()
        first = min(quoted, key=lambda piece: pattern_of(piece.prefix) != key, default=None)
        prefix = first.prefix if first and first.prefix.text else None
        yield LogFrame(name, start, max(start, end), line, is_complete, prefix)


def _by_writer(data: bytes) -> Mapping[bytes, list[re.Match[bytes]]]:
    """Return the markers behind each prefix, because processes that share a log write at once.

    What stands before a marker is a prefix if it begins and ends files, and other output if not.
    """
    markers = [(marker, pattern_of(prefix_at(data, marker.start()) or Prefix())) for marker in _MARKER.finditer(data)]
    beginning, ending = ({before for marker, before in markers if marker[1] == word} for word in (b"Begin", b"End"))
    writers = defaultdict(list)
    for marker, before in markers:
        writers[before if before in beginning & ending else b""].append(marker)
    return writers


def _marked(
    data: bytes, markers: Sequence[re.Match[bytes]]
) -> Iterator[tuple[re.Match[bytes], re.Match[bytes] | None]]:
    """Yield the marker at the beginning of each frame, and the one that ends it, if any."""
    ended = {marker[2] for marker in markers if marker[1] == b"End"}
    opened: re.Match[bytes] | None = None
    for marker in markers:
        if opened is None:
            opened = marker if marker[1] == b"Begin" else None
        elif marker[1] == b"End" and marker[2] == opened[2]:
            yield opened, marker
            opened = None
        elif marker[1] == b"Begin" and (data[marker.start() - 1 : marker.start()] == b"\n" or marker[2] in ended):
            # Any other marker is only quoted, because it neither starts a line nor has an end.
            yield opened, marker
            opened = marker
    if opened is not None:
        yield opened, None


def group_dumps(frames: Iterable[LogFrame]) -> tuple[list[tuple[LogFrame, ...]], list[LogFrame]]:
    """Return the dumps among `frames`, allocations first, and the parts whose allocations are missing.

    A module may be printed twice; a part belongs to the last allocations before it.
    """
    dumps: list[dict[int, LogFrame]] = []
    latest: dict[tuple[str, bytes], dict[int, LogFrame]] = {}
    orphans: list[LogFrame] = []
    for frame in frames:
        name = split_part(frame.name)
        if name is None:
            continue
        key = name.stem, pattern_of(frame.prefix) if frame.prefix else b""
        if name.part == 0:
            latest[key] = {0: frame}
            dumps.append(latest[key])
        elif key in latest and name.part not in latest[key]:
            latest[key][name.part] = frame
        else:
            orphans.append(frame)
    return [tuple(parts[part] for part in sorted(parts)) for parts in dumps], orphans
