"""Drawings stay in their frame, and have correct numbers in their captions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.model.shapes import ArrayShape
from reportgen.parse.shape_parser import parse_shape
from reportgen.render.drawings.layout_drawing import TileGrid, layout_drawing, tile_grid
from reportgen.render.drawings.packing import packing
from reportgen.render.drawings.svg import Box

_RECTANGLE = re.compile(r"M(\d+) (\d+)h(\d+)v(\d+)H(\d+)z")


def box(first: int, last: int, low: int, high: int, name: str = "a") -> Box:
    return Box(first, last + 1, low, high, name, f"{name}.html")


def frame(svg: str) -> tuple[int, int]:
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert found
    return int(found[1]), int(found[2])


def rectangles(svg: str) -> list[tuple[int, int, int, int]]:
    return [(int(x), int(y), int(width), int(height)) for x, y, width, height, _ in _RECTANGLE.findall(svg)]


def leaves_its_frame(svg: str) -> list[tuple[int, int, int, int]]:
    width, height = frame(svg)
    return [one for one in rectangles(svg) if one[0] + one[2] > width or one[1] + one[3] > height or 0 in one[2:]]


def boxes(most: int, high: int = 1000) -> st.SearchStrategy[list[Box]]:
    edges = st.tuples(st.integers(0, high), st.integers(1, high)).map(lambda edge: (edge[0], edge[0] + edge[1]))
    moments = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda span: (span[0], span[0] + span[1]))
    return st.lists(st.builds(lambda time, span: box(*time, *span), moments, edges), min_size=1, max_size=most)


@given(boxes(30), st.integers(1, 2000))
def test_a_packing_stays_in_its_frame(found: list[Box], moments: int) -> None:
    size_bytes = max(one.high for one in found)
    assert leaves_its_frame(packing(found, moments, size_bytes, moments - 1)) == []


def grid(text: str) -> TileGrid:
    shape = parse_shape(text)
    assert isinstance(shape, ArrayShape)
    found = tile_grid(shape)
    assert found
    return found


@pytest.mark.parametrize(
    ("text", "padded_cells"),
    [
        ("bf16[9,18]{1,0:T(8,128)(2,1)}", 16 * 128 - 9 * 18),
        ("f32[3,5]{1,0:T(2,4)}", 4 * 8 - 15),
        ("f32[5]{0:T(1024)}", 1019),
        ("f32[16,256]{1,0:T(8,128)}", 0),
        ("f32[7,3,5]{2,1,0:T(2,4)}", 4 * 8 - 15),
        ("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", 112 * 111 - 112 * 110),
    ],
)
def test_padded_cells_are_counted(text: str, padded_cells: int) -> None:
    assert grid(text).padded_cells == padded_cells
    drawn = layout_drawing(parse_shape(text))
    assert (f"blank: {padded_cells:,} of" in drawn) == (padded_cells > 0)
    assert drawn.count('class="pad"') == (padded_cells > 0)


@pytest.mark.parametrize("text", ["f32[3,5]{1,0:T(2,4)}", "f32[8,50257,4096]{1,2,0:T(8,128)}", "pred[1]{0:T(256)}"])
def test_a_layout_stays_in_its_frame_and_shows_its_padding(text: str) -> None:
    drawn = layout_drawing(parse_shape(text))
    for svg in re.findall(r"<svg.*?</svg>", str(drawn)):
        assert leaves_its_frame(svg) == []
    down, across = grid(text)
    for edge in (down, across):
        assert (edge.filled < edge.length) == (edge.size < edge.padded)
        assert edge.filled > 0


@pytest.mark.parametrize(
    "text", ["f32[]", "f32[3,5]{1,0}", "()", "token[]", "f32[16,256]{1,0:T(8,128)}", "f32[0]{0:T(128)}"]
)
def test_a_layout_with_nothing_to_show_is_not_drawn(text: str) -> None:
    assert layout_drawing(parse_shape(text)) == ""
