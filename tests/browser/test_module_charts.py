"""The module's page as a reader uses it: choose a moment, zoom, look at the map, follow a rectangle."""

import re
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.reports.formats import human_bytes
from tests.support.site import shard

Visit = Callable[[str], Page]


@pytest.fixture
def module_page(visit_module: Visit) -> Page:
    page = visit_module("index.html")
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()
    return page


def plot(page: Page) -> Locator:
    return page.locator("figure[data-chart='memory-over-time'] .plot").first


def click_at(locator: Locator, across: float, along: float = 0.5) -> None:
    box = locator.bounding_box()
    assert box
    locator.click(position={"x": box["width"] * across, "y": box["height"] * along})


def chart_of_space(page: Page, number: int) -> Locator:
    """Return the chart of a space, the first of which is `number` 0, after choosing it."""
    figure = page.locator("figure[data-chart='memory-over-time']").nth(number)
    page.locator(f"[data-choice=space] input[value='{figure.get_attribute('data-space')}']").check()
    expect(figure.locator("svg")).to_be_visible()
    expect(page.locator("figure[data-chart]:visible")).to_have_count(1)
    return figure


def drawn_map(page: Page) -> Locator:
    figure = page.locator("#packing-map")
    figure.scroll_into_view_if_needed()
    expect(page.locator("#map-caption")).to_contain_text("values;")
    figure.locator(".plot").scroll_into_view_if_needed()
    return figure


def test_a_click_chooses_a_moment_and_lists_what_is_live(module_page: Page) -> None:
    click_at(plot(module_page), 0.5)
    live = module_page.locator("#live-at")
    expect(live.locator("h3")).to_contain_text("Resident at instruction")
    expect(live.locator("tfoot")).to_contain_text(re.compile("live.*resident: [0-9,]+ bytes", re.DOTALL))
    assert re.search(r"#.*moment=\d+", module_page.url)
    heading = live.locator("h3").inner_text()
    module_page.reload()
    expect(live.locator("h3")).to_have_text(heading)


def test_a_click_in_the_chart_of_a_space_lists_what_is_live_in_that_space(module_page: Page) -> None:
    figure = chart_of_space(module_page, 1)
    click_at(figure.locator(".plot"), 0.5)
    space = figure.get_attribute("data-space")
    expect(module_page.locator("#live-at h3")).to_contain_text(f"in space {space}")


def test_what_is_resident_and_live_at_the_peak_is_that_of_page_and_data(module_page: Page, module: Path) -> None:
    module_page.locator("#moment-controls button[name=peak]").click()
    resident, total = (module_page.locator(f"#live-at tfoot tr.{kind} data") for kind in ("total", "live"))
    expect(resident).to_be_visible()
    headline = module_page.locator(".need .answer data").first
    assert resident.get_attribute("value") == headline.get_attribute("value")
    moment = int(module_page.locator("#moment-controls input[name=moment]").input_value())
    space = module_page.locator("figure[data-space]").first.get_attribute("data-space")
    live = shard(module / "data" / "timeline.js")["spaces"][space]["live"]
    expected = live["amounts"][bisect_right(live["moments"], moment) - 1]
    assert int(total.get_attribute("value") or -1) == expected


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
    module_page.locator("button[name=all]").click()
    expect(module_page).not_to_have_url(re.compile("from="))


def test_the_tooltip_at_the_pointer_has_the_amounts_of_the_data(module_page: Page, module: Path) -> None:
    spaces = shard(module / "data" / "timeline.js")["spaces"]
    compared = 0
    for number in range(module_page.locator("figure[data-chart='memory-over-time']").count()):
        figure = chart_of_space(module_page, number)
        place = figure.locator(".plot")
        place.scroll_into_view_if_needed()
        box, space = place.bounding_box(), spaces[figure.get_attribute("data-space")]
        assert box
        for step in range(26):
            module_page.mouse.move(box["x"] + box["width"] * (0.1 + 0.034 * step), box["y"] + box["height"] / 2)
            tip = place.locator(".tip")
            expect(tip).to_be_visible()
            lines = tip.locator("> *").all_inner_texts()
            moment = int(lines[0].removeprefix("instruction "))
            live, temp = (
                steps["amounts"][bisect_right(steps["moments"], moment) - 1] for steps in (space["live"], space["temp"])
            )
            assert lines[-2:] == [f"resident {human_bytes(space['static'] + temp)}", f"live {human_bytes(live)}"]
            compared += 1
    assert compared >= 50


