"""The stacked chart and the scopes of a moment, as a reader uses them from a disk; numbers equal the dump's."""

import itertools
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.reports.formats import human_bytes
from tests.browser.axe import complaints
from tests.support.site import shard

Visit = Callable[..., Page]
SHAPES = {"scope": "scopes", "shape": "shapes"}


@pytest.fixture
def data(module: Path) -> Mapping[str, Any]:
    return {name: shard(module / "data" / f"{name}.js") for name in ("values", "timeline")}


@pytest.fixture
def open_page(visit_module: Callable[[str], Page]) -> Callable[[str], Page]:
    """`open_page("#stack=scope")` opens the module's page from the disk and waits for its charts."""

    def opened(fragment: str) -> Page:
        page = visit_module(f"index.html{fragment}")
        expect(page.locator("figure[data-chart] svg").first).to_be_visible()
        figure(page).scroll_into_view_if_needed()  # because charts out of view wait
        return page

    return opened


def figure(page: Page) -> Locator:
    return page.locator("figure[data-chart='memory-over-time']").first


def bands(page: Page) -> Locator:
    return figure(page).locator(".legend button")


def owned_at(values: Mapping[str, Any], color: int, moment: int) -> dict[int, int]:
    """Return the bytes that each value owns at a moment, found byte range by byte range."""
    owned: defaultdict[int, int] = defaultdict(int)
    live = [
        number
        for number, allocation in enumerate(values["allocation"])
        if values["allocations"]["color"][allocation] == color
        and 0 <= values["first"][number] <= moment <= values["last"][number]
    ]
    for allocation in {values["allocation"][number] for number in live}:
        inside = [number for number in live if values["allocation"][number] == allocation]
        ends = {n: (values["offset"][n], values["offset"][n] + values["size"][n]) for n in inside}
        edges = sorted({edge for pair in ends.values() for edge in pair})
        for low, high in itertools.pairwise(edges):
            holders = [n for n in inside if ends[n][0] <= low and high <= ends[n][1]]
            if holders:
                owned[max(holders, key=lambda n: (values["first"][n], n))] += high - low
    return owned


def resident_at(timeline: Mapping[str, Any], color: str, moment: int) -> int:
    space = timeline["spaces"][color]
    temp = space["temp"]
    return int(space["static"] + temp["amounts"][bisect_right(temp["moments"], moment) - 1])


def names_of(values: Mapping[str, Any], by: str) -> list[str]:
    """Return the name of each value's band, as far as it has one of its own."""
    if by == "value":
        return [name + index for name, index in zip(values["name"], values["index"], strict=True)]
    table = [shape.partition("{")[0] for shape in values["shapes"]]
    return [table[shape] for shape in values["shape"]]


@pytest.mark.parametrize("by", ["shape", "value"])
def test_the_bands_under_the_pointer_have_the_bytes_of_the_dump(
    open_page: Callable[[str], Page], data: Mapping[str, Any], by: str
) -> None:
    page = open_page(f"#stack={by}")
    expect(bands(page).first).to_be_visible()
    place, color = figure(page).locator(".plot"), figure(page).get_attribute("data-space") or ""
    place.scroll_into_view_if_needed()
    box, names = place.bounding_box(), names_of(data["values"], by)
    assert box
    compared = 0
    for step in range(60):
        x, y = box["x"] + box["width"] * (0.12 + 0.0145 * step), box["y"] + box["height"] * (0.9 - 0.011 * step)
        page.mouse.move(x, y)
        expect(place.locator(".tip")).to_be_visible()
        lines = place.locator(".tip > *").all_inner_texts()
        moment = int(lines[0].removeprefix("instruction "))
        assert lines[-2] == f"resident {human_bytes(resident_at(data['timeline'], color, moment))}"
        found = re.fullmatch(r"(.+): (.+)", lines[-3])
        if found and found[1] in names:
            owned = owned_at(data["values"], int(color), moment)
            expected = sum(size for number, size in owned.items() if names[number] == found[1])
            assert found[2] == human_bytes(expected)
            compared += 1
    assert compared >= 20


@pytest.mark.parametrize("by", ["scope", "shape", "value"])
def test_all_bands_together_are_what_is_resident_at_twenty_moments(
    open_page: Callable[[str], Page], data: Mapping[str, Any], by: str
) -> None:
    page = open_page(f"#stack={by}&moment=0")
    count = len(data["timeline"]["names"])
    color = figure(page).get_attribute("data-space") or ""
    expect(bands(page).first).to_be_visible()
    for step in range(20):
        moment = step * (count - 1) // 19
        page.evaluate(f"location.hash = 'stack={by}&moment={moment}&space={color}'")
        resident = page.locator(f"#live-at:has(h3:text('instruction {moment} ')) tr.total data")
        expect(resident).to_have_attribute("value", str(resident_at(data["timeline"], color, moment)))
        rows = page.locator("#live-at tbody tr")
        listed = rows.locator("td:first-child data").evaluate_all("cells => cells.map(cell => Number(cell.value))")
        owned = owned_at(data["values"], int(color), moment).values()
        # Equal buffers are one row.
        assert sum(listed) == sum(owned)


