"""Where the device is unknown, the reader names it: the bar has its capacity, and the verdict says what is left."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from reportgen.analyse.devices import CHIPS
from reportgen.reports.formats import human_bytes
from tests.browser.axe import complaints
from tests.support.site import SAMPLES, build_site

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a site and the pages of its modules whose device is unknown."""
    site = build_site(SAMPLES, tmp_path_factory.mktemp("device") / "site")
    found = [page for page in sorted(site.glob("m/*/index.html")) if 'id="device"' in page.read_text("utf-8")]
    return site, [page.relative_to(site).as_posix() for page in found]


def test_a_device_that_is_named_says_what_is_left_on_all_modules(pages: tuple[Path, list[str]], visit: Visit) -> None:
    site, (first, second, *_) = pages
    page = visit(site, first)
    choice, verdict = page.locator("#device"), page.locator("#device-verdict")
    expect(verdict).to_have_text("Device unknown")
    choice.focus()
    choice.select_option(str(CHIPS["v5e"]))
    allocated = int(choice.get_attribute("data-allocated") or "")
    expect(verdict).to_have_text(f"Fits: {human_bytes(CHIPS['v5e'] - allocated)} left")
    expect(page.locator(".need .tick")).to_have_text(human_bytes(CHIPS["v5e"]))
    page = visit(site, second)
    expect(page.locator("#device")).to_have_value(str(CHIPS["v5e"]))
    expect(page.locator("#device-verdict")).to_contain_text("Fits")
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        assert not complaints(page)
    page.locator("#device").select_option("")
    expect(page.locator("#device-verdict")).to_have_text("Device unknown")
    expect(page.locator(".need .tick")).to_have_count(0)
