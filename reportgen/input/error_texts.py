"""Read the files on the command line that are not dumps, because they may contain out-of-memory errors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.input.names import is_something_else, split_part
from reportgen.input.reading import printable, read_available
from reportgen.input.remote import AnyPath


@dataclass(frozen=True, slots=True)
class ErrorText:
    """The text of a file, and the name of the file in a report."""

    label: str
    data: bytes


def error_texts(paths: Sequence[AnyPath], max_bytes: int) -> Iterator[ErrorText]:
    """Yield the texts among `paths`. Directories are not searched, because logs in them may be of any program."""
    for path in paths:
        if split_part(path.name) is None and not is_something_else(path.name) and path.is_file():
            yield ErrorText(printable(path.name), read_available(path, max_bytes)[0])
