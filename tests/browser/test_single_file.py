"""A report in a single file as a reader opens it from a disk: nothing else is loaded, and all values are found."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from reportgen.build import build_file
from reportgen.options import BuildOptions
from tests.browser.axe import complaints
from tests.support.site import SAMPLES, unpacked

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("single") / "report.html"
    build_file(BuildOptions(paths=(SAMPLES / "tpu-train-step",), title="Memory"), target)
    return target


@pytest.fixture(scope="session")
def values(report: Path) -> dict[str, Any]:
    text = report.read_text(encoding="utf-8").partition('id="data-values">')[2].partition("</script>")[0]
    data: dict[str, Any] = unpacked(text)
    return data


@pytest.fixture
def opened(visit: Visit, report: Path) -> Page:
    page = visit(report.parent, report.name)
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()
    expect(page.locator(".filters output")).to_contain_text("values")
    return page


def rows(page: Page) -> Any:
    return page.locator("table[data-whole] tbody tr")


def test_it_shows_the_peak_the_charts_and_every_value(opened: Page, values: dict[str, Any]) -> None:
    expect(opened.locator(".need .answer")).to_contain_text("peaks at")
    expect(opened.locator("section[aria-labelledby=peak] .icicle a").first).to_be_visible()
    count = f"{len(values['name']):,}"
    expect(opened.locator(".filters output")).to_contain_text(f"{count} of {count} values")


def test_values_are_searched_and_filtered(opened: Page, values: dict[str, Any]) -> None:
    opened.locator(".filters summary").click()
    opened.fill(".filters [name=value]", "fusion")
    wanted = sum("fusion" in name + index for name, index in zip(values["name"], values["index"], strict=True))
    expect(opened.locator(".filters output")).to_contain_text(f"{wanted:,} of {len(values['name']):,} values")
    opened.locator(".filters [name=clear]").click()
    opened.fill("#search", values["name"][5])
    opened.locator("#search-results a").first.click()
    expect(opened.locator(".own.open")).to_contain_text(values["name"][5])


def test_a_link_to_a_value_opens_its_view_and_the_way_back_the_report(opened: Page) -> None:
    link = opened.locator("section[aria-labelledby=peak] table td:last-child > a[href^='#v']:visible").first
    name = link.get_attribute("title") or ""
    assert name
    link.click()
    expect(opened.locator(".own.open")).to_contain_text(name)
    expect(rows(opened).first).to_be_hidden()
    opened.get_by_role("link", name="The whole report").click()
    expect(rows(opened).first).to_be_visible()


def test_a_group_leads_to_its_values_in_the_table(opened: Page, values: dict[str, Any]) -> None:
    group = opened.locator("tr:has(a:text('in the table of values'))").first
    group.locator("summary").click()
    members = set(group.locator("details a[href^='#v']").all_inner_texts())
    group.get_by_text("in the table of values").click()
    expect(opened.locator(".filters [name=shape]")).not_to_have_value("")
    expect(opened.locator(".filters output")).not_to_contain_text(f"{len(values['name']):,} of")
    assert len(members) > 1
    assert members <= set(rows(opened).locator(".xla").all_inner_texts())
    expect(opened.locator("table[data-whole]")).to_be_in_viewport()


def test_an_allocation_leads_to_its_part_of_the_map(opened: Page) -> None:
    link = opened.locator("section[aria-labelledby=allocations] table a[href^='#a']").first
    name = link.inner_text()
    link.click()
    expect(opened.locator(".own.open > h2")).to_have_text(name.capitalize())
    opened.get_by_role("link", name="on the packing map").click()
    expect(opened).to_have_url(re.compile(r"allocation=\d+"))
    expect(opened.locator("#map-caption")).to_be_visible()


def test_a_box_of_the_icicle_leads_to_its_largest_value(opened: Page) -> None:
    opened.locator("section[aria-labelledby=peak] .icicle a").first.click()
    expect(opened.locator(".own.open")).to_be_visible()


def test_a_term_leads_to_the_glossary_in_the_file(opened: Page) -> None:
    term = opened.locator("a.term").first
    place = (term.get_attribute("href") or "")[1:]
    term.click()
    expect(opened.locator(f"[id='{place}']")).to_be_in_viewport()


def test_the_chart_can_be_stacked(opened: Page) -> None:
    opened.locator("input[name=stack][value=shape]").check()
    opened.locator("figure[data-chart]").first.scroll_into_view_if_needed()  # because charts out of view wait
    expect(opened.locator("figure[data-chart] .legend button").first).to_be_visible()


def test_it_has_no_accessibility_violations(opened: Page) -> None:
    for width in (390, 1280):
        opened.set_viewport_size({"width": width, "height": 900})
        assert (width, complaints(opened)) == (width, [])
