"""Define errors that a user sees as a message instead of a traceback.

Each message is complete by itself: it says what happened, where, and what to do about it.
"""

from typing import Any

LONGEST_OF_PARSER = 300
"""The most characters of a parser's message, which ends with the line and quotes little."""
_LONGEST = 80


def quoted(value: Any) -> str:
    """Return a refused value as a message quotes it, cut if it is long."""
    return shown(repr(value))


def shown(text: str, most: int = _LONGEST) -> str:
    """Return a text of others as a message quotes it, cut because it may have megabytes."""
    return text if len(text) <= most else f"{text[:most]}…"


class ReportgenError(Exception):
    """A problem with the input or the output; the command line prints it and exits with `exit_code`."""

    exit_code = 1


class NoDumpFound(ReportgenError):
    """None of the given paths contains a buffer-assignment dump."""


class UnreadableInput(ReportgenError):
    """A file cannot be read: it is missing, forbidden, or damaged."""


class OutputRefused(ReportgenError):
    """The output directory has files of other origin, or cannot be written."""


class UnsoundBuild(ReportgenError):
    """The dumps of a build contradict themselves, so its figures may be wrong."""

    exit_code = 4


class OptionError(ReportgenError):
    """Options of a command cannot be combined, or name something that does not exist."""

    exit_code = 2


class ClusterFailed(ReportgenError):
    """The cluster cannot be reached, cannot do the work, or was lost."""


class BrokenInstallation(ReportgenError):
    """A file that belongs to the package is missing (templates, chart bundle)."""


class MissingCommand(ReportgenError):
    """The command line names no program to run."""

    exit_code = 2


class CommandNotFound(ReportgenError):
    """The program to run does not exist."""

    exit_code = 127  # because shells exit with it in this case


class CommandNotStarted(ReportgenError):
    """The program to run exists but cannot be started."""

    exit_code = 126  # because shells exit with it in this case


class MissingPackage(ReportgenError):
    """The command needs a package that is not a dependency."""


class InvalidSetting(ReportgenError):
    """A setting in pyproject.toml is unknown, or its value cannot be understood."""

    exit_code = 2


class InvalidBudget(ReportgenError):
    """A budget cannot be understood: an unknown key, a size without a unit, or text that is not TOML."""

    exit_code = 2