def test_zooming_in_time_rescales_the_bytes(module_page: Page) -> None:
    labels = "svg => svg.querySelectorAll('.role-axis-label')[0].closest('svg').textContent"
    figure = chart_of_space(module_page, 1).locator("svg")
    expect(figure.locator(".role-axis-label").first).to_be_attached()
    before = figure.evaluate(labels)
    module_page.evaluate("location.hash = 'from=1&to=6'")
    expect(figure).not_to_have_text(before)
    assert "axis begins" not in before
    expect(figure).to_contain_text("axis begins at")


def test_the_map_names_what_a_pointer_is_over(module_page: Page) -> None:
    figure = drawn_map(module_page)
    box = figure.locator(".plot").bounding_box()
    assert box
    module_page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.8)
    expect(figure.locator(".tip")).to_contain_text("instructions")


def test_the_map_shows_one_allocation_when_asked(module_page: Page) -> None:
    figure = drawn_map(module_page)
    choices = figure.locator("select[name=allocation]")
    choices.select_option(index=1)
    expect(module_page).to_have_url(re.compile(r"allocation=\d+"))
    module_page.go_back()
    expect(choices).to_have_value("")


def shown_color(page: Page, name: str) -> str:
    """Return a color of theme.css as the browser shows it now."""
    color: str = page.evaluate(
        """name => {
            const probe = document.body.appendChild(document.createElement("span"));
            probe.style.color = `var(--${name})`;
            return getComputedStyle(probe).color;
        }""",
        name,
    )
    return color


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_is_drawn_in_the_colors_of_the_theme(module_page: Page, scheme: Literal["light", "dark"]) -> None:
    module_page.emulate_media(color_scheme=scheme)
    boxes = drawn_map(module_page).locator(".plot svg g.mark-rect path")
    for _ in range(2):  # as the system has it, then switched
        expected = shown_color(module_page, "class-parameter")
        expect(boxes.and_(module_page.locator(f'[fill="{expected}"]')).first).to_be_attached()
        expect(module_page.locator(f'#map-legend .chip[style*="{expected}"]')).to_have_count(1)
        module_page.locator("#theme-switch").click()


def test_light_and_dark_differ_and_the_switch_takes_one_for_the_other(module_page: Page) -> None:
    colors = []
    for scheme in ("light", "dark"):
        module_page.emulate_media(color_scheme=scheme)
        colors.append(shown_color(module_page, "background"))
    assert colors == ["rgb(255, 255, 255)", "rgb(22, 25, 30)"]
    module_page.locator("#theme-switch").click()
    assert shown_color(module_page, "background") == colors[0]
    module_page.emulate_media(media="print")
    assert shown_color(module_page, "background") == colors[0]


