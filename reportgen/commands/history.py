"""Keep the figures of builds over time, and show them as a trend."""

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from reportgen import __version__
from reportgen.commands.gate import budgets_of
from reportgen.commands.settings import files_read
from reportgen.compare.baseline import recorded_report
from reportgen.compare.figures import figures_with_lines
from reportgen.compare.history import (
    History,
    Record,
    figures_of,
    lines_to_add,
    modules_of,
    nearest,
    parse_history,
)
from reportgen.comparison_site import history_in, write_trend
from reportgen.errors import OptionError, UnreadableInput, UnsoundBuild
from reportgen.input.reading import is_missing, read_whole
from reportgen.input.remote import AnyPath, located
from reportgen.options import Redaction
from reportgen.output.lock import locked
from reportgen.output.named_files import confirm_apart, confirm_outside, is_same, refusing, write_file
from reportgen.output.writer import SiteDirectory, write_own_file
from reportgen.redact.comparison import public_name, redact_figures
from reportgen.sides import read_figures
from reportgen.terminal import Terminal, counted

_PATIENCE_SECONDS = 60.0  # because builds that end together are added one after another


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run `history add` or `history find`."""
    return add(options, terminal) if options.action == "add" else find(options, terminal)


def add(options: argparse.Namespace, terminal: Terminal) -> int:
    """Add the figures of a build to a history: to its file, or for one at a URL to the copy in the site."""
    store = _store_of(options)
    budgets = budgets_of(options.budgets)
    record = _record_of(options)
    _history_at(store, options.max_dump_bytes, lambda words: None)  # so that nothing is made where it cannot be read
    with ExitStack() as until_written:
        if isinstance(store, Path) and not (options.output and is_same(store.parent, options.output)):
            with refusing(store):  # first, because nothing is made of a site if it cannot be written
                until_written.enter_context(locked(store.resolve().parent, _PATIENCE_SECONDS))
        site = None
        if options.output:
            opened = SiteDirectory.opened(options.output, force=options.force, patience=_PATIENCE_SECONDS)
            site = until_written.enter_context(opened)
        # Read again, because another process may have added a build since.
        before = _history_at(store, options.max_dump_bytes, terminal.warning)
        if options.redaction:
            _check_names(parse_history(before), options.redaction)
        after = before + lines_to_add(before, record)
        history = parse_history(after)
        if site:
            _confirm_whole(history_in(options.output), history, options.max_dump_bytes)
            write_trend(site, options.output, options.title, history, budgets)
        _write(options, store, after)
    terminal.line(
        f"{options.commit}: {counted(len(record.modules), 'module')}; {counted(len(history.records), 'build')} in all"
    )
    return 0


def _store_of(options: argparse.Namespace) -> AnyPath:
    """Return the path of the history. Raises OptionError if no option names it, or if the command reads it."""
    if not options.history and not options.output:
        raise OptionError("--history FILE or -o DIR is needed, to say where the history is")
    store = located(options.history) if options.history else history_in(options.output)
    if not isinstance(store, Path) and not options.output:
        raise OptionError(f"--history {store}: a history at a URL is only read; say with -o DIR where its copy goes")
    build = located(options.build)
    for written in (store, options.output and history_in(options.output)):
        for source in (build, *files_read(options.budgets)):
            if isinstance(written, Path) and isinstance(source, Path) and is_same(written, source):
                raise OptionError(f"--history {written}: it is what the command reads; name the file of the history")
    if isinstance(build, Path) and build.is_dir():
        confirm_outside(options.output, [build])
    return store


def _record_of(options: argparse.Namespace) -> Record:
    """Return the build to add. Raises UnreadableInput if it is not whole, and UnsoundBuild if it contradicts itself."""
    build = read_figures(
        located(options.build), options.max_dump_bytes, options.capacities or (), of_side=figures_with_lines
    )
    if unread := next((problem for problem in build.problems if problem.severity == "error"), None):
        raise UnreadableInput(f"{unread.file}: {unread.message}; a build with an error is not added")
    figures = redact_figures(build.modules, options.redaction) if options.redaction else build.modules
    unsound = [f"{module.name} cannot be added: {error.words}" for module in figures if (error := module.error)]
    if unsound and not options.allow_unsound:
        raise UnsoundBuild("\n".join([*unsound, "--allow-unsound adds it nevertheless, marked as unsound."]))
    return Record(
        commit=options.commit,
        time=options.time,
        modules=modules_of(figures),
        tool=__version__,
        link=options.link or "",
        comparison=options.comparison or "",
        accepted=options.accept_growth or "",
    )


def _write(options: argparse.Namespace, store: AnyPath, history: bytes) -> None:
    """Write a history to its file, and the copy in the site if that is another one."""
    if isinstance(store, Path):
        write = write_file if options.history else write_own_file
        write(store, history)
    in_site = options.output and history_in(options.output)
    if in_site and not (isinstance(store, Path) and is_same(store, in_site)):
        write_own_file(in_site, history)


def _confirm_whole(in_site: Path, history: History, max_bytes: int) -> None:
    """Raise OptionError if the history in a site has builds that the new one lacks, because they would be lost."""
    if is_missing(in_site):
        return
    known = {record.commit for record in history.records}
    published = parse_history(read_whole(in_site, max_bytes), str(in_site))
    lost = [record.commit for record in published.records if record.commit not in known]
    if lost:
        raise OptionError(
            f"{in_site}: it has {counted(len(lost), 'build')} that --history has not, such as {lost[0]};"
            " choose another site with -o, or leave out --history to add to this one"
        )


def _check_names(history: History, redaction: Redaction) -> None:
    """Raise OptionError if a history has names that are hidden: its lines are never written again."""
    names = {key.name for record in history.records for key in record.modules}
    modules = [module for record in history.records for module in record.modules.values()]
    if any(module.origin.line or module.arguments for module in modules) or any(
        name != public_name(name, redaction) for name in names
    ):
        raise OptionError("the history has names that redaction hides; begin another one, or add --no-redact")


def find(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print the figures of the nearest commit in a history, as a baseline; if none is there, only a warning."""
    store = located(options.history)
    confirm_apart({"--output": options.output}, (store, *files_read()))
    commits = sys.stdin.read().split() if options.commits == ["-"] else options.commits
    history = parse_history(_history_at(store, options.max_dump_bytes, terminal.warning))
    match = nearest(history, commits)
    if match is None:
        terminal.warning(f"none of {counted(len(commits), 'commit')} is in the history")
        return 0
    record, distance = match
    document = recorded_report(figures_of(record), record.commit, distance)
    write_file(options.output or Path("-"), document)
    return 0


def _history_at(store: AnyPath, max_bytes: int, warn: Callable[[str], None]) -> bytes:
    """Return a history, empty with a warning if it is not there yet; warn of damaged lines too.

    Raises OptionError for a file without one line of a history, because it is something else.
    """
    if is_missing(store):
        warn(f"{store}: there is no history yet")
        return b""
    data = read_whole(store, max_bytes)
    history = parse_history(data, str(store))
    if history.damaged and not history.records:
        raise OptionError(f"{store}: it is no history: none of its lines can be read; {history.first_damage}")
    if history.damaged:
        warn(f"{store}: skipped {counted(history.damaged, 'damaged line')}: {history.first_damage}")
    return data
