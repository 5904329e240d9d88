"""Allow one writer per site, by a lock that the system releases when its process ends, however it ends.

The lock is on a file, and the existence of the file is no lock, so a file that a killed build has left stops no later
build. A file system without locks does not stop a build either, because a single build needs no lock.
"""

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reportgen.errors import OutputRefused
from reportgen.output.own_files import free_place

LOCK = ".reportgen.lock"
"""Contains the number of the process that writes; exists only while a build runs."""

PATIENCE_SECONDS = 2.0  # because the processes of a killed build need a moment to end
_POLL_SECONDS = 0.02
_HELD = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})  # any other error: there are no locks here
_LOCKED_BYTE = 1 << 20  # on Windows; after the text, because others cannot read the locked byte


@contextmanager
def locked(directory: Path, patience: float | None = None) -> Iterator[None]:
    """Keep other builds out of an existing directory until the end of the `with`; wait so many seconds for others.

    Raises OutputRefused if another process has the lock, and OSError if no file can be created in the directory.
    """
    path, until = directory / LOCK, time.monotonic() + (PATIENCE_SECONDS if patience is None else patience)
    with ExitStack() as until_the_end:
        if sys.platform == "win32":  # after it is closed, because Windows removes no open file
            until_the_end.callback(_remove, path)
        while True:
            file = os.open(free_place(directory, LOCK), os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            until_the_end.callback(os.close, file)
            _wait_for(file, path, until)
            with suppress(FileNotFoundError):  # a lock on a file that the last holder has removed stops no other build
                if os.path.samestat(os.fstat(file), path.stat()):
                    break
        if sys.platform != "win32":  # while it is locked, because a process that waits must find that the file is gone
            until_the_end.callback(_remove, path)
        with suppress(OSError):  # on a full disk the lock works without the number in it
            os.ftruncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield


def _wait_for(file: int, path: Path, until: float) -> None:
    while not _try_lock(file):
        if time.monotonic() > until:
            holder = os.read(file, 20).decode("ascii", "replace").strip()
            process = f" (process {holder})" if holder.isdigit() else ""
            raise OutputRefused(f"another reportgen{process} is writing into {path.parent}; wait until it ends.")
        time.sleep(_POLL_SECONDS)


def _try_lock(file: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            # Not `lockf`, because this lock belongs to the open file: the last forked worker to end releases it.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _HELD
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
