"""Find out-of-memory errors in texts."""

from collections.abc import Iterable
from functools import lru_cache

from reportgen.input.error_texts import MOST_TEXTS, TextFile, available_pieces
from reportgen.oom.error_event import OutOfMemory
from reportgen.record import record


@record(kw_only=False)
class LoggedError:
    """An error and the label of the file that it is in."""

    label: str
    event: OutOfMemory


def logged_errors(texts: Iterable[TextFile], max_bytes: int) -> tuple[LoggedError, ...]:
    """Return every out-of-memory error in the first `max_bytes` of each text."""
    found = ((text.label, _errors_of(available_pieces(text.path, max_bytes))) for text in texts)
    return tuple(LoggedError(label, event) for label, events in found for event in events)


# Kept, because the same texts may lie beside each of the thousands of modules of a folder.
@lru_cache(maxsize=MOST_TEXTS + 1)
def errors_in(data: bytes) -> tuple[OutOfMemory, ...]:
    """Return every out-of-memory error in a text."""
    return _errors_of([data])


def _errors_of(pieces: Iterable[bytes]) -> tuple[OutOfMemory, ...]:
    # Imported here, because its patterns take a tenth of a small check to compile, and few inputs have such a text.
    from reportgen.oom.find_errors import find_out_of_memory

    return find_out_of_memory(pieces)
