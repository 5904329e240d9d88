"""Build whole sites: discover → parse → analyse → render → write.

Each dump is one task, in this process or in any `concurrent.futures` executor. A task names the files, and an outcome
is small, so both are cheap to send to another process. Pages that are up to date are not made again.

What analyses a dump and makes pages is imported where a page has to be made: in a build that finds its site unchanged,
these imports would take longer than everything else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from reportgen.analyse.identity import digests
from reportgen.analyse.logged_errors import LoggedError, logged_errors
from reportgen.errors import NoDumpFound, OptionError, OutputRefused
from reportgen.failures import failed
from reportgen.input.discover import Discovered, discover
from reportgen.input.dump_contents import Contents, read_contents, read_note
from reportgen.input.error_texts import error_texts
from reportgen.input.reading import DumpFiles
from reportgen.options import BuildOptions, ReportOptions
from reportgen.output.incremental import IncrementalChecker
from reportgen.output.manifest import COMMON, TREND
from reportgen.output.writer import SiteDirectory, write_file, write_pages
from reportgen.redact.contents import redact_contents
from reportgen.redact.labels import redact_labels
from reportgen.render.routes import OVERVIEW, module_view
from reportgen.render.site.assets import fingerprint
from reportgen.work import (
    BuildResult,
    Outcome,
    Part,
    Progress,
    Settings,
    Shown,
    Stage,
    Task,
    Totals,
    bytes_on_disk,
    garbage_collection_paused,
    largest_first,
    result_of,
    with_progress,
)
from reportgen.workers import can_fork, share_out

_LARGE = 8_000_000  # bytes of a dump above which several processes write its pages: that halves a build of 430 MB


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
        outcomes = list(with_progress(_build_all(tasks, settings, options, stage), len(tasks), progress))
        result = replace(result_of(discovered, outcomes), errors=errors)
        return _finish(result, outcomes, settings, read_note(discovered.readme), directory)


def logged_errors_in(options: ReportOptions) -> tuple[LoggedError, ...]:
    """Return the out-of-memory errors in the texts on the command line."""
    texts = () if options.redaction else tuple(error_texts(options.paths, options.max_dump_bytes))
    return logged_errors(texts)


def build_file(options: BuildOptions, target: Path, stage: Stage = lambda words: None) -> BuildResult:
    """Write the report of the one dump in the given paths to the file `target`.

    Raises ReportgenError if there is no dump or more than one, or the file cannot be written.
    """
    found = discover(options.paths, max_bytes=options.max_dump_bytes, siblings=options.siblings)
    discovered = redact_labels(found, options.redaction)
    task, *others = sorted(map(Task, discovered.dumps), key=largest_first)
    if others:
        raise OptionError(
            f"{len(others) + 1:,} dumps are in there, and --single-file takes one. The largest is {task.files.label}"
        )
    outcome, page = _build_page(task, settings_of(options), stage)
    result = result_of(discovered, [outcome])
    if page is None:
        return result
    write_file(target, page)
    return replace(result, totals=Totals(files=1, size_bytes=len(page), changed=1))


def _build_page(task: Task, settings: Settings, stage: Stage) -> tuple[Outcome, bytes | None]:
    """Return the report of a dump as a single file, or None and the problem with the dump."""
    from reportgen.dump_pages import page_of

    try:
        contents = site_contents(task.files, settings)
        with garbage_collection_paused():
            return page_of(contents, settings, stage)
    except Exception as error:
        return failed(task.files, error, settings.redaction), None


def opening_page(result: BuildResult) -> str:
    """Return the path of the page to read first: that of the only module, or the overview."""
    modules = result.summaries
    return module_view(modules[0].label, modules[0].title) if len(modules) == 1 else OVERVIEW


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
            if previous := checker.previous_outcome(key):
                return previous
            from reportgen.dump_pages import build_pages

            return build_pages(contents, settings, key, identity.content, jobs, stage)
    except OutputRefused:  # because no other dump can be written either
        raise
    except Exception as error:
        return failed(task.files, error, settings.redaction)


def _build_all(tasks: Sequence[Task], settings: Settings, options: BuildOptions, stage: Stage) -> Iterator[Outcome]:
    """Build very large dumps one by one, all processes writing the pages of each; then share the rest among them."""
    in_order = sorted(tasks, key=largest_first)
    count = 0
    if not options.cluster:
        # Larger than a fair share, because such a dump would keep one process busy after the others have finished.
        share = sum(bytes_on_disk(task.files) for task in tasks) / options.jobs
        least = max(share, _LARGE) if can_fork() else float("inf")
        count = sum(bytes_on_disk(task.files) > least for task in tasks)
        if options.jobs == 1 or len(tasks) - count <= 1:
            count = len(tasks)  # because a single dump cannot be shared
    for task in in_order[:count]:
        yield build_dump(task, settings, options.jobs, stage)
    if rest := in_order[count:]:
        yield from share_out(partial(build_dump, settings=settings), rest, options.jobs, options.cluster)


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
    return written.part(key), written.changed
