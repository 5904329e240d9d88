"""The axes of a trend: round amounts inside the drawing, and the first and the last build."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.history import History, ModuleKey, Record
from reportgen.render.trend.chart import Change, Chart, Limit, chart
from reportgen.render.trend.trend_pages import SpaceTrend, function_trends, trend_page


def build(number: int) -> Record:
    return Record(commit=f"{number}", time="2026-01-01T00:00:00Z", modules={})


def placed(amounts: Sequence[int | None], *limits: int) -> Chart:
    """Return the chart of a build for each amount."""
    records = [build(number) for number in range(len(amounts))]
    changes = [
        Change(build=number, record=record, amount=amount, words="", by_bytes=(amount or 0) - (before or 0))
        for number, (record, amount, before) in enumerate(zip(records, amounts, [0, *amounts], strict=False))
    ]
    drawn = chart(records, changes, [Limit("capacity", limit) for limit in limits])
    assert drawn is not None
    return drawn


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=40))
def test_ticks_are_round_in_order_and_inside(amounts: list[int]) -> None:
    drawn = placed(amounts)
    levels = [level.amount for level in drawn.levels]
    steps = {other - one for one, other in pairwise(levels)}
    assert 1 <= len(levels) <= 6
    assert len(steps) <= 1
    assert all(step.bit_count() == 1 and levels[0] % step == 0 for step in steps)
    heights = [level.y for level in drawn.levels if level.y is not None]
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
    assert all((dot.anchor == "end") == ((dot.x > 12 and dot is drawn.dots[-1]) or dot.x > 88) for dot in drawn.dots)
    assert all(dot.anchor == "start" for dot in drawn.dots if dot.x < 12)
    assert (drawn.now or drawn.dots[-1]).label == "all"


def test_a_limit_is_drawn_unless_it_would_make_the_chart_flat() -> None:
    change = Change(build=0, record=build(0), amount=1000, words="new")
    drawn = chart([build(0)], [change], [Limit("capacity", 1500), Limit("budget", 9000)])
    assert drawn is not None
    assert [(limit.name, limit.amount, limit.y is None) for limit in drawn.limits] == [
        ("capacity", 1500, False),
        ("budget", 9000, True),
    ]
    assert drawn.edge is not None


def test_the_name_of_a_limit_is_where_nothing_is_drawn() -> None:
    falling = placed([3575, 3405, 1991, 697, 528], 1575).limits[0]
    assert (falling.side, falling.is_below) == ("left", True)
    rising = placed([528, 697, 3575], 1575).limits[0]
    assert (rising.side, rising.is_below) == ("left", False)
    low = placed([500, 500, 400], 1575).limits[0]
    assert (low.side, low.is_below) == ("right", False)


def test_the_plot_ends_at_a_tick_above_all_amounts_and_names_a_far_limit_at_its_edge() -> None:
    drawn = placed([3575, 1991, 528], 9574)
    assert (drawn.levels[-1].amount, drawn.levels[-1].y) == (4096, 0)
    assert (drawn.limits[0].y, drawn.edge and (drawn.edge.side, drawn.edge.is_below)) == (None, ("right", False))
    assert placed([3575, 1991, 528], 4000).edge is None


def test_a_label_covers_neither_a_limit_nor_the_step_to_its_dot() -> None:
    drawn = placed([1480, 728, 1480, 442, 187], 1575)
    assert [dot.is_low for dot in drawn.dots] == [True, True, True, False, False]
    assert [dot.anchor for dot in drawn.dots] == ["start", "start", "start", "start", "end"]
    assert placed([3575, 1000, 900], 9000).dots[-1].is_low
    assert not placed([3575, 310, 307], 9000).dots[-1].is_low  # the axis is just below


def test_labels_cover_neither_each_other_nor_a_step() -> None:
    dips = placed([800, 300, 320, 305, 900, 500], 9000).dots
    assert [(dot.label, dot.is_low) for dot in dips[:4]] == [("all", False), ("all", True)] * 2
    assert [dot.label for dot in placed([800, 800, 500], 9000).dots] == ["all", "none", "all"]
    few = placed([3575 << 20, 512 << 10, 3575 << 20, 512 << 20], 9000 << 20).dots
    assert [dot.is_usual for dot in few] == [True, False, True, False]
    assert "none" in {dot.label for dot in placed([*range(100, 140)], 9000).dots}


def test_the_area_stops_where_a_function_is_gone() -> None:
    drawn = placed([8, None, 4])
    assert drawn.path == "M0.0 0.0H40.0M80.0 50.0H100"
    assert drawn.area == "M0.0 0.0H40.0V100H0.0ZM80.0 50.0H100V100H80.0Z"


def test_unlike_builds_are_apart_and_the_last_build_is_shown() -> None:
    records = [build(number) for number in range(3)]
    changes = [
        Change(build=0, record=records[0], amount=8, words="new"),
        Change(
            build=1,
            record=records[1],
            amount=4,
            words="",
            by_bytes=-4,
            resized="batch s32[2]",
            resized_from="batch s32[4]",
        ),
    ]
    drawn = chart(records, changes, [])
    assert drawn is not None
    assert drawn.path == "M0.0 0.0H40.0M40.0 50.0H100"
    assert [(rule.x, rule.words, rule.room) for rule in drawn.rules] == [
        (0, "batch s32[4]", 40.0),
        (40.0, "batch s32[2]", 60.0),
    ]
    assert drawn.now is not None
    assert (drawn.now.x, drawn.now.y, drawn.now.is_low) == (80.0, 50.0, False)
    assert placed([8, 4], 100).now is None


def test_no_grid_line_is_close_to_a_limit_and_zero_is_the_axis() -> None:
    drawn = placed([3575, 3405, 1991, 697, 528], 1975)
    assert [level.amount for level in drawn.levels if level.is_close] == [2048]
    assert (drawn.levels[0].amount, drawn.levels[0].y) == (0, 100)


def test_whether_a_program_fits_counts_from_what_it_needs() -> None:
    space = SpaceTrend(
        color=0,
        name="HBM",
        figure="peak_resident",
        needed_bytes=7,
        capacity_bytes=6,
        chart=None,
        changes=(),
    )
    assert space.excess_bytes == 1


def of_batches(*builds: tuple[int, int]) -> History:
    """Return a history of one function with a batch and what it needs for each build."""
    records = []
    for number, (batch, amount) in enumerate(builds):
        key = ModuleKey("tpu", "jit_step", f"{batch:04}")
        records.append(
            Record(
                commit=f"build{number}",
                time=f"2026-01-0{number + 1}T00:00:00Z",
                modules={key: {0: (amount, amount, amount, 0, amount, 0, 0)}},
                arguments={key: (SiblingArguments("batch", f"s32[{batch}]", 1, 4 * batch, 0),)},
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
