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
from reportgen.errors import OutputRefused
from reportgen.failures import failed
from reportgen.input.discover import Discovered
from reportgen.input.dump_contents import read_note
from reportgen.input.reading import DumpFiles
from reportgen.options import BuildOptions, ReportOptions
from reportgen.output.incremental import IncrementalChecker
from reportgen.output.manifest import COMMON, TREND
from reportgen.output.named_files import write_file
from reportgen.output.writer import SiteDirectory, write_pages
from reportgen.redact.contents import published_contents
from reportgen.render.routes import OVERVIEW, module_view
from reportgen.render.site.assets import fingerprint
from reportgen.search import search
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
    found = search(options.paths, options.redaction, options.max_dump_bytes, excluded=options.output)
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        settings = settings_of(options)
        tasks = [Task(files, directory.parts.get(files.label)) for files in found.shown.dumps]
        outcomes = list(with_progress(_build_all(tasks, settings, options, stage), len(tasks), progress))
        result = replace(result_of(found.shown, outcomes), errors=found.errors)
        return _finish(result, outcomes, settings, read_note(found.shown.readme), directory)


def build_file(
    options: BuildOptions, target: Path, stage: Stage = lambda words: None, *, module: str | None = None
) -> BuildResult:
    """Write the report of one dump to the file `target`, as `single_page` returns it.

    Raises ReportgenError if there is no such dump, or the file cannot be written.
    """
    result, page = single_page(options, stage, module=module)
    if page is None:
        return result
    write_file(target, page)
    return replace(result, totals=Totals(files=1, size_bytes=len(page), changed=1))


def single_page(
    options: BuildOptions, stage: Stage = lambda words: None, *, module: str | None = None
) -> tuple[BuildResult, bytes | None]:
    """Return the report of one dump in the given paths as a single file: of `module`, or of the one that needs most.

    The file is None if the dump cannot be read. Raises ReportgenError if there is no such dump.
    """
    found = search(options.paths, options.redaction, options.max_dump_bytes, module=module, needs_dump=True).shown
    outcome, page = _build_page(Task(_needing_most(found, options, stage)), settings_of(options), stage)
    return replace(result_of(found, [outcome]), left_out=len(found.dumps) - 1), page


def _needing_most(discovered: Discovered, options: BuildOptions, stage: Stage) -> DumpFiles:
    """Return the dump of the module that needs most memory, or else the first that cannot be read."""
    first, *others = discovered.dumps
    if not others:
        return first
    from reportgen.check import check

    found = check(
        discovered,
        options.jobs,
        lambda *_: None,
        options.cluster,
        capacities=options.capacities,
        redaction=options.redaction,
        stage=stage,
        with_report=False,
    )
    labels = [entry.label for entry in found.summaries]
    return next((files for files in discovered.dumps if labels and files.label == labels[0]), first)


def _build_page(task: Task, settings: Settings, stage: Stage) -> tuple[Outcome, bytes | None]:
    """Return the report of a dump as a single file, or None and the problem with the dump."""
    from reportgen.dump_pages import page_of

    try:
        contents = published_contents(task.files, settings.redaction)
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
        redaction=options.redaction,
        source_root=options.source_root,
        source_url=options.source_url,
        capacities=options.capacities,
    )


def build_dump(task: Task, settings: Settings, jobs: int = 1, stage: Stage = lambda words: None) -> Outcome:
    """Parse, analyse, render and write one dump unless its pages are up to date; `jobs` processes write large dumps.

    Return problems with the dump instead of raising them. Raises OutputRefused.
    """
    try:
        contents = published_contents(task.files, settings.redaction)
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
    removed = directory.finish(parts)
    totals = Totals(
        files=sum(len(part.paths) for part in parts.values()),
        size_bytes=sum(part.size_bytes for part in parts.values()),
        changed=sum(outcome.changed for outcome in outcomes) + changed,
        removed=removed.files,
        kept=removed.kept,
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
