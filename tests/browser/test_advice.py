"""Advice as a reader uses it: choose a suggestion, see its curve over the chart, take its tables along."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from reportgen.reports.formats import human_bytes
from tests.browser.axe import complaints
from tests.support.site import build_site, shard

Visit = Callable[..., Page]
PROGRAM = Path(__file__).parents[1] / "advice" / "pairs" / "gpu" / "mid" / "nodonate"
CURVE = "figure[data-space='0'] svg g.mark-line path[stroke='var(--ok)']"


@pytest.fixture(scope="session")
def advised_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a site of one training step that donates nothing."""
    return build_site(PROGRAM, tmp_path_factory.mktemp("advised") / "site")


@pytest.fixture(scope="session")
def folder(advised_site: Path) -> str:
    return next(advised_site.glob("m/*/")).relative_to(advised_site).as_posix() + "/"


@pytest.fixture(scope="session")
def changes(advised_site: Path, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = shard(advised_site / folder / "data" / "advice.js")
    return found


@pytest.fixture
def module_page(advised_site: Path, folder: str, visit: Visit) -> Page:
    page = visit(advised_site, folder + "index.html")
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()
    return page


def said(page: Page) -> Any:
    page.locator("figure[data-space='0']").first.scroll_into_view_if_needed()  # charts out of view wait
    return expect(page.locator("figure[data-space='0'] p.changed"))


def choose_in_table(page: Page, key: str) -> None:
    page.locator(f"button[name=suggestion][value={key}]").first.click()


def test_a_suggestion_chosen_in_a_table_is_shown_over_the_chart(module_page: Page, changes: dict[str, Any]) -> None:
    choose_in_table(module_page, "donate-1")
    said(module_page).to_have_text(changes["donate-1"]["words"])
    expect(module_page.locator(CURVE)).to_have_count(1)
    expect(module_page.locator(CURVE)).to_be_in_viewport()
    expect(module_page).to_have_url(re.compile("suggestion=donate-1"))


def test_the_peak_in_the_tooltip_is_that_of_the_suggestion(module_page: Page, changes: dict[str, Any]) -> None:
    """The chart adds what a suggestion changes to what is resident; the next peak is the suggestion's figure."""
    for key in ("donate-1", "then-donate"):
        change = changes[key]
        module_page.locator("select[name=suggestion]").select_option(key)
        first = max(0, change["moment"] - 3)
        module_page.locator("input[name=from]").fill(str(first))
        module_page.locator("input[name=to]").fill(str(first + 6))
        module_page.locator("input[name=to]").press("Tab")
        expect(module_page).to_have_url(re.compile(f"to={first + 6}"))
        said(module_page).to_have_text(change["words"])
        place = module_page.locator("figure[data-space='0'] .plot")
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        assert box
        found: dict[str, list[str]] = {}
        for step in range(60):
            module_page.mouse.move(box["x"] + box["width"] * (0.08 + 0.015 * step), box["y"] + box["height"] / 2)
            lines = place.locator(".tip > *").all_inner_texts()
            found |= {lines[0]: lines} if lines else {}
        assert f"resident with the suggestion {human_bytes(change['peak'])}" in found[f"instruction {change['moment']}"]
        module_page.locator("button[name=all]").click()


def test_the_same_button_takes_the_curve_away(module_page: Page) -> None:
    choose_in_table(module_page, "donate-1")
    pressed = module_page.locator("button[name=suggestion][value=donate-1][aria-pressed=true]")
    expect(pressed.first).to_be_attached()
    choose_in_table(module_page, "donate-1")
    expect(pressed).to_have_count(0)
    said(module_page).to_be_hidden()
    expect(module_page.locator(CURVE)).to_have_count(0)


def test_back_takes_the_choice_back(module_page: Page) -> None:
    module_page.locator("select[name=suggestion]").select_option("donate-1")
    said(module_page).to_be_visible()
    module_page.go_back()
    said(module_page).to_be_hidden()
    expect(module_page.locator("select[name=suggestion]")).to_have_value("")


def test_a_link_shows_the_same_suggestion_at_the_same_zoom(
    visit: Visit, advised_site: Path, folder: str, changes: dict[str, Any]
) -> None:
    page = visit(advised_site, folder + "index.html#suggestion=checkpoint-1&from=100&to=200")
    said(page).to_have_text(changes["checkpoint-1"]["words"])
    expect(page.locator("input[name=from]")).to_have_value("100")


def test_a_link_to_a_suggestion_that_is_not_there_shows_the_program_as_it_is(
    visit: Visit, advised_site: Path, folder: str
) -> None:
    page = visit(advised_site, folder + "index.html#suggestion=no-such-suggestion")
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()
    said(page).to_be_hidden()


def test_a_key_goes_through_the_suggestions(module_page: Page, changes: dict[str, Any]) -> None:
    module_page.keyboard.press("m")
    said(module_page).to_have_text(changes["donate-1"]["words"])
    module_page.keyboard.press("m")
    said(module_page).to_have_text(changes["donate-2"]["words"])


def test_a_suggestion_is_chosen_with_the_keyboard_alone(module_page: Page) -> None:
    button = module_page.locator("button[name=suggestion][value=donate-1]").first
    button.focus()
    module_page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()


def test_a_table_is_downloaded_with_exact_numbers(module_page: Page) -> None:
    module_page.locator("details:has(table[data-csv=suggestions]) > summary").click()
    with module_page.expect_download() as download:
        module_page.locator("div.scroll:has(table[data-csv=suggestions]) + p button").click()
    assert download.value.suggested_filename == "suggestions.csv"
    rows = list(csv.DictReader(download.value.path().read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == [
        "Suggestion",
        "Size",
        "Saves",
        "At most",
        "New peak",
        "At instruction",
        "Confidence",
        "Caveat",
    ]
    assert rows[0]["Suggestion"] == "Donate p, o"
    peak = int(module_page.locator("table[data-csv=breakdown] tr:nth-child(2) data").get_attribute("value") or 0)
    assert int(rows[0]["Saves"]) + int(rows[0]["New peak"]) == peak


def test_open_tables_and_a_chosen_suggestion_have_no_accessibility_violations(module_page: Page) -> None:
    module_page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    choose_in_table(module_page, "donate-1")
    said(module_page).to_be_visible()
    assert complaints(module_page) == []


def test_the_overview_is_sorted_by_what_a_module_could_need(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.get_by_role("button", name=re.compile("^Sort by Best case")).click()
    expect(page).to_have_url(re.compile("sort="))
    cells = page.locator("#modules-table tbody td.could-need")
    sizes = cells.evaluate_all("cells => cells.map(cell => Number(cell.querySelector('data')?.value ?? -1))")
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 3


def test_the_code_of_a_suggestion_is_copied_whole_however_much_of_it_is_shown(module_page: Page) -> None:
    module_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = module_page.locator(".step-list button[name=copy]").first
    button.click()
    expect(button).to_have_text("Copied")
    code = button.locator("xpath=..").locator("code").text_content()
    assert code
    assert module_page.evaluate("navigator.clipboard.readText()") == code


def test_all_suggestions_are_a_click_away(module_page: Page) -> None:
    module_page.get_by_role("link", name="All suggestions").click()
    expect(module_page.get_by_role("region", name="Suggestions, best first")).to_be_visible()
