"""How soon a page from the disk is there and can be used, in a headless Chromium.

`paint` is the first contentful paint. `interactive` is the last of three: the end of loading, the moment
when all charts that are drawn at once have their drawing, and the end of the last task that kept the
page busy for more than 50 ms. All are seconds since the page was asked for.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.browser import find_browser

# Runs before every script of the page. `drawn` is seen at the next frame, as a reader would.
_WATCH = """
window.benchmark = { busyUntil: 0, drawnAt: null };
new PerformanceObserver(function (list) {
  list.getEntries().forEach(function (task) { benchmark.busyUntil = task.startTime + task.duration; });
}).observe({ type: "longtask", buffered: true });
(function look() {
  const plots = Array.from(document.querySelectorAll("figure[data-chart] .plot"));
  const isDrawn = plots.every(function (plot) { return plot.querySelector("svg, canvas"); });
  if (document.readyState === "complete" && isDrawn) benchmark.drawnAt = performance.now();
  else requestAnimationFrame(look);
})();
"""
_IS_QUIET = """
() => {
  const painted = performance.getEntriesByName("first-contentful-paint").length;
  return painted && benchmark.drawnAt !== null && performance.now() - benchmark.busyUntil > 500
    && performance.now() - benchmark.drawnAt > 500;
}
"""
_TIMES = """
() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
  interactive: Math.max(
    performance.getEntriesByType("navigation")[0].loadEventEnd, benchmark.drawnAt, benchmark.busyUntil) / 1000
})
"""


class NoBrowser(Exception):
    """There is no Chromium to measure with."""


@dataclass(frozen=True, slots=True)
class PageTimes:
    """Seconds since the page was asked for."""

    paint: float
    interactive: float


def measure(page: Path, rounds: int) -> list[PageTimes]:
    """Open a page again and again, each time in a browser that knows nothing. Raises NoBrowser."""
    executable = find_browser()
    if not executable:
        raise NoBrowser("no Chromium; set REPORTGEN_CHROMIUM to the path of one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--disable-gpu"])
        times = [_opened(browser, page.resolve().as_uri()) for _ in range(rounds)]
        browser.close()
    return times


def _opened(browser: Browser, address: str) -> PageTimes:
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(_WATCH)
    page.goto(address)
    page.wait_for_function(_IS_QUIET, polling=100)
    times = page.evaluate(_TIMES)
    context.close()
    return PageTimes(times["paint"], times["interactive"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the times of a page, for each round, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser", description=main.__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    try:
        print(json.dumps([asdict(times) for times in measure(options.page, options.rounds)]))
    except NoBrowser as error:
        sys.exit(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
