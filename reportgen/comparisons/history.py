"""Read a history of builds, from a file or from a published site, and add lines to it."""

from reportgen.compare.history import Record, line_of, parse_history
from reportgen.errors import UnreadableInput
from reportgen.input.reading import read_available
from reportgen.input.remote import AnyPath
from reportgen.sides import is_missing


def read_history(store: AnyPath, max_bytes: int) -> bytes | None:
    """Return the lines of a history; None if there is no such file. Raises UnreadableInput if it cannot be read."""
    if is_missing(store):
        return None
    data, damage = read_available(store, max_bytes)
    if damage:
        raise UnreadableInput(f"{store}: {damage}")
    return data


def lines_to_add(data: bytes, record: Record) -> bytes:
    """Return what has to be appended to the lines of a history to add a build."""
    line = line_of(parse_history(data), record)
    is_cut_off = bool(data) and not data.endswith(b"\n")
    # A line that was cut off by a crash must not swallow the new one.
    return b"\n" + line if is_cut_off else line
