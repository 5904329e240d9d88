"""How long after its last byte a dump is on the screen: `python -m benchmarks.watch`.

A dump of a megabyte among fifty others is compiled anew again and again while a Chromium shows its page. Printed are
the parts of the way: until the files have settled and the look begins, the look itself (reading, analysing,
publishing), and from there until the page shows the new number.
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
from reportgen.render.formats import human_bytes
from tests.browser.browser import find_browser
from tests.support.compiler import compiled, write

VALUES, OTHERS, REBUILDS = 2_200, 50, 15
# In the first frame that has them, said when it is on the screen.
_SAYS_WHAT_IT_SHOWS = """
(function look() {
  const figures = document.querySelector("section[aria-labelledby=spaces] tbody");
  if (figures) requestAnimationFrame(() => console.log(figures.innerText));
  else requestAnimationFrame(look);
})();
"""
_BUILT = re.compile(r"build \d+, ([0-9.]+) s")


class Times(NamedTuple):
    """Seconds of one rebuild."""

    until_look: float
    look: float
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
    for name in ("until_look", "look", "page", "total"):
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
    """When a build was told, and how long its look took."""
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
            told, look = _until_built(lines)
            found.append(Times(told - look - written, look, on_screen - told))
        browser.close()
    return found


def _says(text: str, message: ConsoleMessage) -> bool:
    return text in message.text


if __name__ == "__main__":
    sys.exit(main())
