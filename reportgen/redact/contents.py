"""Read the input, and redact it before anything else sees it."""

from dataclasses import replace

from reportgen.analyse.logged_errors import LoggedError, logged_errors
from reportgen.input.discover import Discovered
from reportgen.input.dump_contents import Contents, read_contents
from reportgen.input.names import REFUSAL_KINDS
from reportgen.input.reading import DumpFiles
from reportgen.options import Redaction
from reportgen.redact.vocabulary import redact_message
from reportgen.work import garbage_collection_paused


def published_contents(files: DumpFiles, redaction: Redaction | None) -> Contents:
    """Read a dump and its sibling files, without what must be hidden. Raises UnreadableInput."""
    with garbage_collection_paused():
        return redact_contents(read_contents(files, keeps_repeats=redaction is not None), redaction)


def redact_contents(contents: Contents, redaction: Redaction | None) -> Contents:
    """Return `contents` without what a public site must not show; unchanged if `redaction` is None.

    Notes and most sibling files are dropped because they are not redacted and would leak what the dump no longer says.
    Those of a program that did not fit are kept: pages show their sizes and nothing else of them.
    """
    if redaction is None:
        return contents
    # Imported here, because its patterns take a twentieth of a small check to compile.
    from reportgen.redact.text import redact_text

    problems = (replace(problem, message=redact_message(problem.message)) for problem in contents.problems)
    siblings = tuple(sibling for sibling in contents.siblings if sibling.kind in REFUSAL_KINDS)
    return replace(
        contents, text=redact_text(contents.text, redaction), siblings=siblings, note="", problems=tuple(problems)
    )


def published_errors(discovered: Discovered, redaction: Redaction | None, max_bytes: int) -> tuple[LoggedError, ...]:
    """Return the out-of-memory errors in the texts among the input; none with redaction, which leaves them out."""
    return () if redaction else logged_errors(discovered.texts, max_bytes)
