"""What several processes of a run need, made by the first of them that asks for it."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return `folder`, which `make` fills unless it is already filled; it is for reading only."""
    whole = folder.with_suffix(".whole")
    with one_process_at_a_time(folder.with_suffix(".lock")):
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder


@contextmanager
def one_process_at_a_time(lock: Path) -> Iterator[None]:
    """Let other processes that use the same lock wait until the end of the `with`."""
    if sys.platform == "win32":  # which has no fcntl; processes share nothing there
        yield
        return
    import fcntl

    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
