"""Compare two builds: what changed, by how much, and why."""

import argparse
from collections.abc import Iterator

from reportgen.commands.gate import budgets_of
from reportgen.commands.settings import files_appended, files_read
from reportgen.commands.verdicts import announced
from reportgen.compare.builds import BuildComparison, Source
from reportgen.compare.compare_json import compare_json
from reportgen.compare.compare_markdown import markdown
from reportgen.compare.compare_words import headline, unknown_words, with_fit
from reportgen.compare.reasons import causes
from reportgen.compare.verdicts import Judgement, judge
from reportgen.comparison_site import build_comparison
from reportgen.input.reading import Problem, is_missing
from reportgen.input.remote import located
from reportgen.options import ComparisonOptions
from reportgen.output.named_files import confirm_apart, confirm_outside, is_stdout, write_file
from reportgen.record import copied
from reportgen.redact.comparison import ComparisonRedactor, redact_flaws
from reportgen.sides import compare_sources, load_source
from reportgen.terminal import Terminal, counted, printable_lines


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Compare, write what was asked for, print the changes and return the exit code."""
    before_path, after_path = located(options.before), located(options.after)
    inputs = (before_path, after_path, *files_read(options.budgets))
    appended = files_appended() if options.github else {}
    confirm_apart({"--json": options.json, "--markdown": options.markdown, **appended}, inputs)
    confirm_outside(options.output, inputs)
    budgets = budgets_of(options.budgets, options.max_growth, options.max_recomputed)
    # A gate passes without a baseline, because the first build of a project has none.
    has_baseline = not ((budgets or options.github) and is_missing(before_path))
    after = load_source(after_path, options.after_label, "after", options.max_dump_bytes)
    if has_baseline:
        before = load_source(before_path, options.before_label, "before", options.max_dump_bytes)
    else:
        before = Source(options.before_label or "before", report=(), is_missing=True)
        terminal.problems([Problem("warning", options.before, "there is no baseline, so growth was not judged")])
    progress = (lambda *_: None) if options.redaction else terminal.progress  # because labels are redacted afterwards
    comparison, problems = compare_sources(before, after, progress, options.capacities)
    unread = sum(problem.severity == "error" for problem in problems)
    pairs = redact_flaws(comparison.pairs) if options.redaction else comparison.pairs
    judgement = judge(
        budgets,
        pairs,
        has_baseline=has_baseline,
        unread=unread,
        allow_unsound=options.allow_unsound,
        accepted=options.accept_growth or "",
        capacities=options.capacities,
    )
    if options.redaction:
        redactor = ComparisonRedactor(options.redaction)
        comparison = redactor.comparison(comparison)
        judgement = redactor.judgement(judgement)
        problems = tuple(map(redactor.problem, problems))
    terminal.problems(problems)
    text = _write(comparison, judgement, options)
    return announced(
        judgement,
        options,
        terminal,
        has_failed=bool(unread),
        is_document=is_stdout(options.json) or is_stdout(options.markdown),
        lines=_lines(comparison),
        summary=text,
        change_bytes=comparison.change_bytes,
        markdown=options.markdown,
    )


def _write(comparison: BuildComparison, judgement: Judgement, options: argparse.Namespace) -> str:
    """Write what was asked for, and return the comparison as Markdown; empty unless asked for."""
    document = compare_json(comparison, judgement)
    if options.json:
        write_file(options.json, document)
    if options.output:
        site = copied(
            ComparisonOptions,
            options,
            before=located(options.before),
            after=located(options.after),
            redaction=options.redaction or None,
            capacities=tuple(options.capacities),
        )
        build_comparison(comparison, judgement, document, site)
    text = markdown(comparison, judgement, options.link) if options.markdown or options.github else ""
    if options.markdown:
        write_file(options.markdown, printable_lines(text).encode("utf-8", "replace"))
    return text


def _lines(comparison: BuildComparison) -> Iterator[str]:
    """Yield each module that changed or cannot be compared, then how many there are; nothing without a baseline."""
    if comparison.before.is_missing:
        return
    changed = [module for module in comparison.modules if module.status != "same"]
    unknown = [module for module in comparison.modules if module.status == "same" and unknown_words(module)]
    for module in (*changed, *unknown):
        words = with_fit(headline(module), module)
        yield f"{module.status}: {module.module.name} ({module.module.path}): {words}"
        for why in causes(module):
            yield f"  {why}"
    same = len(comparison.modules) - len(changed) - len(unknown)
    rest = f", {len(unknown):,} cannot be compared" if unknown else ""
    yield f"{counted(len(changed), 'module')} changed, {same:,} did not{rest}"
    if not comparison.explains:
        yield "One side is a report, so differences are not explained."
