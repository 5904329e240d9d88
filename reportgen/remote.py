"""Files behind a URL, with as much of `pathlib` as searching and reading dumps needs: the one module that knows fsspec.

A request to an object store takes as long as thousands of calls to a disk. So a tree is listed in as few requests as
its file system can, what the listing says is not asked again, and first looks are fetched many at a time.
"""

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from reportgen.errors import UnreadableInput

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*::)*[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HEAD_SIZE = 4096
_HEADS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class RemotePath:
    """A file or folder. `url` is what the user gave, `path` its place in that file system.

    Two strings are handed to other processes, each of which opens the file system for itself. All methods raise
    OSError for whatever goes wrong. `head` is the beginning of the file, or why there is none, where it was fetched
    before; `is_whole` says that there is no more to it.
    """

    url: str
    path: str
    head: bytes | Exception | None = field(default=None, compare=False)
    is_whole: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.url

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
        """Equal for equal files, whichever URL led there."""
        return _file_system(self.url)[0], self.path

    def is_dir(self) -> bool:
        """Unlike `Path.is_dir`, raises where there is nothing at all."""
        with _OSErrors():
            return bool(self._files.info(self.path)["type"] == "directory")

    def is_file(self) -> bool:
        try:
            with _OSErrors():
                return bool(self._files.isfile(self.path))
        except OSError:
            return False

    def open(self) -> io.BufferedReader:
        """For reading bytes; nothing is fetched before the first is read."""
        return _Reader(_RemoteFile(self))

    def read_text(self, encoding: str, errors: str = "strict") -> str:
        with self.open() as file:
            return file.read().decode(encoding, errors)

    @property
    def _files(self) -> Any:
        return _file_system(self.url)[0]


AnyPath: TypeAlias = Path | RemotePath


def is_url(text: str) -> bool:
    """Whether `text` is a URL, or several chained by `::`, and not the name of a file."""
    return _URL.match(text) is not None


def located(text: str) -> AnyPath:
    """What a user calls `text`. Raises UnreadableInput for a URL that cannot be opened by what is installed."""
    if text.lower().startswith("file://"):
        from urllib.parse import urlsplit
        from urllib.request import url2pathname  # brings all of HTTP with it

        return Path(url2pathname(urlsplit(text).path))
    if not is_url(text):
        return Path(text)
    try:
        return RemotePath(text, _file_system(text)[1])
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "fsspec":
            raise UnreadableInput(f"{text}: {_words(error)}") from error
        raise UnreadableInput(f"{text}: a URL needs fsspec: pip install 'xla-reportgen[remote]'") from error
    except Exception as error:
        raise UnreadableInput(f"{text}: {_words(error)}") from error


def _file_system(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, once in each process, and the URL's place in it."""
    return _opened_in(os.getpid(), url)


@cache
def _opened_in(process: int, url: str) -> tuple[Any, str]:
    """A process that was forked has a file system of its own: files that both hold open have one place between them."""
    from fsspec.core import url_to_fs

    files, path = url_to_fs(url)
    return files, path.rstrip("/")


@dataclass(frozen=True, slots=True)
class Listing:
    """A folder of a tree: `sizes` are in bytes, None where the listing does not say. `damage` is why there is none."""

    path: RemotePath
    parts: tuple[str, ...] = ()
    sizes: Mapping[str, int | None] = field(default_factory=dict)
    damage: OSError | None = None


def list_tree(top: RemotePath) -> Iterator[Listing]:
    """`top` and all folders below it that hold files."""
    files = _file_system(top.url)[0]
    return _by_flat_list(top, files) if _has_flat_list(files) else _by_folder(top, files)


def _has_flat_list(files: Any) -> bool:
    """Whether the file system finds all files of a tree in a way of its own, as object stores do, not by folder."""
    from fsspec.asyn import AsyncFileSystem
    from fsspec.spec import AbstractFileSystem

    kind = type(files)
    return kind.find is not AbstractFileSystem.find and getattr(kind, "_find", None) is not AsyncFileSystem._find


def _by_flat_list(top: RemotePath, files: Any) -> Iterator[Listing]:
    folders: dict[tuple[str, ...], dict[str, int | None]] = {}
    try:
        with _OSErrors():
            found = files.find(top.path, detail=True)
    except OSError as error:
        yield Listing(top, damage=error)
        return
    for path, entry in found.items():
        *parts, name = path.removeprefix(top.path).strip("/").split("/")
        if _is_file(entry):
            folders.setdefault(tuple(parts), {})[name] = entry.get("size")
    for parts, sizes in sorted(folders.items()):
        yield Listing(_below(top, parts), parts, sizes)


def _by_folder(top: RemotePath, files: Any, parts: tuple[str, ...] = ()) -> Iterator[Listing]:
    folder = _below(top, parts)
    try:
        with _OSErrors():
            entries = {
                entry["name"].rstrip("/").rpartition("/")[2]: entry for entry in files.ls(folder.path, detail=True)
            }
    except OSError as error:
        yield Listing(folder, parts, damage=error)
        return
    yield Listing(folder, parts, {name: entry.get("size") for name, entry in entries.items() if _is_file(entry)})
    for name in sorted(name for name, entry in entries.items() if entry["type"] == "directory"):
        yield from _by_folder(top, files, (*parts, name))


def _below(top: RemotePath, parts: Iterable[str]) -> RemotePath:
    path = top
    for part in parts:
        path /= part
    return path


def _is_file(entry: Mapping[str, Any]) -> bool:
    """Not the empty object that stands for a folder in some stores."""
    return entry["type"] == "file" and not entry["name"].endswith("/")


class Heads:
    """The beginnings of files, fetched many at a time in the order in which they will be asked for.

    `sizes` are in bytes, None where it is not known, by file in that order.
    """

    def __init__(self, sizes: Mapping[RemotePath, int | None]) -> None:
        self._sizes = sizes
        self._order = list(sizes)
        self._places = {path: place for place, path in enumerate(self._order)}
        self._fetched: dict[RemotePath, bytes | Exception] = {}

    def of(self, path: RemotePath) -> RemotePath:
        """The file with its beginning; without, if it was not among those that would be asked for."""
        if path not in self._places:
            return path
        if path not in self._fetched:
            place = self._places[path]
            self._fetched = self._fetch(self._order[place : place + _HEADS_AT_ONCE])
        head, size = self._fetched[path], self._sizes[path]
        is_whole = isinstance(head, bytes) and size is not None and len(head) >= size
        return replace(path, head=head, is_whole=is_whole)

    def _fetch(self, paths: Sequence[RemotePath]) -> dict[RemotePath, bytes | Exception]:
        """An empty file is not asked for: a store has no such range of it."""
        ends = {path: min(size or _HEAD_SIZE, _HEAD_SIZE) for path in paths if (size := self._sizes[path]) != 0}
        try:
            heads = self._ranges([path.path for path in ends], list(ends.values())) if ends else []
        except Exception as error:
            heads = [error] * len(ends)
        return dict.fromkeys(paths, b"") | dict(zip(ends, heads, strict=True))

    def _ranges(self, paths: list[str], ends: list[int]) -> list[bytes | Exception]:
        files = _file_system(self._order[0].url)[0]
        found: list[bytes | Exception] = files.cat_ranges(paths, [0] * len(paths), ends, on_error="return")
        return found


class _Reader(io.BufferedReader):
    """Lets a decompressor, which asks for much more than it needs, begin with what is here."""

    def read(self, size: int | None = -1, /) -> bytes:
        return self.read1(size) if size is not None and size > _HEAD_SIZE else super().read(size)


class _RemoteFile(io.RawIOBase):
    """Bytes in order; first those of the head."""

    def __init__(self, path: RemotePath) -> None:
        self._path = path
        self._given = 0
        self._rest: Any = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        with _OSErrors():
            piece = self._next(len(view))
        view[: len(piece)] = piece
        self._given += len(piece)
        return len(piece)

    def _next(self, size: int) -> bytes:
        head = self._path.head
        if isinstance(head, Exception):
            raise head
        if head is not None and (self._given < len(head) or self._path.is_whole):
            return head[self._given :][:size]
        if self._rest is None:
            self._rest = _file_system(self._path.url)[0].open(self._path.path, "rb")
            self._rest.seek(self._given)
        piece: bytes = self._rest.read(size)
        return piece

    def close(self) -> None:
        if self._rest is not None:
            self._rest.close()
        super().close()


class _OSErrors:
    """Turns what goes wrong inside the `with` into an OSError that says it; every store has exceptions of its own."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            raise OSError(None, _words(error)) from error


def _words(error: Exception) -> str:
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
