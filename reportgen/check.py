"""Analyse dumps without building a site, for a check or an export."""

from collections.abc import Sequence
from functools import partial

from reportgen.input.discover import Discovered
from reportgen.input.reading import Problem
from reportgen.input.remote import AnyPath
from reportgen.options import Redaction
from reportgen.pipeline import check_dump, read_report
from reportgen.reports.report import Report
from reportgen.search import search
from reportgen.work import BuildResult, Progress, Settings, Stage, Task, largest_first, result_of, silent, with_progress
from reportgen.workers import share_out


def check(
    discovered: Discovered,
    jobs: int,
    progress: Progress,
    cluster: str | None = None,
    *,
    capacities: Sequence[str] = (),
    redaction: Redaction | None = None,
    stage: Stage = silent,
    with_report: bool = True,
) -> BuildResult:
    """Parse and analyse every dump without writing a site, and compare each with `capacities`.

    Without `with_report`, the parts of report.json are left out.
    """
    tasks = sorted(map(Task, discovered.dumps), key=largest_first)
    is_local = cluster is None and (jobs == 1 or len(tasks) <= 1)
    settings = Settings(redaction=redaction, capacities=tuple(capacities))
    work = partial(check_dump, settings=settings, with_report=with_report)
    outcomes = map(partial(work, stage=stage), tasks) if is_local else share_out(work, tasks, jobs, cluster)
    return result_of(discovered.problems, list(with_progress(outcomes, len(tasks), progress)))


def read_reports(
    paths: Sequence[AnyPath], max_dump_bytes: int, redaction: Redaction | None
) -> tuple[list[Report], list[Problem]]:
    """Return the report of every readable dump, and all problems. Raises ReportgenError if there is no dump."""
    discovered = search(paths, redaction, max_dump_bytes, needs_dump=True).shown
    results = [read_report(files, Settings(redaction=redaction)) for files in discovered.dumps]
    problems = [*discovered.problems, *(problem for _, of_dump in results for problem in of_dump)]
    return [report for report, _ in results if report is not None], problems
