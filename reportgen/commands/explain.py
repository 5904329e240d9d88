"""Explain in a page of text what needs the memory, whether that fits, and what would lower it."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from reportgen.analyse.logged_errors import LoggedError
from reportgen.commands.arguments import gathered, paths_of
from reportgen.errors import OptionError
from reportgen.input.reading import DumpFiles, newer_words
from reportgen.input.source_lines import SourceLines, are_of_one_file, names_of, read_source
from reportgen.pipeline import DumpReading
from reportgen.program.source_agreement import why_not_shown
from reportgen.reports.annotated_source import annotated, files_of
from reportgen.reports.explain_document import explain_json, explained
from reportgen.reports.explain_markdown import explanation_markdown
from reportgen.reports.explain_sections import sections
from reportgen.reports.explain_source import source_text
from reportgen.reports.explain_text import explanation_lines
from reportgen.reports.styled_text import TextLine
from reportgen.reports.summary import Summary
from reportgen.terminal import Terminal, printable_lines

_MOST_NAMES = 5


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print the explanation and return the exit code."""
    if options.source and options.redaction:
        raise OptionError("--source shows what redaction hides; leave out one, or add --no-redact")
    source = _source_of(options.source) if options.source else None
    found, report = gathered(options, paths_of(options), terminal, lambda *_: None, module=options.module)
    if source:
        for line in _source_lines(options.source, source, report.summaries, found.shown.dumps, terminal):
            terminal.styled(line)
    elif options.json:
        sys.stdout.buffer.write(explain_json(report.summaries, report.errors))
    elif options.markdown:
        words = sections(map(explained, report.summaries), report.errors)
        # Bytes, because who shows Markdown reads it as UTF-8, whatever the locale.
        sys.stdout.buffer.write(printable_lines(explanation_markdown(words)).encode("utf-8", "replace"))
    else:
        print_explanation(report.summaries, report.errors, terminal)
    return 1 if report.has_problems(strict=False) else 0


def print_explanation(summaries: Sequence[Summary], errors: Sequence[LoggedError], terminal: Terminal) -> None:
    """Print what needs the memory, as wide as the terminal is."""
    for line in explanation_lines(sections(map(explained, summaries), errors), terminal.width, draws=terminal.draws):
        terminal.styled(line)


def _source_of(file: Path) -> SourceLines:
    try:
        return read_source(file, file.name)
    except OSError as error:
        raise OptionError(f"--source {file}: cannot be read: {error.strerror}") from error


def _source_lines(
    file: Path, source: SourceLines, summaries: Sequence[Summary], dumps: Sequence[DumpFiles], terminal: Terminal
) -> Iterable[TextLine]:
    """Return the lines of a file for the module that needs most. Raises OptionError if it was not compiled from it."""
    if not summaries:
        return ()
    module = summaries[0].figures
    space = module.main_space
    names = names_of(file.absolute(), files_of(space)) if space else ()
    if space is None or not names:
        named = space.peak_resident_lines if space else ()
        known = sorted({line.source.rpartition(":")[0] for line in named})
        there = f"its lines are in {', '.join(known[:_MOST_NAMES])}" if known else "the dump names no source line"
        raise OptionError(f"--source {file}: {module.name} has no line of this file at its peak; {there}")
    if not are_of_one_file(names):
        several = ", ".join(names[:_MOST_NAMES])
        raise OptionError(f"--source {file}: {module.name} has lines of more than one file of this name: {several}")
    [dump] = [files for files in dumps if files.label == summaries[0].label]
    if why := why_not_shown(source, names, DumpReading(dump).analysis.program.stated_lines):
        raise OptionError(f"--source {file}: {file.name} {why}")
    if age := newer_words(file, dump.parts[0].path):
        terminal.aside(f"{file.name} was written {age}, so its lines may be of other code")
    lines = annotated(source.lines, names, module, space)
    return source_text(file.name, lines, names, module, space, terminal.width)
