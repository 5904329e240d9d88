"""Define the records of what is reported about a dump: findings, and the evidence for "no errors"."""

from typing import Literal, NamedTuple

from reportgen.input.dump_text import Location, TextOffset
from reportgen.record import record

Severity = Literal["error", "warning", "note"]
"""How far a finding bears on the figures."""

SEVERITY_ORDER: tuple[Severity, ...] = ("error", "warning", "note")
"""Worst first."""


@record(kw_only=False)
class Finding:
    """Something a reader should know before trusting the numbers; `slug` leads to its section of the help page.

    `text_offset` is its position in the dump's text; `location` is that as file, line and column, once it is listed.
    `stands_for` is the number of findings that this one represents.
    """

    slug: str
    severity: Severity
    message: str
    text_offset: TextOffset | None = None
    location: Location | None = None
    values: tuple[int, ...] = ()
    allocation: int | None = None
    stands_for: int = 1


class FoundCount(NamedTuple):
    """The number of findings of one kind, including those that are not listed."""

    slug: str
    severity: Severity
    times: int


@record
class CheckResult:
    """The subject of a check and what it found: the evidence for "no errors".

    `looked_at` is the number of `subject` that were checked. `skipped_because` is the reason why none were, or
    empty; `exceptions` names what looks like a breach but is not one.
    """

    name: str
    question: str
    exceptions: str
    skipped_because: str
    subject: str
    looked_at: int
    found: tuple[FoundCount, ...]


class CheckResults(NamedTuple):
    """The findings of several checks, and a result for each check."""

    findings: list[Finding]
    evidence: list[CheckResult]
