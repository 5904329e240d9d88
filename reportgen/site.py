"""The one builder of a site: `build` brings a site up to date once, `watch` does so again and again.

    dumps ─── DumpReading ─── key of the last build? ─── yes ─── its outcome, from the manifest or from this process
                                             └── no ─── DumpPages: all pages of the module
    outcomes ─ write_common ─ overview, report.json, …          what depends on all dumps
    parts ──── finish ─────── removal of old pages, manifest    when nothing is left to write

The code that analyses a dump and makes pages is imported where a page has to be made: in a build that finds its site
unchanged, these imports would take longer than everything else.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from reportgen.input.reading import DumpFiles
from reportgen.options import ReportOptions
from reportgen.output.keys import common_key
from reportgen.output.own_files import Deletion
from reportgen.output.writer import COMMON, TREND, SiteDirectory, confirm_started, is_intact, write_pages
from reportgen.pipeline import DumpReading, attempted
from reportgen.render.site.assets import fingerprint
from reportgen.work import BuildResult, Front, Outcome, Part, Settings, Stage, Task, silent

if TYPE_CHECKING:
    from reportgen.dump_pages import DumpPages


def settings_of(options: ReportOptions) -> Settings:
    """Return the settings that all dumps of a site share."""
    return Settings(
        site_title=options.title,
        output=options.output,
        fingerprint=fingerprint(),
        redaction=options.redaction,
        source_root=options.source_root,
        source_url=options.source_url,
        own_functions=options.own_functions,
        capacities=options.capacities,
    )


def build_dump(task: Task, settings: Settings, jobs: int = 1, stage: Stage = silent) -> Outcome:
    """Bring the pages of one dump up to date; `jobs` processes write large dumps.

    Return problems with the dump instead of raising them. Raises OutputRefused.
    """

    def built() -> Outcome:
        reading = DumpReading(task.files, settings, stage)
        if previous := unchanged(reading, task):
            return previous
        confirm_started(settings.output)
        pages = pages_of(reading)
        pages.write_all(jobs, stage)
        return pages.outcome()

    return attempted(task.files, settings, built)


def pages_of(reading: DumpReading) -> "DumpPages":
    """Return the pages of a dump, none of them written yet."""
    from reportgen.dump_pages import DumpPages

    return DumpPages(reading)


def unchanged(reading: DumpReading, task: Task) -> Outcome | None:
    """Return the outcome of the last build if the pages of a dump are up to date and on disk as they were written."""
    previous = task.previous
    if previous is None or not _is_up_to_date(previous, reading.key, reading.settings):
        return None
    try:
        return Outcome.from_json(previous.outcome, previous, task.lines)
    except (KeyError, TypeError, ValueError):  # because another program may have written it
        return None


def _is_up_to_date(previous: Part, key: str, settings: Settings) -> bool:
    # Not with sources, because these files change without the dump.
    return not settings.source_root and previous.key == key and is_intact(settings.output, previous)


class SiteBuilder:
    """A site on disk while this process alone writes into it."""

    def __init__(self, settings: Settings, directory: SiteDirectory) -> None:
        self.settings = settings
        self._directory = directory

    @classmethod
    @contextmanager
    def opened(cls, options: ReportOptions) -> Iterator[Self]:
        """Open the site until the end of the `with`. Raises OutputRefused."""
        with SiteDirectory.opened(options.output, force=options.force) as directory:
            yield cls(settings_of(options), directory)

    def task(self, files: DumpFiles) -> Task:
        """Return the task of bringing a dump up to date, with what the last build made of it."""
        previous = self._directory.parts.get(files.label)
        return Task(files, previous, self._directory.lines_of(previous) if previous else {})

    @property
    def is_lost(self) -> bool:
        """Return whether somebody else has removed what was written."""
        return self._directory.is_lost

    def write_common(self, result: BuildResult, readme: str, modules: Mapping[str, Part]) -> tuple[Part, int]:
        """Write the pages that belong to no dump; return their part, and how many of them were written."""
        settings, earlier = self.settings, self._directory.parts
        previous, has_trend = earlier.get(COMMON), TREND in earlier
        errors = [repr(error) for error in result.errors]
        key = common_key(settings, modules, result.problems, readme, errors, has_trend=has_trend)
        if previous and _is_up_to_date(previous, key, settings):
            return previous, 0
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

    def finish(self, parts: Mapping[str, Part]) -> Deletion:
        """Remove pages that are in no part, and write the manifest; return what was removed."""
        return self._directory.finish(parts)
