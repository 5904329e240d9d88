"""The page of a source file: folded lines, at any width, in light and dark."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.cli import main
from tests.browser.axe import COLORS, complaints
from tests.support.samples import SAMPLES

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def source_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("source") / "site"
    root = SAMPLES / "programs"
    assert main(["build", str(SAMPLES / "v5e-train-step"), "-o", str(site), "--source-root", str(root), "--quiet"]) == 0
    return site


@pytest.fixture
def source_page(source_site: Path) -> str:
    (page,) = source_site.glob("m/*/source-1.html")
    return page.relative_to(source_site).as_posix()


def test_a_source_page_has_no_violation(visit: Visit, page: Page, source_site: Path, source_page: str) -> None:
    page.emulate_media(color_scheme="light")
    visit(source_site, source_page)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    found = complaints(page)
    page.emulate_media(color_scheme="dark")
    assert [*found, *complaints(page, COLORS)] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_scrolls_sideways(visit: Visit, page: Page, source_site: Path, source_page: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    visit(source_site, source_page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_link_to_a_folded_line_opens_it(visit: Visit, page: Page, source_site: Path, source_page: str) -> None:
    visit(source_site, source_page)
    expect(page.locator("#L5")).not_to_be_visible()
    visit(source_site, f"{source_page}#L5")
    expect(page.locator("#L5")).to_be_visible()
    expect(page.locator("#L5")).to_be_in_viewport()


def test_a_source_line_is_found_and_shown(visit: Visit, page: Page, source_site: Path, source_page: str) -> None:
    visit(source_site, source_page)
    page.keyboard.press("/")
    page.keyboard.type("train_step.py:41")
    result = page.get_by_role("listbox").get_by_role("option").first
    expect(result).to_contain_text("12.4 GiB")
    result.click()
    page.wait_for_url("**/source-1.html#L41")
    expect(page.locator("#L41")).to_be_in_viewport()


def test_the_note_of_a_change_leads_to_the_chart_with_it(
    visit: Visit, page: Page, source_site: Path, source_page: str
) -> None:
    visit(source_site, source_page)
    page.locator("#L66 + .note").get_by_role("link", name="Show in the chart").click()
    page.wait_for_url("**/index.html#suggestion=checkpoint-loop-1")
    expect(page.locator('input[name="tick"][value="checkpoint-loop-1"]')).to_be_checked()
