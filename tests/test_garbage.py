"""The search for cycles is paused while a dump is worked on, and what that leaves does not pile up."""

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from reportgen.work import garbage_collection_paused


class Node:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def search() -> Iterator[None]:
    gc.collect()
    yield
    gc.enable()


@pytest.mark.parametrize("is_on", [True, False])
def test_a_pause_leaves_the_search_as_it_was(is_on: bool) -> None:
    (gc.enable if is_on else gc.disable)()
    with garbage_collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled() == is_on


def test_a_pause_begins_with_what_the_last_one_has_left() -> None:
    gc.disable()
    with garbage_collection_paused():
        left = ref(Node())
        kept = [Node() for _ in range(200_000)]
    assert left() is not None
    with garbage_collection_paused():
        assert left() is None
    assert len(kept) == 200_000


def test_little_that_is_left_is_not_worth_a_search() -> None:
    gc.disable()
    with garbage_collection_paused():
        left = ref(Node())
    with garbage_collection_paused():
        assert left() is not None
