"""List the files in the watched paths with their sizes, times and inodes.

Events get lost: queues overflow, network drives send none, and a directory may be replaced before the subscription.
All decisions are therefore based on the files themselves; an event only makes the next scan come sooner.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from reportgen.input.directories import walk
from reportgen.input.reading import DumpFiles


class Stamp(NamedTuple):
    """Properties of a file that change when it is written or replaced.

    `changed_ns` is included, because programs cannot set it: it reveals a copy that kept the times of the original.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


Listing = Mapping[Path, Stamp]
Stamps = tuple[Stamp | None, ...]
"""The stamps of the files of one dump, then of its notes; None for a file that does not exist."""


def stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file; None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def listing(paths: Sequence[Path], without: Path) -> Listing:
    """Return the stamp of every file in `paths`, except in the directory `without`.

    A path that is a file stands for all files of its directory, because the other parts of the dump are there.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            folders = ((folder.path, folder.names) for folder in walk(path, without))
            files += [top / name for top, names in folders if isinstance(top, Path) for name in names]
        else:
            with suppress(OSError), os.scandir(path.parent) as entries:  # a missing folder has no files yet
                files += [Path(entry.path) for entry in entries if entry.is_file()]
    return {file: known for file in files if (known := stamp(file))}


def stamps_of(files: DumpFiles) -> Stamps:
    """Return the current stamps of a dump's files, to see whether they have changed since a listing."""
    return tuple(map(stamp, files_of(files)))


def files_of(files: DumpFiles) -> tuple[Path, ...]:
    """Return the files of a dump in order, each once, then its notes."""
    notes = (files.notes,) if files.notes else ()
    return tuple(dict.fromkeys((*(part.path for part in files.parts), *notes)))


def newest_ns(stamps: Stamps) -> int:
    """Return when the last of the files was written or put in place, in nanoseconds since 1970."""
    return max((max(one.modified_ns, one.changed_ns) for one in stamps if one), default=0)
