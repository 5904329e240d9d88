"""A page that many values share, as a reader sees it who has asked for one of them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.support.site import shard

Visit = Callable[..., Page]


@pytest.fixture
def asked(visit: Visit, large_site: Path, large_folder: str) -> tuple[Page, str, str]:
    """Return a page with the name and the id of a value in its middle, opened by a link to that value."""
    values = shard(large_site / large_folder / "data" / "values.js")
    number = 1_250
    name, place = values["name"][number] + values["index"][number], f"v{values['id'][number]}"
    page = visit(large_site, f"{large_folder}v/{values['pages'][values['page'][number]]}.html#{place}")
    return page, name, place


def test_the_title_is_that_of_the_value_and_follows_the_links(asked: tuple[Page, str, str]) -> None:
    page, name, place = asked
    expect(page).to_have_title(re.compile(rf"^{re.escape(name)} · "))
    expect(page.locator(f"#{place} > h2")).to_be_in_viewport()
    other = page.locator(f"#{place} ~ section").first
    expect(other).to_be_hidden()
    page.evaluate("place => { location.hash = place; }", other.get_attribute("id"))
    expect(page).to_have_title(re.compile(rf"^{re.escape(other.locator('.xla').inner_text())} · "))
    page.go_back()
    expect(page.locator(f"#{place} > h2")).to_be_visible()
    page.get_by_role("link", name="on this page").first.click()
    expect(other).to_be_visible()


def test_each_value_leads_to_its_place_on_the_map(asked: tuple[Page, str, str]) -> None:
    page, _, place = asked
    page.locator(f"#{place}").get_by_role("link", name="Show on the packing map").click()
    expect(page).to_have_url(re.compile(rf"index\.html#.*fit={place.removeprefix('v')}\b"))


def test_a_shared_page_has_no_accessibility_violations(asked: tuple[Page, str, str]) -> None:
    assert complaints(asked[0]) == []
