"""The overview at work: its chart, its filter, and its table over several pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.render.site.overview import MODULES_PER_PAGE
from tests.support.summaries import made_up, write_overview

Visit = Callable[..., Page]

FILTER = "[data-filter-of]"
COUNT = "[data-count-of]"
SHOWN = "#modules-table tbody tr:not([hidden])"


@pytest.fixture(scope="session")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an overview of three pages; every hundredth module is of another name and backend."""
    modules = [
        made_up(number, title="jit_rare", backend="gpu") if number % 100 == 7 else made_up(number)
        for number in range(2 * MODULES_PER_PAGE + 100)
    ]
    return write_overview(tmp_path_factory.mktemp("long") / "site", modules)


def test_the_chart_has_a_bar_for_each_module_and_opens_it(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    totals = page.locator("figure[data-chart] svg .mark-text.role-mark text")
    expect(totals).to_have_count(page.locator("#modules-table tbody tr").count())
    page.locator("figure[data-chart] svg .mark-rect path").first.click()
    page.wait_for_url("**/m/*/index.html")


def test_the_part_of_a_bar_under_the_pointer_has_its_size(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.locator("figure[data-chart] svg .mark-rect path").first.hover()
    first = page.locator(".facts-of-chart tbody tr").first
    parts = [text for text in first.locator("td data").all_text_contents() if text != "0 B"]
    expect(page.locator(".plot .tip strong")).to_contain_text(first.locator("th").text_content() or "")
    expect(page.locator(".plot .tip div")).to_contain_text(parts[0])


def test_the_table_beside_the_chart_adds_up(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    sums: list[list[int]] = page.locator(".facts-of-chart tbody tr").evaluate_all(
        "rows => rows.map(row => Array.from(row.querySelectorAll('data'), data => Number(data.value)))"
    )
    assert sums
    assert all(sum(parts) == total for *parts, total in sums)


def test_the_filter_takes_words_from_name_backend_and_path_and_counts(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.fill(FILTER, "TRAIN mlp tpu")
    expect(page.locator(SHOWN)).to_have_count(1)
    expect(page.locator(SHOWN)).to_contain_text("tpu-train-step")
    expect(page.locator(COUNT)).to_have_text("1 of 10 rows shown")
    page.fill(FILTER, "no such module")
    expect(page.locator(COUNT)).to_have_text("0 of 10 rows shown")


def test_a_link_carries_filter_and_order(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.fill(FILTER, "mlp")
    page.wait_for_url("**#filter=mlp")
    for _ in ("largest first", "smallest first"):
        page.get_by_role("button", name="Sort by Peak resident").click()
    page.wait_for_url("**#filter=mlp&sort=3a")
    page.reload()
    expect(page.locator(FILTER)).to_have_value("mlp")
    peaks: list[float] = page.locator(SHOWN).evaluate_all("rows => rows.map(row => +row.cells[3].firstChild.value)")
    assert len(peaks) == 3
    assert peaks == sorted(peaks)


def test_back_restores_the_order_and_its_sign(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    names = page.locator("#modules-table tbody th > a")
    before = names.all_inner_texts()
    head = page.locator("#modules-table thead th").first
    head.get_by_role("button").click()
    assert names.all_inner_texts() != before
    expect(head).to_have_attribute("aria-sort", "ascending")
    page.go_back()
    expect(head).not_to_have_attribute("aria-sort", "ascending")
    assert names.all_inner_texts() == before


@pytest.mark.parametrize("fragment", ["#sort=99d", "#sort=3x", "#sort=<b>&filter=", "#sort"])
def test_a_fragment_that_means_nothing_changes_nothing(visit: Visit, samples_site: Path, fragment: str) -> None:
    rows = visit(samples_site).locator("#modules-table tbody th > a").all_inner_texts()
    visit(samples_site, "help/glossary.html")
    page = visit(samples_site, "index.html" + fragment)
    assert page.locator("#modules-table tbody th > a").all_inner_texts() == rows


def test_the_filter_says_on_which_other_pages_it_finds_something(visit: Visit, long_site: Path) -> None:
    page = visit(long_site)
    page.fill(FILTER, "rare")
    expect(page.locator("#other-pages")).to_have_text("and modules elsewhere: 5 on page 2 1 on page 3 ")
    page.get_by_role("link", name="5 on page 2").click()
    page.wait_for_url("**/modules.page-2.html#filter=rare")
    expect(page.locator(SHOWN)).to_have_count(5)
    expect(page.locator("#other-pages a").first).to_have_text("5 on page 1")


def test_a_long_overview_is_quick(visit: Visit, long_site: Path) -> None:
    page = visit(long_site)
    painted = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    limit_ms = 5_000  # a guard against the quadratic, with room for a busy machine
    assert page.evaluate(painted) < limit_ms


def test_details_are_open_on_paper(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    closed = page.locator(".facts-of-chart table")
    expect(closed).to_be_hidden()
    page.emulate_media(media="print")
    expect(closed).to_be_visible()
    expect(page.locator("nav").first).to_be_hidden()
    expect(page.locator(FILTER)).to_be_hidden()
