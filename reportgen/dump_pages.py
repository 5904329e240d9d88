"""Make the pages of one dump, and write them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial

from reportgen.analyse.spaces import main_space
from reportgen.input.reading import Problem
from reportgen.output.writer import NOTHING_WRITTEN, Written, write_pages
from reportgen.pipeline import DumpReading
from reportgen.render.html.links import Links
from reportgen.render.module.module_pages import page_makers
from reportgen.render.single_file import single_file
from reportgen.render.view import Module
from reportgen.reports.source_links import Sources
from reportgen.reports.summary import LargestLine, Summary
from reportgen.reports.summary_of_report import summary, summary_for_site
from reportgen.work import Outcome, Stage, silent
from reportgen.workers import can_fork
from reportgen.workers.pool import forked

_MANY_VALUES = 10_000
_PAGES_IN_GROUP = 16
_MOST_LINES = 2


def module_of(reading: DumpReading) -> Module:
    """Return the report of a dump with the settings of its pages."""
    settings = reading.settings
    program, sources = reading.analysis.program, Sources(settings.source_root, settings.source_url)
    if settings.source_root:
        names, stated = program.source_files, program.stated_lines
        sources = replace(sources, names=names, is_own=settings.own_functions, stated=stated)
    notes = reading.contents.note
    return reading.described(partial(Module, notes=notes, redaction=settings.redaction, sources=sources))


class DumpPages:
    """The pages of one dump."""

    def __init__(self, reading: DumpReading) -> None:
        self.module = module_of(reading)
        self._reading = reading
        self._makers = page_makers(self.module, reading.settings.site_title)
        self._written = NOTHING_WRITTEN

    @cached_property
    def summary(self) -> Summary:
        """The summary of the module."""
        lines, href = largest_lines(self.module), partial(line_href, self.module)
        return summary_for_site(self.module, self._reading.digests.content, lines, href)

    @property
    def text_bytes(self) -> int:
        """The bytes of the dump, whose analysis is many times as large."""
        return self.module.analysis.dump.text.size_bytes

    @property
    def _problems(self) -> tuple[Problem, ...]:
        contents = self._reading.contents
        return *contents.problems, *self.module.sources.notes(contents.files)

    def write_all(self, jobs: int = 1, stage: Stage = silent) -> None:
        """Write all pages, in `jobs` processes if there are many values. Raises OutputRefused."""
        output, paths = self._reading.settings.output, tuple(self._makers)
        groups = [paths[start : start + _PAGES_IN_GROUP] for start in range(0, len(paths), _PAGES_IN_GROUP)]

        def write_group(number: int) -> Written:
            return write_pages(output, (self._makers[path]() for path in groups[number]))

        if jobs == 1 or len(self.module.analysis.facts) < _MANY_VALUES or not can_fork():
            results: Iterator[Written] = map(write_group, range(len(groups)))
        else:
            _ = self.summary  # before the fork, because processes share what it caches
            results = forked(write_group, len(groups), jobs)
        for written in results:
            self._written += written
            stage(f"writing pages: {len(self._written.paths):,} of {len(paths):,}")

    def outcome(self) -> Outcome:
        """Return the outcome of the dump once all its pages are written."""
        written = self._written
        outcome = Outcome(label=self.module.label, summary=self.summary, problems=self._problems)
        return replace(outcome, part=written.part(self._reading.key, outcome.as_json()), changed=written.changed)

    def single_file(self, stage: Stage = silent) -> tuple[Outcome, bytes]:
        """Return the report of the dump as a single file, of which nothing is written."""
        entry = summary(self.module)
        stage("writing the file")
        page = single_file(self.module, self._reading.settings.site_title)
        return Outcome(label=self.module.label, summary=entry, problems=self._problems), page


def line_href(module: Module, line: str) -> str:
    """Return where a source line is, from the site's root, or on the web; empty where its file has no page."""
    page = Links(module).source_page_href(line)
    return module.routes.folder + page if page else module.sources.url_of(line)


def largest_lines(module: Module) -> tuple[LargestLine, ...]:
    """Return the lines or scopes of the two largest parts of the temporaries at the peak; empty where none is known."""
    space = main_space(module.analysis.spaces)
    parts = module.temporary_parts[space.color] if space else None
    if space is None or parts is None:
        return ()
    is_scope = parts.kind == "scope"
    return tuple(
        LargestLine(
            place=part.name,
            size_bytes=part.peak_bytes,
            href="" if is_scope else line_href(module, part.label),
            is_scope=is_scope,
        )
        for part in parts.parts[:_MOST_LINES]
    )
