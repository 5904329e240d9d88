"""Every kind of page, in light and dark, has nothing that axe-core complains about."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from reportgen.cli import main
from tests.browser.axe import COLORS, complaints
from tests.render.parts_page import write_parts_page

Visit = Callable[..., Page]


def test_no_kind_of_page_has_a_violation(visit: Visit, page: Page, samples_site: Path, kinds: list[str]) -> None:
    found = []
    for path in kinds:
        page.emulate_media(color_scheme="light")
        found += [f"{path}: {one}" for one in complaints(_settled(visit(samples_site, path)))]
        page.emulate_media(color_scheme="dark")
        found += [f"{path} in the dark: {one}" for one in complaints(page, COLORS)]
    assert not found, "\n".join(found)


def test_no_part_has_a_violation(visit: Visit, page: Page, tmp_path: Path) -> None:
    write_parts_page(tmp_path / "index.html")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 844})
    found = complaints(visit(tmp_path))
    page.emulate_media(color_scheme="dark")
    assert [*found, *complaints(page, COLORS)] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_no_page_of_an_error_has_a_violation(visit: Visit, page: Page, tmp_path: Path) -> None:
    texts = sorted((Path(__file__).parents[1] / "oom" / "texts").glob("*-tpu-made-*.txt"))
    assert main(["build", "-q", *map(str, texts), "-o", str(tmp_path / "site")]) == 0
    page.set_viewport_size({"width": 390, "height": 844})
    found = []
    for path in ("index.html", *(f"oom/{number}.html" for number in (1, 2, 4))):
        page.emulate_media(color_scheme="light")
        found += complaints(visit(tmp_path / "site", path))
        page.emulate_media(color_scheme="dark")
        found += complaints(page, COLORS)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert found == []


def _settled(page: Page) -> Page:
    """Return the page with its charts drawn and everything unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    for chart in page.locator("figure[data-chart]:not([hidden])").all():
        chart.scroll_into_view_if_needed()  # because charts out of view wait
        expect(chart.locator("svg").first).to_be_visible()
    return page


def test_the_open_search_has_no_violation(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.keyboard.press("/")
    page.keyboard.type("jit")
    page.get_by_role("listbox").get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowDown")
    assert complaints(page) == []
    page.keyboard.type(" nothing like this")
    page.get_by_text("0 results").wait_for()
    assert complaints(page) == []


def test_the_list_of_keys_has_no_violation(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    assert complaints(page) == []


def test_the_filter_has_no_violation(visit: Visit, samples_site: Path) -> None:
    page = visit(samples_site)
    page.check("#all-rows")
    page.fill("[data-filter-of]", "tpu")
    assert complaints(page) == []
