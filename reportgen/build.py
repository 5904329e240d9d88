"""Build whole sites: discover → parse → analyse → render → write.

Each dump is one task, in this process or in any `concurrent.futures` executor. A task names the files, and an outcome
is small, so both are cheap to send to another process. Pages that are up to date are not made again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from reportgen.check import check
from reportgen.failures import failed
from reportgen.input.discover import Discovered
from reportgen.input.dump_contents import read_note
from reportgen.input.reading import DumpFiles
from reportgen.options import BuildOptions, Redaction
from reportgen.output.named_files import write_file
from reportgen.output.own_files import Deletion
from reportgen.output.writer import COMMON
from reportgen.pipeline import DumpReading
from reportgen.render.routes import OVERVIEW, module_view
from reportgen.search import search
from reportgen.site import SiteBuilder, build_dump, pages_of, settings_of
from reportgen.work import (
    BuildResult,
    Disclosure,
    Outcome,
    Part,
    Progress,
    Settings,
    Stage,
    Task,
    Totals,
    bytes_on_disk,
    garbage_collection_paused,
    largest_first,
    result_of,
    silent,
    with_progress,
)
from reportgen.workers import can_fork, share_out

_LARGE = 8_000_000  # bytes of a dump above which several processes write its pages: that halves a build of 430 MB


def build(options: BuildOptions, progress: Progress, stage: Stage = silent) -> BuildResult:
    """Build the site. `stage` is called with each step of the dumps that this process works on.

    Raises ReportgenError if there is no dump or the output cannot be written.
    """
    search_result = search(options.paths, options.redaction, options.max_dump_bytes, excluded=options.output)
    with SiteBuilder.opened(options) as site:
        tasks = [site.task(files) for files in search_result.shown.dumps]
        outcomes = list(with_progress(_build_all(tasks, site.settings, options, stage), len(tasks), progress))
        result = replace(result_of(search_result.shown.problems, outcomes), errors=search_result.errors)
        modules = {outcome.label: outcome.part for outcome in outcomes if outcome.part}
        common, changed = site.write_common(result, read_note(search_result.shown.readme), modules)
        removed = site.finish(modules | {COMMON: common})
    totals = _totals(outcomes, common, changed, removed)
    return replace(result, totals=totals, disclosure=_disclosure(result, options.redaction))


def build_file(options: BuildOptions, target: Path, stage: Stage = silent, *, module: str | None = None) -> BuildResult:
    """Write the report of one dump to the file `target`, as `single_page` returns it.

    Raises ReportgenError if there is no such dump, or the file cannot be written.
    """
    result, page = single_page(options, stage, module=module)
    if page is None:
        return result
    write_file(target, page)
    return replace(result, totals=Totals(files=1, size_bytes=len(page), changed=1))


def single_page(
    options: BuildOptions, stage: Stage = silent, *, module: str | None = None
) -> tuple[BuildResult, bytes | None]:
    """Return the report of one dump in the given paths as a single file: of `module`, or of the one that needs most.

    The file is None if the dump cannot be read. Raises ReportgenError if there is no such dump.
    """
    discovered = search(options.paths, options.redaction, options.max_dump_bytes, module=module, needs_dump=True).shown
    outcome, page = _build_page(Task(_needing_most(discovered, options, stage)), settings_of(options), stage)
    return replace(result_of(discovered.problems, [outcome]), left_out=len(discovered.dumps) - 1), page


def _needing_most(discovered: Discovered, options: BuildOptions, stage: Stage) -> DumpFiles:
    """Return the dump of the module that needs most memory, or else the first that cannot be read."""
    first, *others = discovered.dumps
    if not others:
        return first
    result = check(
        discovered,
        options.jobs,
        lambda *_: None,
        options.cluster,
        capacities=options.capacities,
        redaction=options.redaction,
        stage=stage,
        with_report=False,
    )
    labels = [entry.label for entry in result.summaries]
    return next((files for files in discovered.dumps if labels and files.label == labels[0]), first)


def _build_page(task: Task, settings: Settings, stage: Stage) -> tuple[Outcome, bytes | None]:
    """Return the report of a dump as a single file, or None and the problem with the dump."""
    try:
        with garbage_collection_paused():
            return pages_of(DumpReading(task.files, settings, stage)).single_file(stage)
    except Exception as error:
        return failed(task.files, error, settings.redaction), None


def opening_page(result: BuildResult) -> str:
    """Return the path of the page to read first: that of the only module, or the overview."""
    modules = result.summaries
    return module_view(modules[0].label, modules[0].title) if len(modules) == 1 else OVERVIEW


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


def _totals(outcomes: Sequence[Outcome], common: Part, changed: int, removed: Deletion) -> Totals:
    """Return the files of a finished site; `changed` of those that belong to no dump were written."""
    parts = [common, *(outcome.part for outcome in outcomes if outcome.part)]
    return Totals(
        files=sum(len(part.paths) for part in parts),
        size_bytes=sum(part.size_bytes for part in parts),
        changed=sum(outcome.changed for outcome in outcomes) + changed,
        removed=removed.files,
        kept=removed.kept,
    )


def _disclosure(result: BuildResult, redaction: Redaction | None) -> Disclosure:
    source_files = {file for entry in result.summaries for file in entry.source_files}
    return Disclosure(
        source_files=0 if redaction else len(source_files),
        op_names=0 if redaction == "names" else sum(entry.op_names for entry in result.summaries),
    )
