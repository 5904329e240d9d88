"""Read the source lines that pages show, only from files below a directory that the user names."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

_LARGEST_BYTES = 4_000_000
_AROUND = 1


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Lines of a file: `path` is below the directory of sources, `first` the number of the first line, from 1."""

    path: str
    first: int
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class SourceRoot:
    """A directory of source files."""

    directory: Path

    def around(self, file: str, line: int) -> SourceLines | None:
        """Return a line of `file` with its neighbours; None if the directory has no such line.

        `file` is the path that the compiler was given, often on another machine, so it is matched by its longest end
        that exists below the directory.
        """
        found = _found(self.directory, file)
        if found is None:
            return None
        path, lines = found
        if not 1 <= line <= len(lines):
            return None
        first = max(1, line - _AROUND)
        return SourceLines(path, first, lines[first - 1 : line + _AROUND])


# Cached, because many values come from lines of the same file.
@lru_cache(maxsize=1024)
def _found(directory: Path, file: str) -> tuple[str, Sequence[str]] | None:
    parts = PurePosixPath(file.replace("\\", "/")).parts
    if ".." in parts:
        return None
    root = directory.resolve()
    for start in range(len(parts)):
        path = "/".join(parts[start:]).lstrip("/")  # because the first part of an absolute path is a slash
        try:
            real = (root / path).resolve()
            if path and real.is_relative_to(root) and real.is_file() and real.stat().st_size <= _LARGEST_BYTES:
                return path, real.read_text(encoding="utf-8", errors="replace").splitlines()
        except (OSError, ValueError):  # because a name from a dump may contain anything, such as a null byte
            continue
    return None
