"""What is said in the terminal: progress and problems on stderr, results on stdout.

A terminal gets one line that is rewritten; anything else gets plain lines. `NO_COLOR` turns color off.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.build import Report, Shown
    from reportgen.reading import Problem
    from reportgen.render.summary import Summary

_COLORS = {"error": "31", "warning": "33", "note": "36"}
PAGES_LIMIT_BYTES = 1_000_000_000
_TOO_LARGE = (
    "the site has {size:.2f} GB, and GitHub Pages takes no more than 1 GB."
    " With --value-pages N only the N largest values of each module and those live at a peak get pages."
)
_CLEAR_LINE = "\r\x1b[K"


class Terminal:
    """`quiet` leaves only errors."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._rewrites = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._colored = self._rewrites and not os.environ.get("NO_COLOR")
        self._has_line = False

    def progress(self, done: int, total: int, label: str) -> None:
        if self._quiet:
            return
        line = _printable(f"{done}/{total} {label}")
        if self._rewrites:
            import shutil  # brings every kind of compression with it

            width = shutil.get_terminal_size().columns
            self._say(_CLEAR_LINE + line[: width - 1], end="")
            self._has_line = True
        elif self._verbose or total <= 20 or done == total or done % max(1, total // 10) == 0:
            self._say(line)

    def problems(self, problems: Iterable["Problem"]) -> None:
        self._end_progress()
        for problem in problems:
            if not self._quiet or problem.severity == "error":
                self._say(f"{self._color(problem.severity)}: {_printable(f'{problem.file}: {problem.message}')}")

    def error(self, message: str) -> None:
        self._end_progress()
        lines = "\n".join(map(_printable, message.split("\n")))
        self._say(f"reportgen: {self._color('error')}: {lines}")

    def line(self, text: str) -> None:
        """A line of what goes on, at once: it may be read by a program, or for hours by nobody."""
        self._end_progress()
        print(_printable(text), flush=True)

    def modules(self, summaries: Sequence["Summary"]) -> None:
        """One line a module, then its findings by kind."""
        from reportgen.render.formats import exact_bytes, human_bytes

        for entry in summaries:
            peak = entry.peak_resident_bytes
            size = "no live ranges" if peak is None else f"peak resident {human_bytes(peak)} ({exact_bytes(peak)})"
            findings = ", ".join(_counted(number, severity) for severity, number in entry.finding_counts)
            print(
                _printable(
                    f"{entry.label}: {entry.backend}, space {entry.space_name}: {size}; {findings or 'no findings'}"
                )
            )
            for finding in entry.findings:
                if finding.severity != "note":
                    place = f"{finding.location}: " if finding.location else ""
                    print(_printable(f"  {place}{finding.severity}: {finding.message} [{finding.slug}]"))

    def finished(self, report: "Report", output: Path, index: Path) -> None:
        """The last lines of a build: how much there is, and where."""
        if self._quiet:
            return
        modules, totals = len(report.summaries), report.totals
        print(
            f"{_counted(modules, 'module')}, {_counted(totals.files, 'file')}:"
            f" {totals.changed:,} written, {totals.files - totals.changed:,} unchanged, {totals.removed:,} removed"
        )
        if words := _shown_words(report.shown):
            print(words)
        if totals.size_bytes > PAGES_LIMIT_BYTES:
            self._say(f"{self._color('warning')}: {_TOO_LARGE.format(size=totals.size_bytes / 1e9)}")
        print(output / "index.html")
        print(index.as_uri())

    def _end_progress(self) -> None:
        if self._has_line:
            self._say(_CLEAR_LINE, end="")
            self._has_line = False

    def _color(self, severity: str) -> str:
        return f"\x1b[{_COLORS[severity]}m{severity}\x1b[0m" if self._colored else severity

    def _say(self, text: str, end: str = "\n") -> None:
        with suppress(OSError):  # a full disk behind stderr: the work does not depend on it
            print(text, end=end, file=sys.stderr, flush=True)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _shown_words(shown: "Shown") -> str:
    """What a reader of the site learns of the program, and how to keep it from them."""
    files, names = _counted(shown.source_files, "source path"), _counted(shown.op_names, "op name")
    if shown.source_files and shown.op_names:
        return f"The site shows {files} and {names} of your program; --redact hides the paths, --redact-names both."
    if shown.source_files:
        return f"The site shows {files} of your program; --redact hides them."
    return f"The site shows {names} of your program; --redact-names hides them." if shown.op_names else ""


def _printable(text: str) -> str:
    """Without control characters, which a name may hold to play tricks on a terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)
