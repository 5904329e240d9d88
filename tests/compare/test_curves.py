"""The axis on which both builds are drawn, and what its stretches say."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from reportgen.compare.dump_comparison import compare_dumps
from reportgen.render.compare.curves import WIDTH, Axis, curves
from tests.compare.texts import IN_PLACE, NOT_IN_PLACE, measured


@st.composite
def axes(draw: st.DrawFn) -> tuple[Axis, tuple[int, int]]:
    """Return an axis, and the lengths of both schedules."""
    lengths = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    sides = [draw(st.sets(st.integers(0, length - 1), max_size=6)) for length in lengths]
    return Axis(list(zip(sorted(sides[0]), sorted(sides[1]), strict=False)), lengths), lengths


@given(axes())
def test_moments_keep_their_order_and_are_found_again(given: tuple[Axis, tuple[int, int]]) -> None:
    axis, lengths = given
    for side, length in enumerate(lengths):
        places = [axis.position(side, moment) for moment in range(length)]
        assert all(one < other for one, other in itertools.pairwise(places))
        assert [axis.moment(side, place) for place in places] == list(range(length))
        assert all(0 <= axis.moment(side, place) < length for place in range(axis.length))


def test_an_inserted_stretch_makes_the_other_side_wait() -> None:
    axis = Axis([(0, 0), (1, 4)], (3, 6))
    assert axis.length == 6
    assert [axis.moment(0, place) for place in range(6)] == [0, 0, 0, 0, 1, 2]


def test_a_stretch_names_the_instructions_of_both_sides() -> None:
    comparison = compare_dumps(measured(IN_PLACE), measured(NOT_IN_PLACE))
    drawn = curves(comparison, comparison.spaces[0])
    assert drawn is not None
    assert [names for _, _, names in drawn.bands] == [
        "before: Arg_0.1; after: Arg_0.1",
        "before: exp_fusion; after: exp_fusion.1",
        "before: counter; after: counter",
    ]
    assert sum(width for _, width, _ in drawn.bands) == WIDTH
    assert [mark.amount for mark in drawn.peaks] == [8388612, 4194308]
