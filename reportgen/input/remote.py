"""Read files at URLs through the methods of `pathlib` that discovery and reading use. Only this module knows fsspec.

A request to an object store takes as long as thousands of calls to a disk. Facts in the listing of a folder are
therefore not requested again, and the beginnings of files are fetched in bulk.
"""

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from functools import cache
from itertools import dropwhile, islice
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from reportgen.errors import UnreadableInput
from reportgen.patterns import repeated
from reportgen.record import record

_URL = re.compile(repeated(r"[a-z][a-z0-9+.-]*::") + r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
_HEAD_SIZE = 4096  # as much as `reading.pieces` reads first, because most files need no second request then
_HEADS_AT_ONCE = 1000


@record(kw_only=False)
class RemotePath:
    """A remote file or folder. `url` was given by the user, and `path` is the path in that file system.

    Pickling keeps the URL and the path, so each process opens the file system for itself. All methods raise OSError
    for any failure. `head` is the beginning of the file if it was fetched, or the error that occurred; `is_whole` says
    whether it is the whole file.
    """

    url: str
    path: str
    head: bytes | Exception | None = field(default=None, compare=False)
    is_whole: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return without_password(self.url)

    def __truediv__(self, name: str) -> "RemotePath":
        return RemotePath(self.url, f"{self.path}/{name}" if self.path else name)

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.path).suffix

    @property
    def parent(self) -> "RemotePath":
        return RemotePath(self.url, self.path.rpartition("/")[0])

    @property
    def identity(self) -> tuple[object, str]:
        """Return a value that is equal for equal files, whichever URL leads there."""
        return _file_system(self.url)[0], self.path

    def is_dir(self) -> bool:
        """Return whether this is a directory. Unlike `Path.is_dir`, raises OSError if it does not exist."""
        with _os_errors():
            return bool(self._files.info(self.path)["type"] == "directory")

    def listed(self) -> tuple[Sequence[str], Mapping[str, int | None]]:
        """Return the names of the folders in a folder, and of its files with their bytes, None if unknown."""
        with _os_errors():
            entries = self._files.ls(self.path, detail=True)
        folders: list[str] = []
        files: dict[str, int | None] = {}
        for entry in entries:
            place = entry["name"].rstrip("/")
            name = place.rpartition("/")[2]
            if entry["type"] == "directory" and place != self.path:  # which some stores list in itself
                folders.append(name)
            elif entry["type"] == "file" and entry["name"] == place:  # some represent a folder by an empty file `d/`
                files[name] = entry.get("size")
        return folders, files

    def is_file(self) -> bool:
        with suppress(OSError), _os_errors():
            return bool(self._files.isfile(self.path))
        return False

    def open(self, _: Literal["rb"] = "rb") -> io.BufferedReader:
        """Open the file for reading bytes; the first read sends the first request."""
        return _Reader(_RemoteFile(self))

    @property
    def _files(self) -> Any:
        return _file_system(self.url)[0]


AnyPath: TypeAlias = Path | RemotePath


def is_url(text: str) -> bool:
    """Return whether `text` is a URL, or several chained by `::`, and not the name of a file."""
    return _URL.match(text) is not None


def without_password(text: str) -> str:
    """Return a text without the users and passwords in its URLs."""
    return _CREDENTIALS.sub("", text)


def located(text: str) -> AnyPath:
    """Return the path that `text` names. Raises UnreadableInput for a URL that no installed package can open."""
    if text.lower().startswith("file://"):
        # Imported here, because it imports HTTP, which takes a tenth of a small check.
        from urllib.request import url2pathname

        return Path(url2pathname(urlsplit(text).path))
    if not is_url(text):
        return Path(text)
    try:
        return RemotePath(text, _file_system(text)[1])
    except Exception as error:  # any, because every store has its own exceptions
        lacks_fsspec = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == "fsspec"
        words = "a URL needs fsspec: pip install 'xla-reportgen[remote]'" if lacks_fsspec else _words(error)
        raise UnreadableInput(without_password(f"{text}: {words}")) from error


