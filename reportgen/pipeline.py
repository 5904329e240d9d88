"""Process one dump, from its files to its pages: a unit of work for any process.

A task names the files, and an outcome is small, so both are cheap to send to another process.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from reportgen.analyse.identity import digests
from reportgen.errors import OutputRefused, ReportgenError
from reportgen.input.dump_contents import Contents, read_contents
from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction, ReportOptions
from reportgen.output.incremental import IncrementalChecker
from reportgen.output.writer import NOTHING_WRITTEN, Written, confirm_started, write_pages
from reportgen.redact.contents import redact_contents
from reportgen.redact.text import redact_message
from reportgen.render.site.assets import fingerprint
from reportgen.reports.formats import shortened
from reportgen.reports.summarise import summary, summary_for_site
from reportgen.work import Outcome, Part, Settings, Task
from reportgen.workers import can_fork

# Imported where a dump is analysed, because an unchanged build analyses none: half of it would be imports.
if TYPE_CHECKING:
    from reportgen.analyse.records import Analysis
    from reportgen.render.view import Module
    from reportgen.reports.report import Report

_Described = TypeVar("_Described", bound="Report")

_MANY_VALUES = 10_000

_NO_MEMORY = "there is not enough memory for this dump. Try again with --jobs 1, or on a larger machine."

_DEFAULTS = Settings(site_title="", output=Path(), fingerprint="")

Stage = Callable[[str], None]
"""Called with the name of each step, such as "parsing and analysing"."""


def check_dump(task: Task, given: Sequence[str] = (), stage: Stage = lambda words: None) -> Outcome:
    """Parse and analyse one dump, and compare it with the capacities `given`.

    Return problems with the dump instead of raising them.
    """
    files = task.files
    try:
        contents = read_contents(files)
        with garbage_collection_paused():
            entry = summary(report_of(files, contents.text, contents.siblings, given, stage))
        return Outcome(label=files.label, summary=entry, problems=contents.problems)
    except Exception as error:
        return _failed(files, error, None)


def read_report(files: DumpFiles) -> "tuple[Report | None, tuple[Problem, ...]]":
    """Parse and analyse one dump for an export. Return problems with the dump instead of raising them."""
    try:
        contents = read_contents(files)
        return report_of(files, contents.text, contents.siblings), contents.problems
    except Exception as error:
        return None, _failed(files, error, None).problems


def settings_of(options: ReportOptions) -> Settings:
    """Return the settings that all dumps of a site share."""
    return Settings(
        site_title=options.title,
        output=options.output,
        fingerprint=fingerprint(),
        value_pages=options.value_pages,
        named_values=options.named_values,
        redaction=options.redaction,
        source_root=options.source_root,
        source_url=options.source_url,
        capacities=options.capacities,
    )


def site_contents(files: DumpFiles, settings: Settings) -> Contents:
    """Read a dump and its sibling files, without what the site must hide. Raises UnreadableInput."""
    contents = read_contents(files, keeps_repeats=settings.redaction is not None)
    return redact_contents(contents, settings.redaction)


def build_dump(task: Task, settings: Settings, jobs: int = 1, stage: Stage = lambda words: None) -> Outcome:
    """Parse, analyse, render and write one dump unless its pages are up to date; `jobs` processes write large dumps.

    Return problems with the dump instead of raising them. Raises OutputRefused.
    """
    try:
        contents = site_contents(task.files, settings)
        identity = digests(contents.text)
        checker = IncrementalChecker(settings, task.previous)
        key = checker.dump_key(contents, identity.exact)
        with garbage_collection_paused():
            return checker.previous_outcome(key) or _build(contents, settings, key, identity.content, jobs, stage)
    except OutputRefused:  # because no other dump can be written either
        raise
    except Exception as error:
        return _failed(task.files, error, settings.redaction)


def build_page(task: Task, settings: Settings, stage: Stage) -> tuple[Outcome, bytes | None]:
    """Return the report of one dump as a single file, which is None if there is a problem with the dump."""
    try:
        contents = site_contents(task.files, settings)
        with garbage_collection_paused():
            module = module_of(contents.files, contents.text, contents.note, settings, contents.siblings, stage=stage)
            entry = summary(module)
            stage("writing the file")
            from reportgen.render.single_file import (
                single_file,
            )  # late, because Jinja takes a third of a check to import

            page = single_file(module, settings.site_title)
        return Outcome(label=contents.files.label, summary=entry, problems=contents.problems), page
    except Exception as error:
        return _failed(task.files, error, settings.redaction), None


def _failed(files: DumpFiles, error: Exception, redaction: Redaction | None) -> Outcome:
    return Outcome(label=files.label, summary=None, problems=(problem_of(files, error, redaction),))


def problem_of(files: DumpFiles, error: Exception, redaction: Redaction | None) -> Problem:
    """Return the problem with a dump whose reading or analysis has raised an error."""
    if isinstance(error, ReportgenError):
        message = str(error).removeprefix(f"{files.label}: ")
    elif isinstance(error, MemoryError):
        message = _NO_MEMORY
    else:  # not raised, because a defect of ours in one dump must not lose the report of the others
        message = f"reportgen failed on this dump, please report it: {type(error).__name__}: {error}"
    return Problem("error", files.label, redact_message(message) if redaction else message)


def _build(contents: Contents, settings: Settings, key: str, content_digest: str, jobs: int, stage: Stage) -> Outcome:
    files = contents.files
    module = module_of(files, contents.text, contents.note, settings, contents.siblings, stage=stage)
    entry = summary_for_site(module, content_digest)  # before the fork, because processes share what it caches
    written = _write(module, settings, jobs, stage)
    outcome = Outcome(label=files.label, summary=entry, problems=contents.problems, changed=written.changed)
    part = Part(key, written.paths, written.size_bytes, written.digest, outcome.as_json())
    return replace(outcome, part=part)


def report_of(
    files: DumpFiles,
    text: DumpText,
    siblings: Sequence[Sibling] = (),
    given: Sequence[str] = (),
    stage: Stage = lambda words: None,
) -> "Report":
    """Parse and analyse the text of a dump, and compare it with its sibling files and the capacities `given`."""
    from reportgen.reports.report import Report

    return _described(Report, files, _analysed(files, text, siblings, stage), siblings, given)


def module_of(
    files: DumpFiles,
    text: DumpText,
    notes: str = "",
    settings: Settings = _DEFAULTS,
    siblings: Sequence[Sibling] = (),
    stage: Stage = lambda words: None,
) -> "Module":
    """Parse and analyse the text of a dump for its pages, and compare it with its sibling files."""
    return module_from(files, _analysed(files, text, siblings, stage), notes, settings, siblings)


def _analysed(files: DumpFiles, text: DumpText, siblings: Sequence[Sibling], stage: Stage) -> "Analysis":
    from reportgen.analyse.analysis import analyse
    from reportgen.parse.parser import parse_dump
    from reportgen.program.join import joined

    with garbage_collection_paused():
        stage("parsing")
        dump = parse_dump(text)
        stage("analysing")
        return analyse(dump, files.name.backend, siblings, joined(dump, files.name.module_name, siblings))


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause the search for cycles, because few of the millions of new objects have any.

    The search takes a sixth of a check and a fifth of a build.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def module_from(
    files: DumpFiles,
    analysis: "Analysis",
    notes: str = "",
    settings: Settings = _DEFAULTS,
    siblings: Sequence[Sibling] = (),
) -> "Module":
    """Return the report of an analysed dump with the settings of its pages."""
    from reportgen.render.view import Module
    from reportgen.reports.sources import Sources

    module = partial(
        Module,
        notes=notes,
        value_pages=settings.value_pages,
        named_values=settings.named_values.get(files.label, frozenset()),
        redaction=settings.redaction,
        sources=Sources(settings.source_root, settings.source_url),
    )
    return _described(module, files, analysis, siblings, settings.capacities)


def _described(
    record: Callable[..., _Described],
    files: DumpFiles,
    analysis: "Analysis",
    siblings: Sequence[Sibling],
    given: Sequence[str],
) -> _Described:
    """Return a record of an analysis with the facts that its file names and sibling files add."""
    from reportgen.analyse.capacity import capacities
    from reportgen.analyse.fit import misfit

    name = files.name
    return record(
        label=files.label,
        title=shortened(name.module_name),
        stage=name.stage,
        number=name.module_number,
        timestamp_microseconds=name.timestamp_microseconds,
        analysis=analysis,
        capacities=capacities(given, siblings),
        misfit=misfit(analysis, name.module_name, siblings, given),
    )


def _write(module: "Module", settings: Settings, jobs: int, stage: Stage) -> Written:
    """Write the pages of a dump, in `jobs` processes if there are many."""
    from reportgen.render.module.module_pages import (
        page_count,
        page_groups,
    )  # late, because Jinja takes a third of a check to import

    confirm_started(settings.output)
    groups, total = page_groups(module, settings.site_title), page_count(module)

    def write_group(number: int) -> Written:
        return write_pages(settings.output, groups[number]())

    if jobs == 1 or len(module.analysis.facts) < _MANY_VALUES or not can_fork():
        results: Iterator[Written] = map(write_group, range(len(groups)))
    else:
        from reportgen.workers.pool import forked  # late: multiprocessing takes a tenth of a small check

        results = forked(write_group, len(groups), jobs)
    written = NOTHING_WRITTEN
    for group in results:
        written += group
        stage(f"writing pages: {len(written.paths):,} of {total:,}")
    return written
