"""Parse and analyse dumps without building a site."""

import argparse
import sys
from collections.abc import Sequence

from reportgen.analyse.devices import capacity_example
from reportgen.analyse.findings import OF_SIZES
from reportgen.analyse.logged_errors import LoggedError
from reportgen.commands.arguments import gathered, paths_of
from reportgen.commands.gate import budgets_of
from reportgen.commands.settings import files_appended, files_read
from reportgen.errors import UnsoundBuild
from reportgen.input.remote import located
from reportgen.output.named_files import confirm_apart
from reportgen.reports.error_story import story_of
from reportgen.reports.formats import exact_bytes, human_bytes, least_words
from reportgen.reports.summary import Summary
from reportgen.terminal import Terminal, counted, say


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Check the dumps, print the findings and return the exit code."""
    budgets = budgets_of(
        options.budgets, options.max_growth, options.max_recomputed, default_growth=options.baseline is not None
    )
    paths = paths_of(options)
    if options.github:
        baseline_path = located(options.baseline) if options.baseline else None
        confirm_apart(files_appended(), (*paths, baseline_path, *files_read(options.budgets)))
    found, report = gathered(
        options,
        paths,
        terminal,
        terminal.progress,
        with_report=options.json or options.github or bool(options.capacities) or budgets is not None,
    )
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

    return judged(report, budgets, options, found, terminal)


def print_modules(summaries: Sequence[Summary]) -> None:
    """Print for each module its peak, whether it fits, the advice that lowers it, and its errors and warnings."""
    for entry in summaries:
        place = f"{entry.label}: {entry.backend}, space {entry.space_name}"
        findings = ", ".join(counted(number, severity) for severity, number in entry.finding_counts) or "no findings"
        say(f"{place}: {_size_words(entry)}; {findings}")
        if entry.phases:
            say(f"  phases: {entry.phases}")
        if entry.devices:
            say(f"  devices: {entry.devices}")
        if entry.host_bytes:
            say(f"  host memory: needs {human_bytes(entry.host_bytes)}")
        _print_capacity(entry)
        if entry.first_suggestion:
            say(f"  advice: {entry.first_suggestion}")
        for finding in entry.findings:
            if finding.severity != "note":
                place = f"{finding.location}: " if finding.location else ""
                say(f"  {place}{finding.severity}: {finding.message} [{finding.slug}]")


def _size_words(entry: Summary) -> str:
    """Return a module's peak and, unless the line on its capacity has it, what it needs."""
    peak = entry.peak_resident_bytes
    words = "no live ranges"
    if peak is not None:
        words = f"peak resident {least_words(peak, entry.is_peak_least)} ({exact_bytes(peak)})"
    if entry.capacity:
        return words
    needed = least_words(entry.needed_bytes, entry.certainty)
    return f"needs {needed} ({exact_bytes(entry.needed_bytes)}), {words}"


def _print_capacity(entry: Summary) -> None:
    """Print whether a module fits, or how to learn it."""
    if entry.is_refused:
        say("  the compiler refused this program")
    if entry.capacity:
        say(f"  capacity: {entry.capacity}")
    elif entry.backend in ("tpu", "gpu"):
        say(f"  capacity: unknown; to check the fit, add --capacity {capacity_example(entry.backend)}")


def print_errors(errors: Sequence[LoggedError]) -> None:
    """Print for each out-of-memory error in a text what it says, with its cause first."""
    for error in errors:
        story = story_of(error.event)
        say(f"{error.label}:{error.event.line}: {story.verdict}")
        for sentence in (*story.told, story.figures):
            if sentence:
                say(f"  {sentence.removesuffix('.')}.")
