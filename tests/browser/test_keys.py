"""Keys: each does what a link or a button does, none when the reader types or has turned them off."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.summaries import made_up, write_overview

Visit = Callable[..., Page]


@pytest.fixture
def modules(visit: Visit, samples_site: Path) -> list[str]:
    """Return the pages of the modules in the order of the overview."""
    links: list[str] = (
        visit(samples_site)
        .locator("#modules-table tbody th > a")
        .evaluate_all("links => links.map(link => link.getAttribute('href'))")
    )
    return links


def test_the_help_lists_the_keys_and_does_what_they_do(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Search").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#search")).to_be_focused()


def test_the_help_opens_by_mouse_and_closes_by_escape(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("?")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_digits_open_the_views(visit: Visit, samples_site: Path, modules: list[str]) -> None:
    page = visit(samples_site, modules[0])
    tabs = page.locator("nav.tabs > a").all_inner_texts()
    for number, name in enumerate(tabs, start=1):
        with page.expect_navigation():
            page.keyboard.press(str(number))
        expect(page.locator("nav.tabs > [aria-current]")).to_have_text(name)


def test_brackets_and_links_go_through_the_modules_in_the_same_view(
    visit: Visit, samples_site: Path, modules: list[str]
) -> None:
    views = [href.replace("index.html", "lifetimes.html") for href in modules]
    page = visit(samples_site, views[0])
    for key, here in (("]", 1), ("]", 2), ("[", 1)):
        page.keyboard.press(key)
        page.wait_for_url("**/" + views[here])
    for name, here in (("after", 2), ("before", 1)):
        page.locator(f"nav.modules a.{name}").click()
        page.wait_for_url("**/" + views[here])


def test_brackets_go_through_the_pages_of_a_table(visit: Visit, tmp_path: Path) -> None:
    site = write_overview(tmp_path / "site", [made_up(number) for number in range(1_200)])
    page = visit(site)
    page.keyboard.press("]")
    page.wait_for_url("**/modules.page-2.html")
    page.keyboard.press("]")
    page.wait_for_url("**/modules.page-3.html")
    page.keyboard.press("[")
    page.wait_for_url("**/modules.page-2.html")


def test_j_and_k_move_through_the_rows_that_are_shown(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.check("#all-rows")
    page.fill("[data-filter-of]", "mlp")
    page.locator("[data-filter-of]").blur()
    shown = page.locator("#modules-table tbody tr:not([hidden]) th > a")
    for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1), ("k", 0), ("k", 0)):
        page.keyboard.press(key)
        expect(shown.nth(place)).to_be_focused()
    href = shown.first.get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{href}")


def test_t_switches_the_theme(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_typing_in_a_field_triggers_no_key(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.check("#all-rows")
    page.fill("[data-filter-of]", "")
    page.locator("[data-filter-of]").press_sequentially("t?/j")
    expect(page.locator("[data-filter-of]")).to_have_value("t?/j")
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")


def test_keys_with_control_are_left_to_the_browser(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.keyboard.press("Control+/")
    expect(page.locator("#search")).not_to_be_focused()


def test_single_keys_can_be_turned_off(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.keyboard.press("?")
    page.get_by_label("Enable single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("/")
    expect(page.locator("#search")).not_to_be_focused()
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Enable single-key shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
