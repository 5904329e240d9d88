"""Keep what cannot be searched where it is in a temporary folder: an archive, and what comes through a pipe.

Anybody may have made an archive. Only its regular files with names inside of the folder are written, up to a limit.
"""

import atexit
import os
import shutil
import stat
import tarfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path, PureWindowsPath
from tempfile import mkdtemp
from typing import Any, Literal, Self
from zipfile import BadZipFile, ZipFile, is_zipfile

from reportgen.errors import UnreadableInput
from reportgen.input.names import is_archive
from reportgen.input.reading import UNREADABLE, Problem, TooLarge, printable, reason
from reportgen.input.remote import AnyPath, RemotePath

_Why = tuple[Literal["error", "warning"], str]
Archive = tuple[Path, Sequence[Problem]]
"""The folder in which an archive is unpacked, and what is lost or refused."""

_Member = tuple[str, int, float, Callable[[], Any] | None]
"""Name, size and time of a member, and what opens it; None for a link or a device."""

_MOST_FILES = 100_000
_LONGEST_NAME = 1 << 20
_DAMAGES = (*UNREADABLE, tarfile.TarError, BadZipFile, RuntimeError, ValueError)
"""Raised for damaged and encrypted members, unknown compression, and names that no file can have."""
_CUT_OFF = ("unexpected end of data", "truncated header", "empty header", "File is not a zip file")
"""What Python says of an archive whose end is missing, where a zip has the list of its files."""


class _Header(tarfile.TarInfo):
    """A header of a tar archive. One for a long name or attributes is held in memory, so it has a limit."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if not header.isreg() and header.size > _LONGEST_NAME:
            raise tarfile.ReadError("a header is too long")
        return header


def kept_pipe(path: Path) -> Path:
    """Return a copy of what comes through a pipe, which is read more than once; other paths as they are.

    It lasts until this process ends. Raises UnreadableInput if the pipe cannot be read or its content cannot be kept.
    """
    return _copied(path, f"{path.name}.txt") if path.is_fifo() else path


def unpacked(path: AnyPath, max_bytes: int) -> Archive | None:
    """Return the content of an archive, in a folder that lasts until this process ends; None for any other file.

    Raises UnreadableInput if it has more than `max_bytes` in all, or nothing of it can be read.
    """
    if isinstance(path, RemotePath):
        if not is_archive(path.name):
            return None
        path = _copied(path, path.name)
    with suppress(OSError):  # reported where the file is read
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and (_is_tar(path) or _is_zip(path)):
            return _unpacked(path, max_bytes, status.st_mtime_ns)
    return None


# The time is a part of the key, because a file that has changed must be unpacked again.
@lru_cache(maxsize=64)
def _unpacked(path: Path, max_bytes: int, _: int) -> Archive:
    left_out: dict[_Why, list[str]] = defaultdict(list)
    problems, size = list[Problem](), 0
    top = Path(mkdtemp(dir=_temporary_folder()))
    try:
        for count, member in enumerate(_members(path), start=1):
            size += member[1]
            if size > max_bytes:
                raise UnreadableInput(f"{path}: {reason(TooLarge(max_bytes))}")
            if count > _MOST_FILES:
                raise UnreadableInput(f"{path}: it has more than {_MOST_FILES:,} files; unpack it and give the folder")
            if why := _why_left_out(member, top):
                left_out[why].append(member[0])
    except _DAMAGES as error:
        if not any(top.iterdir()):
            raise UnreadableInput(f"{path}: {_reason(error)}") from error
        problems.append(Problem("error", printable(path.name), f"{_reason(error)}; the files before that are used"))
    for (severity, cause), (name, *others) in left_out.items():
        words = f"not read: {cause}" + (f"; so are {len(others):,} others" if others else "")
        problems.append(Problem(severity, printable(name), words))
    names = list(top.iterdir())
    if not names and not problems:
        raise UnreadableInput(f"{path}: it is an archive without files")
    packed = names[0] if len(names) == 1 and names[0].is_dir() else top
    return packed.rename(top.parent / path.name), problems


def _reason(error: Exception) -> str:
    """Return why an archive or a member of it cannot be read."""
    if isinstance(error, OSError | EOFError):
        return reason(error)
    damage = "its end is missing" if str(error) in _CUT_OFF else "it is damaged"
    words = "its compression is unknown" if isinstance(error, NotImplementedError) else "it is encrypted"
    return words if isinstance(error, RuntimeError) else damage


def _members(path: Path) -> Iterator[_Member]:
    if not _is_tar(path):
        with ZipFile(path) as archive:
            for entry in (entry for entry in archive.infolist() if not entry.is_dir()):
                is_file = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG)
                modified = time.mktime((*entry.date_time, 0, 0, -1))
                yield entry.filename, entry.file_size, modified, partial(archive.open, entry) if is_file else None
        return
    with tarfile.open(path, tarinfo=_Header) as tar:
        for header in (header for header in tar if not header.isdir()):
            content = partial(tar.extractfile, header) if header.isreg() else None
            yield header.name, header.size, header.mtime, content
        stream: Any = tar.fileobj
        stream.seek(tar.offset)  # because `tarfile` takes a damaged header for the end, too
        if (block := stream.read(tarfile.BLOCKSIZE)) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError(_CUT_OFF[0] if len(block) < tarfile.BLOCKSIZE else "a header cannot be read")


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\3\4" or is_zipfile(path)


def _is_tar(path: Path) -> bool:
    with suppress(*_DAMAGES), tarfile.open(path, tarinfo=_Header) as tar:
        return tar.next() is not None or is_archive(path.name)
    return False


def _why_left_out(member: _Member, top: Path) -> _Why | None:
    """Write a member below `top`, or return why it is not written."""
    name, _, modified, content = member
    if content is None:
        return "warning", "it is a link or a device"
    parts = PureWindowsPath(name)  # which splits at slashes, too
    if parts.anchor or ".." in parts.parts:
        return "warning", "its name leads out of the archive"
    place = top / name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with content() as source, place.open("wb") as target:
            shutil.copyfileobj(source, target)
        with suppress(OverflowError, ValueError):  # a time that no file can have
            os.utime(place, (modified, modified))  # because files of one compilation have one time
    except _DAMAGES as error:
        with suppress(*_DAMAGES):
            place.unlink()
        return "error", _reason(error)
    return None


def _temporary_folder() -> Path:
    folder, maker = mkdtemp(prefix="reportgen-"), os.getpid()

    @atexit.register
    def remove() -> None:
        if os.getpid() == maker:  # because the end of a worker process is one, too, from Python 3.13 on
            shutil.rmtree(folder, ignore_errors=True)

    return Path(folder)


def _copied(path: AnyPath, name: str) -> Path:
    """Return a copy of what can be read once, or only slowly."""
    copy = _temporary_folder() / name
    try:
        with path.open("rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        raise UnreadableInput(f"{path}: it cannot be read: {error.strerror or error}") from error
    return copy