def _file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL and the path in it, opened once per process."""
    return _file_system_of(os.getpid(), url)


# Cached per process, because a file that is open in two forked processes has only one position.
@cache
def _file_system_of(process: int, url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    files, path = url_to_fs(url)
    return files, path.rstrip("/")


class Heads:
    """The beginnings of files, fetched in bulk in the order in which they will be needed.

    `sizes` maps the files, in that order, to their bytes, or None if unknown.
    """

    def __init__(self, sizes: Mapping[RemotePath, int | None]) -> None:
        self._sizes = sizes
        self._fetched: dict[RemotePath, bytes | Exception] = {}

    def of(self, path: RemotePath) -> RemotePath:
        """Return the file with its beginning, or without it if the file is not one of `sizes`."""
        if path not in self._sizes:
            return path
        if path not in self._fetched:
            needed = dropwhile(lambda other: other != path, self._sizes)
            self._fetched = self._fetch(list(islice(needed, _HEADS_AT_ONCE)))
        head, size = self._fetched[path], self._sizes[path]
        is_whole = isinstance(head, bytes) and size is not None and len(head) >= size
        return replace(path, head=head, is_whole=is_whole)

    def _fetch(self, paths: Sequence[RemotePath]) -> dict[RemotePath, bytes | Exception]:
        # Empty files are not requested, because a store refuses a range outside the file.
        ends = {path: min(size or _HEAD_SIZE, _HEAD_SIZE) for path in paths if (size := self._sizes[path]) != 0}
        try:
            files, paths_inside = _file_system(paths[0].url)[0], [path.path for path in ends]
            starts = [0] * len(ends)
            heads = files.cat_ranges(paths_inside, starts, list(ends.values()), on_error="return") if ends else []
        except Exception as error:  # one for all files; each raises it only when it is read
            heads = [error] * len(ends)
        return dict.fromkeys(paths, b"") | dict(zip(ends, heads, strict=True))


class _Reader(io.BufferedReader):
    """Return to a decompressor what is available, because it requests much more than it needs."""

    def read(self, size: int | None = -1, /) -> bytes:
        return self.read1(size) if size is not None and size > _HEAD_SIZE else super().read(size)


class _RemoteFile(io.RawIOBase):
    """Read the bytes of a remote file, without fetching those of its head again."""

    def __init__(self, path: RemotePath) -> None:
        self._path = path
        self._position = 0
        self._rest: Any = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        with _os_errors():
            piece = self._next(len(view))
        view[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def _next(self, size: int) -> bytes:
        head = self._path.head
        if isinstance(head, Exception):
            raise head
        if head is not None and (self._position < len(head) or self._path.is_whole):
            return head[self._position :][:size]
        if self._rest is None:
            self._rest = _file_system(self._path.url)[0].open(self._path.path, "rb")
            self._rest.seek(self._position)
        piece: bytes = self._rest.read(size)
        return piece

    def close(self) -> None:
        if self._rest is not None:
            self._rest.close()
        super().close()


@contextmanager
def _os_errors() -> Iterator[None]:
    """Turn any exception inside the `with` into an OSError, because every store has its own exceptions.

    What is missing stays a FileNotFoundError.
    """
    try:
        yield
    except Exception as error:
        kind = FileNotFoundError if isinstance(error, FileNotFoundError) else OSError
        raise kind(None, without_password(_words(error))) from error


def _words(error: Exception) -> str:
    """Return the message of an exception for users; each store puts it in another place."""
    match error:
        case OSError(strerror=str(words)):
            return words
        case FileNotFoundError():
            return f"there is no such file, folder or bucket ({error})"
        case PermissionError():
            return f"permission denied ({error})"
        case ImportError() | ValueError() | OSError() if str(error):
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}".removesuffix(": ")
