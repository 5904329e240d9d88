"""Walking directories: every real one once, in an order that does not depend on the file system."""

import os
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import filterfalse
from pathlib import Path
from typing import Literal

from reportgen.dump_names import is_something_else, split_part
from reportgen.reading import printable, reason
from reportgen.remote import AnyPath, Heads, Listing, RemotePath, list_tree

_NEVER_DUMPS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory and the sorted names of its files; `prefix` is what their labels begin with.

    `damage` is why it cannot be listed; `heads` are for first looks where each file opened is a request.
    """

    path: AnyPath
    prefix: str = ""
    names: tuple[str, ...] = ()
    damage: str | None = None
    heads: Heads | None = None

    def label(self, name: str) -> str:
        return self.prefix + printable(name)

    def look(self, name: str) -> AnyPath:
        """The file `name`, for a look at its beginning."""
        path = self.path / name
        return self.heads.of(path) if self.heads and isinstance(path, RemotePath) else path

    def has(self, name: str) -> bool:
        """Whether there is a file `name`; a folder that was not listed is asked."""
        try:
            return self._lists(name) if self.names else (self.path / name).is_file()
        except OSError:  # longer than a name can be
            return False

    def _lists(self, name: str) -> bool:
        place = bisect_left(self.names, name)
        return self.names[place : place + 1] == (name,)

    def notes(self, stem: str) -> AnyPath | None:
        """`<stem>.md`, for a stem that may be any text, because a log can say what it likes."""
        path = self.path / f"{stem}.md"
        if self.heads:
            return path if self._lists(f"{stem}.md") else None
        try:
            return path if path.parent == self.path and path.is_file() else None
        except OSError:  # longer than a name can be
            return None


def walk(top: AnyPath, without: Path | None = None) -> Iterator[Folder]:
    """`top` and all below it but the directory `without`."""
    return _walk_remote(top) if isinstance(top, RemotePath) else _walk_local(top, without)


def _walk_remote(top: RemotePath) -> Iterator[Folder]:
    """Listed as a whole before the first is given, so that first looks can be fetched across folders."""
    listings = [listing for listing in list_tree(top) if _NEVER_DUMPS.isdisjoint(listing.parts)]
    folders = [_remote_folder(listing) for listing in listings]
    sizes = (
        (listing.path / name, listing.sizes[name])
        for listing, folder in zip(listings, folders, strict=True)
        for name in _looked_at(folder)
    )
    heads = Heads(dict(sizes))
    return (replace(folder, heads=heads) for folder in folders)


def _remote_folder(listing: Listing) -> Folder:
    names = tuple(sorted(name for name in listing.sizes if not name.startswith(".")))
    prefix = "".join(f"{printable(part)}/" for part in listing.parts)
    damage = reason(listing.damage) if listing.damage else None
    return Folder(listing.path, prefix, names, damage)


def _looked_at(folder: Folder) -> list[str]:
    """In the order of looks: parts of dumps come last."""
    return sorted(filterfalse(is_something_else, folder.names), key=lambda name: split_part(name) is not None)


def _walk_local(top: Path, without: Path | None) -> Iterator[Folder]:
    """What is behind links comes last, so that labels show where a file really is."""
    visited = {_identity(without.stat())} if without and without.is_dir() else set()
    waiting, links = deque([(top, "")]), deque[tuple[Path, str]]()
    while waiting or links:
        path, prefix = (waiting or links).popleft()
        folder = Folder(path, prefix)
        try:
            status = path.stat()
            entries = _entries(path)
        except OSError as error:
            yield replace(folder, damage=reason(error))
            continue
        if _identity(status) in visited:
            continue
        visited.add(_identity(status))
        for entry in entries:
            if _kind(entry) == "folder" and entry.name not in _NEVER_DUMPS:
                below = (path / entry.name, f"{folder.label(entry.name)}/")
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
