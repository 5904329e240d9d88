"""Parse and analyse one dump: from its files to its report."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from reportgen.analyse.analysis import analyse
from reportgen.analyse.capacity import capacities, of_the_device
from reportgen.analyse.fit import misfit
from reportgen.analyse.records import Analysis
from reportgen.failures import failed
from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction
from reportgen.parse.parser import parse_dump
from reportgen.program.join import joined
from reportgen.redact.contents import published_contents
from reportgen.reports.formats import shortened
from reportgen.reports.report import Report
from reportgen.reports.summarise import summary
from reportgen.work import Outcome, Stage, Task, garbage_collection_paused

Described = TypeVar("Described", bound=Report)


def check_dump(
    task: Task,
    given: Sequence[str] = (),
    redaction: Redaction | None = None,
    stage: Stage = lambda words: None,
    devices: int | None = None,
    with_report: bool = True,
) -> Outcome:
    """Parse and analyse one dump, and compare it with the capacities `given`.

    `devices` are those that its advice is asked about. Without `with_report`, its part of report.json is left
    out. Return problems with the dump instead of raising them.
    """
    files = task.files
    try:
        contents = published_contents(files, redaction)
        with garbage_collection_paused():
            report = report_of(files, contents.text, contents.siblings, given, stage)
            problems = contents.problems
            del contents  # because a proto takes a tenth of the memory of a check, and nothing reads it any more
            entry = summary(replace(report, devices=devices), with_report=with_report)
        return Outcome(label=files.label, summary=entry, problems=problems)
    except Exception as error:
        return failed(files, error, redaction)


def read_report(
    files: DumpFiles, redaction: Redaction | None = None, given: Sequence[str] = ()
) -> tuple[Report | None, tuple[Problem, ...]]:
    """Parse and analyse one dump for an export, and compare it with the capacities `given`.

    Return problems with the dump instead of raising them.
    """
    try:
        contents = published_contents(files, redaction)
        return report_of(files, contents.text, contents.siblings, given), contents.problems
    except Exception as error:
        return None, failed(files, error, redaction).problems


def report_of(
    files: DumpFiles,
    text: DumpText,
    siblings: Sequence[Sibling] = (),
    given: Sequence[str] = (),
    stage: Stage = lambda words: None,
) -> Report:
    """Parse and analyse the text of a dump, and compare it with its sibling files and the capacities `given`."""
    return described(Report, files, analysed(files, text, siblings, stage), siblings, given)


def analysed(files: DumpFiles, text: DumpText, siblings: Sequence[Sibling], stage: Stage) -> Analysis:
    """Parse and analyse the text of a dump, and compare it with its sibling files."""
    with garbage_collection_paused():
        stage("parsing")
        dump = parse_dump(text)
        stage("analysing")
        return analyse(dump, files.name.backend, joined(dump, files.name.module_name, siblings))


def described(
    record: Callable[..., Described],
    files: DumpFiles,
    analysis: Analysis,
    siblings: Sequence[Sibling],
    given: Sequence[str],
) -> Described:
    """Return a record of an analysis with the facts that its file names and sibling files add."""
    name = files.name
    beside = of_the_device(siblings, analysis.backend, name.device)
    return record(
        label=files.label,
        title=shortened(name.module_name),
        stage=name.stage,
        number=name.module_number,
        timestamp_microseconds=name.timestamp_microseconds,
        analysis=analysis,
        capacities=capacities(given, beside),
        misfit=misfit(analysis, name.module_name, beside, given),
    )
