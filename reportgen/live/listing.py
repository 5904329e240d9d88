"""List the files in the watched paths with their sizes, times and inodes.

Events get lost: queues overflow, network drives send none, and a directory may be replaced before the subscription.
All decisions are therefore based on the files themselves; an event only makes the next scan come sooner.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from reportgen.input.directories import walk
from reportgen.input.reading import DumpFiles
from reportgen.input.remote import AnyPath


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
"""The stamps of some files, in the order of `files_of` for those of a dump; None for a file that does not exist."""


def stamp_of(path: Path) -> Stamp | None:
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
    return {file: stamp for file in files if (stamp := stamp_of(file))}


def stamps_of(files: DumpFiles) -> Stamps:
    """Return the current stamps of a dump's files, to see whether they have changed since a listing."""
    return tuple(map(stamp_of, files_of(files)))


def files_of(files: DumpFiles) -> tuple[Path, ...]:
    """Return all files that a dump's pages are made from, each once: its parts, its sibling files, then its notes."""
    return _local([*(part.path for part in files.parts), *(sibling.path for sibling in files.siblings), files.notes])


def parts_of(files: DumpFiles) -> tuple[Path, ...]:
    """Return the files of a dump's parts in order, each once."""
    return _local([part.path for part in files.parts])


def _local(paths: Iterable[AnyPath | None]) -> tuple[Path, ...]:
    """Return each path once; all are local, because dumps at a URL are not watched."""
    return tuple(dict.fromkeys(path for path in paths if isinstance(path, Path)))


def newest_ns(stamps: Stamps) -> int:
    """Return when the last of the files was written or put in place, in nanoseconds since 1970."""
    return max((max(stamp.modified_ns, stamp.changed_ns) for stamp in stamps if stamp), default=0)
