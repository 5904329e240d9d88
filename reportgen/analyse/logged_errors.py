"""Find out-of-memory errors in texts."""

from collections.abc import Iterable

from reportgen.input.error_texts import ErrorText
from reportgen.parse.oom_records import OutOfMemory
from reportgen.parse.oom_text import find_out_of_memory
from reportgen.record import record


@record(kw_only=False)
class LoggedError:
    """An error and the label of the file that it is in."""

    label: str
    event: OutOfMemory


def logged_errors(texts: Iterable[ErrorText]) -> tuple[LoggedError, ...]:
    """Return every out-of-memory error in the texts."""
    return tuple(LoggedError(text.label, event) for text in texts for event in find_out_of_memory(text.data))
