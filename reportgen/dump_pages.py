"""Make the pages of one dump, and write them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from reportgen.analyse.records import Analysis
from reportgen.input.dump_contents import Contents
from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.reading import DumpFiles
from reportgen.output.writer import NOTHING_WRITTEN, Written, confirm_started, write_pages
from reportgen.pipeline import analysed, described
from reportgen.render.module.module_pages import page_makers
from reportgen.render.single_file import single_file
from reportgen.render.view import Module
from reportgen.reports.sources import Sources
from reportgen.reports.summarise import summary, summary_for_site
from reportgen.work import Outcome, Settings, Stage
from reportgen.workers import can_fork
from reportgen.workers.pool import forked

_MANY_VALUES = 10_000
_PAGES_IN_GROUP = 16

_DEFAULTS = Settings(site_title="", output=Path(), fingerprint="")


def module_of(
    files: DumpFiles,
    text: DumpText,
    notes: str = "",
    settings: Settings = _DEFAULTS,
    siblings: Sequence[Sibling] = (),
    stage: Stage = lambda words: None,
) -> Module:
    """Parse and analyse the text of a dump for its pages, and compare it with its sibling files."""
    return module_from(files, analysed(files, text, siblings, stage), notes, settings, siblings)


def module_from(
    files: DumpFiles,
    analysis: Analysis,
    notes: str = "",
    settings: Settings = _DEFAULTS,
    siblings: Sequence[Sibling] = (),
) -> Module:
    """Return the report of an analysed dump with the settings of its pages."""
    names = analysis.program.source_files if settings.source_root else ()
    module = partial(
        Module,
        notes=notes,
        redaction=settings.redaction,
        sources=Sources(settings.source_root, settings.source_url, names),
    )
    return described(module, files, analysis, siblings, settings.capacities)


def build_pages(
    contents: Contents, settings: Settings, key: str, content_digest: str, jobs: int, stage: Stage
) -> Outcome:
    """Analyse a dump and write its pages, which are made from what `key` stands for."""
    files = contents.files
    module = module_of(files, contents.text, contents.note, settings, contents.siblings, stage=stage)
    entry = summary_for_site(module, content_digest)  # before the fork, because processes share what it caches
    written = _write(module, settings, jobs, stage)
    outcome = Outcome(label=files.label, summary=entry, problems=contents.problems, changed=written.changed)
    return replace(outcome, part=replace(written.part(key), outcome=outcome.as_json()))


def page_of(contents: Contents, settings: Settings, stage: Stage) -> tuple[Outcome, bytes]:
    """Analyse a dump, and return its report as a single file."""
    module = module_of(contents.files, contents.text, contents.note, settings, contents.siblings, stage=stage)
    entry = summary(module)
    stage("writing the file")
    page = single_file(module, settings.site_title)
    return Outcome(label=contents.files.label, summary=entry, problems=contents.problems), page


def _write(module: Module, settings: Settings, jobs: int, stage: Stage) -> Written:
    """Write the pages of a dump, in `jobs` processes if there are many."""
    confirm_started(settings.output)
    makers = list(page_makers(module, settings.site_title).values())
    groups = -(-len(makers) // _PAGES_IN_GROUP)

    def write_group(number: int) -> Written:
        group = makers[number * _PAGES_IN_GROUP : (number + 1) * _PAGES_IN_GROUP]
        return write_pages(settings.output, (make() for make in group))

    if jobs == 1 or len(module.analysis.facts) < _MANY_VALUES or not can_fork():
        results: Iterator[Written] = map(write_group, range(groups))
    else:
        results = forked(write_group, groups, jobs)
    written = NOTHING_WRITTEN
    for group in results:
        written += group
        stage(f"writing pages: {len(written.paths):,} of {len(makers):,}")
    return written
