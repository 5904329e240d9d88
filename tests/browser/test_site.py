"""Every kind of page in a real browser: from a disk, from a server, on a phone, and without scripts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.browser import SUB_PATH
from tests.support.site import relative

Visit = Callable[..., Page]
Serve = Callable[[Path], str]

PHONE_WIDTH = 390
PAGE_WIDTH = "document.documentElement.scrollWidth"
TOLD = ":is(h1, h2, h3, p, li, caption, dt, dd, tbody tr, tfoot tr)"
CHOSEN = ".one-space *, .own *, .back, .back *"
"""What the address chooses to show, which the tests below and those of own views look at."""
UNSEEN = """
elements => elements.filter(element => element.textContent.trim() && !element.getClientRects().length)
    .map(element => element.textContent)
"""


def test_every_kind_of_page_opens_without_a_problem(visit: Visit, root: Path | str, kinds: list[str]) -> None:
    for path in kinds:
        page = visit(root, path)
        expect(page.locator("h1")).to_be_visible()
        figures = page.locator("figure[data-chart]")
        expect(figures.locator("svg")).to_have_count(figures.count())


def test_links_lead_from_the_overview_to_a_value_and_back(visit: Visit, root: Path | str) -> None:
    page = visit(root)
    follow(page, "m/", "**/m/*/index.html")
    follow(page, "explore.html#v", "**/explore.html#v*")
    page.locator("header ol a").first.click()
    page.wait_for_url(f"**{SUB_PATH}index.html" if isinstance(root, str) else "**/site/index.html")


def follow(page: Page, href: str, address: str) -> None:
    """Click the first link that a reader sees; others may lie in a part that is folded."""
    page.locator(f"main a[href^='{href}']:visible").first.click()
    page.wait_for_url(address)


# Tables


@pytest.fixture
def table(visit_module: Visit) -> Locator:
    """Return the list of all values, the largest first."""
    return visit_module("explore.html").locator("main table.sortable").first


def numbers(table: Locator, column: int) -> list[float]:
    cells: list[str] = table.locator(f"tbody tr > :nth-child({column}) data").evaluate_all(
        "cells => cells.map(cell => cell.value)"
    )
    return [float(cell) for cell in cells]


def column_of(table: Locator, name: str) -> int:
    """Return the number of a column, counted from 1, as CSS does."""
    heads = [text.strip() for text in table.locator("thead th").all_inner_texts()]
    return next(place for place, text in enumerate(heads, start=1) if text.startswith(name))


def use_mouse(button: Locator) -> None:
    button.click()


def use_keyboard(button: Locator) -> None:
    button.focus()
    expect(button).to_be_focused()
    button.page.keyboard.press("Enter")


@pytest.mark.parametrize("use", [use_mouse, use_keyboard])
def test_a_column_sorts_both_ways_and_says_so(table: Locator, use: Callable[[Locator], None]) -> None:
    column = column_of(table, "At once")
    head = table.locator(f"thead th:nth-child({column})")
    before = numbers(table, column)
    use(head.locator("button"))
    expect(table.page.locator("details[open] > .filters output")).to_contain_text(" of ")  # once its data is there
    assert numbers(table, column)[: len(before)] == before == sorted(before, reverse=True)
    expect(head).to_have_attribute("aria-sort", "descending")
    use(head.locator("button"))
    assert numbers(table, column) == sorted(numbers(table, column))
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(table.locator("th[aria-sort]")).to_have_count(1)


# Themes


def background(page: Page) -> str:
    color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return color


def test_the_theme_switch_changes_the_colors_and_is_remembered(visit: Visit, root: Path | str) -> None:
    page = visit(root)
    light = background(page)
    page.locator("#theme-switch").click()
    dark = background(page)
    assert dark != light
    page.reload()
    assert background(page) == dark
    assert background(visit(root, "help/glossary.html")) == dark
    page.locator("#theme-switch").click()
    assert background(page) == light


# Without scripts


def test_without_scripts_every_text_and_row_is_shown_and_no_useless_control(
    without_scripts: Visit, kinds: list[str]
) -> None:
    for path in kinds:
        page = without_scripts(path)
        elsewhere = f"details *, [hidden], [hidden] *, .needs-script *, {CHOSEN}"
        told = page.locator(f"main {TOLD}:not({elsewhere})")
        assert (path, told.evaluate_all(UNSEEN)) == (path, [])
        assert told.count() > 0
        assert (path, page.locator(":is(button, input, select):visible:not(.fold *)").count()) == (path, 0)


def test_without_scripts_the_address_chooses_the_memory_space(without_scripts: Visit, module: Path) -> None:
    page = without_scripts(f"m/{module.name}/lifetimes.html")
    sections = page.locator(".one-space > section")
    assert sections.count() > 1
    for number in range(sections.count()):
        expect(sections.nth(number)).to_be_visible(visible=number == 0)
    page.get_by_label("Memory space").get_by_role("link").first.click()
    expect(sections.nth(0)).to_be_hidden()
    expect(sections.nth(1)).to_be_visible()


def test_without_scripts_a_page_has_the_drawings_and_nothing_to_click(without_scripts: Visit, module: Path) -> None:
    page = without_scripts(f"m/{module.name}/index.html")
    expect(page.locator("#packing-map svg a").first).to_be_visible()
    expect(page.locator('[data-chart="memory-over-time"] svg').first).to_be_visible()
    assert "Click " not in page.locator("main").inner_text()


def test_without_scripts_links_lead_to_a_large_value(without_scripts: Visit) -> None:
    page = without_scripts("index.html")
    follow(page, "m/", "**/m/*/index.html")
    page.locator(".icicle a[href^='explore.html#v']").first.click()
    page.wait_for_url("**/explore.html#v*")
    expect(page.locator(".own:target > h2")).to_be_visible()


# Narrow and wide


def test_every_table_of_a_training_step_fits_a_desktop(visit: Visit, samples_site: Path, module: Path) -> None:
    tables = {
        path: visit(samples_site, path)
        .locator(".scroll:visible")
        .evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.ariaLabel)")
        for path in relative(samples_site, module.glob("*.html"))
    }
    assert {path: wide for path, wide in tables.items() if wide} == {}


def test_names_are_not_broken_into_letters_on_paper(visit_module: Visit) -> None:
    page = visit_module("explore.html")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 with the margins of browsers
    page.emulate_media(media="print")
    widths = page.locator(".tables tbody th[scope=row]:visible").evaluate_all("all => all.map(one => one.clientWidth)")
    assert widths
    assert min(widths) >= 100


def test_no_page_scrolls_sideways_on_a_phone(visit: Visit, page: Page, samples_site: Path, module: Path) -> None:
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 844})
    wide = [module, *samples_site.glob("m/jit-odd-*"), *samples_site.glob("m/jit-control-flow-*")]
    pages = [page for module in wide for page in module.glob("*.html")]
    pages += [*samples_site.glob("*.html"), *samples_site.glob("help/*.html")]
    widths = {path: visit(samples_site, path).evaluate(PAGE_WIDTH) for path in relative(samples_site, pages)}
    assert {path: width for path, width in widths.items() if width > PHONE_WIDTH} == {}


def test_the_header_is_one_row_on_a_phone(visit: Visit, page: Page, samples_site: Path, module: Path) -> None:
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 844})
    pages = [*(module / f"{name}.html" for name in ("index", "lifetimes", "explore")), samples_site / "index.html"]
    for path in relative(samples_site, pages):
        header = visit(samples_site, path).locator("header.site").bounding_box()
        assert header
        assert header["height"] <= 48, path
    page.locator("#search").focus()
    search = page.locator(".search").bounding_box()
    assert search
    assert search["width"] > PHONE_WIDTH / 2
