"""Work done while the caller goes on, in a process forked from it: it sees all memory, and only its result is sent.

In plain calls of the system: the libraries for it take longer to load than a small site takes to compare.
"""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from reportgen.errors import ReportgenError

Result = TypeVar("Result")

LOST_PROCESS = "A process was ended from outside, most likely for lack of memory. Try again with --jobs 1."
NO_PROCESS = "A process cannot be started: {}. Try again with --jobs 1."


def can_fork() -> bool:
    """Other systems' own libraries, and threads, may hang in a process that was forked."""
    return sys.platform == "linux" and threading.active_count() == 1


@contextmanager
def beside(work: Callable[[], Result], jobs: int) -> Iterator[Callable[[], Result]]:
    """`work` is done in another process until the end of the `with`; to call what is yielded is to wait for its result.

    Where there is to be no second process, `work` is done when its result is asked for. Raises what `work` raises,
    and ReportgenError if the process is lost.
    """
    if jobs == 1 or not can_fork():
        yield work
        return
    reading, writing = os.pipe()
    try:
        process = _forked(work, writing)
    except OSError as error:
        os.close(reading)
        raise ReportgenError(NO_PROCESS.format(error.strerror or error)) from error
    finally:
        os.close(writing)
    try:
        yield partial(_received, reading)
    finally:
        os.close(reading)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _forked(work: Callable[[], object], writing: int) -> int:
    """The process that does it, which never comes back from here."""
    process = os.fork()
    if process:
        return process
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches both; only the first has something to say
        _send(work, writing)
    finally:
        os._exit(0)


def _send(work: Callable[[], object], writing: int) -> None:
    try:
        outcome = pickle.dumps((work(), None))
    except Exception as error:
        outcome = pickle.dumps((None, error))
    remaining = memoryview(outcome)
    while remaining:
        remaining = remaining[os.write(writing, remaining) :]


def _received(reading: int) -> Any:
    with open(reading, "rb", closefd=False) as pipe:
        outcome = pipe.read()
    if not outcome:
        raise ReportgenError(LOST_PROCESS)
    result, error = pickle.loads(outcome)
    if error is not None:
        raise error
    return result
