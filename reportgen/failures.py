"""Turn an error in one dump into a problem, because it must not lose the report of the others."""

from reportgen.errors import ReportgenError
from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction
from reportgen.redact.vocabulary import redact_message
from reportgen.work import Outcome

_NO_MEMORY = "there is not enough memory for this dump. Try again with --jobs 1, or on a larger machine."


def failed(files: DumpFiles, error: Exception, redaction: Redaction | None) -> Outcome:
    """Return the outcome for a dump whose reading or analysis has raised an error."""
    return Outcome(label=files.label, summary=None, problems=(problem_of(files, error, redaction),))


def problem_of(files: DumpFiles, error: Exception, redaction: Redaction | None) -> Problem:
    """Return the problem with a dump whose reading or analysis has raised an error."""
    if isinstance(error, ReportgenError):
        message = str(error).removeprefix(f"{files.label}: ")
    elif isinstance(error, MemoryError):
        message = _NO_MEMORY
    else:  # not raised, because a defect of ours in one dump must not lose the report of the others
        message = f"reportgen failed on this dump, please report it: {type(error).__name__}: {error}"
    return Problem("error", files.label, redact_message(message) if redaction else message)
