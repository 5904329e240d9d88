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


def tick(page: Page, key: str) -> Any:
    return page.locator(f"input[name=tick][value={key}]")


def test_a_suggestion_that_is_ticked_is_shown_over_the_chart(module_page: Page, changes: dict[str, Any]) -> None:
    tick(module_page, "donate-1").check()
    said(module_page).to_have_text(changes["donate-1"]["words"])
    expect(module_page.locator(CURVE)).to_have_count(1)
    expect(module_page).to_have_url(re.compile("suggestion=donate-1"))
    tick(module_page, "donate-1").uncheck()
    said(module_page).to_be_hidden()
    expect(module_page.locator(CURVE)).to_have_count(0)


def test_ticks_are_combined(module_page: Page, changes: dict[str, Any]) -> None:
    """Bar, words and curve are those of both together, and the link carries them."""
    boxes = module_page.locator("input[name=tick]")
    keys = [boxes.nth(number).get_attribute("value") for number in range(2)]
    for number in range(2):
        boxes.nth(number).check()
    key = ".".join(filter(None, keys))
    said(module_page).to_have_text(changes[key]["words"])
    expect(module_page.locator(".joint .outcome")).to_contain_text(changes[key]["result"])
    needed = int(module_page.locator(".joint").get_attribute("data-needed") or 0)
    sure, pale = module_page.locator(".joint .stacked > span").evaluate_all("all => all.map((one) => one.style.width)")
    assert float(sure.rstrip("%")) == pytest.approx(100 * changes[key]["least"] / needed, abs=0.01)
    spread = changes[key]["needs"] - changes[key]["least"]
    assert float(pale.rstrip("%")) == pytest.approx(100 * spread / needed, abs=0.01)
    module_page.reload()
    expect(boxes.nth(0)).to_be_checked()
    expect(boxes.nth(1)).to_be_checked()
    said(module_page).to_have_text(changes[key]["words"])
    boxes.nth(0).uncheck()
    said(module_page).to_have_text(changes[keys[1] or ""]["words"])


def test_the_peak_in_the_tooltip_is_that_of_the_suggestion(
    visit: Visit, advised_site: Path, folder: str, changes: dict[str, Any]
) -> None:
    """The chart adds what a suggestion changes to what is resident; the next peak is the suggestion's figure."""
    for key in ("donate-1", "then-donate", "checkpoint-1"):
        change = changes[key]
        first = max(0, change["moment"] - 3)
        page = visit(advised_site, f"{folder}index.html#suggestion={key}&from={first}&to={first + 6}")
        said(page).to_have_text(change["words"])
        place = page.locator("figure[data-space='0'] .plot")
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        assert box
        found: dict[str, list[str]] = {}
        for step in range(60):
            page.mouse.move(box["x"] + box["width"] * (0.08 + 0.015 * step), box["y"] + box["height"] / 2)
            lines = place.locator(".tip > *").all_inner_texts()
            found |= {lines[0]: lines} if lines else {}
        assert f"resident with the suggestion {human_bytes(change['peak'])}" in found[f"instruction {change['moment']}"]


def test_back_takes_the_choice_back(module_page: Page) -> None:
    tick(module_page, "donate-1").check()
    said(module_page).to_be_visible()
    module_page.go_back()
    said(module_page).to_be_hidden()
    expect(tick(module_page, "donate-1")).not_to_be_checked()


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


def test_a_suggestion_is_ticked_with_the_keyboard_alone(module_page: Page) -> None:
    box = tick(module_page, "donate-1")
    box.focus()
    module_page.keyboard.press("Space")
    expect(box).to_be_checked()
    said(module_page).to_be_visible()
    expect(box).to_be_focused()


def test_a_table_is_downloaded_with_exact_numbers(visit: Visit, advised_site: Path, folder: str) -> None:
    page = visit(advised_site, folder + "suggestions.html")
    page.get_by_text("For compiler engineers").click()
    with page.expect_download() as download:
        page.locator("div.scroll:has(table[data-csv=suggestions]) + p button").click()
    assert download.value.suggested_filename == "suggestions.csv"
    rows = list(csv.DictReader(download.value.path().read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["Saves", "Suggestion", "At most", "New peak", "Confidence"]
    assert rows[0]["Suggestion"] == "Donate p"
    peak = int(page.locator(".bar-rows li:nth-child(2) data").get_attribute("value") or 0)
    assert int(rows[0]["Saves"]) + int(rows[0]["New peak"]) == peak


def test_suggestions_have_no_accessibility_violations(
    module_page: Page, advised_site: Path, folder: str, visit: Visit
) -> None:
    tick(module_page, "donate-1").check()
    said(module_page).to_be_visible()
    assert complaints(module_page) == []
    assert complaints(visit(advised_site, folder + "suggestions.html")) == []


def test_code_that_can_be_used_as_it_is_is_copied_whole(module_page: Page) -> None:
    module_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    module_page.get_by_role("link", name="All suggestions").click()
    for change in module_page.locator(".step-list .change").all():
        assert change.locator("button").count() == ("#" not in (change.locator("ins code").text_content() or ""))
    button = module_page.locator(".step-list button[name=copy]").first
    module_page.evaluate("window.setTimeout = () => 0")  # so that what it says stays
    button.click()
    expect(button).to_have_text("Copied")
    code = button.locator("xpath=..").locator("ins code").text_content()
    assert code
    assert module_page.evaluate("navigator.clipboard.readText()") == code


def test_all_suggestions_are_a_click_away_and_lead_back_to_the_chart(
    module_page: Page, changes: dict[str, Any]
) -> None:
    module_page.get_by_role("link", name="All suggestions").click()
    cards = module_page.locator(".step-list > li")
    expect(cards.nth(2)).to_be_visible()
    expect(cards.last).to_be_visible()
    cards.first.get_by_role("link", name=re.compile("^Show in the chart")).click()
    key = module_page.url.rpartition("=")[2]
    said(module_page).to_have_text(changes[key]["words"])


def test_ticks_go_from_the_first_screen_to_all_suggestions_and_back(module_page: Page, changes: dict[str, Any]) -> None:
    """Both pages say the same of what is ticked, and a suggestion ticked on one is ticked on the other."""
    tick(module_page, "donate-1").check()
    module_page.get_by_role("link", name="All suggestions").click()
    expect(tick(module_page, "donate-1")).to_be_checked()
    outcome = module_page.locator(".joint .outcome")
    expect(outcome).to_contain_text(changes["donate-1"]["result"])
    tick(module_page, "checkpoint-1").check()
    (key,) = (key for key in changes if set(key.split(".")) == {"donate-1", "checkpoint-1"})
    expect(outcome).to_contain_text(changes[key]["result"])
    expect(module_page).to_have_url(re.compile(f"suggestion={key}$"))
    module_page.get_by_role("link", name="Show in the chart", exact=True).click()
    said(module_page).to_have_text(changes[key]["words"])
    expect(tick(module_page, "checkpoint-1")).to_be_checked()
    module_page.get_by_role("link", name="Suggestions", exact=True).click()
    expect(outcome).to_contain_text(changes[key]["result"])
