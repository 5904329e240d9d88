"""The one rule for files on disk: in a folder of ours what is in the place of a file is replaced, and nothing outside.

A list of files may be forged, copied or damaged, and links may lead out of the folder, so a listed path counts only if
it is a regular file that is reached without a link. A link is not opened, and neither is a pipe, which would be waited
for.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


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
    """Return the content of a regular file, at most so many bytes. Raises OSError for anything else."""
    if not is_plain(path):
        raise OSError(errno.EINVAL, "it is not a regular file")
    with path.open("rb") as file:
        return file.read(most)


def free_place(directory: Path, path: str) -> Path:
    """Return the place of a file of ours in an existing directory, with the folders above it.

    A link or a pipe in the way is removed. Raises OSError if a folder is in that place, or a file in that of a folder.
    """
    *folders, name = path.split("/")
    place = directory
    for folder in folders:
        place /= folder
        if place.is_symlink() or not (place.is_dir() or is_plain(place)):
            place.unlink(missing_ok=True)  # another process may be faster
        place.mkdir(exist_ok=True)
    place /= name
    if not is_plain(place):
        place.unlink(missing_ok=True)
    return place


def place_in(directory: Path, path: str) -> Path | None:
    """Return the place of a listed path; None for one that leads out of `directory` or through a link."""
    with suppress(OSError, ValueError, RuntimeError):  # a path that no file can have, and links in a circle
        root = directory.resolve()
        folder = (root / path).parent
        return directory / path if folder.resolve() == folder and folder.is_relative_to(root) else None
    return None


def delete(directory: Path, paths: Iterable[str]) -> Deletion:
    """Delete the listed files, and the folders that become empty. Paths at which nothing is do not count as kept."""
    files, kept = 0, list[str]()
    for path in paths:
        place = place_in(directory, path)
        if place is not None and is_plain(place):
            with suppress(OSError):  # of a disk that cannot be written; the file stays listed nowhere
                place.unlink()
                files += 1
                while (place := place.parent) != directory:
                    place.rmdir()  # ends at a folder that holds something else
        elif place is None or os.path.lexists(place):
            kept.append(path)
    return Deletion(files, tuple(kept))


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, without those that links lead to."""
    for above, _, names in os.walk(folder, followlinks=False):
        yield from (path for name in names if is_plain(path := Path(above) / name))
