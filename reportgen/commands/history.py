"""Keep the figures of builds over time, and show them as a trend."""

import argparse
import sys
from pathlib import Path

from reportgen import __version__
from reportgen.commands.gate import budgets_in_file
from reportgen.compare.figures import recorded_report
from reportgen.compare.history import (
    History,
    Record,
    arguments_of,
    figures_of,
    lines_to_add,
    modules_of,
    nearest,
    parse_history,
    unsound_of,
)
from reportgen.comparison_site import build_trend, history_in
from reportgen.errors import OptionError, UnreadableInput, UnsoundBuild
from reportgen.input.reading import is_missing, read_whole
from reportgen.input.remote import AnyPath, located
from reportgen.options import Redaction
from reportgen.output.writer import append_file, append_own_file, write_file
from reportgen.redact.public_figures import public_name, redact_figures
from reportgen.sides import read_figures
from reportgen.terminal import Terminal, counted


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run `history add` or `history find`."""
    return (add if options.action == "add" else find)(options, terminal)


def add(options: argparse.Namespace, terminal: Terminal) -> int:
    """Add the figures of a build to a history: to its file, or for one at a URL to the copy in the site."""
    if not options.history and not options.output:
        raise OptionError("--history FILE or -o DIR is needed, to say where the history is")
    in_site = options.output and history_in(options.output)
    store = located(options.history) if options.history else in_site
    if not isinstance(store, Path) and not options.output:
        raise OptionError(f"--history {store}: a history at a URL is only read; say with -o DIR where its copy goes")
    budgets = budgets_in_file(options.budgets)
    build = read_figures(located(options.build), options.max_dump_bytes)
    if unread := next((problem for problem in build.problems if problem.severity == "error"), None):
        raise UnreadableInput(f"{unread.file}: {unread.message}; a build with an error is not added")
    figures = build.modules
    if options.redaction:
        figures = redact_figures(figures, options.redaction)
    unsound = [f"{module.name} cannot be added: {error.words}" for module in figures if (error := module.error)]
    if unsound and not options.allow_unsound:
        raise UnsoundBuild("\n".join([*unsound, "--allow-unsound adds it nevertheless, marked as unsound."]))
    before = _history_at(store, options.max_dump_bytes, terminal)
    if options.redaction:
        _check_names(parse_history(before), options.redaction)
    link = options.link or ""
    modules = modules_of(figures)
    record = Record(
        commit=options.commit,
        time=options.time,
        modules=modules,
        tool=__version__,
        link=link,
        unsound=unsound_of(figures),
        arguments=arguments_of(figures),
        accepted=options.accept_growth or "",
    )
    lines = lines_to_add(before, record)
    history = parse_history(before + lines)
    if options.output:
        build_trend(options.output, options.title, history, budgets, force=options.force)
    if isinstance(store, Path):
        (append_file if options.history else append_own_file)(store, lines)
    # A file that is the site’s own already has the new line.
    if in_site and not (isinstance(store, Path) and store.resolve() == in_site.resolve()):
        write_file(in_site, before + lines)
    terminal.line(
        f"{options.commit}: {counted(len(modules), 'module')}; {counted(len(history.records), 'build')} in all"
    )
    return 0


def _check_names(history: History, redaction: Redaction) -> None:
    """Raise OptionError if a history has names that are hidden: its lines are never written again."""
    names = {key.name for record in history.records for key in record.modules}
    has_arguments = any(record.arguments for record in history.records)
    if has_arguments or any(name != public_name(name, redaction) for name in names):
        raise OptionError("the history has names that redaction hides; begin another one, or add --no-redact")


def find(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print the figures of the nearest commit in a history, as a baseline; if none is there, only a warning."""
    commits = sys.stdin.read().split() if options.commits == ["-"] else options.commits
    history = parse_history(_history_at(located(options.history), options.max_dump_bytes, terminal))
    found = nearest(history, commits)
    if found is None:
        terminal.warning(f"none of {counted(len(commits), 'commit')} is in the history")
        return 0
    record, distance = found
    document = recorded_report(figures_of(record), record.commit, distance)
    if options.output:
        write_file(options.output, document)
    else:
        sys.stdout.buffer.write(document)
    return 0


def _history_at(store: AnyPath, max_bytes: int, terminal: Terminal) -> bytes:
    """Return a history, empty with a warning if it is not there yet; warn of damaged lines too."""
    if is_missing(store):
        terminal.warning(f"{store}: there is no history yet")
        return b""
    data = read_whole(store, max_bytes)
    if damaged := parse_history(data, str(store)).damaged:
        terminal.warning(f"{store}: skipped {counted(damaged, 'damaged line')}")
    return data
