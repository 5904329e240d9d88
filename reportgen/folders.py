"""Walking directories: every real one once, in an order that does not depend on the file system."""

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from reportgen.dump_names import split_part
from reportgen.reading import printable, reason

_NEVER_DUMPS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory and the sorted names of its files; `prefix` is what their labels begin with.

    `damage` is why it cannot be listed.
    """

    path: Path
    prefix: str = ""
    names: tuple[str, ...] = ()
    damage: str | None = None

    def label(self, name: str) -> str:
        return self.prefix + printable(name)

    def notes(self, stem: str) -> Path | None:
        """`<stem>.md`, for a stem that may be any text, because a log can say what it likes."""
        path = self.path / f"{stem}.md"
        try:
            return path if path.parent == self.path and path.is_file() else None
        except OSError:  # longer than a name can be
            return None


def walk(top: Path, without: Path | None = None) -> Iterator[Folder]:
    """`top` and all below it but the directory `without`.

    What is behind links comes last, so that labels show where a file really is.
    """
    visited = {_identity(without.stat())} if without and without.is_dir() else set()
    waiting, links = deque([Folder(top)]), deque[Folder]()
    while waiting or links:
        folder = (waiting or links).popleft()
        try:
            status = folder.path.stat()
            entries = _entries(folder.path)
        except OSError as error:
            yield replace(folder, damage=reason(error))
            continue
        if _identity(status) in visited:
            continue
        visited.add(_identity(status))
        for entry in entries:
            if _kind(entry) == "folder" and entry.name not in _NEVER_DUMPS:
                below = Folder(folder.path / entry.name, f"{folder.label(entry.name)}/")
                (links if entry.is_symlink() else waiting).append(below)
        yield replace(folder, names=tuple(entry.name for entry in entries if _matters(entry)))


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _entries(path: Path) -> list["os.DirEntry[str]"]:
    with os.scandir(path) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _kind(entry: "os.DirEntry[str]") -> Literal["folder", "file", "other"]:
    try:
        return "folder" if entry.is_dir() else "file" if entry.is_file() else "other"
    except OSError:  # a link to itself
        return "other"


def _matters(entry: "os.DirEntry[str]") -> bool:
    """Files that are not hidden, and whatever is called like a part of a dump: its failing must be said."""
    kind = _kind(entry)
    is_failing_part = kind == "other" and split_part(entry.name) is not None
    return not entry.name.startswith(".") and (kind == "file" or is_failing_part)
