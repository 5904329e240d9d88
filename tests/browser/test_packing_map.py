"""The packing map as a reader explores it: both axes zoom by mouse, wheel and keys, and the caption stays true."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.axe import complaints
from tests.support.site import shard

Visit = Callable[[str], Page]
ZOOMED = re.compile(r"from=\d+&to=\d+&low=\d+&high=\d+")


@pytest.fixture
def map_page(visit_module: Visit) -> Page:
    return drawn(visit_module("index.html"))


def drawn(page: Page) -> Page:
    page.locator("#packing-map").scroll_into_view_if_needed()
    expect(page.locator("#map-caption")).to_contain_text("values;")
    page.locator("#packing-map .plot").scroll_into_view_if_needed()
    return page


def test_the_page_does_not_move_when_the_map_is_drawn(visit_module: Visit, page: Page) -> None:
    """Also where its caption is at the top of the window, which then is not what the browser keeps in place."""
    held: list[Route] = []
    page.route("**/data/values.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright sets attributes on it
    with page.expect_request("**/data/values.js"):
        visit_module("index.html").evaluate("scrollTo(0, 1e6)")
        page.locator("#map-caption").evaluate("caption => caption.scrollIntoView()")
    controls, after = page.locator("#packing-map form.controls"), page.locator("#packing-map ~ *:visible").first
    assert controls.get_attribute("inert") is not None
    before = after.bounding_box()
    for route in held:
        route.continue_()
    expect(page.locator("#map-caption")).to_contain_text("values;")
    line_of_caption = 24
    box = after.bounding_box()
    assert before
    assert box
    assert box["y"] == pytest.approx(before["y"], abs=line_of_caption)
    assert controls.get_attribute("inert") is None


def plot(page: Page) -> Locator:
    return page.locator("#packing-map .plot")


def at(page: Page, across: float, along: float) -> tuple[float, float]:
    box = plot(page).bounding_box()
    assert box
    return box["x"] + box["width"] * across, box["y"] + box["height"] * along


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*at(page, *start))
    page.mouse.down()
    page.mouse.move(*at(page, *end), steps=4)
    page.mouse.up()


def window(page: Page) -> dict[str, int]:
    """Return the part that is shown; what the address leaves out is everything."""
    return {key: int(value) for key, value in re.findall(r"(from|to|low|high)=(\d+)", page.url)}


def counts(page: Page) -> list[int]:
    """Return how many values the caption says are drawn, merged and outside."""
    text = page.locator("#map-caption").inner_text()
    found = [re.search(rf"([\d,]+) {words}", text) for words in ("values;", "too thin", "outside")]
    return [int(one[1].replace(",", "")) if one else 0 for one in found]


def test_a_dragged_box_is_zoomed_to_on_both_axes(map_page: Page) -> None:
    words = plot(map_page).locator("svg .mark-text.role-mark text")
    expect(words.get_by_text("peak", exact=True)).to_be_visible()
    assert words.count() > 3, "rectangles with room for it have a name"
    drag(map_page, (0.3, 0.3), (0.6, 0.6))
    expect(map_page).to_have_url(ZOOMED)
    shown = window(map_page)
    assert shown["from"] > 0
    assert shown["low"] > 0
    map_page.go_back()
    expect(map_page).not_to_have_url(re.compile("low="))


def test_the_caption_counts_every_value_once_after_each_zoom(map_page: Page) -> None:
    whole = sum(counts(map_page))
    for start, end in (((0.2, 0.2), (0.8, 0.8)), ((0.3, 0.3), (0.6, 0.7))):
        before = map_page.locator("#map-caption").inner_text()
        drag(map_page, start, end)
        expect(map_page.locator("#map-caption")).not_to_have_text(before)
        assert sum(counts(map_page)) == whole
    assert counts(map_page)[2] > 0


def test_the_wheel_zooms_only_where_the_map_has_the_focus(map_page: Page) -> None:
    map_page.mouse.move(*at(map_page, 0.5, 0.5))
    map_page.mouse.wheel(0, -200)
    map_page.wait_for_timeout(400)
    assert not window(map_page)
    plot(map_page).focus()
    drawn(map_page).mouse.move(*at(map_page, 0.5, 0.5))
    map_page.mouse.wheel(0, -200)
    expect(map_page).to_have_url(ZOOMED)


def test_shift_and_drag_moves_the_part_without_changing_its_size(map_page: Page) -> None:
    drag(map_page, (0.4, 0.4), (0.6, 0.6))
    expect(map_page).to_have_url(ZOOMED)
    before, address = window(map_page), map_page.url
    map_page.keyboard.down("Shift")
    drag(map_page, (0.5, 0.5), (0.6, 0.4))
    map_page.keyboard.up("Shift")
    expect(map_page).not_to_have_url(address)
    after = window(map_page)
    assert after["to"] - after["from"] == before["to"] - before["from"]
    assert after["high"] - after["low"] == before["high"] - before["low"]
    assert after["from"] < before["from"]


def test_the_keyboard_zooms_moves_and_resets(map_page: Page) -> None:
    plot(map_page).focus()
    map_page.keyboard.press("+")
    expect(map_page).to_have_url(ZOOMED)
    before, address = window(map_page), map_page.url
    map_page.keyboard.press("ArrowUp")
    expect(map_page).not_to_have_url(address)
    assert window(map_page)["low"] > before["low"]
    map_page.keyboard.press("0")
    expect(map_page).not_to_have_url(re.compile("low="))


def test_buttons_zoom_and_reset(map_page: Page) -> None:
    map_page.get_by_role("button", name="Zoom in").click()
    expect(map_page).to_have_url(ZOOMED)
    map_page.locator("#packing-map button[name=reset]").click()
    expect(map_page).not_to_have_url(re.compile("low="))


def test_a_double_click_shows_everything_and_chooses_nothing(map_page: Page) -> None:
    map_page.get_by_role("button", name="Zoom in").click()
    expect(map_page).to_have_url(ZOOMED)
    address = map_page.url.partition("#")[0]
    # All at once: a click with a pause after it is one of its own.
    x, y = at(map_page, 0.5, 0.5)
    point = {"clientX": x, "clientY": y, "bubbles": True, "button": 0, "isPrimary": True}
    kinds = ["pointerdown", "pointerup", "pointerdown", "pointerup", "dblclick"]
    press = "(plot, [kinds, point]) => kinds.forEach(kind => plot.dispatchEvent(new PointerEvent(kind, point)))"
    plot(map_page).evaluate(press, [kinds, point])
    expect(map_page).not_to_have_url(re.compile("low="))
    map_page.wait_for_timeout(400)
    assert map_page.url.partition("#")[0] == address
    assert "moment=" not in map_page.url


def test_a_value_shows_its_place_on_the_map_and_the_map_leads_back(visit_module: Visit, module: Path) -> None:
    values = shard(module / "data" / "values.js")
    number = next(n for n, first in enumerate(values["first"]) if first > 0 and values["size"][n] > 1024)
    page = visit_module(f"explore.html#v{values['id'][number]}")
    page.locator(".own.open").get_by_role("link", name="on the packing map").click()
    expect(page).to_have_url(re.compile(rf"index\.html#.*fit={values['id'][number]}\b"))
    expect(page).to_have_url(ZOOMED)
    name = values["name"][number] + values["index"][number]
    expect(page.locator("#map-caption")).to_contain_text(f"{name} is outlined.")
    box = plot(page).bounding_box()
    assert box
    plot(page).click(position={"x": box["width"] * 0.52, "y": box["height"] * 0.5})
    expect(page.locator(".own.open")).to_contain_text(values["name"][number].split(".")[0])


def test_an_allocation_is_shown_alone_on_the_map(visit_module: Visit, module: Path) -> None:
    values = shard(module / "data" / "values.js")
    allocation = max(set(values["allocation"]), key=values["allocation"].count)
    page = visit_module(f"explore.html#a{values['allocations']['id'][allocation]}")
    page.locator(".own.open").get_by_role("link", name="on the packing map").click()
    drawn(page)
    with_range = [n for n, one in enumerate(values["allocation"]) if one == allocation and values["first"][n] >= 0]
    assert sum(counts(page)) == sum(values["size"][n] > 0 for n in with_range)


def test_the_legend_dims_all_other_groups(map_page: Page) -> None:
    chip = map_page.locator("#map-legend button").first
    chip.click()
    expect(map_page.locator("#map-legend button").first).to_have_attribute("aria-pressed", "true")
    expect(map_page.locator("#map-count")).to_have_text(re.compile(r"\d+ of \d+ values match"))
    map_page.locator("#map-legend button").first.click()
    expect(map_page.locator("#map-count")).to_have_text("")


def test_highlight_counts_what_it_finds(map_page: Page, module: Path) -> None:
    values = shard(module / "data" / "values.js")
    map_page.locator("#packing-map [name=find]").fill("fusion")
    expect(map_page.locator("#map-count")).to_have_text(re.compile(r"^[1-9]\d* of \d+ values match$"))
    assert any(name.startswith("fusion") for name in values["name"])


def test_colors_of_opcodes_are_not_those_of_classes(map_page: Page) -> None:
    colors = "chips => chips.map(chip => chip.style.borderColor)"
    classes = set(map_page.locator("#map-legend button").evaluate_all(colors))
    map_page.select_option("#packing-map [name=color]", "opcode")
    expect(map_page).to_have_url(re.compile("color=opcode"))
    expect(map_page.locator("#map-legend")).to_contain_text("fusion")
    assert not classes & set(map_page.locator("#map-legend button").evaluate_all(colors))


def test_the_map_in_use_has_no_accessibility_violations(map_page: Page) -> None:
    map_page.locator("#packing-map [name=find]").fill("fusion")
    map_page.locator("#map-legend button").first.click()
    assert complaints(map_page) == []
