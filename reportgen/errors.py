"""Errors that a user sees as a message instead of a traceback.

Each message is complete by itself: what happened, where, and what to do about it.
"""


class ReportgenError(Exception):
    """A problem with the input or the output; the command line prints it and exits with `exit_code`."""

    exit_code = 1


class NoDumpFound(ReportgenError):
    """None of the given paths holds a buffer-assignment dump."""


class UnreadableInput(ReportgenError):
    """A file cannot be read: it is missing, forbidden, or damaged."""


class OutputRefused(ReportgenError):
    """The output directory has files of other origin, or cannot be written."""


class OptionError(ReportgenError):
    """Options of a command do not go together, or name what is not there."""

    exit_code = 2


class ClusterFailed(ReportgenError):
    """The cluster cannot be reached, cannot do the work, or was lost."""


class BrokenInstallation(ReportgenError):
    """A file that belongs to the package is missing (templates, chart bundle)."""


class MissingCommand(ReportgenError):
    """The command line names no program to run."""

    exit_code = 2


class CommandNotFound(ReportgenError):
    """The program to run is not there; 127 is what a shell exits with then."""

    exit_code = 127


class CommandNotStarted(ReportgenError):
    """The program to run is there and cannot be started; 126 is what a shell exits with then."""

    exit_code = 126


class MissingPackage(ReportgenError):
    """A package that is no dependency is needed for what was asked."""


class BackendIsUp(ReportgenError):
    """XLA has read its flags already, so that nothing can be captured in this process any more."""


class InvalidBudget(ReportgenError):
    """A budget cannot be understood: an unknown key, a size without a unit, or text that is not TOML."""

    exit_code = 2
