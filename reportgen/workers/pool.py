"""Share work among processes of this machine or a Dask cluster, with a bounded number of items in memory."""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from typing import Any, TypeVar

from reportgen.errors import ReportgenError
from reportgen.record import record

Item = TypeVar("Item")
Result = TypeVar("Result")

_WAITING_PER_WORKER = 4  # because a worker must find its next item waiting, but waiting results take memory
_LOST_PROCESS = "A worker process was killed, most likely for lack of memory. Try again with --jobs 1."
_NO_PROCESS = "A worker process cannot be started: {}. Try again with --jobs 1."


@record(kw_only=False)
class Workers:
    """An executor, and how many items it works on at the same time."""

    executor: Executor
    number: int


@contextmanager
def open_workers(jobs: int, cluster: str | None = None) -> Iterator[Workers]:
    """Open `jobs` processes of this machine, or the Dask cluster at host:port, until the end of the `with`.

    Raises ReportgenError if a process or the cluster is lost.
    """
    if cluster is not None:
        from reportgen.workers.dask import connected  # late: asyncio takes a tenth of an unchanged build to import

        with connected(cluster) as (executor, threads):
            yield Workers(executor, threads)
        return
    # Spawned if there are threads, such as those that talk to an object store, because a fork could copy a held lock
    # that no thread releases.
    context = get_context("spawn") if threading.active_count() > 1 else None
    with _processes(jobs, context, _start_worker) as pool:
        yield Workers(pool, jobs)


@contextmanager
def _processes(
    jobs: int, context: BaseContext | None, start: Callable[..., None], *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of `jobs` processes; at the end, or after an error, work that has not begun is dropped."""
    _confirm_room(jobs)
    try:
        pool = ProcessPoolExecutor(jobs, context, start, arguments)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)  # because an error or Ctrl-C must not wait for all items that are left
    except BrokenProcessPool as error:
        raise ReportgenError(_LOST_PROCESS) from error
    except OSError as error:
        raise ReportgenError(_NO_PROCESS.format(error.strerror or error)) from error


def _confirm_room(jobs: int) -> None:
    """Raise ReportgenError if the system cannot start what a pool needs.

    That is a process with a thread for each job, and two threads here. A pool that lacks one of them hangs.
    """
    is_over = threading.Event()
    threads = [threading.Thread(target=is_over.wait) for _ in range(2 * jobs + 2)]
    started: list[threading.Thread] = []
    try:
        for thread in threads:
            thread.start()
            started.append(thread)
    except RuntimeError as error:
        raise ReportgenError(_NO_PROCESS.format("the system allows no more of them")) from error
    finally:
        is_over.set()
        for thread in started:
            thread.join()


def unordered(work: Callable[[Item], Result], items: Iterable[Item], workers: Workers) -> Iterator[Result]:
    """Yield the result of `work` for each item as soon as it is finished; raise what `work` raises.

    Items are taken only as fast as they are finished, so the number of workers bounds the memory.
    """
    remaining = iter(items)
    # A queue because `concurrent.futures.wait` holds the locks of all futures, and Ctrl-C could leave them held.
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


def forked(work: Callable[[int], Result], count: int, jobs: int) -> Iterator[Result]:
    """Yield the result of `work` for each number below `count` as it is finished, in processes forked from this one.

    They share the memory of this process, so only numbers and results are copied. Call this only if `can_fork`.
    """
    with _processes(jobs, get_context("fork"), _start_forked_worker, work) as pool:
        yield from unordered(_call_forked_work, range(count), Workers(pool, jobs))


def _start_worker() -> None:
    # The default action ends the process silently, because Ctrl-C reaches every process and only the first should
    # print a message.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """End this process when its parent is killed, because it would wait forever or write into the next build's site."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # because `sys.exit` would end only this thread


_forked_work: Callable[[int], object]


def _start_forked_worker(work: Callable[[int], object]) -> None:
    global _forked_work  # noqa: PLW0603 - because a pool pickles the work of each call but not that of its initializer
    _forked_work = work
    _start_worker()


def _call_forked_work(number: int) -> Any:
    return _forked_work(number)
