"""Work that is shared out: all of it is done, little of it waits."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count, islice
from typing import Any

import pytest

from reportgen.executors import Workers, open_workers, unordered


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


def test_what_work_raises_is_raised_and_nothing_goes_on() -> None:
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
