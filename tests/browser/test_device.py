"""Where the device is unknown, the reader names it: bars, steps, chart and overview follow."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from reportgen.analyse.devices import CHIPS
from reportgen.reports.formats import capacity_bytes, human_bytes
from tests.browser.axe import complaints
from tests.support.samples import ROOT
from tests.support.site import SAMPLES, build_site

ERRORS = ROOT / "tests" / "oom" / "texts"
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def samples_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of the samples that name no device."""
    folder = tmp_path_factory.mktemp("unknown")
    shutil.copytree(SAMPLES, folder / "dumps", ignore=shutil.ignore_patterns("v5e*"))
    return build_site(folder / "dumps", folder / "site")


def _page(site: Path, name: str) -> str:
    """Return the page of a module of that name."""
    return next(iter(sorted(site.glob(f"m/{name}-*/index.html")))).relative_to(site).as_posix()


def test_a_device_that_is_named_holds_on_all_pages_of_the_site(samples_site: Path, visit: Visit) -> None:
    page = visit(samples_site)
    counts, fits = page.locator(".title .pill:visible"), page.locator("#modules-table th.fit")
    expect(counts).to_have_text(["No device chosen"])
    expect(fits).to_be_hidden()
    page.locator("#device").select_option(str(CHIPS["v5e"]))
    expect(counts).to_have_text(["4 fit", "4 unknown"])
    expect(fits).to_be_visible()
    expect(page.locator("#modules-table td.fit", has_text="left")).to_have_count(4)

    page = visit(samples_site, _page(samples_site, "jit-mlp-train-step"))
    choice, verdict = page.locator("#device"), page.locator("#device-verdict")
    expect(choice).to_have_value(str(CHIPS["v5e"]))
    allocated = int(verdict.get_attribute("data-needs") or "")
    expect(verdict).to_have_text(f"Fits: {human_bytes(CHIPS['v5e'] - allocated)} left")
    expect(page.locator(".need .tick")).to_have_text(capacity_bytes(CHIPS["v5e"]))
    choice.focus()
    choice.select_option("")
    expect(verdict).to_have_text("Device unknown")
    expect(page.locator(".need .tick")).to_have_count(0)


def test_an_error_without_a_capacity_says_what_the_device_that_is_named_means(
    tmp_path_factory: pytest.TempPathFactory, visit: Visit
) -> None:
    folder = tmp_path_factory.mktemp("errors")
    shutil.copytree(ERRORS, folder / "texts", ignore=lambda _, names: [name for name in names if name[:2] != "10"])
    page = visit(build_site(folder / "texts", folder / "site"), "oom/1.html")
    choice, verdict = page.locator("#device"), page.locator("#device-verdict")
    least = int(verdict.get_attribute("data-needs") or "")
    expect(page.locator(".need .label")).to_have_text("Named in this text")
    expect(verdict).to_have_text("Device unknown")
    choice.select_option(str(CHIPS["v5e"]))
    # Only two buffers are listed, so it cannot be said that the program fits.
    expect(verdict).to_have_text("Whether it fits is unknown")
    expect(page.locator(".need .tick")).to_have_text(capacity_bytes(CHIPS["v5e"]))
    choice.evaluate("(choice, size) => { choice.options[1].value = String(size); }", least - 2048)
    choice.select_option(str(least - 2048))
    expect(verdict).to_have_text("Does not fit, by at least 2.00 KiB")
    expect(page.locator(".need .excess")).to_have_count(1)
    assert not complaints(page)


def test_steps_and_chart_say_what_a_device_that_is_too_small_means(samples_site: Path, visit: Visit) -> None:
    page = visit(samples_site, _page(samples_site, "jit-mlp-train-step"))
    choice, verdict = page.locator("#device"), page.locator("#device-verdict")
    step = page.locator(".step-list > [data-needs]").first
    allocated, after = (
        int(place.get_attribute(name) or "") for place, name in ((verdict, "data-needs"), (step, "data-needs"))
    )
    line = page.locator("figure[data-space='0'] svg text", has_text="capacity")
    needs = step.locator(".outcome").text_content() or ""
    expect(line).to_have_count(0)

    def name_device(size_bytes: int) -> None:
        choice.evaluate("(choice, size) => { choice.options[1].value = String(size); }", size_bytes)
        choice.select_option(str(size_bytes))

    name_device(allocated - 1)
    expect(page.locator("#device-verdict")).to_have_text("Does not fit, by 1 B")
    expect(step.locator(".outcome")).to_have_text(f"{needs}, fits")
    expect(page.locator("#first-steps")).to_have_text("Make it fit")
    expect(line.first).to_be_visible()
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        assert not complaints(page)
    name_device(after - 2048)
    expect(step.locator(".outcome")).to_have_text(f"{needs}, 2.00 KiB over capacity")
    expect(page.locator("#first-steps")).to_have_text("Make it fit")
    choice.select_option("")
    expect(step.locator(".outcome")).to_have_text(needs)
    expect(page.locator("#first-steps")).to_have_text("To lower the peak")
    expect(line).to_have_count(0)
