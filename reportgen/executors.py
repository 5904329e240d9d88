"""Where work is done when it is shared out: in processes here or on a cluster, never given too much at once."""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from typing import Any, TypeVar

from reportgen.beside import LOST_PROCESS, NO_PROCESS
from reportgen.errors import ReportgenError

Item = TypeVar("Item")
Result = TypeVar("Result")

_WAITING_PER_WORKER = 4


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, and how many pieces of work it does at the same time."""

    executor: Executor
    number: int


@contextmanager
def open_workers(jobs: int, cluster: str | None = None) -> Iterator[Workers]:
    """`jobs` processes of this machine, or the Dask cluster at host:port, until the end of the `with`.

    Raises ReportgenError if a process or the cluster is lost.
    """
    if cluster is None:
        with _processes(jobs, _start_method(), _begin) as pool:
            yield Workers(pool, jobs)
    else:
        from reportgen.cluster import connected

        with connected(cluster) as (executor, threads):
            yield Workers(executor, threads)


@contextmanager
def _processes(
    jobs: int, context: BaseContext | None, begin: Callable[..., None], *given: object
) -> Iterator[ProcessPoolExecutor]:
    """Each begins with `begin`, to which `given` goes."""
    try:
        pool = ProcessPoolExecutor(jobs, context, begin, given)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
    except BrokenProcessPool as error:
        raise ReportgenError(LOST_PROCESS) from error
    except OSError as error:
        raise ReportgenError(NO_PROCESS.format(error.strerror or error)) from error


def unordered(work: Callable[[Item], Result], items: Iterable[Item], workers: Workers) -> Iterator[Result]:
    """What `work` gives for each item, as it is finished; raises what `work` raises.

    Items are taken only as fast as they are worked on: memory is bounded by the number of workers.
    """
    remaining = iter(items)
    # `concurrent.futures.wait` holds the locks of all futures at times, and Ctrl-C then would leave them held.
    done: SimpleQueue[Future[Result]] = SimpleQueue()
    pending = 0
    while True:
        for item in islice(remaining, workers.number * _WAITING_PER_WORKER - pending):
            workers.executor.submit(work, item).add_done_callback(done.put)
            pending += 1
        if not pending:
            return
        yield done.get().result()
        pending -= 1


def _begin() -> None:
    """Ctrl-C reaches every process; only the first has something to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process whose parent was killed would wait for work for ever, or write into the site of the next build."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _start_method() -> BaseContext | None:
    """A process with threads, such as those that talk to an object store, must not be forked."""
    return get_context("spawn") if threading.active_count() > 1 else None


def forked(work: Callable[[int], Result], count: int, jobs: int) -> Iterator[Result]:
    """What `work` gives for each number below `count`, as it is finished, in processes that see this one's memory.

    Nothing but numbers and results goes between them, however large what `work` needs is. Only where `can_fork`.
    """
    with _processes(jobs, get_context("fork"), _begin_forked, work) as pool:
        yield from unordered(_do_forked, range(count), Workers(pool, jobs))


_forked_work: Callable[[int], object]


def _begin_forked(work: Callable[[int], object]) -> None:
    global _forked_work  # noqa: PLW0603
    _forked_work = work
    _begin()


def _do_forked(number: int) -> Any:
    return _forked_work(number)
