"""What lies in the watched paths right now, by size, time and identity: the truth that events only hint at.

Events get lost: queues overflow, network drives send none, a directory is replaced while its watches are set up.
So every decision is made from a look at the files themselves, and an event does no more than bring it forward.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from reportgen.folders import walk
from reportgen.reading import DumpFiles


class Stamp(NamedTuple):
    """What differs when a file was written or exchanged.

    The time of the last change of the inode cannot be set, so it also tells of a copy that kept its times.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


Listing = Mapping[Path, Stamp]
Stamps = tuple[Stamp | None, ...]
"""Those of the files of one dump, then of its notes; None for a file that is not there."""


def stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def listing(paths: Sequence[Path], without: Path) -> Listing:
    """Every file that could be a dump, a part of one or a note, in the paths but not in the directory `without`.

    For a path that is a file these are the files beside it: the other parts of the dump are among them.
    """
    found = {file: stamp(file) for path in paths for file in _files(path, without)}
    return {file: known for file, known in found.items() if known}


def _files(path: Path, without: Path) -> Iterator[Path]:
    if path.is_dir():
        folders = ((folder.path, folder.names) for folder in walk(path, without))
        yield from (top / name for top, names in folders if isinstance(top, Path) for name in names)
        return
    try:
        with os.scandir(path.parent) as entries:
            yield from (Path(entry.path) for entry in entries if entry.is_file())
    except OSError:
        return


def stamps_of(files: DumpFiles) -> Stamps:
    """Read from the disk, not from a listing: to see whether something changed since that was made."""
    return tuple(map(stamp, files_of(files)))


def files_of(files: DumpFiles) -> tuple[Path, ...]:
    """The files of a dump in their order, each once, then its notes."""
    notes = (files.notes,) if files.notes else ()
    return tuple(dict.fromkeys((*(part.path for part in files.parts), *notes)))


def newest_ns(stamps: Stamps) -> int:
    """When the last of the files was written or put in place, in nanoseconds since 1970."""
    return max((max(one.modified_ns, one.changed_ns) for one in stamps if one), default=0)
