"""Keep the figures of builds over time, and show them as a trend."""

import argparse
import sys
from pathlib import Path

from reportgen.commands.arguments import add_force, add_max_dump_bytes, checked
from reportgen.commands.gate import add_budgets, budgets_in_file
from reportgen.compare.build_names import commit_name, link_url, utc
from reportgen.errors import OptionError
from reportgen.input.reading import is_missing, read_whole
from reportgen.input.remote import AnyPath, located
from reportgen.options import DEFAULT_TITLE
from reportgen.terminal import Terminal, counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `history add` and `history find` with their flags."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    adding = commands.add_parser("add", help="add a build and write the trend", description=add.__doc__)
    adding.add_argument("build", metavar="REPORT", help="the report.json of the build, or its dumps; also a URL")
    adding.add_argument("--commit", type=checked(commit_name), required=True, metavar="SHA", help="what was built")
    adding.add_argument(
        "--time",
        type=checked(utc),
        required=True,
        metavar="TIME",
        help="when it was committed, with a time zone: $(git show -s --format=%%cI)",
    )
    adding.add_argument("--link", type=checked(link_url), metavar="URL", help="where its report is kept")
    adding.add_argument("-o", "--output", type=Path, metavar="DIR", help="write history.jsonl and trend.html to a site")
    adding.add_argument("--title", default=DEFAULT_TITLE, help='title of a new site (default: "%(default)s")')
    add_force(adding)
    add_budgets(adding)
    finding = commands.add_parser("find", help="print the figures of a build", description=find.__doc__)
    finding.add_argument("commits", nargs="+", metavar="COMMIT", help="nearest first; - reads them from standard input")
    finding.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a report.json instead of printing it")
    for command, run_command in ((adding, add), (finding, find)):
        command.add_argument(
            "--history",
            metavar="FILE",
            required=command is finding,
            help="the history.jsonl so far, a file or the URL of the published one",
        )
        add_max_dump_bytes(command)
        command.set_defaults(run_history=run_command)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run `history add` or `history find`."""
    code: int = options.run_history(options, terminal)
    return code


def add(options: argparse.Namespace, terminal: Terminal) -> int:
    """Add the figures of a build to a history: to its file, or for one at a URL to the copy in the site."""
    from reportgen import __version__
    from reportgen.compare.history import Record, lines_to_add, modules_of, parse_history
    from reportgen.comparison_site import build_trend, history_in
    from reportgen.output.writer import append_file, write_file
    from reportgen.sides import read_figures

    if not options.history and not options.output:
        raise OptionError("--history FILE or -o DIR is needed, to say where the history is")
    in_site = options.output and history_in(options.output)
    store = located(options.history) if options.history else in_site
    if not isinstance(store, Path) and not options.output:
        raise OptionError(f"--history {store}: a history at a URL is only read; say with -o DIR where its copy goes")
    budgets = budgets_in_file(options.budgets)
    modules = modules_of(read_figures(located(options.build), options.max_dump_bytes).modules)
    before = _history_at(store, options.max_dump_bytes, terminal)
    link = options.link or ""
    record = Record(commit=options.commit, time=options.time, modules=modules, tool=__version__, link=link)
    lines = lines_to_add(before, record)
    history = parse_history(before + lines)
    if options.output:
        build_trend(options.output, options.title, history, budgets, force=options.force)
    if isinstance(store, Path):
        append_file(store, lines)
    # A file that is the site’s own already has the new line.
    if in_site and not (isinstance(store, Path) and store.resolve() == in_site.resolve()):
        write_file(in_site, before + lines)
    terminal.line(
        f"{options.commit}: {counted(len(modules), 'module')}; {counted(len(history.records), 'build')} in all"
    )
    return 0


def find(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print the figures of the nearest commit in a history, as a baseline; if none is there, only a warning."""
    from reportgen.compare.figures import recorded_report
    from reportgen.compare.history import figures_of, nearest, parse_history
    from reportgen.output.writer import write_file

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
    from reportgen.compare.history import parse_history

    if is_missing(store):
        terminal.warning(f"{store}: there is no history yet")
        return b""
    data = read_whole(store, max_bytes)
    if damaged := parse_history(data, str(store)).damaged:
        terminal.warning(f"{store}: skipped {counted(damaged, 'damaged line')}")
    return data
