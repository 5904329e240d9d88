"""Judge what `check` has found: the budgets, the growth since a baseline, and whether the modules fit."""

import argparse

from reportgen.commands.verdicts import announced
from reportgen.compare.budgets import Budgets
from reportgen.compare.figures import gate_module
from reportgen.compare.module_pairing import pair_by_name
from reportgen.compare.verdicts import Judgement, judge, judge_fit
from reportgen.input.reading import is_missing
from reportgen.input.remote import located
from reportgen.redact.comparison import public_name, real_figures, redact_flaws, redact_judgement
from reportgen.redact.vocabulary import redact_message
from reportgen.reports.explain_document import explained
from reportgen.reports.explain_markdown import explanation_markdown
from reportgen.reports.explain_sections import sections
from reportgen.search import SearchResult
from reportgen.sides import BuildFigures, read_figures
from reportgen.terminal import Terminal
from reportgen.work import BuildResult


def judged(
    report: BuildResult,
    budgets: Budgets | None,
    options: argparse.Namespace,
    search_result: SearchResult,
    terminal: Terminal,
) -> int:
    """Judge the modules, print the verdicts, tell GitHub if that is asked for, and return the exit code."""
    baseline = _baseline_of(options, terminal) if budgets or options.github else None
    judgement = _judge(report, budgets, options, search_result, baseline)
    label = baseline.label if baseline else None
    if label and options.redaction:
        label = redact_message(label)
    is_asked = options.github
    return announced(
        judgement,
        options,
        terminal,
        has_failed=report.has_problems(strict=options.strict),
        is_document=options.json,
        baseline=label,
        explanation=explanation_markdown(sections(map(explained, report.summaries), report.errors)) if is_asked else "",
    )


def _baseline_of(options: argparse.Namespace, terminal: Terminal) -> BuildFigures | None:
    """Return the build that growth is judged against, None if there is none, and print its problems."""
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
    search_result: SearchResult,
    baseline: BuildFigures | None,
) -> Judgement:
    """Judge the modules, and their growth against the baseline if there is one."""
    before = baseline.modules if baseline else ()
    after = list(map(gate_module, report.summaries))
    real = real_figures(after, search_result.real, search_result.shown) if options.redaction else after
    pairs = pair_by_name(before, real)
    if budgets or options.github:
        judgement = judge(
            budgets,
            redact_flaws(pairs) if options.redaction else pairs,
            has_baseline=baseline is not None,
            unread=report.unread + (baseline.unread if baseline else 0),
            allow_unsound=options.allow_unsound,
            accepted=options.accept_growth or "",
            capacities=options.capacities,
            asked={"needed", *(budget.figure for budget in (budgets.budgets if budgets else ()))},
        )
    else:
        judgement = judge_fit(real, options.capacities, allow_unsound=options.allow_unsound)
    if not options.redaction:
        return judgement
    names = {module.name: public_name(module.name, options.redaction) for module in before}
    names |= {module.name: token.name for module, token in zip(real, after, strict=True)}
    return redact_judgement(judgement, names)
