"""Opening files: plain, gzip or xz, whole or in pieces, and never more trust than they deserve.

A file is read into bytes and not mapped: a compiler that rewrites its dump while we read would kill a
process that has it mapped. What damaged compression still yields is kept, because the beginning of a
dump answers most questions.
"""

import lzma
import re
import stat
import zlib
from collections.abc import Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, partial
from gzip import GzipFile
from io import BufferedReader, BytesIO
from lzma import LZMAFile
from os import fsencode
from pathlib import Path
from typing import Literal

from reportgen.defaults import DEFAULT_MAX_DUMP_BYTES
from reportgen.dump_names import COMPRESSION_SUFFIXES, DumpName, SiblingKind
from reportgen.errors import UnreadableInput
from reportgen.remote import AnyPath, RemotePath
from reportgen.source import DumpText, Sibling, TextPart


class TooLarge(Exception):
    """A file has more bytes, decompressed, than are read of one."""


UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError, TooLarge)
"""What opening or reading can raise; `reason` turns it into words."""

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\0"
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

_FIRST_PIECE = 4096
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class PartFile:
    """One part of a dump: a file, or the bytes [`frame[0]`, `frame[1]`) of a decompressed log."""

    path: AnyPath
    label: str
    frame: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class SiblingFile:
    """A file beside a dump that speaks of the same module."""

    kind: SiblingKind
    path: AnyPath
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpFiles:
    """One dump: allocations first, then values, then live ranges; the last two are often missing.

    `label` is its unique identity: the allocations file relative to the path given, with forward slashes.
    `siblings` are what else XLA wrote of the same module. Of no file are more than `max_bytes` read, decompressed.
    """

    label: str
    name: DumpName
    parts: tuple[PartFile, ...]
    notes: AnyPath | None
    siblings: tuple[SiblingFile, ...] = ()
    max_bytes: int = DEFAULT_MAX_DUMP_BYTES


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about the input that a user should hear; `file` is a label."""

    severity: Literal["error", "warning", "note"]
    file: str
    message: str


def printable(path: AnyPath | str) -> str:
    """A name for people: forward slashes, and encodable even where the file's name is not UTF-8."""
    text = path.as_posix() if isinstance(path, Path) else str(path)
    return fsencode(text).decode("utf-8", "replace")


def reason(error: Exception) -> str:
    """Why reading failed, without the file's name."""
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
    """The decompressed bytes of `path`. The first piece is small, so that a look at it stays cheap.

    Raises one of UNREADABLE, after everything before the damage. A pipe or device is not opened.
    """
    with _opened(path) as file:
        stream = _decompressed(path, file)
        size = _FIRST_PIECE
        while piece := stream.read1(size):
            yield piece
            size = _PIECE


def _opened(path: AnyPath) -> BufferedReader:
    if isinstance(path, RemotePath):
        return path.open()
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(None, "not a regular file")
    return path.open("rb")


def _decompressed(path: AnyPath, file: BufferedReader) -> BufferedReader | GzipFile | LZMAFile:
    """By the first bytes; a `.gz` that is text was decompressed on its way and kept its name."""
    head = file.peek(_FIRST_PIECE)
    if head.startswith(_GZIP_MAGIC):
        return GzipFile(fileobj=file, mode="rb")
    if head.startswith(_XZ_MAGIC):
        return LZMAFile(file)
    if path.suffix.lower() in COMPRESSION_SUFFIXES and _NOT_TEXT.search(head):
        raise zlib.error(f"it does not begin as {path.suffix} data does")
    return file


def why_unreadable(path: AnyPath) -> str | None:
    """The reason if not even the first piece can be read."""
    try:
        with closing(pieces(path)) as stream:
            next(stream, b"")
    except UNREADABLE as error:
        return reason(error)
    return None


def read_available(path: AnyPath, max_bytes: int = DEFAULT_MAX_DUMP_BYTES) -> tuple[bytes, str | None]:
    """What can be read of `path`, and why that is not everything; nothing of a file with more than `max_bytes`."""
    read = BytesIO()
    try:
        with suppress(OSError):  # then what comes before the damage is read
            if (data := _plain(path, max_bytes)) is not None:
                return data, None
        for piece in pieces(path):
            if read.tell() + len(piece) > max_bytes:
                raise TooLarge(max_bytes)
            read.write(piece)
    except TooLarge as error:
        return b"", reason(error)
    except UNREADABLE as error:
        return read.getvalue(), reason(error)
    return read.getvalue(), None


def _plain(path: AnyPath, max_bytes: int) -> bytes | None:
    """All of a local file that is not compressed, in one read: a large dump is not held twice. None for any other."""
    if isinstance(path, RemotePath):
        return None
    with _opened(path) as file:
        if _decompressed(path, file) is not file:
            return None
    if path.stat().st_size > max_bytes:
        raise TooLarge(max_bytes)
    return path.read_bytes()


def load_text(files: DumpFiles) -> tuple[DumpText, tuple[Problem, ...]]:
    """The text of a dump, and what was wrong while reading it.

    Raises UnreadableInput if nothing of the allocations can be read; other parts are left out.
    """
    read = cache(partial(read_available, max_bytes=files.max_bytes))  # a log holds several parts
    texts: list[TextPart] = []
    problems: list[Problem] = []
    for part in files.parts:
        data, damage = read(part.path)
        if not data and damage and not texts:
            raise UnreadableInput(f"{part.label}: {damage}")
        if data or not damage:
            texts.append(_text_part(part, data))
        if problem := _problem_of(part, data, damage):
            problems.append(problem)
    return DumpText(tuple(texts)), tuple(problems)


def load_siblings(files: DumpFiles) -> tuple[Sibling, ...]:
    """What lies beside the dump. What is damaged is left to the comparison to say."""
    return tuple(Sibling(one.kind, one.label, read_available(one.path)[0]) for one in files.siblings)


def _text_part(part: PartFile, data: bytes) -> TextPart:
    start, end = part.frame or (0, len(data))
    return TextPart(part.label, data, min(start, len(data)), min(end, len(data)))


def _problem_of(part: PartFile, data: bytes, damage: str | None) -> Problem | None:
    """Damage of a log outside the part's frame is no problem of this dump."""
    if damage and not data:
        return Problem("error", part.label, f"{damage}; the dump is shown without this part")
    if part.frame and part.frame[1] > len(data):
        return Problem("warning", part.label, "the log became shorter while it was read")
    if damage and not part.frame:
        return Problem("warning", part.label, f"{damage}; the {len(data):,} bytes before that are used")
    return None
