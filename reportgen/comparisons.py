"""Read the two sides of a comparison: dumps, or the `report.json` of an earlier build.

A report has figures only, so with one on either side the differences are known and their reasons are not.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from reportgen.analyse.analysis import measure
from reportgen.build import build
from reportgen.compare.builds import BuildComparison, Source, compare_builds, figures_of_side
from reportgen.compare.figures import ModuleFigures, figures_of_report
from reportgen.compare.modules import Side
from reportgen.compare.verdicts import Judgement
from reportgen.errors import ReportgenError, UnreadableInput
from reportgen.input.discover import discover
from reportgen.input.inputs import inputs_of
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES, Problem, load_text, read_available
from reportgen.input.remote import AnyPath
from reportgen.options import BuildOptions, Redaction
from reportgen.output.manifest import COMMON
from reportgen.output.writer import SiteDirectory, write_pages
from reportgen.parse.dump import parse_dump
from reportgen.pipeline import garbage_collection_paused
from reportgen.render.compare.pages import comparison_pages
from reportgen.render.compare.views import module_views, named_values
from reportgen.render.html.formats import shortened
from reportgen.render.page import Page
from reportgen.render.routes import COMPARISON, SIDES
from reportgen.work import Part

Progress = Callable[[int, int, str], None]

_REPORT_SUFFIXES = (".json", ".json.gz", ".json.xz")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOptions:
    """Where the site of a comparison goes, and both paths that are compared."""

    output: Path
    before: AnyPath
    after: AnyPath
    title: str = "Memory, before and after"
    full: bool = False
    redaction: Redaction | None = None
    force: bool = False
    jobs: int = 1
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES


def load_source(path: AnyPath, label: str, max_bytes: int) -> Source:
    """Find the dumps at a path, or read the report there. Raises ReportgenError if there is neither."""
    if path.name.lower().endswith(_REPORT_SUFFIXES):
        return Source(label, report=tuple(read_report(path, max_bytes)))
    discovered = discover([path], max_bytes=max_bytes)
    return Source(label, dumps=discovered.dumps, problems=discovered.problems)


def read_report(path: AnyPath, max_bytes: int) -> list[ModuleFigures]:
    """Return the modules of a `report.json`. Raises UnreadableInput for a file that is missing or something else."""
    data, damage = read_available(path, max_bytes)
    if damage:
        raise UnreadableInput(f"{path}: {damage}")
    try:
        document = json.loads(data)
    except ValueError as error:
        raise UnreadableInput(f"{path}: not a report.json: {error}") from error
    return figures_of_report(document, str(path))


def is_missing(path: AnyPath) -> bool:
    """Return whether there is nothing at a path or URL, which is no failure for a baseline."""
    try:
        if isinstance(path, Path):
            path.stat()
        else:
            path.open().close()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def baseline_figures(path: AnyPath, max_bytes: int) -> list[ModuleFigures] | None:
    """Return the figures of a report or of a directory of dumps; None if there is nothing at the path.

    Raises ReportgenError if there is something that cannot be read.
    """
    if is_missing(path):
        return None
    source = load_source(path, str(path), max_bytes)
    if source.report is not None:
        return list(source.report)
    problems: list[Problem] = []
    found = _modules(source, problems, _Counter(len(source.dumps), lambda *_: None))
    if problems and not found:
        raise UnreadableInput(f"{problems[0].file}: {problems[0].message}")
    return [figures_of_side(side) for side in found]


def compare_sources(before: Source, after: Source, progress: Progress) -> tuple[BuildComparison, tuple[Problem, ...]]:
    """Compare two sides, and return also what was wrong with single dumps."""
    problems: list[Problem] = [*before.problems, *after.problems]
    counted = _Counter(len(before.dumps) + len(after.dumps), progress)
    with garbage_collection_paused():
        sides = _modules(before, problems, counted), _modules(after, problems, counted)
        comparison = compare_builds(before, after, sides)
    return comparison, tuple(sorted(problems, key=lambda problem: (problem.file, problem.message)))


class _Counter:
    def __init__(self, total: int, progress: Progress) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def add(self, label: str) -> None:
        self.done += 1
        self.progress(self.done, self.total, label)


def _modules(source: Source, problems: list[Problem], counted: _Counter) -> list[Side]:
    """Read and measure each dump; one that cannot be read is a problem and is left out."""
    found: list[Side] = []
    for order, files in enumerate(source.dumps):
        try:
            text, of_reading = load_text(files)
            analysis = measure(parse_dump(text), files.name.backend)
        except ReportgenError as error:
            message = str(error).removeprefix(f"{files.label}: ")
            problems.append(Problem("error", files.label, message))
            continue
        problems.extend(of_reading)
        name = shortened(files.name.module_name)
        found.append(Side(files.label, name, order, analysis, inputs_of(files)))
        counted.add(files.label)
    return found


def write_site(
    comparison: BuildComparison,
    judgement: Judgement | None,
    document: bytes,
    options: SiteOptions,
) -> int:
    """Write the site of a comparison with both builds in it, and return how many files it has.

    Raises OutputRefused if the directory holds files that no earlier comparison has made.
    """
    has_sites = comparison.explains and options.redaction is None
    views = module_views(comparison.modules)
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        pages = comparison_pages(options.title, comparison, judgement, views, has_sites=has_sites)
        written = write_pages(options.output, chain(pages, [Page(COMPARISON, document)]))
        part = Part("", written.paths, written.size_bytes, written.digest)
        directory.finish({COMMON: part})
    files = len(written.paths)
    for side, path in enumerate((options.before, options.after)) if has_sites else ():
        report = build(
            BuildOptions(
                paths=(path,),
                output=options.output / SIDES[side],
                title=f"{options.title}: {SIDES[side].rstrip('/')}",
                force=options.force,
                jobs=options.jobs,
                value_pages=None if options.full else 0,
                named_values=named_values(views, side),
                max_dump_bytes=options.max_dump_bytes,
            ),
            lambda *_: None,
        )
        files += report.totals.files
    return files
