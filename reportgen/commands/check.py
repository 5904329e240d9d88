"""Parse and analyse dumps without building a site."""

import argparse
import sys

from reportgen.check import check
from reportgen.commands.arguments import paths_of
from reportgen.commands.gate import budgets_of, exit_code, print_verdicts
from reportgen.commands.github import commands_stopped, tell_github
from reportgen.commands.printing import print_modules
from reportgen.compare.budgets import Budgets
from reportgen.compare.figures import figures_of_modules
from reportgen.compare.verdicts import Judgement, judge, pair_by_name
from reportgen.input.reading import is_missing
from reportgen.input.remote import located
from reportgen.reports.report_json import report_json
from reportgen.terminal import Terminal
from reportgen.work import BuildResult

OVER_CAPACITY = 3


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Check the dumps, print the findings and return the exit code."""
    budgets = budgets_of(options, default_growth=options.baseline is not None)
    report = check(
        paths_of(options),
        options.jobs,
        terminal.progress,
        options.executor,
        options.max_dump_bytes,
        siblings=options.siblings,
        capacities=options.capacities,
        stage=terminal.stage,
    )
    terminal.problems(report.problems)
    if options.json:
        sys.stdout.buffer.write(report_json(entry.report for entry in report.summaries))
    else:
        print_modules(report.summaries)
    judgement, baseline = _judge(report, budgets, options) if budgets else (None, None)
    say = terminal.aside if options.json else terminal.line  # because stdout has to be JSON
    if judgement:
        with commands_stopped(say, active=options.github):
            print_verdicts(judgement, say, baseline)
    if options.github:
        tell_github(judgement, say=say)
    # Only a capacity that was asked about fails a check; one that files beside a dump name is shown.
    if options.capacities and report.is_over:
        return OVER_CAPACITY
    return exit_code(judgement, has_failed=report.has_problems(strict=options.strict))


def _judge(report: BuildResult, budgets: Budgets, options: argparse.Namespace) -> tuple[Judgement, str | None]:
    """Judge the modules, their growth against the baseline if there is one, and return also what that is called."""
    # Imported here, because the comparison of builds takes a tenth of a small check, and most have no budgets.
    from reportgen.sides import read_figures

    path = located(options.baseline) if options.baseline else None
    baseline = None if path is None or is_missing(path) else read_figures(path, options.max_dump_bytes)
    pairs = pair_by_name(
        baseline.modules if baseline else (), figures_of_modules(entry.report for entry in report.summaries)
    )
    return judge(budgets, pairs, has_baseline=baseline is not None), baseline.label if baseline else None
