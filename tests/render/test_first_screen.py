"""What a module's page begins with adds up to what is needed, and says what the advice says."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given

from reportgen.advice.advice_records import Verdict
from reportgen.analyse.analysis import analyse
from reportgen.analyse.devices import MAIN_SPACE, Capacity
from reportgen.analyse.fit import device_fit
from reportgen.analyse.phases import phases
from reportgen.analyse.spaces import main_space
from reportgen.analyse.temporary_parts import temporary_parts
from reportgen.model import Dump
from reportgen.render.drawings.chart_data import memory_over_time, stacked
from reportgen.render.drawings.life import life_of
from reportgen.render.drawings.memory_chart import memory_chart
from reportgen.render.html.links import Links
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.index import index_page
from reportgen.render.module.lifetimes_page import lifetimes_page
from reportgen.render.module.need import need
from reportgen.render.module.peak_rows import peak_tables
from reportgen.render.module.verdict import verdict
from reportgen.render.value.story import ValueStory
from reportgen.render.view import Module
from reportgen.reports.report import peak_by_class
from tests.advice.recompiled_programs import names, program
from tests.advice.test_batch import GATHERED
from tests.support.dumps import analysed
from tests.support.markup_tree import Element, tree_of
from tests.support.modules import module_of
from tests.support.strategies import consistent_dumps

GIB = 1 << 30


def module(name: str, capacity_bytes: int | None = None) -> Module:
    capacities: Mapping[int, Capacity] = (
        {} if capacity_bytes is None else {MAIN_SPACE: Capacity(capacity_bytes, "given", "flag")}
    )
    fit = device_fit(program(name), capacities)
    return module_of(program(name), device_fit=fit)


@given(consistent_dumps())
def test_the_parts_of_the_bar_are_all_that_is_needed(dump: Dump) -> None:
    analysis = analyse(dump)
    space = main_space(analysis.spaces)
    if space is None or not space.needed_bytes:
        return
    segments = need(analysis, space, temporary_parts(analysis, space))
    assert sum(part.size_bytes for part in segments) == space.needed_bytes
    assert all(part.size_bytes > 0 for part in segments)


def test_arguments_are_named_and_temporaries_grouped() -> None:
    analysis = program("flax_gpt+donate")
    space = analysis.spaces[MAIN_SPACE]
    parts = temporary_parts(analysis, space)
    segments = need(analysis, space, parts)
    assert {"opt_state", "params"} <= {part.name for part in segments}
    assert ("flax_gpt.py:17", "blocks/attn", "source-1") in [(part.name, part.what, part.kind) for part in segments]
    assert parts
    assert [part.name for part in segments if part.what] == [part.name for part in parts.parts]


@pytest.mark.parametrize("name", names())
def test_what_is_kept_for_the_backward_pass_is_part_of_the_peak(name: str) -> None:
    made = module(name)
    view, space = verdict(made), made.analysis.spaces[MAIN_SPACE]
    assert view
    assert space.peak_resident
    assert view.kept_bytes <= dict(peak_by_class(made.analysis, space))["temporary"] <= space.peak_resident.amount
    assert bool(view.kept_bytes) == bool(view.kept_by)


def test_the_loop_that_keeps_most_is_named() -> None:
    view = verdict(module("flax_gpt+donate"))
    assert view
    assert view.kept_by.startswith("the loop at ")
    assert view.kept_by.endswith("flax_gpt.py:46")
    assert view.kept_bytes > 15 * GIB


def test_a_bar_is_as_long_as_a_device_that_has_more() -> None:
    made = module("flax_gpt+donate", 100 * GIB)
    whole = tree_of(index_page(made, "Memory").content.decode()).first("div", class_="stacked")
    widths = [float(part.attributes["style"].removeprefix("width:").removesuffix("%")) for part in whole.all("span")]
    assert sum(widths) == pytest.approx(100 * made.analysis.spaces[MAIN_SPACE].needed_bytes / (100 * GIB), abs=0.1)


@pytest.mark.parametrize(("gib", "verdict"), [(15.75, "combined"), (2, "arguments"), (30, "fits")])
def test_a_suggestion_fits_by_what_is_needed_then(gib: float, verdict: Verdict) -> None:
    made = module("flax_gpt+donate", round(gib * GIB))
    advice, box = made.advice[MAIN_SPACE], advice_box(made)
    assert advice.capacity
    assert advice.breakdown
    assert box
    assert advice.capacity.verdict == verdict
    assert (box.advice.exceeded_bytes is None) == (verdict == "fits")
    slack = advice.breakdown.needed_bytes - advice.breakdown.peak_bytes
    computed = [suggestion for suggestion in box.first if suggestion.is_computed]
    cards = [card for card in cards_of(made) if "data-needs" in card.attributes]
    for card, suggestion in zip(cards, computed, strict=True):
        need_bytes = int(card.attributes["data-needs"])
        assert need_bytes == suggestion.outcome.peak_bytes + slack
        assert ("over capacity" in card.text) == (need_bytes > gib * GIB)
    assert any([*card.all("small", class_="fits")] for card in cards) == (verdict == "combined")
    assert (box.heading == "Make it fit") == (verdict != "fits")
    assert ("they fit" in box.words) == (verdict == "arguments")


def test_folders_of_files_are_left_out_of_a_suggestion_but_not_of_its_tooltip() -> None:
    card = cards_of(module("flax_gpt+donate"))[0]
    assert "flax_gpt.py:46" in card.text
    assert "/flax_gpt.py:46" not in card.text
    assert "/flax_gpt.py:46" in card.first("strong").attributes["title"]


@pytest.mark.parametrize("name", names())
def test_what_is_combined_is_on_a_card(name: str) -> None:
    made = module(name)
    box = advice_box(made)
    assert box
    kinds = {suggestion.kind for suggestion in box.first}
    assert {suggestion.kind for suggestion in made.advice[MAIN_SPACE].combined} <= kinds


def test_the_largest_temporaries_are_named_beside_state_that_could_be_narrower() -> None:
    analysis = analysed(GATHERED, backend="tpu")
    cards = [card for card in cards_of(module_of(analysis)) if "narrower" in card.text]
    assert [("argument 1" in card.text, "f32[64,16]" in card.text) for card in cards] == [(True, False), (False, True)]
    assert [bool([*card.all("input")]) for card in cards] == [True, False]


def cards_of(made: Module) -> Sequence[Element]:
    page = tree_of(index_page(made, "Memory").content.decode())
    return list(page.first("ol", class_="step-list").all("li"))


def test_a_program_that_needs_nothing_has_a_page_whatever_the_device_has() -> None:
    text = "BufferAssignment:\nallocation 0: size 0, output shape is |()|, maybe-live-out:\n"
    analysis = analysed(f"{text} value: <0 tuple.1{{}} @0> (size=0,offset=0): ()\n")
    fit = device_fit(analysis, {MAIN_SPACE: Capacity(GIB, "given", "flag")})
    page = tree_of(index_page(module_of(analysis, device_fit=fit), "Memory").content.decode())
    assert [*page.all("p", class_="headline")] == []


def test_a_value_that_is_never_live_has_no_strip() -> None:
    analysis = program("flax_gpt+donate")
    number = next(one for one, start in enumerate(analysis.dump.starts) if start < 0)
    assert life_of(analysis, (number,), "class-temporary", None) is None


def test_a_value_is_told_in_a_sentence() -> None:
    made = module("flax_gpt+donate")
    links = Links(made)
    space = made.analysis.spaces[MAIN_SPACE]
    largest = next(share.value for share in space.composition if share.value is not None)
    story = ValueStory(made, links)
    assert re.search(r">written<td>.*flax_gpt.py:17.*, forward<tr>", story.uses(largest))
    assert story.of(largest).startswith("At the peak it is <b>idle</b>")


def test_the_lifetimes_name_the_first_suggestion_about_what_is_idle() -> None:
    made = module("flax_gpt+donate")
    page = lifetimes_page(made, "Memory").content.decode()
    assert re.search(r"<b>Suggestion:</b> <a [^>]*>[^<]+, saves ", page)


def test_a_value_of_several_passes_is_told_all_of_them() -> None:
    made = module("flax_gpt+donate")
    both = next(
        phase
        for phase in made.phases
        if phase.passes
        == (
            "backward",
            "update",
        )
    )
    starts, story = made.analysis.dump.starts, ValueStory(made, Links(made))
    within = (story.uses(one) for one, start in enumerate(starts) if both.first <= start <= both.last)
    assert ", backward and update<" in next(uses for uses in within if "written" in uses)


@given(consistent_dumps())
def test_the_drawing_has_the_data_of_the_chart(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        chart = memory_over_time(analysis, space, phases(analysis))
        if chart is None:
            continue
        drawn = memory_chart(chart)
        assert drawn.count('class="dot') == len(chart["datasets"]["peak"])
        assert all(mark["label"] in drawn for mark in chart["datasets"]["peak"])
        assert ("fill-temporary" in drawn) != bool(chart["steps"]["parts"])
        assert "nan" not in drawn


@pytest.mark.parametrize("name", ["flax_gpt+donate", "ring", "gnn"])
def test_the_areas_of_a_chart_add_up_to_what_is_resident_at_each_moment(name: str) -> None:
    made = module(name)
    for color, space in made.analysis.spaces.items():
        parts = made.temporary_parts[color]
        chart = memory_over_time(made.analysis, space, (), None, parts)
        if chart is None or parts is None or space.temp is None:
            continue
        areas = dict(stacked(chart["steps"]))
        assert list(areas) == [*(f"source-{number}" for number, _ in enumerate(parts.parts, 1)), "other"]
        for rows in zip(*areas.values(), strict=True):
            moment = rows[0][0]
            assert sum(high - low for _, low, high in rows) == space.temp.at(moment)
            assert rows[-1][2] == space.static_bytes + space.temp.at(moment)
            assert all(one[2] == after[1] for one, after in pairwise(rows))
            assert [high - low for _, low, high in rows][:-1] == [part.steps.at(moment) for part in parts.parts]


def test_the_largest_areas_have_their_lines_inside() -> None:
    made = module("flax_gpt+donate")
    space, parts = made.analysis.spaces[MAIN_SPACE], made.temporary_parts[MAIN_SPACE]
    chart = memory_over_time(made.analysis, space, (), None, parts)
    assert chart
    assert parts
    names = {name["class"]: name for name in chart["datasets"]["names"]}
    assert [names[f"source-{number}"]["name"] for number in (1, 2, 3)] == [part.name for part in parts.parts[:3]]
    areas = dict(stacked(chart["steps"]))
    for kind in ("source-1", "source-2", "source-3"):
        name = names[kind]
        inside = [row for row in areas[kind] if name["begin"] <= row[0] < name["end"]]
        assert inside
        assert all(low <= name["bottom"] and name["top"] <= high for _, low, high in inside)
    named = {*names, *(area["class"] for area in chart["legend"])}
    assert named == {"parameter", *areas}


def test_the_phases_below_a_chart_follow_one_another() -> None:
    analysis = program("flax_gpt+donate")
    chart = memory_over_time(analysis, analysis.spaces[MAIN_SPACE], phases(analysis))
    assert chart
    tracks = chart["datasets"]["phases"]
    strip, loops = ([phase for phase in tracks if phase["row"] == row] for row in (0, 1))
    assert [phase["label"] for phase in strip] == [
        "forward", "forward and backward", "backward", "backward and update", "update",
    ]  # fmt: skip
    assert [loop["label"] for loop in loops] == ["loop flax_gpt.py:46"] * 2
    for track in (strip, loops):
        assert all(one["last"] <= after["first"] for one, after in pairwise(track))


def test_loops_are_the_only_track_of_a_program_without_a_gradient() -> None:
    analysis = program("generate")
    chart = memory_over_time(analysis, analysis.spaces[MAIN_SPACE], phases(analysis))
    assert chart
    assert [(phase["label"], phase["row"]) for phase in chart["datasets"]["phases"]] == [
        ("loop generate.py:27", 0), ("loop generate.py:42", 0),
    ]  # fmt: skip


@given(consistent_dumps())
def test_each_grouping_of_a_peak_adds_up_to_it(dump: Dump) -> None:
    made = module_of(analyse(dump))
    for space in made.analysis.spaces.values():
        tables, peak = peak_tables(made, space, Links(made)), space.peak_resident
        assert bool(tables) == bool(peak and peak.amount)
        for table in tables:
            assert peak
            assert sum(part.size_bytes for part in (*table.rows, *table.rest)) == peak.amount


def test_a_grouping_draws_when_each_of_its_rows_is_held() -> None:
    made = module("flax_gpt+donate")
    space = made.analysis.spaces[MAIN_SPACE]
    tables = peak_tables(made, space, Links(made))
    keys = ["operation", "source line", "argument", "shape", "class", "value", "opcode", "element type"]
    assert [table.key for table in tables] == keys
    for table in tables:
        assert table.table.rows.count("<svg") == sum(bool(row.numbers) for row in table.rows)
