"""Print a module's memory over program order in a format of other tools."""

import argparse
import sys

from reportgen.commands.arguments import add_max_dump_bytes, add_paths, paths_of
from reportgen.terminal import Terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `export`."""
    add_paths(parser)
    parser.add_argument(
        "--trace",
        action="store_true",
        required=True,
        help="print a Chrome trace, which ui.perfetto.dev and chrome://tracing open; 1 microsecond is 1 moment",
    )
    add_max_dump_bytes(parser)
    parser.set_defaults(executor=None, verbose=False)  # read by what the commands share


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print the trace of every dump and return the exit code."""
    from reportgen.check import read_reports
    from reportgen.reports.trace import trace_json

    reports, problems = read_reports(paths_of(options), options.max_dump_bytes)
    sys.stdout.buffer.write(trace_json(reports))
    terminal.problems(problems)
    return 1 if any(problem.severity == "error" for problem in problems) else 0
