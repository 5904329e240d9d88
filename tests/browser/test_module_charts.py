"""The module's page as a reader uses it: choose a moment, zoom, look at the map, follow a rectangle."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
Serve = Callable[[Path], str]


@pytest.fixture
def module_path(samples_site: Path) -> str:
    """The page of the TPU training step, which has several memory spaces."""
    pages = samples_site.glob("m/jit-mlp-train-step-*/index.html")
    found = next(page for page in pages if "VMEM" in page.read_text(encoding="utf-8"))
    return found.relative_to(samples_site).as_posix()


@pytest.fixture(params=["file", "server"])
def module_page(request: pytest.FixtureRequest, samples_site: Path, module_path: str, visit: Visit) -> Page:
    """The page, from `file://` and from a server under a sub-path."""
    root = samples_site if request.param == "file" else request.getfixturevalue("serve")(samples_site)
    page = visit(root, module_path)
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()
    return page


def plot(page: Page) -> Locator:
    return page.locator("figure[data-chart='memory-over-time'] .plot").first


def click_at(locator: Locator, across: float, along: float = 0.5) -> None:
    box = locator.bounding_box()
    assert box
    locator.click(position={"x": box["width"] * across, "y": box["height"] * along})


def drawn_map(page: Page) -> Locator:
    figure = page.locator("#packing-map")
    figure.scroll_into_view_if_needed()
    expect(page.locator("#map-caption")).to_contain_text("drawn one by one")
    return figure


def test_every_space_has_a_chart_with_an_svg(module_page: Page) -> None:
    figures = module_page.locator("figure[data-chart='memory-over-time']")
    expect(figures.locator("svg")).to_have_count(figures.count())
    assert figures.count() > 1


def test_a_click_chooses_a_moment_and_lists_what_is_live(module_page: Page) -> None:
    click_at(plot(module_page), 0.5)
    live = module_page.locator("#live-at")
    expect(live.locator("h3")).to_contain_text("Live at moment")
    expect(live.locator("tfoot")).to_contain_text("bytes under live values")
    assert re.search(r"#.*moment=\d+", module_page.url)


def test_a_click_in_the_chart_of_a_space_lists_what_is_live_in_that_space(module_page: Page) -> None:
    figure = module_page.locator("figure[data-chart='memory-over-time']").nth(1)
    click_at(figure.locator(".plot"), 0.5)
    space = figure.get_attribute("data-space")
    expect(module_page.locator("#live-at h3")).to_contain_text(f"in space {space}")


def test_live_bytes_at_the_peak_equal_the_page(module_page: Page) -> None:
    module_page.locator("#moment-controls button[name=peak]").click()
    total = module_page.locator("#live-at tfoot tr.total data")
    expect(total).to_be_visible()
    moment = int(module_page.locator("#moment-controls input[name=moment]").input_value())
    expected = module_page.evaluate(
        """async (moment) => {
            const space = document.querySelector("figure[data-space]").dataset.space;
            const timeline = await Report.load("timeline");
            return Moments.amountAt(timeline.spaces[space].live, moment);
        }""",
        moment,
    )
    assert int(total.get_attribute("value") or -1) == expected


def test_back_takes_a_choice_back(module_page: Page) -> None:
    click_at(plot(module_page), 0.5)
    expect(module_page.locator("#live-at")).to_be_visible()
    module_page.go_back()
    expect(module_page.locator("#live-at")).to_be_hidden()


def test_a_drag_zooms_every_chart_and_the_button_shows_everything(module_page: Page) -> None:
    plot(module_page).scroll_into_view_if_needed()
    box = plot(module_page).bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    module_page.mouse.move(box["x"] + box["width"] * 0.4, y)
    module_page.mouse.down()
    module_page.mouse.move(box["x"] + box["width"] * 0.7, y, steps=4)
    module_page.mouse.up()
    expect(module_page).to_have_url(re.compile(r"from=\d+&to=\d+"))
    assert int(module_page.locator("input[name=from]").input_value()) > 0
    module_page.locator("button[name=all]").click()
    expect(module_page.locator("input[name=from]")).to_have_value("0")


def test_a_link_shows_the_same_view(module_page: Page) -> None:
    click_at(plot(module_page), 0.5)
    heading = module_page.locator("#live-at h3")
    expect(heading).to_be_visible()
    text = heading.text_content() or ""
    module_page.reload()
    expect(module_page.locator("#live-at h3")).to_have_text(text)


def test_a_rectangle_of_the_map_leads_to_its_value(module_page: Page) -> None:
    figure = drawn_map(module_page)
    click_at(figure.locator(".plot"), 0.5, 0.8)
    expect(module_page).to_have_url(re.compile(r"/v/[^/]+\.html"))
    expect(module_page.locator("h1")).to_be_visible()


def test_the_map_names_what_a_pointer_is_over(module_page: Page) -> None:
    figure = drawn_map(module_page)
    box = figure.locator(".plot").bounding_box()
    assert box
    module_page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.8)
    expect(figure.locator(".tip")).to_contain_text("moments")


def test_the_map_can_be_colored_by_opcode_and_says_so_in_the_url(module_page: Page) -> None:
    figure = drawn_map(module_page)
    figure.locator("select[name=color]").select_option("opcode")
    expect(module_page).to_have_url(re.compile("color=opcode"))
    expect(module_page.locator("#map-legend")).to_contain_text("fusion")


def test_the_map_shows_one_allocation_when_asked(module_page: Page) -> None:
    figure = drawn_map(module_page)
    choices = figure.locator("select[name=allocation]")
    choices.select_option(index=1)
    expect(module_page).to_have_url(re.compile(r"allocation=\d+"))
    module_page.go_back()
    expect(choices).to_have_value("")


def test_the_map_follows_the_theme(module_page: Page) -> None:
    drawn_map(module_page)
    legend = module_page.locator("#map-legend .chip").first
    before = legend.evaluate("chip => chip.style.borderColor")
    module_page.locator("#theme-switch").click()
    expect(legend).not_to_have_attribute("style", re.compile(re.escape(before)))


def test_a_key_chooses_the_peak(module_page: Page) -> None:
    module_page.keyboard.press("p")
    expect(module_page.locator("#live-at")).to_be_visible()
    peak = module_page.locator("figure[data-peak]").first.get_attribute("data-peak")
    expect(module_page.locator("#moment-controls input[name=moment]")).to_have_value(peak or "")


def test_the_map_is_drawn_for_print_though_nobody_has_scrolled_to_it(module_page: Page) -> None:
    module_page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(module_page.locator("#map-caption")).to_contain_text("drawn one by one")
