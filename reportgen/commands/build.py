"""Build the site."""

import argparse
import webbrowser
from collections import Counter
from dataclasses import replace
from pathlib import Path

from reportgen.analyse.results import Severity
from reportgen.build import build, build_file, opening_page
from reportgen.commands.arguments import options_of, paths_of
from reportgen.commands.settings import files_read
from reportgen.errors import OptionError
from reportgen.options import BuildOptions
from reportgen.output.named_files import confirm_apart
from reportgen.reports.formats import human_bytes, least_words
from reportgen.terminal import Terminal, counted, say
from reportgen.work import BuildResult, Disclosure

PAGES_LIMIT_BYTES = 1_000_000_000
_TOO_LARGE = (
    "the site has {size:.2f} GB, and GitHub Pages accepts at most 1 GB."
    " Give it fewer modules, or write a single one with --single-file."
)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Build the site and return the exit code."""
    if options.module and not options.single_file:
        raise OptionError("--module chooses what --single-file writes; a site has all modules")
    build_options = options_of(BuildOptions, options, paths=paths_of(options), cluster=options.executor)
    inputs = (*build_options.paths, *files_read())
    confirm_apart({"--single-file": options.single_file}, inputs)
    if options.executor:  # because the workers of a cluster start in other directories
        build_options = replace(build_options, output=options.output.absolute())
    if options.single_file:
        report = build_file(build_options, options.single_file, terminal.stage, module=options.module)
        page = options.single_file
    else:
        report = build(build_options, terminal.progress, terminal.stage)
        page = options.output / opening_page(report)
    terminal.problems(report.problems)
    # A redacted report is published, and so are the logs of its build.
    is_published = bool(options.redaction)
    if options.single_file and not options.quiet:
        _print_single_file(report, page, is_published=is_published)
    elif not options.quiet:
        if options.explains:
            # Imported here, because a build that finds its site unchanged needs none of it.
            from reportgen.commands.explain import print_explanation

            print_explanation(report.summaries, report.errors, terminal)
            print()
        index = (options.output / "index.html").resolve()
        _print_finished(report, options.output, None if is_published else index, terminal)
    terminal.took()
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 1 if report.has_problems(strict=options.strict) else 0


def _print_finished(report: BuildResult, output: Path, index: Path | None, terminal: Terminal) -> None:
    """Print the last lines of a build: its result, what the site shows, and where it is.

    Without `index`, the folders above the site are not named.
    """
    totals = report.totals
    if report.errors:
        say(counted(len(report.errors), "out-of-memory error"))
    if report.summaries or not report.errors:
        say(_result(report))
    say(
        f"{counted(totals.files, 'file')}: {totals.changed:,} written,"
        f" {totals.files - totals.changed:,} unchanged, {totals.removed:,} removed"
    )
    if totals.kept:
        more = ", …" if len(totals.kept) > 3 else ""
        terminal.warning(
            f"kept what stands in the place of {counted(len(totals.kept), 'old page')}, because it is no file of this"
            f" site: {', '.join(totals.kept[:3])}{more}"
        )
    if words := _disclosure_words(report.disclosure):
        say(words)
    if totals.size_bytes > PAGES_LIMIT_BYTES:
        terminal.warning(_TOO_LARGE.format(size=totals.size_bytes / 1e9))
    say(str((output if index else Path(output.name)) / "index.html"))
    if index:
        say(index.as_uri())


def _print_single_file(report: BuildResult, path: Path, *, is_published: bool) -> None:
    """Print the result of a build into a single file, and where that is; of one that is published only its name."""
    if not report.totals.files:
        return
    say(_result(report))
    if report.left_out:
        say(f"It needs most of {report.left_out + 1:,} modules; --module NAME writes another one.")
    say(f"{report.totals.size_bytes / 1e6:.1f} MB")
    if is_published:
        say(path.name)
    else:
        say(str(path))
        say(path.resolve().as_uri())


def _result(report: BuildResult) -> str:
    """Return the number of modules, the largest one with its peak, and how many have errors or warnings.

    Warnings about files, such as links that were not followed, were printed before; here they are counted.
    """
    summaries = report.summaries
    modules = counted(len(summaries), "module")
    if not summaries:
        return modules
    largest = summaries[0]
    peak = largest.peak_resident_bytes
    size = f"peaks at {human_bytes(peak or 0)}"
    if peak is None or largest.is_peak_least:
        size = f"needs {least_words(largest.needed_bytes, largest.certainty)}"
    counts = Counter(severity for entry in summaries for severity, _ in entry.finding_counts)
    severities: tuple[Severity, ...] = ("error", "warning")
    problems = [f"{counted(counts[kind], 'module')} with {kind}s" for kind in severities if counts[kind]]
    about_files = Counter(problem.severity for problem in report.problems)
    problems += [f"{counted(about_files[kind], kind)} about files" for kind in severities if about_files[kind]]
    name = f"the largest, {largest.title}," if len(summaries) > 1 else largest.title
    return f"{modules}: {name} {size}; {', '.join(problems) or 'no errors or warnings'}"


def _disclosure_words(disclosure: Disclosure) -> str:
    """Return how much of the program the site shows, and the options that hide it."""
    files, names = counted(disclosure.source_files, "source path"), counted(disclosure.op_names, "op name")
    if disclosure.source_files and disclosure.op_names:
        return f"The site shows {files} and {names}; --redact hides the paths, --redact-names both."
    if disclosure.source_files:
        return f"The site shows {files}; --redact hides them."
    return f"The site shows {names}; --redact-names hides them." if disclosure.op_names else ""
