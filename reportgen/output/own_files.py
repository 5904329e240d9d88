"""The one rule for files on disk: what this tool has written and listed may be deleted, and nothing else is touched.

A list may be forged, copied or damaged, and the folder may hold files and links of anybody. So a listed path counts
only if it stays in its folder, is reached without following a link, and is a regular file. Everything else stays, and
the caller says what stands in the way. Files are opened without waiting, because a pipe in the place of one would hang.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

# By name, because no system has all of them.
NO_LINKS = 0
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    NO_LINKS |= getattr(os, _name, 0)


class Deletion(NamedTuple):
    """The number of deleted files, and the listed paths that hold something else, which is kept."""

    files: int
    kept: tuple[str, ...]


def is_plain(path: Path) -> bool:
    """Return whether a path is a regular file, and no link to another one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # a list may hold a path that no file can have
        return False


def plain_bytes(path: Path, most: int = -1) -> bytes:
    """Return the content of a regular file, at most so many bytes. Raises OSError for a link, a pipe or a folder."""
    with os.fdopen(os.open(path, os.O_RDONLY | NO_LINKS), "rb") as file:
        confirm_plain(file.fileno())
        return file.read(most)


def confirm_plain(descriptor: int) -> None:
    """Raise OSError unless an open file is a regular one."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def place_in(directory: Path, path: str) -> Path | None:
    """Return the place of a listed path; None for one that leads out of `directory` or through a link."""
    names = path.split("/")
    if "\0" in path or {"", ".", ".."} & set(names) or (os.name == "nt" and {":", "\\"} & set(path)):
        return None
    above = [directory.joinpath(*names[:depth]) for depth in range(1, len(names))]
    with suppress(OSError, ValueError):
        return None if any(folder.is_symlink() for folder in above) else directory / path
    return None


def delete(directory: Path, paths: Iterable[str]) -> Deletion:
    """Delete the listed files, and the folders that become empty. Paths at which nothing is do not count as kept."""
    files, kept, folders = 0, list[str](), set[Path]()
    for path in paths:
        place = place_in(directory, path)
        if place is not None and is_plain(place):
            with suppress(OSError):  # of a disk that cannot be written; the file stays listed nowhere
                place.unlink()
                files += 1
                folders.update(folder for folder in place.parents if directory in folder.parents)
        elif place is None or _exists(place):
            kept.append(path)
    # The deepest first, because that empties those above.
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):  # it holds something else
            folder.rmdir()
    return Deletion(files, tuple(kept))


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, without those that links lead to."""
    for above, _, names in os.walk(folder, followlinks=False):
        yield from (path for name in names if is_plain(path := Path(above) / name))


def _exists(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False
