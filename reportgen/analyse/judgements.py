"""Records of what is said of a dump: findings, and the evidence behind "no errors"."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from reportgen.source import Location, Place

Severity = Literal["error", "warning", "note"]

SEVERITY_ORDER: tuple[Severity, ...] = ("error", "warning", "note")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader should know before trusting the numbers; `slug` leads to its help page.

    `place` is where in the dump's text, `location` the same for a person, once the finding is listed.
    `stands_for` is how many like it there are, where one says it for several.
    """

    slug: str
    severity: Severity
    message: str
    place: Place | None = None
    location: Location | None = None
    values: tuple[int, ...] = ()
    allocation: int | None = None
    stands_for: int = 1


class FoundCount(NamedTuple):
    """How many findings of a kind there are, also those that are not listed."""

    slug: str
    severity: Severity
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What a check looked at and what it found: the evidence behind "no errors".

    `looked_at` is how many of `subject` there were. `exempt` is why nothing was looked at, or empty; `legal`
    says what looks like a breach and is none.
    """

    name: str
    question: str
    legal: str
    exempt: str
    subject: str
    looked_at: int
    found: tuple[FoundCount, ...]

    @property
    def worst(self) -> Severity | None:
        """The worst severity among what was found."""
        severities = {kind.severity for kind in self.found}
        return next((severity for severity in SEVERITY_ORDER if severity in severities), None)


class Judgement(NamedTuple):
    """What checks have found, and what each looked at for that."""

    findings: list[Finding]
    evidence: list[CheckResult]
