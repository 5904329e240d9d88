"""The time of each stage of a build, one dump after the other in one process.

`render` is the time in which pages are made, `write` the rest of the time until they are on the disk:
pages are written as they are made, because all of them at once would need the memory of the whole site.
"""

import argparse
import gc
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from reportgen.analyse.analysis import analyse
from reportgen.dump_pages import module_from
from reportgen.input.discover import DumpFiles, discover
from reportgen.input.reading import load_text
from reportgen.output.writer import write_pages
from reportgen.parse.parser import parse_dump
from reportgen.render.module.module_pages import module_pages
from reportgen.render.view import Module
from reportgen.work import Page

NAMES = ("read", "parse", "analyse", "render", "write")


@dataclass(slots=True)
class Stages:
    """Seconds of each stage, over all dumps, and how many values these have."""

    values: int = 0
    read: float = 0.0
    parse: float = 0.0
    analyse: float = 0.0
    render: float = 0.0
    write: float = 0.0

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Add the time of what is done inside to a stage."""
        started = time.perf_counter()
        yield
        setattr(self, stage, getattr(self, stage) + time.perf_counter() - started)

    def made(self, pages: Iterable[Page]) -> Iterator[Page]:
        """Yield the pages; the time in which they are made is moved from `write`, which asks for them, to `render`."""
        remaining = iter(pages)
        while True:
            before = self.render
            with self.timing("render"):
                page = next(remaining, None)
            self.write -= self.render - before
            if page is None:
                return
            yield page


def measure(path: Path, site: Path | None) -> Stages:
    """Return the stages for every dump in `path`; without a site nothing is rendered."""
    taken = Stages()
    for files in discover([path]).dumps:
        module = _module(files, taken)
        if site:
            with taken.timing("write"):
                write_pages(site, taken.made(module_pages(module, "Memory")))
    return taken


def _module(files: DumpFiles, taken: Stages) -> Module:
    gc.disable()  # as a build does
    with taken.timing("read"):
        text, _ = load_text(files)
    with taken.timing("parse"):
        dump = parse_dump(text)
    with taken.timing("analyse"):
        analysis = analyse(dump, files.name.backend)
    gc.enable()
    taken.values += len(dump.values)
    return module_from(files, analysis)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the seconds of each stage as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=main.__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--site", type=Path, help="render and write, too")
    options = parser.parse_args(arguments)
    print(json.dumps(asdict(measure(options.path, options.site))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
