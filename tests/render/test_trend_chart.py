"""The chart of a trend: round amounts in the drawing, the first and the last build, and the labels of three dots."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.budgets import Budget, Budgets
from reportgen.compare.history import Amounts, Arguments, History, ModuleKey, ModuleRecord, Record
from reportgen.compare.series import NEEDED, Change, Point
from reportgen.render.trend.chart import Chart, Limit
from reportgen.render.trend.trend_pages import function_trends, trend_page


def build(number: int) -> Record:
    return Record(commit=f"{number}", time="2026-01-01T00:00:00Z", modules={})


def figures(amount: int) -> Amounts:
    return amount, amount, amount, 0, amount, 0, 0


def batch(size: int) -> Arguments:
    return (SiblingArguments("batch", f"s32[{size}]", 1, 4 * size, 0),)


def placed(amounts: Sequence[int | None], *limits: int) -> Chart:
    """Return the chart of a build for each amount."""
    points = [point(number, amount) for number, amount in enumerate(amounts)]
    return drawn_of(points, [Limit("capacity", limit) for limit in limits])


def point(number: int, amount: int | None, arguments: Arguments = ()) -> Point:
    spaces = None if amount is None else {0: figures(amount)}
    return Point(number, build(number), ModuleKey("tpu", "jit_step", "-"), spaces, arguments)


def drawn_of(points: Sequence[Point], limits: Sequence[Limit] = (), builds: int = 0) -> Chart:
    """Return the chart of the changes from point to point; of more `builds` the last ones change nothing."""
    changes = [
        Change(before=before, now=now, color=0, figure=NEEDED) for before, now in pairwise([point(0, None), *points])
    ]
    return Chart([build(number) for number in range(builds or len(points))], changes, limits)


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=40))
def test_ticks_are_round_in_order_and_inside(amounts: list[int]) -> None:
    drawn = placed(amounts)
    levels = [amount for amount, _, _ in drawn.ticks]
    steps = {other - one for one, other in pairwise(levels)}
    assert 1 <= len(levels) <= 6
    assert len(steps) <= 1
    assert all(step.bit_count() == 1 and levels[0] % step == 0 for step in steps)
    heights = [y for _, y, _ in drawn.ticks]
    assert heights == sorted(heights, reverse=True)
    assert all(0 <= y <= 100 for y in heights)
    assert levels[-1] >= max(amounts)
    assert levels[0] <= min(amounts)
    places = [place for place, _ in drawn.builds]
    assert places == sorted(set(places))
    assert (drawn.builds[0][1], drawn.builds[-1][1]) == (build(0), build(len(amounts) - 1))
    assert places[0] == 0
    # The amount of the last build is to be seen after it.
    assert places[-1] <= 92
    assert (places[-1] > 0) == (len(amounts) > 1)
    assert len(places) <= 6
    # A label begins or ends at its dot, so that it stays inside.
    assert [dot.is_left for dot in drawn.dots] == [dot.x > 70 for dot in drawn.dots[:-1]] + [False]
    assert all(dot.y <= 86 for dot in drawn.dots if dot.is_low)
    assert (drawn.now or drawn.dots[-1]).label == "all"
    largest = {dot.y for dot in drawn.dots[1:-1] if dot.label != "none"}
    assert largest <= {min(dot.y for dot in drawn.dots)}


def test_a_limit_is_drawn_unless_it_would_make_the_chart_flat() -> None:
    drawn = drawn_of([point(0, 1000)], [Limit("capacity", 1500), Limit("budget", 9000)])
    assert [limit for limit, _, _ in drawn.limits] == [Limit("capacity", 1500)]
    assert drawn.far == [Limit("budget", 9000)]
    assert placed([3575, 1991, 528], 9574).ticks[-1] == (4096, 0, False)


def test_a_limit_is_named_on_the_side_where_the_amount_is_far_from_it() -> None:
    assert [side for _, _, side in placed([3575, 3405, 1991, 697, 528], 1575).limits] == ["left"]
    assert [side for _, _, side in placed([528, 697, 3575], 1575).limits] == ["right"]
    assert placed([3575, 1991, 528], 9574).side(0) == "right"


def test_the_first_the_last_and_the_largest_have_labels() -> None:
    def labels(*amounts: int) -> list[str]:
        return [dot.label for dot in placed(amounts, 9000).dots]

    assert labels(300, 800, 320, 305, 500) == ["all", "wide", "none", "none", "all"]
    assert labels(300, 305, 320, 800, 500) == ["all", "none", "none", "all", "all"]
    assert labels(800, 300, 320, 500) == ["all", "none", "none", "all"]
    assert labels(500) == ["all"]
    many = labels(800, 900, *range(500, 530))
    assert (many[0], many[1], many[-1]) == ("all", "none", "all")  # the second is beside the first
    unchanged = drawn_of([point(0, 8)], builds=2)
    assert [dot.label for dot in unchanged.dots] == ["none"]


def test_a_label_is_below_a_dot_under_a_limit_and_before_a_step_up() -> None:
    assert [dot.is_low for dot in placed([1480, 728, 1480, 442, 187], 1575).dots] == [True, False, True, False, False]
    assert [dot.is_low for dot in placed([300, 800, 500], 9000).dots] == [True, False, False]
    assert not placed([30, 800, 500], 9000).dots[0].is_low  # the axis is just below


def test_the_area_stops_where_a_function_is_gone() -> None:
    drawn = placed([8, None, 4])
    assert drawn.path == "M0.0 0.0H40.0M80.0 50.0H100"
    assert drawn.area == "M0.0 0.0H40.0V100H0.0ZM80.0 50.0H100V100H80.0Z"


def test_unlike_builds_are_apart_and_the_last_build_is_shown() -> None:
    drawn = drawn_of([point(0, 8, batch(4)), point(1, 4, batch(2))], builds=3)
    assert drawn.path == "M0.0 0.0H40.0M40.0 50.0H100"
    assert drawn.rules == [
        (0, "batch s32[4]", 40.0),
        (40.0, "batch s32[2]", 60.0),
    ]
    assert drawn.now is not None
    assert (drawn.now.x, drawn.now.y, drawn.now.is_low) == (80.0, 50.0, False)
    assert placed([8, 4], 100).now is None


def test_no_grid_line_is_close_to_a_limit_and_zero_is_the_axis() -> None:
    drawn = placed([3575, 3405, 1991, 697, 528], 1975)
    assert [amount for amount, _, is_close in drawn.ticks if is_close] == [2048]
    assert drawn.ticks[0][:2] == (0, 100)


def test_whether_a_program_fits_counts_from_what_it_needs() -> None:
    (key,) = of_batches((4, 7)).records[0].modules
    record = replace(
        of_batches((4, 5)).records[0], modules={key: ModuleRecord({0: (5, 7, 7, 0, 5, 0, 2)}, capacities={0: 6})}
    )
    budgets = Budgets(budgets=(Budget(figure="peak_resident", max_bytes=6),))
    space = function_trends(History((record,)), budgets)[0].spaces[0]
    assert (space.figure, space.excess_bytes) == ("peak_resident", 1)


def of_batches(*builds: tuple[int, int]) -> History:
    """Return a history of one function with a batch and what it needs for each build."""
    records = []
    for number, (size, amount) in enumerate(builds):
        key = ModuleKey("tpu", "jit_step", f"{size:04}")
        records.append(
            Record(
                commit=f"build{number}",
                time=f"2026-01-0{number + 1}T00:00:00Z",
                modules={key: ModuleRecord({0: figures(amount)}, batch(size))},
            )
        )
    return History(tuple(records))


def test_a_build_of_other_shapes_is_judged_against_the_last_of_equal_shapes() -> None:
    history = of_batches((4, 3600), (4, 3500), (2, 2000), (4, 700))
    trends = function_trends(history, None)
    space = trends[0].spaces[0]
    assert [change.judged.by_bytes for change in space.changes] == [None, -100, -1500, -2800]
    assert space.changes[2].alike is None
    last = space.moves[-1]
    assert last.against is history.records[1]
    assert (last.words, last.causes[0]) == ("−2.73 KiB (−80.0 %)", "temporaries −2.73 KiB")
    page = trend_page("trend.html", "", history, trends).decode()
    assert 'Last change: <span class="less">−2.73' in page
    assert '<span class="alike less">−2.73' in page


def test_the_largest_increase_may_be_one_against_a_build_of_equal_shapes() -> None:
    history = of_batches((4, 500), (2, 300), (4, 900), (4, 910))
    space = function_trends(history, None)[0].spaces[0]
    assert [(word, change.by_bytes) for word, change in space.largest] == [("increase", 400)]
    assert space.largest[0][1].against is history.records[0]


def test_the_largest_changes_before_the_last_are_named_the_later_one_first() -> None:
    space = function_trends(of_batches((4, 500), (4, 900), (4, 300), (4, 310)), None)[0].spaces[0]
    assert [(word, change.by_bytes) for word, change in space.largest] == [("decrease", -600), ("increase", 400)]


def test_a_build_that_returns_to_earlier_shapes_and_figures_is_as_that_one() -> None:
    history = of_batches((4, 500), (2, 300), (4, 500))
    trends = function_trends(history, None)
    last = trends[0].spaces[0].changes[-1]
    assert last.judged is last
    assert (
        'as <code title="build0">build0</code>, of equal shapes' in trend_page("t.html", "", history, trends).decode()
    )
