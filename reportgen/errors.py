"""What is told to a user instead of a traceback.

Everything here carries a message that stands alone: what happened, where, and what to do.
"""


class ReportgenError(Exception):
    """A problem with the input or the output; the command line prints it and exits with `exit_code`."""

    exit_code = 1


class NoDumpFound(ReportgenError):
    """No path given holds a buffer-assignment dump."""


class UnreadableInput(ReportgenError):
    """A file that should be read cannot be: missing, forbidden, or damaged compression."""


class OutputRefused(ReportgenError):
    """The output directory is not ours to write into, or cannot be written."""


class ClusterFailed(ReportgenError):
    """The cluster that should do the work cannot be reached, is not fit for it, or was lost."""


class BrokenInstallation(ReportgenError):
    """A file that belongs to the package is missing (templates, chart bundle)."""
