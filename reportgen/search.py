"""Find the dumps in the paths of a command, and give them names that may be published: one way for all commands."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from reportgen.analyse.logged_errors import LoggedError
from reportgen.errors import NoDumpFound
from reportgen.input.discover import Discovered, discover
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES, DumpFiles
from reportgen.input.remote import AnyPath
from reportgen.input.selection import of_module
from reportgen.options import Redaction
from reportgen.record import record
from reportgen.redact.contents import published_errors
from reportgen.redact.labels import redact_labels


@record
class SearchResult:
    """The dumps in the given paths: `real` as they are on disk, and `shown` under names that may be published.

    `errors` are the out-of-memory errors in texts.
    """

    real: Discovered
    shown: Discovered
    errors: tuple[LoggedError, ...] = ()


def search(
    paths: Sequence[AnyPath],
    redaction: Redaction | None = None,
    max_bytes: int = DEFAULT_MAX_DUMP_BYTES,
    *,
    excluded: Path | None = None,
    module: str | None = None,
    needs_dump: bool = False,
) -> SearchResult:
    """Find the dumps in `paths`, of one module if that is named, and the errors in texts unless it `needs_dump`.

    Skip the directory `excluded`. Raises NoDumpFound if there is neither, UnreadableInput if a path cannot be read.
    """
    real = discover(paths, excluded, max_bytes)
    is_hidden = needs_dump or redaction is not None
    errors = published_errors(real, None, max_bytes) if real.why_none or not is_hidden else ()
    if real.why_none and (is_hidden or not errors):  # the text of an error is enough for a report
        why = "redaction leaves out the texts of errors" if redaction else "this command needs a dump"
        labels = dict.fromkeys(error.label for error in errors)
        hidden = (f"{label}: the out-of-memory error in it is not shown, because {why}" for label in labels)
        raise NoDumpFound("\n".join(hidden) or real.why_none)
    if module:
        real, errors = replace(real, dumps=of_module(real.dumps, module)), ()
    return named(real, redaction, errors)


def named(
    real: Discovered,
    redaction: Redaction | None,
    errors: tuple[LoggedError, ...],
    removed: Iterable[DumpFiles] = (),
) -> SearchResult:
    """Return the result of a search with names that may be published; dumps that were `removed` keep theirs."""
    everything = replace(real, dumps=(*real.dumps, *removed))
    return SearchResult(real=real, shown=redact_labels(everything, redaction), errors=errors)
