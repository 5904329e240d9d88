"""The strip of a group of buffers has no more boxes than a reader can see."""

from hypothesis import given
from hypothesis import strategies as st

from reportgen.render.drawings.life import _WIDTH, _boxes


@given(st.lists(st.integers(1, 40), min_size=2, max_size=400).filter(lambda gaps: len(gaps) % 2 == 0))
def test_boxes_lie_apart_and_are_at_least_half_a_pixel_wide(gaps: list[int]) -> None:
    edges = [sum(gaps[: end + 1]) for end in range(len(gaps))]
    held = list(zip(edges[::2], edges[1::2], strict=True))
    drawn = _boxes(held, edges[-1] + 1).split("M")[1:]
    assert 1 <= len(drawn) <= 2 * _WIDTH
    lefts = [float(box.split(" ")[0]) for box in drawn]
    widths = [float(box.split("h")[1].split("v")[0]) for box in drawn]
    assert min(widths) >= 0.5
    assert all(left + width <= right + 0.11 for left, width, right in zip(lefts, widths, lefts[1:], strict=False))
