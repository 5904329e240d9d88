"""The first page of a comparison: what became of the modules in a sentence, and a row with two bars for each."""

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.analyse.devices import MAIN_SPACE, Capacity
from reportgen.analyse.fit import DeviceFit, Fit
from reportgen.cli import main
from reportgen.compare.builds import BuildComparison, ModuleComparison, Source
from reportgen.compare.compare_words import headline
from reportgen.render.compare.comparison_overview import ComparisonOverview
from reportgen.reports.formats import transition_words
from tests.compare.texts import IN_PLACE, IN_PLACE_DUMPS, NAME, written
from tests.support.gate_records import space_of, step_of


def module(before: int | None, after: int | None, capacity: int | None = None, path: str = "") -> ModuleComparison:
    """Return a module with these peaks, None where it is not there, whose device has that capacity."""
    label = path or f"{before}-{after}"
    figures = [None if peak is None else step_of(peak, path=label) for peak in (before, after)]
    fits = [
        DeviceFit()
        if peak is None or capacity is None
        else DeviceFit({MAIN_SPACE: Fit(Capacity(capacity, "given", "flag"), peak)})
        for peak in (before, after)
    ]
    return ModuleComparison(figures=(figures[0], figures[1]), device_fits=(fits[0], fits[1]))


def overview(*modules: ModuleComparison) -> ComparisonOverview:
    comparison = BuildComparison(before=Source("before"), after=Source("after"), modules=modules)
    return ComparisonOverview(comparison, has_sites=False)


@pytest.mark.parametrize(
    ("modules", "sentence"),
    [
        ([module(9, 4), module(3, 4), module(2, 2)], "2 of 3 modules changed: 1 needs more, 1 needs less."),
        ([module(9, 4), module(8, 4)], "2 modules need less."),
        (
            [module(9, 4, 5), module(8, 4, 5), module(7, 7, 5), module(2, 2, 5)],
            "2 of 4 modules need less.",
        ),
        ([module(9, 4, 5), module(3, 3, 5)], "jit_step: −5 B (−55.6 %) in HBM."),
        ([module(2, 2), module(3, 3)], "No module changed."),
        ([module(2, 2), module(None, 3)], "No module changed."),
        ([module(2, None), module(None, 3)], "No module is in both builds."),
        ([module(9, 4)], "jit_step: −5 B (−55.6 %) in HBM."),
        ([module(9, 9)], "jit_step: no change."),
    ],
)
def test_a_sentence_says_what_became_of_the_modules(modules: list[ModuleComparison], sentence: str) -> None:
    assert overview(*modules).sentence == sentence


@pytest.mark.parametrize(
    ("peaks", "words"),
    [
        ((7, 7), "−5 B (−55.6 %) in HBM"),
        ((None, None), "−5 B (−55.6 %) in HBM; the peaks are unknown, because neither build has live ranges"),
    ],
)
def test_the_change_counts_from_the_need(peaks: tuple[int | None, int | None], words: str) -> None:
    before, after = (
        step_of(need, spaces={MAIN_SPACE: replace(space_of("HBM", need), peak_resident_bytes=peak)})
        for need, peak in zip((9, 4), peaks, strict=True)
    )
    assert headline(ModuleComparison(figures=(before, after))) == words


def test_it_says_how_many_fit_now_and_how_many_do_not() -> None:
    shown = overview(
        module(9, 4, 5), module(4, 9, 5), module(3, 9, 5), module(9, 8, 5), module(3, 4, 5), module(None, 9, 5)
    )
    assert shown.outcomes == [
        ("2 no longer fit", False),
        ("1 fits now", True),
        ("1 still does not fit", False),
        ("1 does not fit", False),
        ("1 new", None),
    ]


def test_new_and_missing_modules_have_one_bar_and_unchanged_ones_none() -> None:
    shown = overview(module(9, 4), module(None, 3), module(2, None), module(5, 5))
    assert [(row.before_bytes, row.after_bytes, row.change_bytes) for row in shown.shown] == [
        (9, 4, -5),
        (None, 3, None),
        (2, None, None),
    ]
    assert [row.after_bytes for row in shown.unchanged] == [5]
    assert shown.whole_bytes == 9


