"""Apply redaction to what was read of one dump, before anything looks at it."""

from dataclasses import replace

from reportgen.input.dump_contents import Contents
from reportgen.input.names import REFUSAL_KINDS
from reportgen.options import Redaction
from reportgen.redact.text import redact_message, redact_text


def redact_contents(contents: Contents, redaction: Redaction | None) -> Contents:
    """Return `contents` without what a public site must not show; unchanged if `redaction` is None.

    Notes and most sibling files are dropped because they are not redacted and would leak what the dump no longer says.
    Those of a program that did not fit are kept: pages show their sizes and nothing else of them.
    """
    if redaction is None:
        return contents
    problems = (replace(problem, message=redact_message(problem.message)) for problem in contents.problems)
    siblings = tuple(sibling for sibling in contents.siblings if sibling.kind in REFUSAL_KINDS)
    return replace(
        contents, text=redact_text(contents.text, redaction), siblings=siblings, note="", problems=tuple(problems)
    )
