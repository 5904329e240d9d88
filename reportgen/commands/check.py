"""Parse and analyse dumps without building a site."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.check import check
from reportgen.commands.arguments import paths_of
from reportgen.commands.gate import budgets_of, exit_code, print_verdicts
from reportgen.commands.github import annotated_verdicts, commands_stopped, files_appended, tell_github
from reportgen.commands.printing import print_errors, print_modules
from reportgen.commands.settings import files_read
from reportgen.compare.budgets import Budgets
from reportgen.compare.figures import figures_of_modules
from reportgen.compare.verdicts import Judgement, judge, judge_fit, pair_by_name
from reportgen.input.reading import is_missing
from reportgen.input.remote import located
from reportgen.output.named_files import confirm_apart
from reportgen.redact.public_figures import public_name, real_figures, redact_flaws, redact_judgement
from reportgen.redact.quotes import redact_message
from reportgen.reports.explain_markdown import explanation_markdown
from reportgen.reports.explain_sections import sections
from reportgen.reports.explanation import explanation
from reportgen.reports.report_json import report_json
from reportgen.search import SearchResult, search
from reportgen.terminal import Terminal
from reportgen.work import BuildResult

if TYPE_CHECKING:
    from reportgen.sides import BuildFigures


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Check the dumps, print the findings and return the exit code."""
    budgets = budgets_of(options, default_growth=options.baseline is not None)
    paths = paths_of(options)
    if options.github:
        baseline_path = located(options.baseline) if options.baseline else None
        confirm_apart(files_appended(), (*paths, baseline_path, *files_read(options.budgets)))
    found = search(paths, options.redaction or None, options.max_dump_bytes)
    report = check(
        found.shown,
        options.jobs,
        terminal.progress,
        options.executor,
        capacities=options.capacities,
        redaction=options.redaction or None,
        stage=terminal.stage,
        devices=options.devices,
        with_report=options.json or options.github or bool(options.capacities) or budgets is not None,
    )
    report = replace(report, errors=found.errors)
    terminal.problems(report.problems)
    if options.json:
        sys.stdout.buffer.write(report_json(report.summaries, report.errors))
    else:
        print_modules(report.summaries)
        print_errors(report.errors)
    baseline = _baseline_of(options, terminal) if budgets or options.github else None
    is_judged = budgets or options.github or options.capacities
    judgement = _judge(report, budgets, options, found, baseline) if is_judged else None
    label = baseline.label if baseline else None
    if label and options.redaction:
        label = redact_message(label)
    say = terminal.aside if options.json else terminal.line  # because stdout has to be JSON
    if judgement:
        with commands_stopped(say, active=options.github):
            told = annotated_verdicts(judgement) if options.github else ()
            print_verdicts(judgement, say, label, told)
    if options.github:
        tell_github(judgement, explanation=_explanation(report), say=say)
    return exit_code(judgement, has_failed=report.has_problems(strict=options.strict))


def _explanation(report: BuildResult) -> str:
    """Return what needs the memory, for the summary of a job."""
    return explanation_markdown(sections(map(explanation, report.summaries), report.errors))


def _baseline_of(options: argparse.Namespace, terminal: Terminal) -> "BuildFigures | None":
    """Return the build that growth is judged against, None if there is none, and say what of it cannot be read."""
    # Imported here, because the comparison of builds takes a tenth of a small check, and most have no budgets.
    from reportgen.sides import read_figures

    path = located(options.baseline) if options.baseline else None
    if path is None or is_missing(path):
        return None
    baseline = read_figures(path, options.max_dump_bytes)
    terminal.problems(baseline.problems)
    return baseline


def _judge(
    report: BuildResult,
    budgets: Budgets | None,
    options: argparse.Namespace,
    found: SearchResult,
    baseline: "BuildFigures | None",
) -> Judgement:
    """Judge the modules, and their growth against the baseline if there is one."""
    before = baseline.modules if baseline else ()
    after = figures_of_modules(entry.report for entry in report.summaries)
    real = real_figures(after, found.real, found.shown) if options.redaction else after
    pairs = pair_by_name(before, real)
    judgement = (
        judge(
            budgets,
            redact_flaws(pairs) if options.redaction else pairs,
            has_baseline=baseline is not None,
            unread=report.unread + (baseline.unread if baseline else 0),
            allow_unsound=options.allow_unsound,
            accepted=options.accept_growth or "",
            capacities=options.capacities,
        )
        if budgets or options.github
        else judge_fit(real, options.capacities)
    )
    if not options.redaction:
        return judgement
    names = {module.name: public_name(module.name, options.redaction) for module in before}
    names |= {module.name: token.name for module, token in zip(real, after, strict=True)}
    return redact_judgement(judgement, names)
