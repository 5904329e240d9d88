"""What the peak is made of, as boxes: without scripts, at any width, by the keyboard, and on paper."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.site import shard

Visit = Callable[[str], Page]

OUTSIDE = """boxes => boxes.flatMap(box => {
  const own = box.getBoundingClientRect();
  const shown = node => getComputedStyle(node).visibility === "visible";
  return [...box.children].filter(shown).flatMap(part => [...part.getClientRects()])
    .filter(line => line.top < own.bottom - 2 && line.left < own.right - 1)
    .filter(line => line.right > own.right + 1 || line.bottom > own.bottom + 2)
    .map(() => box.title);
})"""
"""The titles of boxes in which a line of a name is visible and yet cut off."""

GAPS = """lists => lists.flatMap(list => {
  const of = node => node.getBoundingClientRect().width;
  const sum = [...list.children].reduce((total, item) => total + of(item), 0), whole = of(list);
  return Math.abs(sum - whole) > 1.5 && whole ? [[sum, whole]] : [];
})"""
"""The sums of boxes next to each other that differ from what they are below."""


@pytest.mark.parametrize("width", [1280, 820, 390])
def test_boxes_fill_what_they_are_below_and_no_name_is_cut(visit_module: Visit, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    main = visit_module("index.html").locator("section[aria-labelledby=peak] > .icicle")
    assert page.locator(".icicle, .icicle ol").evaluate_all(GAPS) == []
    assert main.locator(".line").evaluate_all(OUTSIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(main.locator("b").first).to_be_visible()
    expect(page.locator("section[aria-labelledby=peak] .peak-groups:visible")).to_have_count(1)


def test_on_a_phone_the_map_is_folded_unless_a_link_leads_to_it(visit_module: Visit, page: Page, module: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    plot = page.locator("#packing-map svg")
    visit_module("index.html")
    expect(page.locator("#packing-map")).to_be_hidden()
    page.get_by_role("heading", name="Packing map").click()
    expect(plot).to_be_visible()
    values = shard(module / "data" / "values.js")
    largest = max(range(len(values["size"])), key=values["size"].__getitem__)
    page.goto("about:blank")
    visit_module(f"index.html#fit={values['id'][largest]}")
    expect(plot).to_be_visible()


def test_a_box_is_reached_by_the_keyboard_and_leads_to_a_value(visit_module: Visit) -> None:
    page = visit_module("index.html")
    box = page.locator(".icicle a").first
    box.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.icicle') !== null")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".own.open")).to_be_visible()


def test_on_paper_boxes_keep_their_colors(visit_module: Visit) -> None:
    page = visit_module("index.html")
    page.emulate_media(media="print")
    box = page.locator(".icicle a").first
    expect(box).to_be_visible()
    assert box.evaluate("box => getComputedStyle(box).printColorAdjust") == "exact"
