"""Shared work is done completely, and only few items wait at a time."""

import errno
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count, islice
from typing import Any

import pytest

from reportgen.errors import ReportgenError
from reportgen.workers.pool import Workers, open_workers, unordered


def test_every_item_is_worked_on_once() -> None:
    with open_workers(2) as workers:
        assert sorted(unordered(abs, range(-50, 0), workers)) == list(range(1, 51))


def test_items_are_taken_only_as_fast_as_they_are_worked_on() -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        for number in count():
            taken.append(number)
            yield number

    with ThreadPoolExecutor(2) as executor:
        results = unordered(abs, endless(), Workers(executor, 2))
        assert set(islice(results, 100)) <= set(range(200))
        assert len(taken) <= 100 + 2 * 8


def test_a_process_with_threads_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.is_copied", True)
    with ThreadPoolExecutor(1) as executor:
        executor.submit(abs, 1).result()
        with open_workers(1) as workers:
            assert list(unordered(is_a_copy, [0], workers)) == [False]


is_copied = False


def is_a_copy(_: int) -> bool:
    return is_copied


def test_an_exception_of_the_work_is_raised_and_stops_the_rest() -> None:
    submitted: list[Any] = []

    def fail(number: int) -> int:
        raise ZeroDivisionError(number)

    class Counting(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            submitted.append(arguments)
            return super().submit(*arguments, **named)

    with Counting(1) as executor, pytest.raises(ZeroDivisionError):
        list(unordered(fail, range(1000), Workers(executor, 1)))
    assert len(submitted) < 100


_PARENT = """
import os, time
from reportgen.workers.pool import open_workers
if __name__ == "__main__":
    with open_workers(2) as workers:
        running = [workers.executor.submit(time.sleep, 1e6) for _ in range(2)]
        print(workers.executor.submit(abs, 1) and len(workers.executor._processes), flush=True)
        os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_workers_end_when_their_parent_is_killed() -> None:
    """They hold its end of the pipe, which is read to its end here."""
    finished = subprocess.run([sys.executable, "-c", _PARENT], capture_output=True, check=False)
    assert (finished.returncode, finished.stdout.strip()) == (-signal.SIGKILL, b"2")


def test_a_process_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("reportgen.workers.pool.ProcessPoolExecutor", refuse)
    with pytest.raises(ReportgenError, match=r"cannot be started: Resource .*--jobs 1"), open_workers(2):
        pass


def test_a_pool_for_which_no_threads_are_left_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    start, left, before = threading.Thread.start, iter(range(3)), threading.active_count()

    def limited(thread: threading.Thread) -> None:
        if next(left, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    with pytest.raises(ReportgenError, match="the system allows no more of them"), open_workers(2):
        pass
    assert threading.active_count() == before
