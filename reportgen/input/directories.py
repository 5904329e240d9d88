"""Walk directories: visit each real one once, in an order that does not depend on the file system."""

import os
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import filterfalse
from pathlib import Path
from typing import Literal

from reportgen.input.names import is_something_else, split_part
from reportgen.input.reading import printable, reason
from reportgen.input.remote import AnyPath, Heads, RemotePath
from reportgen.record import record

# Skipped, because they hold thousands of files and never a dump.
_NEVER_DUMPS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})


@record(kw_only=False)
class Folder:
    """A directory and the sorted names of its files; their labels begin with `prefix`.

    `links` are entries that lead out of the directory that is searched. They are not followed, because otherwise
    anyone who can add a link to the input could publish any file of the machine. `damage` is the reason why the
    directory cannot be listed. `heads` has the beginnings of remote files, because opening one takes a request.
    """

    path: AnyPath
    prefix: str = ""
    names: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    damage: str | None = None
    heads: Heads | None = None

    def label(self, name: str) -> str:
        """Return the label of the file `name`."""
        return self.prefix + printable(name)

    def first_look(self, name: str) -> AnyPath:
        """Return the path of the file `name` for reading its beginning."""
        path = self.path / name
        return self.heads.of(path) if self.heads and isinstance(path, RemotePath) else path

    def has(self, name: str) -> bool:
        """Return whether there is a file `name`, which may be any text; ask the file system if it was not listed."""
        path = self.path / name
        if self.heads or self.names:
            index = bisect_left(self.names, name)
            return self.names[index : index + 1] == (name,)
        try:
            return path.parent == self.path and is_own_file(path, self.path)
        except OSError:  # the name is longer than a name can be
            return False

    def notes(self, stem: str) -> AnyPath | None:
        """Return the path of the note `<stem>.md` if there is one."""
        return self.path / f"{stem}.md" if self.has(f"{stem}.md") else None


def is_inside(path: AnyPath, folder: Path | None) -> bool:
    """Return whether a local path is `folder` or below it."""
    return folder is not None and isinstance(path, Path) and path.resolve().is_relative_to(folder.resolve())


def leads_out(path: AnyPath, top: AnyPath) -> bool:
    """Return whether a path is a link that leads out of the folder `top`."""
    if not isinstance(path, Path) or not isinstance(top, Path):
        return False
    try:
        return path.is_symlink() and not path.resolve().is_relative_to(top.resolve())
    except (OSError, RuntimeError):  # a link to itself, which is reported when it is read
        return False


def is_own_file(path: AnyPath, top: AnyPath) -> bool:
    """Return whether a path is a file that belongs to the folder `top`. Raises OSError."""
    return path.is_file() and not leads_out(path, top)


def walk(top: AnyPath, excluded: Path | None = None) -> Iterator[Folder]:
    """Yield `top` and all directories below it, except the directory `excluded`."""
    return _walk_remote(top) if isinstance(top, RemotePath) else _walk_local(top, excluded)


def _walk_remote(top: RemotePath) -> Iterator[Folder]:
    """List all folders first, so that the beginnings of files can be fetched in bulk."""
    folders: list[Folder] = []
    sizes: dict[RemotePath, int | None] = {}
    waiting = deque([(top, "")])
    while waiting:
        path, prefix = waiting.popleft()
        folder = Folder(path, prefix)
        try:
            below, files = path.listed()
        except OSError as error:
            folders.append(replace(folder, damage=reason(error)))
            continue
        waiting += ((path / name, f"{folder.label(name)}/") for name in below if name not in _NEVER_DUMPS)
        names = tuple(sorted(name for name in files if not name.startswith(".")))
        folders.append(replace(folder, names=names))
        # Parts of dumps come last, because discovery opens them last.
        opened = sorted(filterfalse(is_something_else, names), key=lambda name: split_part(name) is not None)
        sizes |= {path / name: files[name] for name in opened}
    heads = Heads(sizes)
    return (replace(folder, heads=heads) for folder in folders)


def _walk_local(top: Path, excluded: Path | None) -> Iterator[Folder]:
    """Yield folders reached through links last, so that labels show where a file really is."""
    visited = {_identity(excluded.stat())} if excluded and excluded.is_dir() else set()
    waiting, links = deque([(top, "")]), deque[tuple[Path, str]]()
    while waiting or links:
        path, prefix = (waiting or links).popleft()
        folder = Folder(path, prefix)
        try:
            status = path.stat()
            with os.scandir(path) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            yield replace(folder, damage=reason(error))
            continue
        if _identity(status) in visited:
            continue
        visited.add(_identity(status))
        outside = {entry.name for entry in entries if entry.is_symlink() and leads_out(path / entry.name, top)}
        names: list[str] = []
        for entry in (entry for entry in entries if entry.name not in outside):
            kind, name = _kind(entry), entry.name
            if kind == "folder" and name not in _NEVER_DUMPS:
                (links if entry.is_symlink() else waiting).append((path / name, f"{folder.label(name)}/"))
            # Unreadable parts of dumps count too, so that they are reported.
            elif not name.startswith(".") and (kind == "file" or (kind == "other" and split_part(name))):
                names.append(name)
        yield replace(folder, names=tuple(names), links=tuple(sorted(outside)))


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _kind(entry: "os.DirEntry[str]") -> Literal["folder", "file", "other"]:
    try:
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else "other"
    except OSError:  # a link to itself, which counts as unreadable only if it is named as part of a dump
        return "other"
