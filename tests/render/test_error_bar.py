"""The bar of an out-of-memory error has what its text says, and adds up to what is needed."""

from pathlib import Path

import pytest

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.render.site.out_of_memory import ErrorBar, buffer_groups, error_bar
from reportgen.reports.error_causes import whole_of
from reportgen.reports.error_padding import completed
from tests.support.samples import ROOT

OOM = ROOT / "tests" / "oom"
FILES = [*sorted((OOM / "texts").glob("*.txt")), *sorted(OOM.glob("refused/*/error.txt"))]
EVENTS = [(path, event) for path in FILES for event in find_out_of_memory([path.read_bytes()])]


def first_bar(number: str) -> ErrorBar | None:
    """Return the bar of the first error of a text."""
    event = completed(next(event for path, event in EVENTS if path.name.startswith(number)))
    return error_bar(event, buffer_groups(event), None)


def bar_of(number: str) -> str:
    """Return the parts of a bar: their colors, and the percent of its length."""
    bar = first_bar(number)
    parts = bar[0] if bar else ()
    needed_bytes = sum(part.size_bytes for part in parts)
    return ", ".join(f"{part.kind} {100 * part.size_bytes / needed_bytes:.0f}" for part in parts)


@pytest.mark.parametrize(
    ("number", "parts"),
    [
        ("01", "padding 74, source-1 2, other 22, other 1"),
        ("31", "padding 99, source-1 1"),  # no buffer is listed
        ("15", "parameter 3, output 67, failed 31"),
        ("07", "parameter 5, output 50, other 6, failed 39"),
        ("20", "source-1 98, source-2 1, other 1"),
        ("23", "other 100"),
        ("28", ""),  # a need without parts and capacity
    ],
)
def test_the_parts_of_a_text_are_drawn(number: str, parts: str) -> None:
    assert bar_of(number) == parts


def test_a_request_is_drawn_against_what_is_free() -> None:
    for number, limit, free in (("21", "free", 52), ("30", "largest free piece", 51)):
        bar = first_bar(number)
        assert bar
        [request], compared_with, free_bytes = bar
        assert (compared_with, request.kind) == (limit, "other")
        assert free_bytes
        assert round(100 * free_bytes / request.size_bytes) == free


@pytest.mark.parametrize(("path", "event"), EVENTS)
def test_parts_add_up_to_no_more_than_is_needed(path: Path, event: OutOfMemory) -> None:
    bar, whole = error_bar(event, buffer_groups(event), None), whole_of(event)
    if bar and whole and not (event.held and event.kind == "load"):
        assert 0.97 * whole.middle <= sum(part.size_bytes for part in bar[0]) <= 1.01 * whole.middle
