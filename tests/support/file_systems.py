"""Provide a file system for fsspec that records all requests and fails on demand.

Its files are in memory, and no other process sees them.
"""

from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem


class Counted(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
    """`counted://`; `requests` counts what would go over a network, by kind."""

    protocol = "counted"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    requests: ClassVar[Counter[str]] = Counter()
    fetched: ClassVar[Counter[str]] = Counter()
    refused: ClassVar[dict[str, Exception]] = {}
    breaks_at: ClassVar[dict[str, int]] = {}

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        stripped: str = super()._strip_protocol(path.removeprefix(f"{cls.protocol}://"))
        return stripped

    @classmethod
    def fill(cls, folder: Path, name: str = "") -> None:
        """Return a copy of `folder`, as the folder `name`."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                cls().pipe_file(f"/{name}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def _ask(self, kind: str, path: str) -> None:
        self.requests[kind] += 1
        if error := self.refused.get(Path(path).name):
            raise error

    def ls(self, path: str, detail: bool = True, **named: Any) -> Any:
        self._ask("ls", path)
        return super().ls(path, detail, **named)

    def info(self, path: str, **named: Any) -> Any:
        self._ask("info", path)
        return super().info(path, **named)

    def isfile(self, path: str) -> Any:
        self._ask("info", path)
        return super().isfile(path)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **named: Any) -> bytes:
        self._ask("cat_file", path)
        piece: bytes = self.store[self._strip_protocol(path)].getvalue()[start:end]
        self.fetched[Path(path).name] += len(piece)
        return piece

    def cat_ranges(self, paths: list[str], starts: Any, ends: Any, *rest: Any, **named: Any) -> Any:
        self.requests["cat_ranges"] += 1
        return super().cat_ranges(paths, starts, ends, *rest, **named)

    def _open(self, path: str, mode: str = "rb", **named: Any) -> Any:
        self._ask("open", path)
        file = super()._open(path, mode, **named)
        if mode == "rb" and (limit := self.breaks_at.get(Path(path).name)) is not None:
            return _Breaking(file, limit)
        return file


class _Breaking:
    """A connection that is lost after `limit` bytes, with an exception that is no OSError."""

    def __init__(self, file: Any, limit: int) -> None:
        self._file = file
        self._limit = limit

    def seek(self, place: int) -> None:
        self._file.seek(place)

    def read(self, size: int) -> bytes:
        piece: bytes = self._file.read(min(size, self._limit - self._file.tell()))
        if not piece:
            raise RuntimeError("the connection was lost")
        return piece

    def close(self) -> None:
        self._file.close()


def register() -> None:
    """Register it with fsspec, empty."""
    Counted.pseudo_dirs[:] = [""]
    for memory in (Counted.store, Counted.requests, Counted.fetched, Counted.refused, Counted.breaks_at):
        memory.clear()
    fsspec.register_implementation(Counted.protocol, Counted, clobber=True)
