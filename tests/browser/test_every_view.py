"""Open every view of the seeds and of half of the samples once: nothing fails and every chart is drawn."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.render.html.templates import MODULE_VIEWS

Visit = Callable[..., Page]


@pytest.mark.parametrize("name", ["samples_site", "seeds_site"])
def test_every_view_opens_from_disk_without_errors(name: str, request: pytest.FixtureRequest, visit: Visit) -> None:
    site: Path = request.getfixturevalue(name)
    # The samples have several modules of a kind, and all their pages are checked without a browser, too.
    for folder in sorted(site.glob("m/*"))[:: 2 if name == "samples_site" else 1]:
        for file, _ in MODULE_VIEWS:
            page = visit(site, f"m/{folder.name}/{file}")
            expect(page.locator("h1")).to_be_visible()
            figures = page.locator("figure[data-chart]")
            expect(figures.locator("svg")).to_have_count(figures.count())
