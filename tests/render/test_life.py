"""The strip of a group of buffers has no more strokes than a reader can see."""

from hypothesis import given
from hypothesis import strategies as st

from reportgen.render.drawings.life import STRIP_WIDTH, _idle_at, _spans, _strokes


@given(st.lists(st.integers(1, 40), min_size=2, max_size=400).filter(lambda gaps: len(gaps) % 2 == 0))
def test_strokes_lie_apart_and_are_at_least_half_a_pixel_wide(gaps: list[int]) -> None:
    edges = [sum(gaps[: end + 1]) for end in range(len(gaps))]
    held = list(zip(edges[::2], edges[1::2], strict=True))
    drawn = _strokes(_spans(held, edges[-1] + 1)).split("M")[1:]
    assert 1 <= len(drawn) <= 2 * STRIP_WIDTH
    lefts = [float(stroke.split(" ")[0]) for stroke in drawn]
    widths = [float(stroke.split("h")[1]) for stroke in drawn]
    assert min(widths) >= 0.5
    assert all(left + width <= right + 0.11 for left, width, right in zip(lefts, widths, lefts[1:], strict=False))


@given(st.lists(st.integers(0, 40), max_size=20), st.integers(0, 40), st.integers(0, 40))
def test_what_is_idle_at_a_moment_is_as_long_as_nothing_is_used(uses: list[int], moment: int, end: int) -> None:
    used = sorted(set(uses))
    idle = [at for first, last in _idle_at([(3, end)], used, moment) for at in range(first, last + 1)]
    assert bool(idle) == (3 <= moment <= end and moment not in used)
    if idle:
        assert moment in idle
        assert not {*idle} & {*used}
        assert {idle[0] - 1, idle[-1] + 1} <= {*used, 2, end + 1}
