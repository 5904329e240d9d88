"""Print a module's memory over program order in a format of other tools."""

import argparse
import sys

from reportgen.check import read_reports
from reportgen.commands.arguments import paths_of
from reportgen.reports.trace import trace_json
from reportgen.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print the trace of every dump and return the exit code."""
    reports, problems = read_reports(paths_of(options), options.max_dump_bytes, options.redaction or None)
    sys.stdout.buffer.write(trace_json(reports))
    terminal.problems(problems)
    return 1 if any(problem.severity == "error" for problem in problems) else 0