def luminance(color: str) -> float:
    """Return the relative luminance of `rgb(…)`, as WCAG 2 defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_name_of_the_peak_is_above_the_plot_and_can_be_read(
    module_page: Page, scheme: Literal["light", "dark"]
) -> None:
    module_page.emulate_media(color_scheme=scheme)
    module_page.reload()  # so that each chart is drawn once, in these colors
    background = shown_color(module_page, "background")
    for number in range(module_page.locator("figure[data-chart='memory-over-time']").count()):
        names = chart_of_space(module_page, number).locator("svg g.mark-text.role-mark text").filter(has_text="peak")
        expect(names).to_have_count(1)
        hold_the_names(names, background)


def hold_the_names(names: Locator, background: str) -> None:
    """Check that the names can be read and are above the plot."""
    for name in names.all():
        assert contrast(name.evaluate("text => getComputedStyle(text).fill"), background) >= 4.5
        plot_top = name.evaluate(
            "text => text.closest('svg').querySelector('g.role-frame .background').getBoundingClientRect().top"
        )
        box = name.bounding_box()
        assert box
        assert box["y"] + box["height"] <= plot_top + 4  # its font's descent


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_names_inside_areas_can_be_read(module_page: Page, scheme: Literal["light", "dark"]) -> None:
    module_page.emulate_media(color_scheme=scheme)
    for kind in (*(f"source-{number}" for number in range(1, 5)), "other", "parameter", "output", "constant"):
        area = kind if kind == "other" or kind.startswith("source-") else f"class-{kind}"
        assert contrast(shown_color(module_page, f"on-{kind}"), shown_color(module_page, area)) >= 4.5, kind


def test_no_line_crosses_what_is_below_a_peak(module_page: Page) -> None:
    figure = module_page.locator("figure[data-space='0'] svg")
    boxes = "all => all.map(one => one.getBoundingClientRect()).map(box => [box.width, box.bottom])"
    lines = figure.locator(".mark-rule.role-mark line").evaluate_all(boxes)
    upright = sorted(bottom for width, bottom in lines if width < 2)
    dots = sorted(bottom for _, bottom in figure.locator(".mark-symbol.role-mark path").evaluate_all(boxes))
    assert len(upright) == len(dots) > 0
    assert all(bottom <= dot for bottom, dot in zip(upright, dots, strict=True))


def test_the_static_drawing_marks_the_peak_as_the_chart_does(
    module: Path, module_page: Page, without_scripts: Visit
) -> None:
    figure = module_page.locator("figure[data-space='0']")
    name = figure.locator("svg g.mark-text.role-mark text").filter(has_text=re.compile("^peak"))
    shown = name.text_content() or ""
    static = without_scripts(f"m/{module.name}/index.html")
    expect(static.locator("figure[data-space='0'] .drawing .name").first).to_have_text(shown)


def test_the_legend_draws_lines_as_the_chart_does(module_page: Page) -> None:
    mark = "chip => (style => [style.borderTopStyle, style.width])(getComputedStyle(chip, '::before'))"
    chips = {name: module_page.locator(f".legend .chip.{name}").evaluate(mark) for name in ("line", "changed")}
    assert chips == {"line": ["solid", "24px"], "changed": ["solid", "24px"]}


def test_a_key_chooses_the_peak(module_page: Page) -> None:
    module_page.keyboard.press("p")
    expect(module_page.locator("#live-at")).to_be_visible()
    peak = module_page.locator("figure[data-peak]").first.get_attribute("data-peak")
    expect(module_page.locator("#moment-controls input[name=moment]")).to_have_value(peak or "")


def test_the_map_is_drawn_for_print_though_nobody_has_scrolled_to_it(module_page: Page) -> None:
    module_page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(module_page.locator("#map-caption")).to_contain_text("values;")


def test_a_chart_can_be_taken_along_as_svg_and_png_without_the_page(module_page: Page) -> None:
    figure = module_page.locator("figure[data-chart='memory-over-time']").first
    with module_page.expect_download() as svg:
        figure.get_by_role("button", name="SVG").click()
    text = Path(svg.value.path()).read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "var(--" not in text
    with module_page.expect_download() as png:
        figure.get_by_role("button", name="PNG").click()
    assert Path(png.value.path()).read_bytes().startswith(b"\x89PNG")
    assert png.value.suggested_filename.endswith(".png")


def test_the_map_can_be_taken_along_as_svg(module_page: Page) -> None:
    figure = drawn_map(module_page)
    with module_page.expect_download() as svg:
        figure.get_by_role("button", name="SVG").click()
    assert "<path" in Path(svg.value.path()).read_text(encoding="utf-8")


def test_the_sum_of_a_table_is_printed_once_at_its_end(module_page: Page) -> None:
    module_page.emulate_media(media="print")
    displays = module_page.locator("tfoot").evaluate_all("all => all.map(one => getComputedStyle(one).display)")
    assert set(displays) == {"table-row-group"}
