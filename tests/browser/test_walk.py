"""From the overview of a program that does not fit to the place in the program that each large group comes from."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reportgen.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"
TRAIN_STEP, TINY = SAMPLES / "cpu-train-step", SAMPLES / "cpu-tiny"


@pytest.fixture(scope="module")
def too_large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("too-large")
    assert main(["build", "-q", str(TRAIN_STEP), str(TINY), "-o", str(site), "--capacity", "1MiB"]) == 0
    return site


@pytest.mark.parametrize("rank", range(5))
def test_the_largest_groups_are_five_clicks_from_where_they_come_from(
    too_large: Path, visit: Callable[..., Page], rank: int
) -> None:
    clicks = 0
    page = visit(too_large)
    expect(page.locator("#modules-table .pill.over").first).to_contain_text("Does not fit")
    page.locator("#modules-table tbody th a").first.click()
    clicks += 1
    expect(page.locator(".fit.over")).to_contain_text("Does not fit")
    values = page.locator(".peak-groups").first.locator("tbody tr").nth(rank).locator("td").last
    if values.locator("summary").count():
        values.locator("summary").click()
        clicks += 1
    values.locator("a").first.click()
    clicks += 1
    expect(page).to_have_url(re.compile(r"/explore\.html#v\d+"))
    expect(page.locator(".own.open")).to_contain_text(re.compile(r"\.py:\d+|The argument "))
    assert clicks <= 5


@pytest.mark.parametrize(
    ("width", "height", "shown"), [(1280, 800, (".figure", ".fit", ".segments")), (390, 844, (".figure", ".fit"))]
)
def test_the_first_screen_says_what_is_needed_and_what_dominates(
    too_large: Path, visit: Callable[..., Page], width: int, height: int, shown: tuple[str, ...]
) -> None:
    page = visit(too_large, next(too_large.glob("m/*train*/index.html")).relative_to(too_large).as_posix())
    page.set_viewport_size({"width": width, "height": height})
    for selector in shown:
        box = page.locator(f".need {selector}").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height


def test_a_site_of_one_module_opens_on_it(tmp_path: Path, visit: Callable[..., Page]) -> None:
    assert main(["build", "-q", str(TINY), "-o", str(tmp_path)]) == 0
    page = visit(tmp_path)
    page.wait_for_url("**/m/*/index.html")
    expect(page.locator(".answer")).to_contain_text("peaks at")
