"""Run work in processes on this machine or on a Dask cluster."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def can_fork() -> bool:
    """Return whether it is safe to fork this process: on Linux, and while it has a single thread."""
    return sys.platform == "linux" and threading.active_count() == 1


def share_out(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, cluster: str | None
) -> Iterator[Result]:
    """Yield the result of `work` for each item as it is finished, in `jobs` processes or on the cluster at host:port.

    Raises ReportgenError if a process or the cluster is lost.
    """
    # Imported here, because multiprocessing takes a tenth of a check of one dump, which shares nothing.
    from reportgen.workers.pool import open_workers, unordered

    with open_workers(min(jobs, len(items)), cluster) as workers:
        yield from unordered(work, items, workers)
