"""Print progress and problems to stderr, and results to stdout.

A terminal gets one line of progress that is rewritten; anything else gets plain lines. `NO_COLOR` turns color off.
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.analyse.results import Severity
    from reportgen.input.reading import Problem
    from reportgen.programs.dumps import Left
    from reportgen.reports.summary import Summary
    from reportgen.work import BuildResult, Shown

_COLORS = {"error": "31", "warning": "33", "note": "36"}
PAGES_LIMIT_BYTES = 1_000_000_000
_TOO_LARGE = (
    "the site has {size:.2f} GB, and GitHub Pages accepts at most 1 GB."
    " With --value-pages N, only the N largest values of each module and those live at a peak get pages."
)
_CLEAR_LINE = "\r\x1b[K"


class Terminal:
    """Print to the terminal; only errors if `quiet`."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._rewrites = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._colored = self._rewrites and not os.environ.get("NO_COLOR")
        self._has_line = False
        self._start = monotonic()

    def progress(self, done: int, total: int, label: str) -> None:
        """Show how many of all dumps are finished, and the label of the last one."""
        line = _printable(f"{done}/{total} {label}")
        if self._quiet:
            return
        if self._rewrites:
            self._rewrite(line)
        elif self._verbose or total <= 20 or done == total or done % max(1, total // 10) == 0:
            self._say(line)  # about ten lines, because thousands would bury the problems in the log of a CI job

    def stage(self, words: str) -> None:
        """Show the current step of a dump and the seconds since the start, because a large one takes a while."""
        if self._rewrites and not self._quiet:
            self._rewrite(_printable(f"{words} ({self._seconds():.0f} s)"))

    def took(self) -> None:
        """Say how long the command took; only on a terminal."""
        if self._rewrites and not self._quiet:
            self._end_progress()
            self._say(f"{self._seconds():.1f} s")

    def _seconds(self) -> float:
        return monotonic() - self._start

    def problems(self, problems: Iterable["Problem"]) -> None:
        """Print one line for each problem with the input."""
        self._end_progress()
        for problem in problems:
            if not self._quiet or problem.severity == "error":
                self._say(f"{self._color(problem.severity)}: {_printable(f'{problem.file}: {problem.message}')}")

    def error(self, message: str) -> None:
        """Print why the command fails."""
        self._end_progress()
        lines = "\n".join(map(_printable, message.split("\n")))
        self._say(f"reportgen: {self._color('error')}: {lines}")

    def warning(self, message: str) -> None:
        """Print what the user should know although the command succeeds."""
        self._end_progress()
        if not self._quiet:
            self._say(f"{self._color('warning')}: {_printable(message)}")

    def dumped(self, left: "Left", dumps: Path) -> None:
        """Print how much a run dumped, and how much of that remains in `dumps`."""
        if not self._quiet:
            print(
                f"{counted(left.signs.assignments, 'module')} of {counted(left.processes, 'process', 'processes')};"
                f" {left.dumped_bytes / 1e6:.1f} MB dumped, {left.kept_bytes / 1e6:.1f} MB kept in {dumps}"
            )

    def line(self, text: str) -> None:
        """Print a line to stdout and flush it, because a program may wait for it."""
        self._end_progress()
        print(_printable(text), flush=True)

    def aside(self, text: str) -> None:
        """Print a line to stderr, for a command whose stdout is a document."""
        self._end_progress()
        self._say(_printable(text))

    def modules(self, summaries: Sequence["Summary"]) -> None:
        """Print for each module its peak, whether it fits, the advice that lowers it, and its errors and warnings."""
        from reportgen.reports.formats import exact_bytes, human_bytes

        for entry in summaries:
            peak = entry.peak_resident_bytes
            size = "no live ranges" if peak is None else f"peak resident {human_bytes(peak)} ({exact_bytes(peak)})"
            findings = ", ".join(counted(number, severity) for severity, number in entry.finding_counts)
            print(
                _printable(
                    f"{entry.label}: {entry.backend}, space {entry.space_name}: {size}; {findings or 'no findings'}"
                )
            )
            if entry.capacity:
                print(_printable(f"  capacity: {entry.capacity}"))
            if entry.first_move:
                print(_printable(f"  advice: {entry.first_move}"))
            for finding in entry.findings:
                if finding.severity != "note":
                    place = f"{finding.location}: " if finding.location else ""
                    print(_printable(f"  {place}{finding.severity}: {finding.message} [{finding.slug}]"))

    def finished(self, report: "BuildResult", output: Path, index: Path | None) -> None:
        """Print the last lines of a build: its result, what the site shows, and where it is.

        Without `index`, the folders above the site are not named.
        """
        if self._quiet:
            return
        totals = report.totals
        if report.errors:
            print(counted(len(report.errors), "out-of-memory error"))
        if report.summaries or not report.errors:
            print(_printable(_result(report.summaries)))
        print(
            f"{counted(totals.files, 'file')}: {totals.changed:,} written,"
            f" {totals.files - totals.changed:,} unchanged, {totals.removed:,} removed"
        )
        if words := _shown_words(report.shown):
            print(words)
        if totals.size_bytes > PAGES_LIMIT_BYTES:
            self._say(f"{self._color('warning')}: {_TOO_LARGE.format(size=totals.size_bytes / 1e9)}")
        print(output / "index.html" if index else Path(output.name) / "index.html")
        if index:
            print(index.as_uri())

    def file_written(self, report: "BuildResult", path: Path, *, is_published: bool) -> None:
        """Print the result of a build into a single file, and where that is; of one that is published only its name."""
        if self._quiet or not report.totals.files:
            return
        print(_printable(_result(report.summaries)))
        print(f"{report.totals.size_bytes / 1e6:.1f} MB")
        if is_published:
            print(path.name)
        else:
            print(path)
            print(path.resolve().as_uri())

    def _rewrite(self, line: str) -> None:
        width = shutil.get_terminal_size().columns
        self._say(_CLEAR_LINE + line[: width - 1], end="")
        self._has_line = True

    def _end_progress(self) -> None:
        if self._has_line:
            self._say(_CLEAR_LINE, end="")
            self._has_line = False

    def _color(self, severity: str) -> str:
        return f"\x1b[{_COLORS[severity]}m{severity}\x1b[0m" if self._colored else severity

    def _say(self, text: str, end: str = "\n") -> None:
        with suppress(OSError):  # because stderr may be a file on a full disk, which must not stop the work
            print(text, end=end, file=sys.stderr, flush=True)


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def _result(summaries: Sequence["Summary"]) -> str:
    """Return the number of modules, the largest one with its peak, and how many have errors or warnings."""
    from reportgen.reports.formats import human_bytes

    modules = counted(len(summaries), "module")
    if not summaries:
        return modules
    largest = summaries[0]
    peak = largest.peak_resident_bytes
    size = f"allocates {human_bytes(largest.allocated_bytes)}" if peak is None else f"peaks at {human_bytes(peak)}"
    counts = Counter(severity for entry in summaries for severity, _ in entry.finding_counts)
    severities: tuple[Severity, ...] = ("error", "warning")
    found = [f"{counted(counts[one], 'module')} with {one}s" for one in severities if counts[one]]
    name = f"the largest, {largest.title}," if len(summaries) > 1 else largest.title
    return f"{modules}: {name} {size}; {', '.join(found) or 'no errors or warnings'}"


def _shown_words(shown: "Shown") -> str:
    """Return how much of the program the site shows, and the options that hide it."""
    files, names = counted(shown.source_files, "source path"), counted(shown.op_names, "op name")
    if shown.source_files and shown.op_names:
        return f"The site shows {files} and {names}; --redact hides the paths, --redact-names both."
    if shown.source_files:
        return f"The site shows {files}; --redact hides them."
    return f"The site shows {names}; --redact-names hides them." if shown.op_names else ""


def _printable(text: str) -> str:
    """Replace control characters, because a hostile name may contain some to manipulate the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)
