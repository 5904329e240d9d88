"""Read one dump, from its files to its report: the one way for every command."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from reportgen.analyse.analysis import analyse
from reportgen.analyse.capacity import capacities, siblings_of_device
from reportgen.analyse.fit import device_fit
from reportgen.analyse.identity import Digests, digests
from reportgen.analyse.records import Analysis
from reportgen.analyse.refusal import refusal_of
from reportgen.errors import OutputRefused
from reportgen.failures import failed
from reportgen.input.reading import DumpFiles, Problem
from reportgen.output.keys import dump_key
from reportgen.parse.parser import parse_dump
from reportgen.program.join import joined
from reportgen.redact.contents import published_contents
from reportgen.reports.formats import shortened
from reportgen.reports.report import Report
from reportgen.reports.summary_of_report import summary
from reportgen.work import Outcome, Settings, Stage, Task, garbage_collection_paused, silent

Described = TypeVar("Described", bound=Report)

NO_SETTINGS = Settings()


class DumpReading:
    """One dump as its files are now, without what must be hidden; parsed and analysed at the first use.

    Raises UnreadableInput if its allocations cannot be read at all.
    """

    def __init__(self, files: DumpFiles, settings: Settings = NO_SETTINGS, stage: Stage = silent) -> None:
        self.contents = published_contents(files, settings.redaction)
        self.settings = settings
        self._stage = stage

    @cached_property
    def digests(self) -> Digests:
        """The digests of the dump's text."""
        return digests(self.contents.text)

    @cached_property
    def key(self) -> str:
        """The digest of everything that the dump's pages are made from."""
        return dump_key(self.settings, self.contents, self.digests.exact)

    @cached_property
    def analysis(self) -> Analysis:
        """The analysis of the dump together with its sibling files."""
        contents, name = self.contents, self.contents.files.name
        with garbage_collection_paused():
            self._stage("parsing")
            dump = parse_dump(contents.text)
            self._stage("analysing")
            return analyse(dump, name.backend, joined(dump, name.module_name, contents.siblings))

    def described(self, record: Callable[..., Described]) -> Described:
        """Return a record of the analysis with the facts that the dump's file names and sibling files add."""
        files, analysis, overrides = self.contents.files, self.analysis, self.settings.capacities
        name = files.name
        siblings = siblings_of_device(self.contents.siblings, analysis.backend, name.device)
        refusal = refusal_of(analysis, name.module_name, siblings)
        return record(
            label=files.label,
            title=shortened(name.module_name),
            stage=name.stage,
            number=name.module_number,
            timestamp_microseconds=name.timestamp_microseconds,
            analysis=analysis,
            device_fit=device_fit(analysis, capacities(overrides, siblings, refusal), refusal),
        )

    def report(self) -> Report:
        """Return the report of the dump."""
        return self.described(Report)


def attempted(files: DumpFiles, settings: Settings, work: Callable[[], Outcome]) -> Outcome:
    """Return the outcome of work on one dump, with a problem instead of an error. Raises OutputRefused."""
    try:
        with garbage_collection_paused():
            return work()
    except OutputRefused:  # because no other dump can be written either
        raise
    except Exception as error:
        return failed(files, error, settings.redaction)


def check_dump(
    task: Task,
    settings: Settings,
    stage: Stage = silent,
    with_report: bool = True,
) -> Outcome:
    """Analyse one dump; without `with_report`, its part of report.json is left out.

    Return problems with the dump instead of raising them.
    """

    def checked() -> Outcome:
        reading = DumpReading(task.files, settings, stage)
        report, problems = reading.report(), reading.contents.problems
        del reading  # because a proto takes a tenth of the memory of a check, and nothing reads it any more
        entry = summary(report, with_report=with_report)
        return Outcome(label=task.files.label, summary=entry, problems=problems)

    return attempted(task.files, settings, checked)


def read_report(files: DumpFiles, settings: Settings = NO_SETTINGS) -> tuple[Report | None, tuple[Problem, ...]]:
    """Analyse one dump for a comparison or an export. Return problems with the dump instead of raising them."""
    try:
        reading = DumpReading(files, settings)
        return reading.report(), reading.contents.problems
    except Exception as error:
        return None, failed(files, error, settings.redaction).problems
