"""Where work is done when it is shared out: any `concurrent.futures` executor, never given too much at once."""

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from reportgen.errors import ReportgenError

Item = TypeVar("Item")
Result = TypeVar("Result")

_WAITING_PER_WORKER = 4
_LOST_PROCESS = "A process was ended from outside, most likely for lack of memory. Try again with --jobs 1."


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, and how many pieces of work it does at the same time."""

    executor: Executor
    number: int


@contextmanager
def open_workers(jobs: int) -> Iterator[Workers]:
    """Processes of this machine, until the end of the `with`. Raises ReportgenError if one of them is lost."""
    pool = ProcessPoolExecutor(jobs, initializer=_end_silently_when_interrupted)
    try:
        yield Workers(pool, jobs)
    except BrokenProcessPool as error:
        raise ReportgenError(_LOST_PROCESS) from error
    finally:
        pool.shutdown(cancel_futures=True)


def unordered(work: Callable[[Item], Result], items: Iterable[Item], workers: Workers) -> Iterator[Result]:
    """What `work` gives for each item, as it is finished; raises what `work` raises.

    Items are taken only as fast as they are worked on: memory is bounded by the number of workers.
    """
    remaining = iter(items)
    pending: set[Future[Result]] = set()
    while True:
        free = workers.number * _WAITING_PER_WORKER - len(pending)
        pending.update(workers.executor.submit(work, item) for item in islice(remaining, free))
        if not pending:
            return
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


def _end_silently_when_interrupted() -> None:
    """Ctrl-C reaches every process; only the first has something to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
