"""The one place that composes the stages: discover → parse → analyse → render → write.

A dump is a unit of work that takes its files' names and gives back a small summary, so dumps can be
handed to any `concurrent.futures` executor.
"""

import gc
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from reportgen.analyse import analyse
from reportgen.discover import Discovered, discover
from reportgen.errors import NoDumpFound, OutputRefused, ReportgenError
from reportgen.options import BuildOptions
from reportgen.output import NOTHING_WRITTEN, SiteDirectory, Written, write_pages
from reportgen.parse import parse_dump
from reportgen.reading import DumpFiles, Problem, load_text
from reportgen.render.module import Module
from reportgen.render.summary import Summary, biggest_first, site_summary, summary
from reportgen.source import DumpText

Progress = Callable[[int, int, str], None]
"""Called with how many dumps are done, how many there are, and the label of the last one."""

_WAITING_PER_JOB = 4
_LOST_PROCESS = "A process was ended from outside, most likely for lack of memory. Try again with --jobs 1."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one dump; `summary` is None where it could not be read at all."""

    label: str
    summary: Summary | None
    problems: tuple[Problem, ...]
    written: Written = NOTHING_WRITTEN


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all of them: summaries biggest first, and everything the user should hear."""

    summaries: tuple[Summary, ...]
    problems: tuple[Problem, ...]
    written: Written = NOTHING_WRITTEN

    def has_problems(self, *, strict: bool) -> bool:
        """Whether something could not be read or, when `strict`, whether anything was found to be wrong."""
        failed = any(problem.severity == "error" for problem in self.problems)
        warned = any(problem.severity == "warning" for problem in self.problems)
        severities = {severity for entry in self.summaries for severity, _ in entry.finding_counts}
        return failed or (strict and (warned or bool(severities & {"error", "warning"})))


def check(paths: Sequence[Path], jobs: int, progress: Progress) -> Report:
    """Parse and analyse every dump, write nothing. Raises ReportgenError when there is none."""
    discovered = discover(paths)
    return _report(discovered, list(_each(check_dump, discovered.dumps, jobs, progress)))


def build(options: BuildOptions, progress: Progress) -> Report:
    """Build the site. Raises ReportgenError when there is no dump or the output cannot be written."""
    discovered = _outside(discover(options.paths), options.output)
    directory = SiteDirectory(options.output, force=options.force)
    work = partial(build_dump, site_title=options.title, output=options.output)
    report = _report(discovered, list(_each(work, discovered.dumps, options.jobs, progress)))
    written = report.written + _write_site(options, discovered, report)
    return Report(report.summaries, report.problems, directory.finish(written))


def _outside(discovered: Discovered, output: Path) -> Discovered:
    """Without what lies in the site itself."""
    inside = output.resolve()
    dumps = tuple(files for files in discovered.dumps if not files.parts[0].path.resolve().is_relative_to(inside))
    if not dumps:
        raise NoDumpFound(f"All dumps found lie in the output directory {output}. Choose another one with -o.")
    return Discovered(dumps, discovered.problems, discovered.readme)


def check_dump(files: DumpFiles) -> Outcome:
    """Parse and analyse one dump; never raises."""
    return _guarded(files, lambda module: (summary(module), NOTHING_WRITTEN))


def build_dump(files: DumpFiles, *, site_title: str, output: Path) -> Outcome:
    """Parse, analyse, render and write one dump. Raises OutputRefused; what is wrong with the dump it returns."""
    from reportgen.render.module_pages import module_pages

    def write(module: Module) -> tuple[Summary, Written]:
        return site_summary(module), write_pages(output, module_pages(module, site_title))

    return _guarded(files, write)


def _guarded(files: DumpFiles, then: Callable[[Module], tuple[Summary, Written]]) -> Outcome:
    try:
        module, problems = load_module(files)
        entry, written = then(module)
        return Outcome(files.label, entry, problems, written)
    except OutputRefused:
        raise
    except ReportgenError as error:
        return Outcome(files.label, None, (Problem("error", files.label, str(error).removeprefix(f"{files.label}: ")),))
    except Exception as error:  # a defect of ours in one dump must not lose the report of the others
        message = f"reportgen failed on this dump, please report it: {type(error).__name__}: {error}"
        return Outcome(files.label, None, (Problem("error", files.label, message),))


def load_module(files: DumpFiles) -> tuple[Module, tuple[Problem, ...]]:
    """A dump, analysed, and what was wrong while reading it. Raises UnreadableInput."""
    text, problems = load_text(files)
    return module_of(files, text), problems


def module_of(files: DumpFiles, text: DumpText) -> Module:
    """The dump that `text` is, analysed."""
    with _garbage_collection_paused():
        analysis = analyse(parse_dump(text), files.name.backend)
    name = files.name
    return Module(
        label=files.label,
        title=name.module_name,
        stage=name.stage,
        number=name.module_number,
        timestamp_microseconds=name.timestamp_microseconds,
        analysis=analysis,
        notes=note_text(files.notes),
    )


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Records only pile up while a dump is read; looking for cycles among them costs 40 % of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def note_text(path: Path | None) -> str:
    """The Markdown at `path`; empty where there is none or it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return ""


def _write_site(options: BuildOptions, discovered: Discovered, report: Report) -> Written:
    from reportgen.render.site_pages import site_pages

    readme = note_text(discovered.readme)
    return write_pages(options.output, site_pages(options.title, report.summaries, report.problems, readme))


def _report(discovered: Discovered, outcomes: Sequence[Outcome]) -> Report:
    summaries = sorted((outcome.summary for outcome in outcomes if outcome.summary), key=biggest_first)
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    ordered = sorted([*discovered.problems, *problems], key=lambda problem: (problem.file, problem.message))
    return Report(tuple(summaries), tuple(ordered), sum((outcome.written for outcome in outcomes), NOTHING_WRITTEN))


def _each(
    work: Callable[[DumpFiles], Outcome], dumps: Sequence[DumpFiles], jobs: int, progress: Progress
) -> Iterator[Outcome]:
    """The outcome of each dump, in any order; in this process when there is nothing to share out."""
    outcomes = _in_processes(work, dumps, jobs) if jobs > 1 and len(dumps) > 1 else map(work, dumps)
    for done, outcome in enumerate(outcomes, start=1):
        progress(done, len(dumps), outcome.label)
        yield outcome


def _in_processes(work: Callable[[DumpFiles], Outcome], dumps: Iterable[DumpFiles], jobs: int) -> Iterator[Outcome]:
    """Only a few dumps wait at a time, so that memory stays bounded by the number of processes."""
    remaining = iter(dumps)
    pending: set[Future[Outcome]] = set()
    pool = ProcessPoolExecutor(jobs, initializer=_end_silently_when_interrupted)
    try:
        while True:
            free = jobs * _WAITING_PER_JOB - len(pending)
            pending.update(pool.submit(work, files) for files in islice(remaining, free))
            if not pending:
                return
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool as error:
        raise ReportgenError(_LOST_PROCESS) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _end_silently_when_interrupted() -> None:
    """Ctrl-C reaches every process; only the first has something to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
