"""Measure the time from the last byte of a dump to the screen: `python -m benchmarks.watch`.

A dump of one megabyte among fifty others is recompiled again and again while Chromium shows its page. The printed
parts are the time until the files have settled and the scan begins, the scan itself (reading, analysing, publishing),
and the time until the page shows the new figures.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from queue import Queue
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter
from typing import NamedTuple

from playwright.sync_api import ConsoleMessage, sync_playwright

from benchmarks.chain import chain, peak
from reportgen.reports.formats import human_bytes
from tests.browser.browser import find_browser
from tests.support.compiler import compiled, write

VALUES, OTHERS, REBUILDS = 2_200, 50, 15
# Log the figures in the first frame that shows them.
_SAYS_WHAT_IT_SHOWS = """
(function look() {
  const figures = document.querySelector("table.figures tbody");
  if (figures) requestAnimationFrame(() => console.log(figures.textContent));
  else requestAnimationFrame(look);
})();
"""
_BUILT = re.compile(r"build \d+, ([0-9.]+) s")


class Times(NamedTuple):
    """The parts of one rebuild, in seconds."""

    until_scan: float
    scan: float
    page: float

    @property
    def total(self) -> float:
        return sum(self)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rebuilds", type=int, default=REBUILDS)
    parser.add_argument("--values", type=int, default=VALUES, help="of the dump; 2,200 are a megabyte")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as directory:
        dumps = Path(directory) / "dumps"
        for number in range(OTHERS):
            write(dumps / f"other{number:02}", compiled(1000 + number))
        write(dumps / "it", chain(options.values, 1000))
        size = sum(path.stat().st_size for path in (dumps / "it").iterdir())
        found = measured(dumps, Path(directory) / "site", options.values, options.rebuilds)
    print(f"{size:,} bytes, {OTHERS} other dumps, {len(found)} rebuilds; milliseconds, median (least to most)")
    for name in ("until_scan", "scan", "page", "total"):
        values = sorted(1000 * getattr(times, name) for times in found)
        print(f"{name:>10} {median(values):6.0f} ({values[0]:.0f} to {values[-1]:.0f})")
    return 0


def measured(dumps: Path, site: Path, values: int, rebuilds: int) -> list[Times]:
    command = [sys.executable, "-u", "-m", "reportgen", "watch", str(dumps), "-o", str(site)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        try:
            lines: Queue[tuple[float, str]] = Queue()
            Thread(target=_read, args=(watch, lines), daemon=True).start()
            url = lines.get(timeout=60)[1].strip()
            _until_built(lines)
            return _in_browser(url, dumps, lines, values, rebuilds)
        finally:
            watch.kill()


def _read(watch: "subprocess.Popen[str]", lines: "Queue[tuple[float, str]]") -> None:
    assert watch.stdout is not None
    for line in watch.stdout:
        lines.put((perf_counter(), line))


def _until_built(lines: "Queue[tuple[float, str]]") -> tuple[float, float]:
    """Return when a build was printed, and how long its scan took."""
    while True:
        at, line = lines.get(timeout=60)
        if built := _BUILT.search(line):
            return at, float(built[1])


def _in_browser(url: str, dumps: Path, lines: "Queue[tuple[float, str]]", values: int, rebuilds: int) -> list[Times]:
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.add_init_script(_SAYS_WHAT_IT_SHOWS)
        page.goto(url)
        page.click("#modules-table tbody a")
        page.wait_for_selector("#live")
        for number in range(1, rebuilds + 1):
            elements = 1_000_000 + 50_000 * number
            shown = human_bytes(peak(elements))
            page.wait_for_timeout(1500)  # a reader looks before compiling again, and pages get written
            while not lines.empty():
                lines.get()
            text = chain(values, elements)
            with page.expect_console_message(partial(_says, shown)):
                write(dumps / "it", text)
                written = perf_counter()
            on_screen = perf_counter()
            printed, scan = _until_built(lines)
            found.append(Times(printed - scan - written, scan, on_screen - printed))
        browser.close()
    return found


def _says(text: str, message: ConsoleMessage) -> bool:
    return text in message.text


if __name__ == "__main__":
    sys.exit(main())
