"""What a reader sees of a module without scrolling, how long its page is, and that its peak regroups in place."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

Visit = Callable[..., Page]

CHART_ABOVE, ANSWER_ABOVE, LONGEST = 560, 800, 3_000
RECOMPUTING = 10
"""How much lower the chart may be where a line more says what XLA recomputes."""
LONGEST_OF_PROGRAMS = 3_300
"""The same for a whole program of a user, with suggestions and a refusal: `samples/v5e-train-step`."""

MEASURE = """() => {
  const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  return {
    chart: box("figure[data-chart]")?.top ?? 0,
    answer: Math.max(box(".need .answer")?.bottom ?? 0,
      box(".steps-card :is(li, h2 ~ p, .card-head + p)")?.bottom ?? 0),
    height: document.documentElement.scrollHeight,
  };
}"""


def hold_the_bars(site: Path, page: Page, visit: Visit) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    for index in sorted(site.glob("m/*/index.html")):
        visit(site, index.relative_to(site).as_posix())
        seen = page.evaluate(MEASURE)
        assert seen["chart"] < CHART_ABOVE + RECOMPUTING * page.locator(".recomputed.costly").count(), index
        assert 0 < seen["answer"] < ANSWER_ABOVE, index
        if page.locator("#packing-map").count():
            page.locator("#packing-map").scroll_into_view_if_needed()
            expect(page.locator("#map-caption")).to_contain_text("values;")
        longest = LONGEST_OF_PROGRAMS if index.parent.name.startswith("jit-train-step-") else LONGEST
        assert page.evaluate(MEASURE)["height"] <= longest, index


def test_samples_answer_on_the_first_screen(samples_site: Path, page: Page, visit: Visit) -> None:
    hold_the_bars(samples_site, page, visit)


def test_seeds_answer_on_the_first_screen(seeds_site: Path, page: Page, visit: Visit) -> None:
    hold_the_bars(seeds_site, page, visit)


def test_the_peak_regroups_in_place_and_by_the_keyboard(visit_module: Callable[[str], Page]) -> None:
    page = visit_module("index.html")
    tables = page.locator("section[aria-labelledby=peak] > [data-part-of=group]")
    expect(tables.locator("visible=true").first).to_be_visible()
    page.locator("input[name=group][value=operation]").focus()
    page.keyboard.press("ArrowRight")
    shown = page.locator("section[aria-labelledby=peak] > [data-part='source line']")
    expect(shown).to_be_visible()
    expect(shown.locator("svg.life").first).to_be_visible()
    assert tables.evaluate_all("all => all.filter((one) => !one.hidden).length") == 1
    page.reload()
    expect(shown).to_be_visible()
