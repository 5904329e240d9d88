"""Print what a command has found or written to stdout."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from reportgen.analyse.devices import capacity_example
from reportgen.analyse.logged_errors import LoggedError
from reportgen.analyse.results import Severity
from reportgen.reports.error_story import story_of
from reportgen.reports.formats import exact_bytes, human_bytes, least_words
from reportgen.reports.summary import Summary
from reportgen.terminal import Terminal, counted, say
from reportgen.work import BuildResult, Disclosure

PAGES_LIMIT_BYTES = 1_000_000_000
_TOO_LARGE = (
    "the site has {size:.2f} GB, and GitHub Pages accepts at most 1 GB."
    " Give it fewer modules, or write a single one with --single-file."
)


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


def print_finished(report: BuildResult, output: Path, index: Path | None, terminal: Terminal) -> None:
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


def print_single_file(report: BuildResult, path: Path, *, is_published: bool) -> None:
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
