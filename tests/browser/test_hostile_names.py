"""Names that are made to do harm do none in a browser, and can be read there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.browser import Watch
from tests.support import hostile
from tests.support.site import relative

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def large(hostile_site: Path) -> Path:
    return max(hostile_site.glob("m/jit-all-*"), key=lambda folder: (folder / "explore.html").stat().st_size)


@pytest.fixture(scope="module")
def paths(hostile_site: Path, large: Path) -> list[str]:
    """Return one page of each kind, and a view of a value that scripts make or the page has."""
    small = sorted(hostile_site.glob("m/*/index.html"))[::12]
    pages = relative(hostile_site, [hostile_site / "index.html", *large.glob("*.html"), *small])
    explore = (large / "explore.html").relative_to(hostile_site).as_posix()
    return [*pages, *(f"{explore}#v{number}" for number in range(len(hostile.TEXTS)))]


def test_no_name_runs_leaves_or_widens_a_page(
    visit: Visit, page: Page, watch: Watch, hostile_site: Path, paths: list[str]
) -> None:
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.set_viewport_size({"width": 390, "height": 844})
    wide = []
    for path in paths:
        visit(hostile_site, path)
        expect(page.locator("h1")).to_be_visible()
        assert page.evaluate("window.pwned") is None, path
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(path)
    assert wide == []
    assert dialogs == []
    watch.check()


def test_no_name_runs_where_scripts_show_it(visit: Visit, page: Page, hostile_site: Path, large: Path) -> None:
    visit(hostile_site, f"{large.relative_to(hostile_site)}/index.html#moment=3")
    page.keyboard.press("/")
    for text in ("script", "onerror", "red", "CON", "nnnn"):
        page.locator("#search").fill(text)
        expect(page.locator("#search-results a").first).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#packing-map").scroll_into_view_if_needed()
    expect(page.locator("#packing-map svg")).to_be_visible()
    page.locator('#packing-map select[name="color"]').select_option("scope")
    page.locator("#packing-map .plot").hover()
    assert page.evaluate("window.pwned") is None


def test_a_name_from_right_to_left_turns_nothing_around(
    visit: Visit, page: Page, hostile_site: Path, large: Path
) -> None:
    visit(hostile_site, f"{large.relative_to(hostile_site)}/explore.html")
    isolated = "element => getComputedStyle(element).unicodeBidi"
    for link in page.locator("tbody th a").all()[:3]:
        assert link.evaluate(isolated) == "isolate"
