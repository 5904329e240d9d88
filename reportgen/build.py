"""Build whole sites: discover → parse → analyse → render → write; also the site of a comparison, and a trend.

Each dump is one task for `pipeline`, in this process or in any `concurrent.futures` executor. Pages that are up to date
are not made again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import NoDumpFound, OptionError
from reportgen.input.discover import Discovered, discover
from reportgen.input.dump_contents import read_note
from reportgen.input.error_texts import error_texts
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES, DumpFiles, Problem
from reportgen.input.remote import AnyPath
from reportgen.options import BuildOptions, ComparisonOptions, ReportOptions
from reportgen.output.incremental import IncrementalChecker
from reportgen.output.manifest import COMMON, TREND
from reportgen.output.writer import SiteDirectory, Written, write_file, write_pages
from reportgen.pipeline import Stage, build_dump, build_page, check_dump, read_report, settings_of
from reportgen.redact.labels import redact_labels
from reportgen.reports.summary import Summary, biggest_first
from reportgen.work import Outcome, Page, Part, Settings, Task
from reportgen.workers import can_fork

# Imported where they are used, as in `pipeline`.
if TYPE_CHECKING:
    from reportgen.analyse.logged_errors import LoggedError
    from reportgen.compare.budgets import Budgets
    from reportgen.compare.builds import BuildComparison
    from reportgen.compare.history import History
    from reportgen.compare.verdicts import Judgement
    from reportgen.reports.report import Report

Progress = Callable[[int, int, str], None]
"""Called with the number of finished dumps, the number of all dumps, and the label of the last finished one."""

_COMPARISON_TITLE = "Memory, before and after"
_LARGE = 8_000_000  # bytes of a dump above which several processes write its pages: that halves a build of 430 MB


@dataclass(frozen=True, slots=True)
class Totals:
    """The files of a site: their number and bytes, how many were written, and how many old ones were removed."""

    files: int = 0
    size_bytes: int = 0
    changed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of the program a site shows: its source files, and its op_names added up over the modules."""

    source_files: int = 0
    op_names: int = 0


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The result of a build or check: summaries, largest first, and all problems with the input.

    `errors` are the out-of-memory errors in texts on the command line.
    """

    summaries: tuple[Summary, ...]
    problems: tuple[Problem, ...]
    totals: Totals = Totals()
    shown: Shown = Shown()
    errors: "tuple[LoggedError, ...]" = ()

    @property
    def is_over(self) -> bool:
        """Return whether a module needs more memory than its device has."""
        return any(entry.is_over for entry in self.summaries)

    @property
    def first_page(self) -> str:
        """Return the path of the page to read first: that of the only module, or the overview."""
        from reportgen.render.routes import OVERVIEW, module_view

        modules = self.summaries
        return module_view(modules[0].label, modules[0].title) if len(modules) == 1 else OVERVIEW

    def has_problems(self, *, strict: bool) -> bool:
        """Return whether a file could not be read or, if `strict`, whether there is any warning or error."""
        failed = any(problem.severity == "error" for problem in self.problems)
        warned = any(problem.severity == "warning" for problem in self.problems)
        severities = {severity for entry in self.summaries for severity, _ in entry.finding_counts}
        return failed or (strict and (warned or bool(self.errors) or bool(severities & {"error", "warning"})))


def check(
    paths: Sequence[AnyPath],
    jobs: int,
    progress: Progress,
    cluster: str | None = None,
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES,
    *,
    siblings: bool = True,
    capacities: Sequence[str] = (),
    stage: Stage = lambda words: None,
) -> BuildResult:
    """Parse and analyse every dump without writing a site. Raises ReportgenError if there is no dump.

    Without `siblings`, the files beside a dump are not read. Each dump is compared with `capacities`.
    """
    discovered = discover(paths, max_bytes=max_dump_bytes, siblings=siblings)
    tasks = sorted(map(Task, discovered.dumps), key=_largest_first)
    is_alone = cluster is None and (jobs == 1 or len(tasks) == 1)
    work = partial(check_dump, given=tuple(capacities))
    outcomes = map(partial(work, stage=stage), tasks) if is_alone else _share_out(work, tasks, jobs, cluster)
    return _result(discovered, list(_counted(outcomes, len(tasks), progress)))


def read_reports(paths: Sequence[AnyPath], max_dump_bytes: int) -> "tuple[list[Report], list[Problem]]":
    """Return the report of every readable dump, and all problems. Raises ReportgenError if there is no dump."""
    discovered = discover(paths, max_bytes=max_dump_bytes)
    results = [read_report(files) for files in discovered.dumps]
    problems = [*discovered.problems, *(problem for _, found in results for problem in found)]
    return [report for report, _ in results if report is not None], problems


def build(options: BuildOptions, progress: Progress, stage: Stage = lambda words: None) -> BuildResult:
    """Build the site. `stage` is called with each step of the dumps that this process works on.

    Raises ReportgenError if there is no dump or the output cannot be written.
    """
    errors = logged_errors_in(options)
    try:
        found = discover(
            options.paths, excluded=options.output, max_bytes=options.max_dump_bytes, siblings=options.siblings
        )
    except NoDumpFound:
        if not errors:  # the text of an error is enough for a report
            raise
        found = Discovered((), (), None)
    discovered = redact_labels(found, options.redaction)
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        settings = settings_of(options)
        tasks = [Task(files, directory.parts.get(files.label)) for files in discovered.dumps]
        outcomes = list(_counted(_build_all(tasks, settings, options, stage), len(tasks), progress))
        result = replace(_result(discovered, outcomes), errors=errors)
        return _finish(result, outcomes, settings, read_note(discovered.readme), directory)


def logged_errors_in(options: ReportOptions) -> "tuple[LoggedError, ...]":
    """Return the out-of-memory errors in the texts on the command line."""
    texts = () if options.redaction else tuple(error_texts(options.paths, options.max_dump_bytes))
    if not texts:
        return ()
    from reportgen.analyse.logged_errors import logged_errors

    return logged_errors(texts)


def build_file(options: BuildOptions, target: Path, stage: Stage = lambda words: None) -> BuildResult:
    """Write the report of the one dump in the given paths to the file `target`.

    Raises ReportgenError if there is no dump or more than one, or the file cannot be written.
    """
    found = discover(options.paths, max_bytes=options.max_dump_bytes, siblings=options.siblings)
    discovered = redact_labels(found, options.redaction)
    task, *others = sorted(map(Task, discovered.dumps), key=_largest_first)
    if others:
        raise OptionError(
            f"{len(others) + 1:,} dumps are in there, and --single-file takes one. The largest is {task.files.label}"
        )
    outcome, page = build_page(task, settings_of(options), stage)
    result = _result(discovered, [outcome])
    if page is None:
        return result
    write_file(target, page)
    return replace(result, totals=Totals(files=1, size_bytes=len(page), changed=1))


def build_comparison(
    comparison: "BuildComparison", judgement: "Judgement | None", document: bytes, options: ComparisonOptions
) -> int:
    """Write the site of a comparison with both builds in it, and return how many files it has.

    Raises OutputRefused if the directory holds files that no earlier comparison has made.
    """
    from reportgen.render.compare.comparison_pages import comparison_pages
    from reportgen.render.compare.views import module_views, named_values
    from reportgen.render.routes import COMPARISON, SIDES

    # A redacted comparison has no sites of its builds, because their pages show every name.
    has_sites = comparison.explains and options.redaction is None
    views = module_views(comparison.modules)
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        pages = comparison_pages(_COMPARISON_TITLE, comparison, judgement, views, has_sites=has_sites)
        written = write_pages(options.output, chain(pages, [Page(COMPARISON, document)]))
        directory.finish({COMMON: _part(written)})
    files = len(written.paths)
    for side, path in enumerate((options.before, options.after)) if has_sites else ():
        result = build(
            BuildOptions(
                paths=(path,),
                output=options.output / SIDES[side],
                title=f"{_COMPARISON_TITLE}: {SIDES[side].rstrip('/')}",
                force=options.force,
                # 0 leaves the values of a peak and those that the comparison links to.
                value_pages=None if options.full else 0,
                named_values=named_values(views, side),
                max_dump_bytes=options.max_dump_bytes,
            ),
            lambda *_: None,
        )
        files += result.totals.files
    return files


def build_trend(output: Path, title: str, history: "History", budgets: "Budgets | None", *, force: bool) -> None:
    """Write the trend of a history into a site, or into a new one.

    The history itself is no page of the site, because a build removes pages that it does not make.

    Raises OutputRefused if the directory holds files that no earlier build has made.
    """
    from reportgen.render.trend.trend_pages import front_pages, trend_pages

    with SiteDirectory.opened(output, force=force) as directory:
        pages = [*trend_pages(title, history, budgets)]
        if COMMON not in directory.parts:
            pages += front_pages(title, history, budgets)
        written = write_pages(output, pages)
        directory.finish({**directory.parts, TREND: _part(written)})


def history_in(site: Path) -> Path:
    """Return the file of a site that keeps the history of its trend."""
    from reportgen.render.routes import HISTORY

    return site / HISTORY


def _part(written: Written, key: str = "") -> Part:
    return Part(key, written.paths, written.size_bytes, written.digest)


def _build_all(tasks: Sequence[Task], settings: Settings, options: BuildOptions, stage: Stage) -> Iterator[Outcome]:
    """Build very large dumps one by one, all processes writing the pages of each; then share the rest among them."""
    in_order = sorted(tasks, key=_largest_first)
    count = 0
    if not options.cluster:
        # Larger than a fair share, because such a dump would keep one process busy after the others have finished.
        share = sum(_bytes_on_disk(task.files) for task in tasks) / options.jobs
        least = max(share, _LARGE) if can_fork() else float("inf")
        count = sum(_bytes_on_disk(task.files) > least for task in tasks)
        if options.jobs == 1 or len(tasks) - count <= 1:
            count = len(tasks)  # because a single dump cannot be shared
    for task in in_order[:count]:
        yield build_dump(task, settings, options.jobs, stage)
    if rest := in_order[count:]:
        yield from _share_out(partial(build_dump, settings=settings), rest, options.jobs, options.cluster)


def _share_out(
    work: Callable[[Task], Outcome], tasks: Sequence[Task], jobs: int, cluster: str | None
) -> Iterator[Outcome]:
    from reportgen.workers.pool import open_workers, unordered  # late: multiprocessing takes a tenth of a small check

    with open_workers(min(jobs, len(tasks)), cluster) as workers:
        yield from unordered(work, tasks, workers)


def _largest_first(task: Task) -> tuple[int, str]:
    return -_bytes_on_disk(task.files), task.files.label


def _bytes_on_disk(files: DumpFiles) -> int:
    # A remote file counts as empty, because asking for its size takes a request.
    paths = {part.path for part in files.parts if isinstance(part.path, Path)}
    try:
        return sum(path.stat().st_size for path in paths)
    except OSError:  # which is reported when the file is read
        return 0


def _counted(outcomes: Iterable[Outcome], total: int, progress: Progress) -> Iterator[Outcome]:
    for done, outcome in enumerate(outcomes, start=1):
        progress(done, total, outcome.label)
        yield outcome


def _finish(
    result: BuildResult, outcomes: Sequence[Outcome], settings: Settings, readme: str, directory: SiteDirectory
) -> BuildResult:
    """Write the pages that belong to no dump, remove old pages, and add the totals to the result."""
    modules = {outcome.label: outcome.part for outcome in outcomes if outcome.part}
    common, changed = _common_part(result, settings, readme, directory.parts, modules)
    parts = modules | {COMMON: common}
    totals = Totals(
        files=sum(len(part.paths) for part in parts.values()),
        size_bytes=sum(part.size_bytes for part in parts.values()),
        changed=sum(outcome.changed for outcome in outcomes) + changed,
        removed=directory.finish(parts),
    )
    source_files = {file for entry in result.summaries for file in entry.source_files}
    shown = Shown(
        source_files=0 if settings.redaction else len(source_files),
        op_names=0 if settings.redaction == "names" else sum(entry.op_names for entry in result.summaries),
    )
    return replace(result, totals=totals, shown=shown)


def _common_part(
    result: BuildResult, settings: Settings, readme: str, earlier: Mapping[str, Part], modules: Mapping[str, Part]
) -> tuple[Part, int]:
    """Return the part with the pages that belong to no dump, and how many of them were written."""
    previous, has_trend = earlier.get(COMMON), TREND in earlier
    checker = IncrementalChecker(settings, previous)
    errors = [repr(error) for error in result.errors]
    key = checker.common_key(modules, result.problems, readme, errors, has_trend=has_trend)
    if previous and checker.is_up_to_date(key):
        return previous, 0
    # These import Jinja, which takes a third of an unchanged build.
    from reportgen.render.site.overview import Front
    from reportgen.render.site.site_pages import site_pages

    front = Front(
        problems=result.problems,
        readme=readme,
        redaction=settings.redaction,
        errors=result.errors,
        has_trend=has_trend,
    )
    pages = site_pages(settings.site_title, result.summaries, front)
    written = write_pages(settings.output, pages)
    return _part(written, key), written.changed


def _result(discovered: Discovered, outcomes: Sequence[Outcome]) -> BuildResult:
    summaries = sorted((outcome.summary for outcome in outcomes if outcome.summary), key=biggest_first)
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    ordered = sorted([*discovered.problems, *problems], key=lambda problem: (problem.file, problem.message))
    return BuildResult(tuple(summaries), tuple(ordered))
