"""Read the two sides of a comparison: dumps, or the `report.json` of an earlier build.

A report has figures only, so with one on either side the differences are known and their reasons are not.
"""

from collections.abc import Callable, Sequence
from itertools import count

from reportgen.compare.baseline import figures_of_report
from reportgen.compare.builds import BuildComparison, Source, compare_builds, compare_modules
from reportgen.compare.figures import figures_of_side, flaws_of
from reportgen.compare.module_pairing import Side, pair_of
from reportgen.errors import UnreadableInput
from reportgen.input.inputs import inputs_of
from reportgen.input.reading import Problem, read_whole
from reportgen.input.remote import AnyPath
from reportgen.pipeline import read_report
from reportgen.record import record
from reportgen.reports.report_document import GateModule
from reportgen.search import search
from reportgen.work import Settings, garbage_collection_paused

Progress = Callable[[int, int, str], None]

_REPORT_SUFFIXES = (".json", ".json.gz", ".json.xz")


def load_source(path: AnyPath, label: str | None, default: str, max_bytes: int) -> Source:
    """Find the dumps at a path, or read the report there. Raises ReportgenError if there is neither.

    Without a label, the side is called what its report says, else `default`.
    """
    if not path.name.lower().endswith(_REPORT_SUFFIXES):
        discovered = search([path], max_bytes=max_bytes, needs_dump=True).real
        return Source(label or default, dumps=discovered.dumps, problems=discovered.problems)
    figures = figures_of_report(read_whole(path, max_bytes), str(path))
    return Source(label or figures.label or default, report=figures.modules)


@record(kw_only=False)
class BuildFigures:
    """The figures of a build, what to call it, and the problems with single dumps of it."""

    label: str
    modules: tuple[GateModule, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def unread(self) -> int:
        """Return how many files of the build could not be read."""
        return sum(problem.severity == "error" for problem in self.problems)


def read_figures(
    path: AnyPath,
    max_bytes: int,
    capacities: Sequence[str] = (),
    of_side: Callable[[Side], GateModule] = figures_of_side,
) -> BuildFigures:
    """Return the figures of a report, or of a directory of dumps with the capacities that are given.

    `of_side` returns those of a dump. Raises ReportgenError for anything else.
    """
    source = load_source(path, None, str(path), max_bytes)
    if source.report is not None:
        return BuildFigures(source.label, source.report)
    problems = list(source.problems)
    sides = _modules(source, problems, lambda _: None, capacities)
    if not sides and (error := next((problem for problem in problems if problem.severity == "error"), None)):
        raise UnreadableInput(f"{error.file}: {error.message}")
    return BuildFigures(source.label, tuple(map(of_side, sides)), tuple(problems))


def compare_sources(
    before: Source, after: Source, progress: Progress, capacities: Sequence[str] = ()
) -> tuple[BuildComparison, tuple[Problem, ...]]:
    """Compare two sides, each also with the capacities that are given; return also the problems with single dumps."""
    problems: list[Problem] = [*before.problems, *after.problems]
    total, done = len(before.dumps) + len(after.dumps), count(1)

    def was_read(label: str) -> None:
        progress(next(done), total, label)

    with garbage_collection_paused():
        sides_before, sides_after = (_modules(source, problems, was_read, capacities) for source in (before, after))
        comparison = compare_builds(before, after, (sides_before, sides_after))
    return comparison, tuple(sorted(problems, key=lambda problem: (problem.file, problem.message)))


def compare_pair(before: Source, after: Source) -> BuildComparison:
    """Compare two sides of one dump each, which are a pair whatever they are called. Raises UnreadableInput."""
    problems: list[Problem] = []
    with garbage_collection_paused():
        sides = [side for source in (before, after) for side in _modules(source, problems, lambda _: None)]
        if problems and len(sides) < 2:
            raise UnreadableInput(f"{problems[0].file}: {problems[0].message}")
        side_before, side_after = sides
        module = compare_modules(pair_of(side_before, side_after))
        return BuildComparison(before=before, after=after, modules=(module,))


def _modules(
    source: Source, problems: list[Problem], was_read: Callable[[str], None], capacities: Sequence[str] = ()
) -> list[Side]:
    """Read and analyse each dump, as `build` does; one that cannot be read is a problem and is left out."""
    sides: list[Side] = []
    for order, files in enumerate(source.dumps):
        report, of_reading = read_report(files, Settings(capacities=tuple(capacities)))
        problems.extend(of_reading)
        if report is not None:
            flaws = flaws_of(report.analysis.findings)
            figures = (report.analysis, inputs_of(files), flaws, report.device_fit)
            sides.append(Side(report.label, report.title, order, *figures))
            was_read(files.label)
    return sides
