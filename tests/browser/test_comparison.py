"""The pages of a comparison and of a history at work."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.cli import main
from tests.browser.axe import COLORS, complaints
from tests.compare.texts import IN_PLACE, IN_PLACE_DUMPS, NAME, NOT_IN_PLACE, written

Visit = Callable[..., Page]

OTHER = NAME.replace("jit_f", "jit_g")
SIZES = ({"width": 1280, "height": 900}, {"width": 390, "height": 844})


@pytest.fixture(scope="session")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of two builds: a module that changed, one that did not, one that is new and one that is gone."""
    folder = tmp_path_factory.mktemp("comparison")
    before, after = folder / "before", folder / "after"
    for side, version in ((before, "0.7.1"), (after, "0.7.2")):
        (dump,) = (IN_PLACE_DUMPS / f"jaxlib-{version}").iterdir()
        written(side, IN_PLACE.replace("1048576", "7"), OTHER)
        (side / dump.name).write_bytes(dump.read_bytes())
    written(before, NOT_IN_PLACE, NAME.replace("jit_f", "jit_gone"))
    written(after, IN_PLACE.replace("f32[1048576]", "s32[1048576]"), NAME.replace("jit_f", "jit_new"))
    (folder / "budgets.toml").write_text("[[budget]]\nmodule = 'jit_f'\nmax = '6 MiB'\n", encoding="utf-8")
    arguments = ["compare", before, after, "-o", folder / "site", "--budgets", folder / "budgets.toml"]
    assert main([str(argument) for argument in arguments]) == 3
    return folder / "site"


@pytest.fixture(scope="session")
def trend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site with a history of three builds, one of which has a link."""
    folder = tmp_path_factory.mktemp("trend")
    link = ["--link", "https://example.org/build"]
    for number, text in enumerate((IN_PLACE, NOT_IN_PLACE, IN_PLACE)):
        dumps = written(folder / str(number), text)
        time = ["--commit", f"{number + 1:040x}", "--time", f"2026-01-0{number + 1}T00:00:00Z"]
        more = link if number == 1 else []
        assert main(["history", "add", str(dumps), *time, "-o", str(folder / "site"), *more]) == 0
    return folder / "site"


def of_module(comparison: Path) -> str:
    (page,) = comparison.glob("compare/*/index.html")
    return page.relative_to(comparison).as_posix()


def test_the_overview_has_a_row_for_what_changed_and_names_the_rest(visit: Visit, comparison: Path) -> None:
    page = visit(comparison)
    expect(page.locator("main .cause").first).to_have_text("jit_f: +4.00 MiB (+100.0 %) in memory.")
    expect(page.locator("table.builds tbody tr")).to_have_count(3)
    expect(page.get_by_text("1 module unchanged")).to_be_visible()
    expect(page.locator(".unchanged")).to_have_text("jit_g 4.00 MiB")
    page.get_by_role("link", name="jit_f").click()
    page.wait_for_url("**/compare/*/index.html")
    expect(page.locator("h1")).to_have_text("jit_f")


def test_a_bar_of_the_waterfall_leads_to_its_rows(visit: Visit, comparison: Path) -> None:
    page = visit(comparison, of_module(comparison))
    page.locator(".waterfall").get_by_role("link").first.click()
    row = page.locator("tr:target")
    expect(row).to_contain_text("temporaries now, arguments or outputs before")
    expect(row).to_be_in_viewport()
    expect(row).to_contain_text("+4.00 MiB")


def test_both_sides_of_a_row_have_a_page(visit: Visit, comparison: Path) -> None:
    path = of_module(comparison)
    for side, folder in (("before", "before"), ("after", "after")):
        page = visit(comparison, path)
        column = 0 if side == "before" else 1
        page.locator("table.terms tbody tr").first.locator("td.side").nth(column).get_by_role("link").click()
        page.wait_for_url(f"**/{folder}/m/*/explore.html#v*")
        expect(page.locator(".own.open > h2")).to_contain_text("exp")


def test_the_change_is_shown_by_scope_and_the_link_keeps_it(visit: Visit, comparison: Path) -> None:
    page = visit(comparison, of_module(comparison))
    page.get_by_label("scope", exact=True).check()
    expect(page.get_by_role("list", name="Change by scope")).to_contain_text("jit(f)")
    expect(page.locator(".waterfall")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("list", name="Change by scope")).to_be_visible()


def test_the_waterfall_adds_up_on_the_page(visit: Visit, comparison: Path) -> None:
    page = visit(comparison, of_module(comparison))
    amounts = page.locator(".waterfall .amount data")
    first, *steps, last = amounts.evaluate_all("found => found.map(one => Number(one.value))")
    assert first + sum(steps) == last


def test_the_buffers_end_with_the_change_of_the_peak(visit: Visit, comparison: Path) -> None:
    page = visit(comparison, of_module(comparison))
    buffers = page.locator("table.terms td.number data").evaluate_all("found => found.map(one => Number(one.value))")
    assert [sum(buffers)] == page.locator(".totals data").first.evaluate_all("found => found.map(one => +one.value)")


def test_the_search_finds_the_modules_that_changed(visit: Visit, comparison: Path) -> None:
    page = visit(comparison)
    page.keyboard.press("/")
    page.keyboard.type("jit_f")
    page.get_by_role("listbox").get_by_role("option").first.click()
    page.wait_for_url("**/compare/*/index.html")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size["width"]))
def test_no_page_scrolls_sideways(
    visit: Visit, page: Page, comparison: Path, trend: Path, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)  # type: ignore[arg-type]
    for root, paths in pages_of(comparison, trend):
        for path in paths:
            visit(root, path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_no_page_has_a_violation(visit: Visit, page: Page, comparison: Path, trend: Path) -> None:
    found = []
    for root, paths in pages_of(comparison, trend):
        for path in paths:
            page.emulate_media(color_scheme="light")
            visit(root, path).evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            found += [f"{path}: {one}" for one in complaints(page)]
            page.emulate_media(color_scheme="dark")
            found += [f"{path} in the dark: {one}" for one in complaints(page, COLORS)]
    assert not found, "\n".join(found)


def pages_of(comparison: Path, trend: Path) -> list[tuple[Path, list[str]]]:
    (module,) = trend.glob("trend/*.html")
    return [
        (comparison, ["index.html", of_module(comparison)]),
        (trend, ["index.html", "trend.html", module.relative_to(trend).as_posix()]),
    ]


def test_the_trend_shows_each_change_and_where_its_report_is(visit: Visit, trend: Path) -> None:
    page = visit(trend, "trend.html")
    expect(page.locator(".trend .dot")).to_have_text(["4.00 MiB", "8.00 MiB", "4.00 MiB"])
    linked = page.locator(".trend a.dot")
    expect(linked).to_have_attribute("href", "https://example.org/build")
    expect(linked).to_have_attribute(
        "title", "0000000, 2026-01-02: 8.00 MiB, +4.00 MiB (+100.0 %); temporaries +4.00 MiB; arguments unchanged"
    )
    page.get_by_role("link", name="jit_f").first.click()
    expect(page.locator("tbody tr")).to_have_count(3)
    expect(page.locator("tbody tr").first).to_contain_text("−4.00 MiB (−50.0 %)")
