"""Parse and analyse dumps without building a site."""

import argparse
import sys
from dataclasses import replace

from reportgen.analyse.findings import OF_SIZES
from reportgen.check import check
from reportgen.commands.arguments import paths_of
from reportgen.commands.gate import budgets_of
from reportgen.commands.github_files import files_appended
from reportgen.commands.printing import print_errors, print_modules
from reportgen.commands.settings import files_read
from reportgen.errors import UnsoundBuild
from reportgen.input.remote import located
from reportgen.output.named_files import confirm_apart
from reportgen.search import search
from reportgen.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Check the dumps, print the findings and return the exit code."""
    budgets = budgets_of(
        options.budgets, options.max_growth, options.max_recomputed, default_growth=options.baseline is not None
    )
    paths = paths_of(options)
    if options.github:
        baseline_path = located(options.baseline) if options.baseline else None
        confirm_apart(files_appended(), (*paths, baseline_path, *files_read(options.budgets)))
    search_result = search(paths, options.redaction or None, options.max_dump_bytes)
    report = check(
        search_result.shown,
        options.jobs,
        terminal.progress,
        options.executor,
        capacities=options.capacities,
        redaction=options.redaction or None,
        stage=terminal.stage,
        with_report=options.json or options.github or bool(options.capacities) or budgets is not None,
    )
    report = replace(report, errors=search_result.errors)
    terminal.problems(report.problems)
    if options.json:
        from reportgen.reports.module_figures import report_json  # as below

        sys.stdout.buffer.write(report_json(report.summaries, report.errors))
    else:
        print_modules(report.summaries)
        print_errors(report.errors)
    if not (budgets or options.github or options.capacities):
        is_unsound = any(finding.slug in OF_SIZES for entry in report.summaries for finding in entry.findings)
        problems = int(report.has_problems(strict=options.strict))
        return UnsoundBuild.exit_code if is_unsound and not options.allow_unsound else problems
    # Imported here, because what only some checks need takes a tenth of a small one.
    from reportgen.commands.judging import judged

    return judged(report, budgets, options, search_result, terminal)
