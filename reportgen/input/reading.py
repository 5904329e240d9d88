"""Read untrusted files, plain or compressed by gzip or xz, whole or in pieces.

Files are read and not mapped, because a compiler that rewrites a mapped dump would kill the process that has it
mapped. The bytes before any damage in compressed data are used, because the beginning of a dump answers most
questions.
"""

import lzma
import re
import stat
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from functools import lru_cache, partial
from gzip import GzipFile
from io import BufferedReader, BytesIO
from lzma import LZMAFile
from os import fsencode
from pathlib import Path
from typing import Literal

from reportgen.errors import UnreadableInput
from reportgen.input.dump_text import DumpText, Sibling, TextPart, age_words
from reportgen.input.line_ends import to_utf8, with_newlines
from reportgen.input.logs import LogFrame
from reportgen.input.names import COMPRESSION_SUFFIXES, DumpName, SiblingKind, split_part
from reportgen.input.quoted import unquoted
from reportgen.input.remote import AnyPath
from reportgen.input.repeats import WithoutRepeats
from reportgen.record import record

DEFAULT_MAX_DUMP_BYTES = 4_000_000_000
"""Nine times the largest known dump. A limit is needed because a few megabytes can decompress to any size."""


class TooLarge(Exception):
    """Raised for a file that has more bytes, decompressed, than the limit."""


UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError, TooLarge)
"""The exceptions that opening or reading can raise; `reason` describes them."""

_Read = tuple[bytes, str | None]
"""What can be read of a file, and why some of it is missing."""

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\0"
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

_LEFT_OUT = "{:,} lines between those of the dump are left out, because others begin with something else"
_FIRST_PIECE = 4096  # small, because only the first line of most files is needed
_PIECE = 1 << 20


