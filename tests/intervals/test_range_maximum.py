"""The maximum of a stretch, held against looking at each of its items."""

from hypothesis import given
from hypothesis import strategies as st

from reportgen.intervals.range_maximum import RangeMaximum

LONGEST = 1_200  # several blocks


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=LONGEST), st.data())
def test_it_is_the_largest_amount_and_its_first_position(amounts: list[int], data: st.DataObject) -> None:
    end = data.draw(st.integers(1, len(amounts)))
    start = data.draw(st.integers(0, end - 1))
    most = max(amounts[start:end])
    assert RangeMaximum(amounts).of(start, end) == (most, amounts.index(most, start))


@given(st.integers(1, LONGEST), st.data())
def test_one_amount_among_equal_ones_is_found_wherever_it_is(length: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, length - 1))
    amounts = [0] * place + [1] + [0] * (length - place - 1)
    assert RangeMaximum(amounts).of(0, length) == (1, place)
    if place:
        assert RangeMaximum(amounts).of(0, place) == (0, 0)
