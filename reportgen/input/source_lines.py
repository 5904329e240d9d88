"""Read the source lines that pages show, only from files below a directory that the user names."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from reportgen.input.line_ends import lines_of
from reportgen.record import record

_LARGEST_BYTES = 4_000_000
_AROUND = 1


@record(kw_only=False)
class SourceLines:
    """Lines of a file: `path` is below the directory of sources, `first` the number of the first line, from 1."""

    path: str
    first: int
    lines: Sequence[str]


@record(kw_only=False)
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

    def file(self, file: str) -> SourceLines | None:
        """Return all lines of `file`; None if the directory does not have it."""
        found = _found(self.directory, file)
        return SourceLines(found[0], 1, found[1]) if found else None


# Cached, because many values come from lines of the same file.
@lru_cache(maxsize=1024)
def _found(directory: Path, file: str) -> tuple[str, Sequence[str]] | None:
    parts = PurePosixPath(file.replace("\\", "/")).parts
    if ".." in parts:
        return None
    root = directory.resolve()
    for start in range(len(parts)):
        below = [part for part in parts[start:] if part.strip("/")]  # because an absolute path begins with a slash
        # Hidden files are no sources, and whoever wrote the dump could name them to have them published.
        if not below or any(part.startswith(".") for part in below):
            continue
        place = root.joinpath(*below)
        try:
            # No link is followed, because it may lead to a file that the directory only seems to have.
            if place.resolve() == place and place.is_file() and place.stat().st_size <= _LARGEST_BYTES:
                return "/".join(below), lines_of(place.read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):  # because a name from a dump may contain anything, such as a null byte
            continue
    return None
