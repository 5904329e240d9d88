"""Allow one writer per site, by a lock that the system releases when its process ends, however it ends.

The lock is on a file, and the existence of the file is no lock, so a file that a killed build has left stops no later
build. A file system without locks does not stop a build either, because a single build needs no lock.
"""

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reportgen.errors import OutputRefused

LOCK = ".reportgen.lock"
"""Contains the number of the process that writes; exists only while a build runs."""

PATIENCE_SECONDS = 2.0  # because the processes of a killed build need a moment to end
_POLL_SECONDS = 0.02
_HELD = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})  # any other error: there are no locks here
# Do not follow links, because a link could lead to another file, which would be emptied.
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def locked(directory: Path, patience: float | None = None) -> Iterator[None]:
    """Keep other builds out of an existing directory until the end of the `with`; wait so many seconds for others.

    Raises OutputRefused if another process has the lock, and OSError if no file can be created in the directory.
    """
    path = directory / LOCK
    file = _acquire(path, time.monotonic() + (PATIENCE_SECONDS if patience is None else patience))
    try:
        with suppress(OSError):  # on a full disk the lock works without the number in it
            os.ftruncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield
    finally:
        _remove(path, file)


def _acquire(path: Path, until: float) -> int:
    """Return the descriptor of the locked file."""
    while True:
        file = os.open(path, _FLAGS, 0o666)
        try:
            _wait_for(file, path, until)
            # Checked, because the last holder removes the file, and a lock on a removed file stops no other build.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), path.stat()):
                    return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _wait_for(file: int, path: Path, until: float) -> None:
    while not _try_lock(file):
        if time.monotonic() > until:
            holder = ""
            with suppress(OSError):  # the number of the process only helps the user to find it
                holder = path.read_bytes()[:20].decode("ascii", "replace").strip()
            process = f" (process {holder})" if holder.isdigit() else ""
            raise OutputRefused(f"another reportgen{process} is writing into {path.parent}; wait until it ends.")
        time.sleep(_POLL_SECONDS)


if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 20  # after the text, because others cannot read the locked byte

    def _try_lock(file: int) -> bool:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return error.errno not in _HELD
        finally:
            os.lseek(file, 0, os.SEEK_SET)
        return True

    def _remove(path: Path, file: int) -> None:
        # Closed first, because Windows removes no open file. It stays if the next build has opened it meanwhile.
        os.close(file)
        with suppress(OSError):
            path.unlink()

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        # `flock` and not `lockf`, because its lock belongs to the open file: forked workers inherit it, and the last of
        # them to end releases it.
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in _HELD
        return True

    def _remove(path: Path, file: int) -> None:
        # Removed while it is locked, because a process that waits for the lock must find that the file is gone.
        with suppress(OSError):
            path.unlink()
        os.close(file)