@record(kw_only=False)
class PartFile:
    """One part of a dump: a file, a frame of a log, or a proto.

    `proto` names the module in a profile; it is empty for a file that is one proto, and None for text.
    """

    path: AnyPath
    label: str
    frame: LogFrame | None
    proto: str | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether a name or a frame says that this is a whole file of the compiler."""
        return self.frame.is_complete if self.frame else split_part(self.path.name) is not None


@record(kw_only=False)
class SiblingFile:
    """Another file that XLA wrote about the module of a dump."""

    kind: SiblingKind
    path: AnyPath
    label: str


@record
class DumpFiles:
    """The files of one dump: allocations, values and live ranges, in this order; the last two are often missing.

    `label` identifies the dump: it is the allocations file relative to the given path, with forward slashes.
    `siblings` are other files about the same module. No file with more than `max_bytes`, decompressed, is read.
    """

    label: str
    name: DumpName
    parts: tuple[PartFile, ...]
    notes: AnyPath | None
    siblings: tuple[SiblingFile, ...] = ()
    max_bytes: int = DEFAULT_MAX_DUMP_BYTES

    @property
    def place(self) -> object:
        """Return the path, frame and proto of the first part, which identify the dump whatever its label."""
        first = self.parts[0]
        return first.path, first.frame, first.proto


@record(kw_only=False)
class Problem:
    """A fact about the input that users should know; `file` is a label."""

    severity: Literal["error", "warning", "note"]
    file: str
    message: str


def printable(path: AnyPath | str) -> str:
    """Return a path as text that can always be encoded, with forward slashes, even if its name is not UTF-8."""
    text = path.as_posix() if isinstance(path, Path) else str(path)
    return fsencode(text).decode("utf-8", "replace")


def reason(error: Exception) -> str:
    """Return why reading failed, without the name of the file."""
    match error:
        case TooLarge(args=(limit,)):
            return f"it has more than {limit:,} bytes; --max-dump-bytes N allows more"
        case EOFError():
            return "its compressed data stops before the end"
        case OSError(strerror=str(words)):
            return f"it cannot be read: {words}"
        case _:
            return f"its compressed data is damaged: {error}"


def pieces(path: AnyPath) -> Generator[bytes]:
    """Yield the decompressed bytes of `path`, with UTF-8 instead of UTF-16, which no proto begins as.

    The first piece is small, because many callers take only that one.

    Raises one of UNREADABLE after yielding everything before the damage, or for a pipe or device.
    """
    # A pipe would block until somebody writes into it, and a device may have no end.
    if isinstance(path, Path) and not stat.S_ISREG(path.stat().st_mode):
        raise OSError(None, "not a regular file")
    with path.open("rb") as file:
        stream = _decompressed(path, file)
        size, converted = _FIRST_PIECE, None
        while piece := stream.read1(size):  # `read` would lose the bytes before damage in the same piece
            if size == _FIRST_PIECE:
                converted = to_utf8(piece)
            yield converted(piece) if converted else piece
            size = _PIECE


def _decompressed(path: AnyPath, file: BufferedReader) -> BufferedReader | GzipFile | LZMAFile:
    """Return a stream that decompresses `file` according to its first bytes.

    The suffix does not decide, because a `.gz` may have been decompressed in transit and kept its name.
    """
    head = file.peek(_FIRST_PIECE)
    if head.startswith(_GZIP_MAGIC):
        return GzipFile(fileobj=file, mode="rb")
    if head.startswith(_XZ_MAGIC):
        return LZMAFile(file)
    if path.suffix.lower() in COMPRESSION_SUFFIXES and _NOT_TEXT.search(head):
        raise zlib.error(f"it does not begin as {path.suffix} data does")
    return file


def why_unreadable(path: AnyPath) -> str | None:
    """Return why not even the first piece of a file can be read; None if it can be."""
    try:
        with closing(pieces(path)) as stream:
            next(stream, b"")
    except UNREADABLE as error:
        return reason(error)
    return None


def read_available(path: AnyPath, max_bytes: int = DEFAULT_MAX_DUMP_BYTES) -> _Read:
    """Return the readable bytes of `path`, and why some are missing; no bytes if there are more than `max_bytes`."""
    text = BytesIO()
    size, damage = _read(path, max_bytes, text)
    return text.getvalue() if size else b"", damage


def read_text(path: AnyPath, max_bytes: int = DEFAULT_MAX_DUMP_BYTES) -> _Read:
    """Return what `read_available` does, with newlines as line ends."""
    data, damage = read_available(path, max_bytes)
    return with_newlines(data), damage


def read_whole(path: AnyPath, max_bytes: int) -> bytes:
    """Return the bytes of `path`. Raises UnreadableInput if any of them are missing."""
    data, damage = read_available(path, max_bytes)
    if damage:
        raise UnreadableInput(f"{path}: {damage}")
    return data


def is_missing(path: AnyPath) -> bool:
    """Return whether a path or URL leads nowhere, which is not an error for a baseline."""
    try:
        path.stat() if isinstance(path, Path) else path.is_dir()  # which asks the store, unlike opening it
    except OSError as error:  # of any other kind will be reported when it is read
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False


def _read(path: AnyPath, max_bytes: int, text: BytesIO | WithoutRepeats) -> tuple[int, str | None]:
    """Write the bytes of `path` into `text`; return how many of them are usable, and why some are missing."""
    size = 0
    try:
        if isinstance(path, Path) and path.stat().st_size > max_bytes:
            raise TooLarge(max_bytes)
        for piece in pieces(path):
            size += len(piece)
            if size > max_bytes:  # again, because only reading shows how much compressed data holds
                raise TooLarge(max_bytes)
            text.write(piece)
    except UNREADABLE as error:
        return 0 if isinstance(error, TooLarge) else size, reason(error)
    return size, None


def load_text(files: DumpFiles, *, keeps_repeats: bool = False) -> tuple[DumpText, tuple[Problem, ...]]:
    """Return the text of a dump and the problems met while reading it, for dumps that are text.

    Repeated instruction texts are cut unless `keeps_repeats` (see `reportgen.input.repeats`). Raises UnreadableInput
    if no allocations can be read; other unreadable parts are left out.
    """
    texts: list[TextPart] = []
    problems: list[Problem] = []
    for part in files.parts:
        whole_lines: Sequence[int] = ()
        if part.frame or keeps_repeats:  # because the offsets of a frame count all bytes
            read = partial(read_shared, read=read_text) if part.frame else read_text
            data, damage = read(part.path, files.max_bytes)
            size = len(data)
        else:
            collected = WithoutRepeats()
            size, damage = _read(part.path, files.max_bytes, collected)
            data, whole_lines = collected.getvalue() if size else b"", collected.whole_lines
        if not data and damage and not texts:
            raise UnreadableInput(f"{part.label}: {damage}")
        if data or not damage:
            left_out = 0
            text = TextPart(part.label, data, whole_lines, is_whole=part.is_whole)
            if part.frame:
                text, left_out = _in_frame(part, data, part.frame)
            texts.append(text)
            if left_out:
                problems.append(Problem("warning", part.label, _LEFT_OUT.format(left_out)))
        if problem := _problem_of(part, size, damage):
            problems.append(problem)
    return DumpText(tuple(texts)), tuple(problems)


def _in_frame(part: PartFile, data: bytes, frame: LogFrame) -> tuple[TextPart, int]:
    """Return the text of a frame of a log, and how many of its lines are left out because others wrote them."""
    text = data[frame.start : frame.end]
    if frame.prefix is None:
        return TextPart(part.label, text, first_line=frame.line, is_whole=part.is_whole), 0
    plain, places, left_out = unquoted(text, frame.prefix, frame.line)
    return TextPart(part.label, plain, places=places, is_whole=part.is_whole), left_out


def read_shared(path: AnyPath, max_bytes: int, read: Callable[[AnyPath, int], _Read]) -> _Read:
    """Return what `read` returns for a log or a profile; cached for other dumps in it."""
    stamp = None
    with suppress(OSError):  # which `read` reports
        status = path.stat() if isinstance(path, Path) else None
        stamp = status and (status.st_mtime_ns, status.st_size)
    return _last_shared(path, max_bytes, read, stamp)


# The stamp is a part of the key, because a file that has changed must be read again.
@lru_cache(maxsize=1)
def _last_shared(path: AnyPath, max_bytes: int, read: Callable[[AnyPath, int], _Read], _: object) -> _Read:
    return read(path, max_bytes)


def load_siblings(files: DumpFiles) -> tuple[Sibling, ...]:
    """Return the sibling files of a dump, each up to `max_bytes`; the comparison with the dump reports damaged ones."""
    siblings: list[Sibling] = []
    for file in files.siblings:
        data, _ = (read_available if file.kind == "proto" else read_text)(file.path, files.max_bytes)
        siblings.append(Sibling(file.kind, file.label, data, _older_seconds(file.path, files.parts[0].path)))
    return tuple(siblings)


def newer_words(path: AnyPath, part: AnyPath) -> str:
    """Return when a file was written if that was after a part of a dump; empty if it may have been before."""
    return age_words(min(_older_seconds(path, part), 0))


def _older_seconds(path: AnyPath, part: AnyPath) -> int:
    """Return how many seconds before a part of a dump a file was written; 0 where the store does not say."""
    if not isinstance(path, Path) or not isinstance(part, Path):
        return 0
    try:
        return int(part.stat().st_mtime - path.stat().st_mtime)
    except OSError:  # it is gone, which reading it has reported
        return 0


def _problem_of(part: PartFile, size: int, damage: str | None) -> Problem | None:
    """Return the problem with a part, if any. Damage in a log does not count outside of the part's frame."""
    if damage and not size:
        return Problem("error", part.label, f"{damage}; the dump is shown without this part")
    if part.frame and part.frame.end > size:
        return Problem("warning", part.label, "the log became shorter while it was being read")
    if damage and not part.frame:
        return Problem("warning", part.label, f"{damage}; the first {size:,} bytes are used")
    return None