@pytest.mark.parametrize("by", ["scope", "shape", "value"])
def test_every_band_can_be_clicked_and_lists_its_values(open_page: Callable[[str], Page], by: str) -> None:
    page = open_page(f"#stack={by}&moment=30&space=0")
    expect(bands(page).first).to_be_visible()
    amounts = 0
    for name in bands(page).all_inner_texts():
        bands(page).get_by_text(name, exact=True).click()
        only = page.locator("#live-at .narrowed code")
        expect(only).to_have_text(name)
        total = page.locator("#live-at tfoot tr.live data")
        amounts += int(total.get_attribute("value") or 0) if total.count() else 0
        expect(bands(page).get_by_text(name, exact=True)).to_have_attribute("aria-pressed", "true")
    page.locator("#live-at .narrowed button").click()
    expect(page.locator("#live-at .narrowed")).to_have_count(0)
    assert amounts == int(page.locator("#live-at tfoot tr.live data").get_attribute("value") or 0)


def test_a_click_into_a_band_chooses_the_moment_and_the_band(open_page: Callable[[str], Page]) -> None:
    page = open_page("#stack=shape")
    expect(bands(page).first).to_be_visible()
    place = figure(page).locator(".plot")
    box = place.bounding_box()
    assert box
    place.click(position={"x": box["width"] * 0.3, "y": box["height"] * 0.8})
    expect(page).to_have_url(re.compile("band="))
    expect(page.locator("#live-at .narrowed")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile("#stack=shape$"))
    expect(page.locator("#live-at")).to_be_hidden()


def test_a_chart_begins_with_lines_and_loads_nothing_for_them(visit: Visit, samples_site: Path) -> None:
    path = max(samples_site.glob("m/jit-train-step-*/index.html"), key=lambda page: page.stat().st_size)
    parts = shard(path.parent / "data" / "timeline.js")["spaces"]["0"]["parts"]
    page = visit(samples_site, path.relative_to(samples_site).as_posix())
    drawn = figure(page).locator("svg.marks")
    expect(drawn).to_be_visible()
    expect(drawn).to_contain_text(parts[0]["name"])
    expect(page.locator("#memory .of-classes").first).to_be_hidden()
    assert (
        page.evaluate("performance.getEntriesByType('resource').filter(one => one.name.includes('/data/')).length") == 0
    )
    place = figure(page).locator(".plot")
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.5)
    expect(place.locator(".tip")).to_be_visible()
    page.locator("input[name=stack][value=class]").check()
    expect(page.locator("#memory .of-classes .chip").first).to_be_visible()
    expect(drawn).not_to_contain_text(parts[0]["name"])


def test_stacking_can_be_chosen_and_taken_back(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    page.locator("input[name=stack][value=shape]").check()
    expect(bands(page).first).to_be_visible()
    expect(page).to_have_url(re.compile("stack=shape"))
    page.go_back()
    expect(bands(page)).to_have_count(0)
    expect(page.locator("input[name=stack][value='']")).to_be_checked()


def test_a_zoom_divides_what_is_shown(open_page: Callable[[str], Page]) -> None:
    page = open_page("#stack=value")
    expect(bands(page).first).to_be_visible()
    before = bands(page).all_inner_texts()
    page.evaluate("location.hash = 'stack=value&from=200&to=220'")
    expect(bands(page).first).not_to_have_text(before[0])


def test_what_is_live_is_below_a_chart_that_stays_where_it_is(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    panel, plot, classes = page.locator("#live-at"), figure(page).locator(".plot"), page.locator("#memory > .legend")
    expect(plot).to_have_attribute("aria-label", re.compile("Memory over program order"))
    expect(classes.get_by_text("temporary")).to_be_visible()
    # The left edge, the way from the top of the section, and the width.
    place = """plot => {
        const box = plot.getBoundingClientRect(), section = plot.closest("#memory").getBoundingClientRect();
        return [box.left, box.top - section.top, box.width];
    }"""
    before = plot.evaluate(place)
    page.locator("#moment-controls button[name=peak]").click()
    expect(panel.locator("table")).to_be_visible()
    assert plot.evaluate(place) == before
    page.locator("input[name=stack][value=scope]").check()
    expect(bands(page).first).to_be_visible()
    expect(classes.get_by_text("temporary")).to_be_hidden()
    assert plot.evaluate(place) == before
    chart, below = figure(page).bounding_box(), panel.bounding_box()
    assert chart
    assert below
    assert 0 <= below["y"] - chart["y"] - chart["height"] < 100


def test_the_panel_and_the_bands_have_no_accessibility_violations(open_page: Callable[[str], Page]) -> None:
    page = open_page("#stack=scope&moment=40&space=0")
    expect(bands(page).first).to_be_visible()
    expect(page.locator("#live-at table")).to_be_visible()
    assert complaints(page) == []
