"""The overview at work, and the table of all modules: its filter, its order, and its pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.render.site.overview import MODULES_PER_PAGE
from tests.support.summaries import made_up, write_overview

Visit = Callable[..., Page]

ALL = "index.html"
FILTER = "[data-filter-of]"
COUNT = "[data-count-of]"
SHOWN = "#modules-table tbody tr:visible"
EVERY = "#all-rows"


@pytest.fixture(scope="session")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an overview of three pages; every hundredth module is of another name and backend."""
    modules = [
        made_up(number, title="jit_rare", backend="gpu") if number % 100 == 7 else made_up(number)
        for number in range(2 * MODULES_PER_PAGE + 100)
    ]
    return write_overview(tmp_path_factory.mktemp("long") / "site", modules)


def test_bars_are_as_long_as_what_they_stand_for(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    width = "part => part.getBoundingClientRect().width"
    widths: list[list[float]] = page.locator(".need-bar > div").evaluate_all(
        f"bars => bars.map(bar => [bar, ...bar.children].map({width}))"
    )
    sizes: list[float] = page.locator("#modules-table tr:has(.need-bar) td.number data").evaluate_all(
        "all => all.map(one => +one.value)"
    )
    limit = float(page.locator("#modules-table").get_attribute("data-limit") or 0)
    for (whole, *parts), size in zip(widths, sizes, strict=True):
        assert abs(sum(parts) - whole * size / limit) <= 2.5  # the first part is never thinner than it can be seen


def test_small_modules_are_named_until_all_rows_are_asked_for(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    named = page.locator(".small-modules")
    expect(page.locator(SHOWN)).to_have_count(2)
    expect(named.get_by_role("link")).to_have_count(8)
    page.get_by_label("Show all 10").check()
    expect(page.locator(SHOWN)).to_have_count(10)
    expect(named).to_be_hidden()


def test_another_order_is_that_of_all_rows(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.get_by_role("button", name="Module").click()
    expect(page.locator(SHOWN)).to_have_count(10)
    page.go_back()
    expect(page.locator(SHOWN)).to_have_count(2)


def test_a_backend_is_a_filter_that_finds_as_many_rows_as_it_says(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.locator(EVERY).check()
    for name, number in (("TPU", 4), ("unknown", 1), ("all", 10)):
        page.get_by_role("link", name=f"{name} {number}").click()
        expect(page.locator(SHOWN)).to_have_count(number)
        expect(page.locator(".backends [aria-current=true]")).to_have_text(f"{name} {number}")


def test_the_filter_takes_words_from_name_backend_and_path_and_counts(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site, ALL)
    page.locator(EVERY).check()
    page.fill(FILTER, "TRAIN mlp tpu")
    expect(page.locator(SHOWN)).to_have_count(1)
    expect(page.locator(SHOWN)).to_contain_text("tpu-train-step")
    expect(page.locator(COUNT)).to_have_text("1 of 10 rows shown")
    page.fill(FILTER, "no such module")
    expect(page.locator(COUNT)).to_have_text("0 of 10 rows shown")


def test_a_link_carries_filter_and_order(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site, ALL)
    page.locator(EVERY).check()
    page.fill(FILTER, "mlp")
    page.wait_for_url("**#filter=mlp")
    page.get_by_role("button", name="Needs").click()
    page.wait_for_url("**#filter=mlp&sort=1a")
    page.reload()
    expect(page.locator(FILTER)).to_have_value("mlp")
    needs: list[float] = page.locator(SHOWN).evaluate_all("rows => rows.map(row => +row.cells[1].firstChild.value)")
    assert len(needs) == 3
    assert needs == sorted(needs)


def test_back_restores_the_order_and_its_sign(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site, ALL)
    page.locator(EVERY).check()
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
    rows = visit(samples_site, ALL).locator("#modules-table tbody th > a").all_inner_texts()
    visit(samples_site, "help/glossary.html")
    page = visit(samples_site, ALL + fragment)
    assert page.locator("#modules-table tbody th > a").all_inner_texts() == rows


def test_the_filter_says_on_which_other_pages_it_finds_something(visit: Visit, long_site: Path) -> None:
    page = visit(long_site, ALL)
    page.fill(FILTER, "rare")
    expect(page.locator("#other-pages")).to_have_text("and modules elsewhere: 5 on page 2 1 on page 3 ")
    page.get_by_role("link", name="5 on page 2").click()
    page.wait_for_url("**/modules.page-2.html#filter=rare")
    expect(page.locator(SHOWN)).to_have_count(5)
    expect(page.locator("#other-pages a").first).to_have_text("5 on page 1")


def test_a_long_overview_is_quick(visit: Visit, long_site: Path) -> None:
    page = visit(long_site, ALL)
    painted = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    limit_ms = 5_000  # a guard against the quadratic, with room for a busy machine
    assert page.evaluate(painted) < limit_ms


def test_on_paper_there_is_nothing_to_press(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site, ALL)
    page.locator(EVERY).check()
    page.emulate_media(media="print")
    expect(page.locator("nav").first).to_be_hidden()
    expect(page.locator(FILTER)).to_be_hidden()
    expect(page.locator(SHOWN).first).to_be_visible()
