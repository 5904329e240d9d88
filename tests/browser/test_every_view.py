"""Every view of every module of the samples and the seeds, opened once: nothing fails, every chart is drawn."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.render.templates import MODULE_VIEWS
from tests.support.site import SEEDS, build_site

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def seeds_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not SEEDS.is_dir():
        pytest.skip("shared/dumps/seeds is not beside this checkout")
    return build_site(SEEDS, tmp_path_factory.mktemp("seeds") / "site")


@pytest.mark.parametrize("served", [False, True], ids=["file", "server"])
@pytest.mark.parametrize("name", ["samples_site", "seeds_site"])
def test_every_view_opens_without_a_complaint(
    name: str, served: bool, request: pytest.FixtureRequest, visit: Visit
) -> None:
    site: Path = request.getfixturevalue(name)
    root = request.getfixturevalue("serve")(site) if served else site
    for folder in sorted(site.glob("m/*")):
        for file, _ in MODULE_VIEWS:
            page = visit(root, f"m/{folder.name}/{file}")
            expect(page.locator("h1")).to_be_visible()
            figures = page.locator("figure[data-chart]")
            expect(figures.locator("svg")).to_have_count(figures.count())
