"""Analyse dumps without building a site, for a check or an export."""

from collections.abc import Sequence
from functools import partial

from reportgen.input.discover import discover
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES, Problem
from reportgen.input.remote import AnyPath
from reportgen.pipeline import check_dump, read_report
from reportgen.reports.report import Report
from reportgen.work import BuildResult, Progress, Stage, Task, largest_first, result_of, with_progress
from reportgen.workers import share_out


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
    tasks = sorted(map(Task, discovered.dumps), key=largest_first)
    is_alone = cluster is None and (jobs == 1 or len(tasks) == 1)
    work = partial(check_dump, given=tuple(capacities))
    outcomes = map(partial(work, stage=stage), tasks) if is_alone else share_out(work, tasks, jobs, cluster)
    return result_of(discovered, list(with_progress(outcomes, len(tasks), progress)))


def read_reports(paths: Sequence[AnyPath], max_dump_bytes: int) -> tuple[list[Report], list[Problem]]:
    """Return the report of every readable dump, and all problems. Raises ReportgenError if there is no dump."""
    discovered = discover(paths, max_bytes=max_dump_bytes)
    results = [read_report(files) for files in discovered.dumps]
    problems = [*discovered.problems, *(problem for _, found in results for problem in found)]
    return [report for report, _ in results if report is not None], problems
