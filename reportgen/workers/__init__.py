"""Run work in processes on this machine or on a Dask cluster."""

import sys
import threading


def can_fork() -> bool:
    """Return whether it is safe to fork this process: on Linux, and while it has a single thread."""
    return sys.platform == "linux" and threading.active_count() == 1
