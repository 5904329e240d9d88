"""What padding of a listed buffer costs, and the shape that would have less of it."""

import pytest

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.printed_size import SizeRange
from reportgen.reports.error_padding import completed, padding_bytes, padding_words, reshaped

MIB = 1 << 20


def listed(shape: str, size_bytes: int) -> LoggedBuffer:
    return LoggedBuffer(shape=shape, size=SizeRange(size_bytes, size_bytes))


def test_the_longest_dimension_goes_last_where_it_fills_the_tiles() -> None:
    buffer = listed("s32[8388608,8,4]{2,1,0:T(8,128)}", 32 << 30)
    assert padding_bytes(buffer) == 31 << 30
    found = reshaped([buffer, buffer])
    assert found is not None
    assert (found.before, found.after) == ("s32[8388608,8,4]", "s32[4,8,8388608]")
    assert found.saving_bytes == 62 << 30


def test_what_the_new_shape_pads_is_not_saved() -> None:
    found = reshaped([listed("f32[16777216,2]{1,0:T(8,128)}", 8 << 30)])
    assert found is not None
    # Its 2 rows are padded to 8: 512 MiB for 128 MiB of data.
    assert (found.after, found.saving_bytes) == ("f32[2,16777216]", (8 << 30) - 512 * MIB)


def test_short_dimensions_are_merged() -> None:
    found = reshaped([listed("f32[1048576,2,2]{2,1,0:T(8,128)}", 4 << 30)])
    assert found is not None
    assert found.after == "f32[2,2,1048576]"
    found = reshaped([listed("f32[10,10,40]{2,1,0:T(8,128)}", 10 * 16 * 128 * 4)])
    assert found is not None
    assert found.after == "f32[4000]"


@pytest.mark.parametrize("shape", ["", "f32[8,128]{1,0:T(8,128)}", "f32[1024,2]", "(f32[2], f32[3])", "f32[?,2]{1,0}"])
def test_a_buffer_whose_shape_shows_no_padding_has_no_other_shape(shape: str) -> None:
    buffer = listed(shape, 4096)
    assert padding_words(buffer) == ""
    assert reshaped([buffer]) is None


@pytest.mark.parametrize(("shape", "size_bytes"), [("f32[8,2]{1,0:T(8,128)}", 4096), ("f32[8,128]", None)])
def test_a_size_that_is_not_printed_follows_from_shape_and_layout(shape: str, size_bytes: int | None) -> None:
    [buffer] = completed(OutOfMemory(name="fragment", buffers=(LoggedBuffer(shape=shape),))).buffers
    assert (buffer.size.middle if buffer.size else None) == size_bytes
