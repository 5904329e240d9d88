"""The bar of an out-of-memory error has what its text says, and adds up to what is needed."""

from pathlib import Path

import pytest

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.render.site.error_bar import error_bar
from reportgen.reports.error_causes import whole_of
from tests.support.samples import ROOT

OOM = ROOT / "tests" / "oom"
FILES = [*sorted((OOM / "texts").glob("*.txt")), *sorted(OOM.glob("refused/*/error.txt"))]
EVENTS = [(path, event) for path in FILES for event in find_out_of_memory([path.read_bytes()])]


def bar_of(number: str) -> dict[str, str]:
    """Return the parts of the first error of a text, in percent of the bar, by their names."""
    event = next(event for path, event in EVENTS if path.name.startswith(number))
    bar = error_bar(event)
    return (
        {part.name: f"{part.kind} {100 * part.size_bytes / bar.needed_bytes:.0f}" for part in bar.segments}
        if bar
        else {}
    )


def test_padding_is_drawn_apart_from_data() -> None:
    assert bar_of("01") == {
        "padding": "padding 74",
        "data of copy.40488": "source-1 2",
        "other temporaries": "other 22",
        "everything else": "other 1",
    }


def test_classes_are_drawn_where_no_buffer_is_listed() -> None:
    assert bar_of("15") == {"arguments": "parameter 3", "outputs": "output 67", "temporaries": "other 31"}


def test_what_is_in_use_and_the_request_are_drawn_against_the_capacity() -> None:
    assert bar_of("07") == {"in use": "other 61", "the program": "source-1 39"}


def test_a_need_without_parts_is_drawn_only_against_a_capacity() -> None:
    assert bar_of("23") == {"needed": "other 100"}
    assert bar_of("28") == {}


@pytest.mark.parametrize(("path", "event"), EVENTS)
def test_parts_add_up_to_no_more_than_is_needed(path: Path, event: OutOfMemory) -> None:
    bar, whole = error_bar(event), whole_of(event)
    if bar and whole and "in use" not in [part.name for part in bar.segments]:
        assert 0.97 * whole.middle <= sum(part.size_bytes for part in bar.segments) <= 1.01 * whole.middle
