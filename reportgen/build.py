"""The one place that composes the stages: discover → parse → analyse → render → write.

A dump is a unit of work, and so can be handed to any `concurrent.futures` executor. A part of the site
that would come out as it is already is not made again.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from reportgen.beside import can_fork
from reportgen.defaults import DEFAULT_MAX_DUMP_BYTES
from reportgen.discover import Discovered, discover
from reportgen.errors import NoDumpFound
from reportgen.fingerprint import fingerprint
from reportgen.kept import Outcome, Settings, Task, are_kept, note, outcome_of
from reportgen.manifest import COMMON, Part
from reportgen.options import BuildOptions, Redaction
from reportgen.output import SiteDirectory, is_intact, write_pages
from reportgen.reading import DumpFiles, Problem
from reportgen.remote import AnyPath
from reportgen.render.summary import Summary, biggest_first

Progress = Callable[[int, int, str], None]
"""Called with how many dumps are done, how many there are, and the label of the last one."""

_LARGE = 8_000_000
"""Bytes of a dump below which its pages are not worth processes of their own."""

_SOON_COMPARED = 200_000_000
"""Bytes of dumps and pages up to which comparing them is not worth a pool of processes."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The files of a site: how many there are, their bytes, how many were written, and how many removed."""

    files: int = 0
    size_bytes: int = 0
    changed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """What a site tells of the program: how many files of its source, and how many op_names, added up over modules."""

    source_files: int = 0
    op_names: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all of them: summaries biggest first, and everything the user should hear."""

    summaries: tuple[Summary, ...]
    problems: tuple[Problem, ...]
    totals: Totals = Totals()
    shown: Shown = Shown()

    def has_problems(self, *, strict: bool) -> bool:
        """Whether something could not be read or, when `strict`, whether anything was found to be wrong."""
        failed = any(problem.severity == "error" for problem in self.problems)
        warned = any(problem.severity == "warning" for problem in self.problems)
        severities = {severity for entry in self.summaries for severity, _ in entry.finding_counts}
        return failed or (strict and (warned or bool(severities & {"error", "warning"})))


def check(
    paths: Sequence[AnyPath],
    jobs: int,
    progress: Progress,
    cluster: str | None = None,
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES,
) -> Report:
    """Parse and analyse every dump, write nothing. Raises ReportgenError when there is none."""
    from reportgen.one_dump import check_dump

    discovered = discover(paths, max_bytes=max_dump_bytes)
    tasks = [Task(files) for files in discovered.dumps]
    outcomes = _worked_on(check_dump, tasks, jobs, cluster)
    return _report(discovered, list(_counted(outcomes, len(tasks), progress)))


def build(options: BuildOptions, progress: Progress) -> Report:
    """Build the site. Raises ReportgenError when there is no dump or the output cannot be written."""
    discovered = discover(options.paths, max_bytes=options.max_dump_bytes)
    discovered = _outside(discovered, options.output)
    if options.redaction:
        from reportgen.redact.labels import relabelled

        discovered = relabelled(discovered, options.redaction)
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        return _build(discovered, directory, options, progress)


def _build(discovered: Discovered, directory: SiteDirectory, options: BuildOptions, progress: Progress) -> Report:
    settings = Settings(options.title, options.output, fingerprint(), options.value_pages, options.redaction)
    tasks = [Task(files, directory.parts.get(files.label)) for files in discovered.dumps]
    outcomes = list(_counted(_outcomes(tasks, settings, options), len(tasks), progress))
    report = _report(discovered, outcomes)
    parts = {outcome.label: outcome.part for outcome in outcomes if outcome.part}
    common, changed = _common_part(report, settings, note(discovered.readme), directory.parts, parts)
    parts |= {COMMON: common}
    totals = Totals(
        files=sum(len(part.paths) for part in parts.values()),
        size_bytes=sum(part.size_bytes for part in parts.values()),
        changed=sum(outcome.changed for outcome in outcomes) + changed,
        removed=directory.finish(parts),
    )
    return replace(report, totals=totals, shown=_shown(report.summaries, options.redaction))


def _shown(summaries: Sequence[Summary], redaction: Redaction | None) -> Shown:
    """Nothing of what is hidden."""
    files = {file for entry in summaries for file in entry.source_files}
    names = sum(entry.op_names for entry in summaries)
    return Shown(0 if redaction else len(files), 0 if redaction == "names" else names)


def _outside(discovered: Discovered, output: Path) -> Discovered:
    """Without what lies in the site itself."""
    inside = output.resolve()
    dumps = tuple(files for files in discovered.dumps if not _lies_in(inside, files.parts[0].path))
    if not dumps:
        raise NoDumpFound(f"All dumps found lie in the output directory {output}. Choose another one with -o.")
    return Discovered(dumps, discovered.problems, discovered.readme)


def _lies_in(folder: Path, path: AnyPath) -> bool:
    return isinstance(path, Path) and path.resolve().is_relative_to(folder)


def _size(files: DumpFiles) -> int:
    """Bytes on disk, compressed or not: only for an order of work."""
    return sum(map(_bytes_on_disk, {part.path for part in files.parts}))


def _bytes_on_disk(path: AnyPath) -> int:
    try:
        return path.stat().st_size if isinstance(path, Path) else 0  # a request for each would be no help
    except OSError:
        return 0


def _outcomes(tasks: Sequence[Task], settings: Settings, options: BuildOptions) -> Iterator[Outcome]:
    """The outcome of each dump, in any order. Where there is not much to compare only what has changed is built."""
    if options.cluster or not _is_soon_compared(tasks):
        yield from _built(tasks, settings, options)
        return
    changed = []
    for task, is_kept in zip(tasks, are_kept(tasks, settings, options.jobs), strict=True):
        if is_kept and task.previous and (outcome := outcome_of(task.previous)):
            yield outcome
        else:
            changed.append(replace(task, previous=None))
    if changed:
        yield from _built(changed, settings, options)


def _is_soon_compared(tasks: Sequence[Task]) -> bool:
    """Never what is elsewhere: each request is waited for."""
    is_here = all(isinstance(part.path, Path) for task in tasks for part in task.files.parts)
    sizes = (_size(task.files) + task.previous.size_bytes for task in tasks if task.previous)
    return is_here and sum(sizes) <= _SOON_COMPARED


def _built(tasks: Sequence[Task], settings: Settings, options: BuildOptions) -> Iterator[Outcome]:
    from reportgen.one_dump import build_dump

    forks = can_fork() and not options.cluster and options.jobs > 1
    if forks and len(tasks) > 1 and not any(task.previous for task in tasks):
        _load_rendering()
    yield from _worked_on(partial(build_dump, settings=settings), tasks, options.jobs, options.cluster)


def _load_rendering() -> None:
    """Where everything is to be rendered: once, before processes are forked, and not in each of them."""
    from reportgen.render import module_pages  # noqa: F401
    from reportgen.render.templates import load_all

    load_all()


def _shared_out(tasks: Sequence[Task], jobs: int) -> list[Task]:
    """The largest first. One that alone is more than a process's share gets all processes."""
    sizes = {task.files.label: _size(task.files) for task in tasks}
    share = max(sum(sizes.values()) // jobs, _LARGE)
    in_order = sorted(tasks, key=lambda task: (-sizes[task.files.label], task.files.label))
    return [replace(task, jobs=jobs if sizes[task.files.label] > share else 1) for task in in_order]


def _worked_on(
    work: Callable[[Task], Outcome], tasks: Sequence[Task], jobs: int, cluster: str | None
) -> Iterator[Outcome]:
    """The outcome of each dump, in any order: of those that have all processes to themselves, then of the others."""
    shared = _shared_out(tasks, jobs if can_fork() and cluster is None else 1)
    yield from (work(task) for task in shared if task.jobs > 1)
    others = [task for task in shared if task.jobs == 1]
    if cluster is None and (jobs == 1 or len(others) <= 1):
        yield from map(work, others)
        return
    from reportgen.executors import open_workers, unordered

    with open_workers(min(jobs, len(others)), cluster) as workers:
        yield from unordered(work, others, workers)


def _counted(outcomes: Iterable[Outcome], total: int, progress: Progress) -> Iterator[Outcome]:
    for done, outcome in enumerate(outcomes, start=1):
        progress(done, total, outcome.label)
        yield outcome


def _common_part(
    report: Report, settings: Settings, readme: str, previous: Mapping[str, Part], modules: Mapping[str, Part]
) -> tuple[Part, int]:
    """The pages that belong to no dump, and how many of them were written."""
    key = _common_key(report, settings, readme, modules)
    earlier = previous.get(COMMON)
    if earlier and earlier.key == key and is_intact(settings.output, earlier):
        return earlier, 0
    from reportgen.render.site_pages import site_pages

    pages = site_pages(settings.site_title, report.summaries, report.problems, readme, settings.redaction)
    written = write_pages(settings.output, pages)
    return Part(key, written.paths, written.size_bytes, written.digest), written.changed


def _common_key(report: Report, settings: Settings, readme: str, modules: Mapping[str, Part]) -> str:
    problems = [asdict(problem) for problem in report.problems]
    keys = {label: part.key for label, part in sorted(modules.items())}
    stated = json.dumps([settings.fingerprint, settings.site_title, settings.redaction, keys, problems, readme])
    return hashlib.sha256(stated.encode()).hexdigest()


def _report(discovered: Discovered, outcomes: Sequence[Outcome]) -> Report:
    summaries = sorted((outcome.summary for outcome in outcomes if outcome.summary), key=biggest_first)
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    ordered = sorted([*discovered.problems, *problems], key=lambda problem: (problem.file, problem.message))
    return Report(tuple(summaries), tuple(ordered))