def test_what_did_not_change_and_does_not_fit_is_between_what_grew_and_what_shrank() -> None:
    shown = overview(module(9, 4, 6), module(5, 5, 6), module(8, 8, 6), module(None, 7, 6), module(3, 4, 6))
    assert [(row.before_bytes, row.after_bytes) for row in shown.shown] == [(3, 4), (8, 8), (9, 4), (None, 7)]
    assert [row.is_over for row in shown.shown] == [False, True, False, True]
    assert [row.after_bytes for row in shown.unchanged] == [5]


def test_what_grew_comes_before_what_shrank_and_first_what_does_not_fit_any_more() -> None:
    shown = overview(module(90, 10, 50), module(10, 40, 50), module(49, 51, 50), module(90, 80, 50))
    assert [row.change_bytes for row in shown.shown] == [2, 30, -80, -10]


def test_growth_stands_out_if_it_is_a_notable_part_or_the_module_does_not_fit_any_more() -> None:
    shown = overview(module(100, 104, 200), module(100, 105, 200), module(100, 101, 100), module(100, 90, 200))
    assert {row.change_bytes: row.is_grave for row in shown.shown} == {4: False, 5: True, 1: True, -10: False}


def test_modules_of_one_name_have_what_tells_them_apart() -> None:
    paths = ["runs/llama/dump/module_0000.jit_step", "runs/ring/dump/module_0000.jit_step"]
    shown = overview(*(module(9, 4, path=path) for path in paths))
    assert [row.apart for row in shown.shown] == ["llama", "ring"]
    assert overview(module(9, 4, path=paths[0])).shown[0].apart == ""
    assert [row.apart for row in overview(*(module(9, 4, path=path) for path in ("a/x", "a/b/x"))).shown] == [
        "x",
        "b",
    ]


@pytest.mark.parametrize(
    ("capacities", "drawn"), [((12, 12), 12), ((12, 13), None), ((12, None), None), ((99, 99), None)]
)
def test_a_capacity_is_drawn_where_all_modules_have_it_and_bars_stay_long(
    capacities: tuple[int, int | None], drawn: int | None
) -> None:
    shown = overview(module(9, 4, capacities[0]), module(3, 4, capacities[1]))
    assert (shown.capacity.size_bytes if shown.capacity else None) == drawn
    assert shown.whole_bytes == (drawn or 9)


def test_the_largest_changes_are_shown_and_the_others_counted() -> None:
    shown = overview(*(module(1000, 1000 + change) for change in range(-60, 0)))
    assert len(shown.shown) == 20
    assert len(shown.smaller) == 40
    assert {row.change_bytes for row in shown.smaller} == set(range(-40, 0))
    # One row takes no more room than the line that would count it.
    assert len(overview(*(module(1000, 1000 + change) for change in range(1, 22))).shown) == 21


def test_a_comparison_of_one_module_opens_on_it(tmp_path: Path) -> None:
    sides = [IN_PLACE_DUMPS / f"jaxlib-{version}" for version in ("0.7.1", "0.7.2")]
    assert main(["compare", *map(str, sides), "-o", str(tmp_path / "one")]) == 0
    (page,) = (tmp_path / "one").glob("compare/*/index.html")
    path = page.relative_to(tmp_path / "one").as_posix()
    opening = f'<meta http-equiv="refresh" content="0; url={path}">'
    assert opening in (tmp_path / "one/index.html").read_text(encoding="utf-8")
    dumps = written(tmp_path / "dumps", IN_PLACE, NAME)
    assert main(["compare", str(dumps), str(dumps), "-o", str(tmp_path / "same")]) == 0
    assert "refresh" not in (tmp_path / "same/index.html").read_text(encoding="utf-8")


def test_pages_say_once_that_a_module_does_not_fit(tmp_path: Path) -> None:
    sides = [IN_PLACE_DUMPS / f"jaxlib-{version}" for version in ("0.7.1", "0.7.2")]
    assert main(["compare", *map(str, sides), "--capacity", "7MiB", "-o", str(tmp_path)]) == 3
    (page,) = tmp_path.glob("compare/*/index.html")
    for path in (page, tmp_path / "index.html"):
        text = path.read_text(encoding="utf-8")
        assert text.count("1.00 MiB") == 1
        assert "does not fit: it needs" not in text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (3 << 30, 1 << 30, "3.00 → 1.00 GiB"),
        (1 << 30, 1 << 20, "1.00 GiB → 1.00 MiB"),
        (36, 48, "36 → 48 B"),
    ],
)
def test_a_unit_that_both_sizes_have_is_said_once(before: int, after: int, words: str) -> None:
    assert transition_words(before, after) == words
