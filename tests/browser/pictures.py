"""Take the pictures of the README again: `python -m tests.browser.pictures`, after pages have changed."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from tests.browser.browser import find_browser
from tests.support.site import ROOT, SAMPLES, build_site

IMAGES = ROOT / "docs" / "images"
MARGIN = 20


def main() -> int:
    """Write each picture over its last version and return the exit code."""
    executable = find_browser()
    if executable is None:
        print("no Chromium: run `python tests/run.py`, which installs one", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = build_site(SAMPLES / "tpu-train-step", Path(folder) / "site")
        [module] = (site / "m").iterdir()
        refused = build_site(SAMPLES / "v5e-train-step", Path(folder) / "refused")
        [first_screen] = (refused / "m").iterdir()
        browser = playwright.chromium.launch(executable_path=executable, args=["--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto((first_screen / "index.html").as_uri())
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "does-not-fit.png")
        page.goto((module / "index.html").as_uri())
        page.wait_for_load_state("networkidle")
        page.locator("#packing-map select[name=space]").select_option(label="1 · VMEM")
        page.locator("#packing-map select[name=color]").select_option("opcode")
        take(page, "Packing map", "packing-map.png")
        browser.close()
    return 0


def take(page: Page, heading: str, name: str) -> None:
    """Write the window as it is with the heading at its top."""
    place = page.get_by_role("heading", name=heading, exact=True)
    place.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    place.evaluate("(element, margin) => scrollTo(0, element.getBoundingClientRect().top + scrollY - margin)", MARGIN)
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / name)


if __name__ == "__main__":
    sys.exit(main())
