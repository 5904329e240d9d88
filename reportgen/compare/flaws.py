"""What the checks say against the figures of a module: the reason why a gate must not judge them.

A gate that passes a damaged dump is worse than none, so a module takes its flaws along with its figures, also through
the `report.json` of an earlier build.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from reportgen.analyse.results import Finding, Severity
from reportgen.compare.document_fields import DocumentField
from reportgen.document import Misstated
from reportgen.errors import quoted
from reportgen.record import record

_SLUG = re.compile(r"[a-z0-9-]{1,80}")

Gravity = Literal["error", "warning"]


@record
class Flaw:
    """The first finding of one gravity; `file` is empty and `line` None if that is not known or not public."""

    gravity: Gravity
    slug: str
    message: str
    file: str = ""
    line: int | None = None

    @property
    def words(self) -> str:
        """Return the place and what is wrong there, `FILE:LINE: message`."""
        line = "" if self.line is None else f":{self.line}" if self.file else f"line {self.line}"
        place = f"{self.file}{line}"
        return f"{place}: {self.message} [{self.slug}]" if place else f"{self.message} [{self.slug}]"


def flaws_of(findings: Iterable[Finding]) -> tuple[Flaw, ...]:
    """Return the first error and the first warning of an analysis, as far as there are any."""
    return _firsts(
        Flaw(
            gravity=found.severity,
            slug=found.slug,
            message=found.message,
            file=found.location.file if found.location else "",
            line=found.location.line if found.location else None,
        )
        for found in findings
        if found.severity != "note"
    )


def flaws_of_report(findings: Sequence[DocumentField], checks: Iterable[DocumentField]) -> tuple[Flaw, ...]:
    """Return the same of the findings of a module in `report.json`.

    Raises Misstated for anything else, and if a check found what none of the findings is.
    """
    flaws = [flaw for found in findings if (flaw := _flaw(found))]
    told = {found["slug"].value for found in findings}
    for one in checks:
        for slug, times in one["found"].items():
            if times.count() and slug not in told:
                raise Misstated(f"{times.place}: there is no such finding")
    return _firsts(flaws)


def _flaw(found: DocumentField) -> Flaw | None:
    """Return a finding that speaks against a module, None for a note."""
    severity = found["severity"]
    if severity.value not in get_args(Severity):
        raise severity.wrong("a severity")
    slug, message = found["slug"].checked(checked_slug), found["message"].text()
    file, line = found.optional("file", "").text(), found["line"]
    number = None if line.value is None else line.count()
    if severity.value == "note":
        return None
    return Flaw(gravity=severity.value, slug=slug, message=message, file=file, line=number)


def checked_slug(stated: Any) -> str:
    """Return the kind of a finding, which a newer version may know. Raises TypeError or ValueError for other text."""
    if not _SLUG.fullmatch(stated):
        raise ValueError(f"{quoted(stated)} is not a kind of finding")
    return str(stated)


def _firsts(flaws: Iterable[Flaw]) -> tuple[Flaw, ...]:
    first: dict[Gravity, Flaw] = {}
    for flaw in flaws:
        first.setdefault(flaw.gravity, flaw)
    return tuple(first[gravity] for gravity in ("error", "warning") if gravity in first)
