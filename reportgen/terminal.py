"""Print progress and problems to stderr, and results to stdout.

A terminal gets one line of progress that is rewritten; anything else gets plain lines. `NO_COLOR` turns color off.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from time import monotonic

from reportgen.input.reading import Problem
from reportgen.redact.vocabulary import redact_message
from reportgen.reports.styled_text import Style, TextLine

_COLORS = {"error": "31", "warning": "33", "note": "36"}
_STYLES: Mapping[Style, str] = {
    "bad": "1;31",
    "good": "1;32",
    "open": "1;33",
    "title": "1",
    "bar": "36",
    "quiet": "2",
}
_UNKNOWN_WIDTH = 100
_WIDEST = 1000
_COMMAND = re.compile(r"^( *):(?=:)|(?<=#)#(?=\w*\[)")
"""A sign of each command to GitHub's runner, `::error::` or `##[error]`, and to that of Azure, `##vso[…]`."""
_CLEAR_LINE = "\r\x1b[K"


class Terminal:
    """Print to the terminal; only errors if `quiet`.

    What a redacted command prints may be published with what it writes, as the log of a job is. If `is_published`,
    errors and warnings show no path, and none of the texts that they quote.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._rewrites = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._colored = self._rewrites and not os.environ.get("NO_COLOR")
        self._has_line = False
        self.is_published = False
        self._start = monotonic()

    def progress(self, done: int, total: int, label: str) -> None:
        """Show how many of all dumps are finished, and the label of the last one."""
        line = printable(f"{done}/{total} {label}")
        if self._quiet:
            return
        if self._rewrites:
            self._rewrite(line)
        elif total <= 20 or done == total or done % max(1, total // 10) == 0:
            self._say(line)  # about ten lines, because thousands would bury the problems in the log of a CI job

    def stage(self, words: str) -> None:
        """Show the current step of a dump and the seconds since the start, because a large one takes a while."""
        if self._rewrites and not self._quiet:
            self._rewrite(printable(f"{words} ({self._seconds():.0f} s)"))

    def took(self) -> None:
        """Print how long the command took, but only on a terminal."""
        if self._rewrites and not self._quiet:
            self._end_progress()
            self._say(f"{self._seconds():.1f} s")

    def _seconds(self) -> float:
        return monotonic() - self._start

    def problems(self, problems: Iterable[Problem]) -> None:
        """Print one line for each problem with the input."""
        self._end_progress()
        for problem in problems:
            if not self._quiet or problem.severity == "error":
                self._say(f"{self._color(problem.severity)}: {self._public(f'{problem.file}: {problem.message}')}")

    def error(self, message: str) -> None:
        """Print why the command fails."""
        self._end_progress()
        lines = "\n".join(map(self._public, message.split("\n")))
        self._say(f"reportgen: {self._color('error')}: {lines}")

    def warning(self, message: str) -> None:
        """Print what the user should know although the command succeeds."""
        self._end_progress()
        if not self._quiet:
            self._say(f"{self._color('warning')}: {self._public(message)}")

    def line(self, text: str) -> None:
        """Print a line to stdout and flush it, because a program may wait for it."""
        self._end_progress()
        print(printable(text), flush=True)

    @property
    def width(self) -> int:
        """Return the width of stdout in characters: COLUMNS or that of the terminal, at most 1,000; 100 if unknown."""
        stated = os.environ.get("COLUMNS", "")
        with suppress(OSError, ValueError):
            is_stated = stated.isascii() and stated.isdecimal()
            columns = int(stated) if is_stated else os.get_terminal_size(sys.stdout.fileno()).columns
            return min(columns, _WIDEST) or _UNKNOWN_WIDTH  # because some terminals say 0
        return _UNKNOWN_WIDTH

    @property
    def draws(self) -> bool:
        """Return whether the encoding of stdout has block elements."""
        try:
            "█▏".encode(sys.stdout.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def styled(self, line: TextLine) -> None:
        """Print a line to stdout, in color and weight if that is a terminal."""
        self._end_progress()
        colored = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
        if not colored:
            say("".join(span.text for span in line).rstrip())
            return
        spans = ((printable(span.text), _STYLES.get(span.style)) for span in line)
        print("".join(f"\x1b[{style}m{text}\x1b[0m" if style else text for text, style in spans).rstrip())

    def aside(self, text: str) -> None:
        """Print a line to stderr, for a command whose stdout is a document."""
        self._end_progress()
        self._say(printable(text))

    def _public(self, text: str) -> str:
        return printable(redact_message(text) if self.is_published else text)

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


def say(line: str) -> None:
    """Print a line to stdout."""
    print(printable(line))


def printable_lines(text: str) -> str:
    """Return lines, each as `printable` does."""
    return "\n".join(map(printable, text.split("\n")))


def printable(text: str) -> str:
    """Return a line without what a hostile name may contain to control a terminal, or the runner of a CI job."""
    line = "".join(character if character.isprintable() else "�" for character in text)
    return _COMMAND.sub(r"\1�", line)
