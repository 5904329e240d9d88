"""One writer for each site: a lock that the system gives back when its process ends, however it ends.

The lock is on a file, not the file's being there, so one that a killed build left behind stops nobody. Where
a file system knows no locks there is none: a build alone needs none.
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
"""Holds the number of the process that writes; it is there only while a build runs."""

_PATIENCE_SECONDS = 2.0
"""The processes of a build that was killed need a moment to notice."""

_POLL_SECONDS = 0.02
_HELD = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other builds out of a directory, which must be there, until the end of the `with`.

    Raises OutputRefused while another process has it, and OSError where no file can be made in it.
    """
    path = directory / LOCK
    file = _taken(path, time.monotonic() + _PATIENCE_SECONDS)
    try:
        with suppress(OSError):  # a full disk: the lock holds without a word about who has it
            os.ftruncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield
    finally:
        _remove(path, file)


def _taken(path: Path, until: float) -> int:
    """The lock's file, locked. A file that its last holder has removed meanwhile locks nothing, so it is made again."""
    while True:
        file = os.open(path, _FLAGS, 0o666)
        try:
            _wait_for(file, path, until)
            if _is_at(file, path):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _wait_for(file: int, path: Path, until: float) -> None:
    while not _try_lock(file):
        if time.monotonic() > until:
            raise OutputRefused(f"another reportgen{_holder(path)} is writing into {path.parent}; wait until it ends.")
        time.sleep(_POLL_SECONDS)


def _is_at(file: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file), path.stat())
    return False


def _holder(path: Path) -> str:
    try:
        text = path.read_bytes()[:20].decode("ascii", "replace").strip()
    except OSError:
        return ""
    return f" (process {text})" if text.isdigit() else ""


if sys.platform == "win32":
    import msvcrt

    _BEHIND_THE_TEXT = 1 << 20  # the locked byte cannot be read by others

    def _try_lock(file: int) -> bool:
        os.lseek(file, _BEHIND_THE_TEXT, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return error.errno not in _HELD
        finally:
            os.lseek(file, 0, os.SEEK_SET)
        return True

    def _remove(path: Path, file: int) -> None:
        """An open file cannot be removed, and one that the next build has opened meanwhile stays."""
        os.close(file)
        with suppress(OSError):
            path.unlink()

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        """Forked workers hold the lock as well, until the last of them has ended."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in _HELD
        return True

    def _remove(path: Path, file: int) -> None:
        """While it is still locked: whoever waits for it sees that it is gone."""
        with suppress(OSError):
            path.unlink()
        os.close(file)
