"""The bar of an out-of-memory error has what its text says, and adds up to what is needed."""

from pathlib import Path

import pytest

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.render.site.error_bar import ErrorBar, error_bar
from reportgen.reports.error_causes import whole_of
from reportgen.reports.error_padding import completed
from tests.support.samples import ROOT

OOM = ROOT / "tests" / "oom"
FILES = [*sorted((OOM / "texts").glob("*.txt")), *sorted(OOM.glob("refused/*/error.txt"))]
EVENTS = [(path, event) for path in FILES for event in find_out_of_memory([path.read_bytes()])]


def first_bar(number: str) -> ErrorBar | None:
    """Return the bar of the first error of a text."""
    return error_bar(completed(next(event for path, event in EVENTS if path.name.startswith(number))), None)


def parts_of_bar(bar: ErrorBar | None) -> dict[str, str]:
    """Return the parts of a bar, in percent of its length, by their names."""
    return (
        {part.name: f"{part.kind} {100 * part.size_bytes / bar.need.needed_bytes:.0f}" for part in bar.need.segments}
        if bar
        else {}
    )


def bar_of(number: str) -> dict[str, str]:
    return parts_of_bar(first_bar(number))


def test_padding_is_drawn_apart_from_data() -> None:
    assert bar_of("01") == {
        "padding": "padding 74",
        "data of copy.40488": "source-1 2",
        "other temporaries": "other 22",
        "everything else": "other 1",
    }


def test_padding_of_all_temporaries_is_drawn_where_no_buffer_is_listed() -> None:
    assert bar_of("31") == {"padding of temporaries": "padding 99", "data of temporaries": "source-1 1"}


def test_classes_are_drawn_and_what_was_not_allocated() -> None:
    assert bar_of("15") == {
        "arguments": "parameter 3",
        "outputs": "output 67",
        "temporaries, not allocated": "failed 31",
    }


def test_what_is_in_use_and_the_request_are_drawn_against_the_capacity() -> None:
    assert bar_of("07") == {
        "arguments of the program": "parameter 5",
        "its outputs, at most": "output 50",
        "other memory in use": "other 6",
        "the program": "failed 39",
    }


def test_the_chunks_of_an_allocator_are_drawn() -> None:
    assert bar_of("20") == {
        "124 chunks of 3.78 MiB": "source-1 98",
        "1 chunk": "source-2 1",
        "other memory in use": "other 1",
    }


def test_a_request_is_drawn_against_what_is_free() -> None:
    for number, limit, free in (("21", "free", 52), ("30", "largest free piece", 51)):
        bar = first_bar(number)
        assert bar
        assert (bar.limit, bar.named) == (limit, [])
        assert list(parts_of_bar(bar).values()) == ["other 100"]
        assert bar.need.capacity_bytes
        assert round(100 * bar.need.capacity_bytes / bar.need.needed_bytes) == free


def test_a_need_without_parts_is_drawn_only_against_a_capacity_and_has_no_names() -> None:
    bar = first_bar("23")
    assert bar
    assert not bar.named
    assert parts_of_bar(bar) == {"needed": "other 100"}
    assert bar_of("28") == {}


@pytest.mark.parametrize(("path", "event"), EVENTS)
def test_parts_add_up_to_no_more_than_is_needed(path: Path, event: OutOfMemory) -> None:
    bar, whole = error_bar(event, None), whole_of(event)
    if bar and whole and not (event.held and event.kind == "load"):
        assert 0.97 * whole.middle <= sum(part.size_bytes for part in bar.need.segments) <= 1.01 * whole.middle
