"""A check: what it asks, what it looks at, and the findings that it yields.

How many objects it looks at comes from lengths that are known anyway: evidence costs no time.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from reportgen.analyse.findings import SEVERITIES
from reportgen.analyse.judgements import CheckResult, Finding, FoundCount
from reportgen.analyse.records import Measured

SECTIONS = ("allocations", "total", "used values", "live ranges")

Known = TypeVar("Known", bound=Measured)
"""How far the analysis is: what a check needs to be known."""

SUBJECTS: Mapping[str, Callable[[Any], int]] = {
    "files": lambda known: len(known.dump.text.parts),
    "sections": lambda known: len(SECTIONS),
    "allocations": lambda known: len(known.dump.allocations),
    "values": lambda known: len(known.facts),
    "entries of Used values": lambda known: len(known.dump.used_values or ()),
    "instructions": lambda known: len(known.dump.schedule),
    "live ranges": lambda known: len(known.dump.live_ranges or ()),
    "successions": lambda placement: sum(map(len, placement.tenancy.before)),
    "rows of XLA’s peak": lambda known: len(known.dump.printed_peak.rows) if known.dump.printed_peak else 0,
    "stack frames": lambda known: len(known.dump.stack_trace.frames) if known.dump.stack_trace else 0,
    "memory spaces": lambda figures: len(figures.spaces),
}
"""What checks look at, in words, and how many of it there are."""


def never(_: Measured) -> str:
    return ""


def without_live_ranges(known: Measured) -> str:
    return "the dump has no live ranges" if known.dump.live_ranges is None else ""


@dataclass(frozen=True, kw_only=True)
class Check(Generic[Known]):
    """`run` looks at what is known and yields findings; it never raises and never changes a number.

    `subject` is one of `SUBJECTS`. `legal` says what looks like a breach and is none; `exempts` gives the
    reason why there is nothing to check in a dump.
    """

    name: str
    question: str
    subject: str
    run: Callable[[Known], Iterator[Finding]]
    legal: str = ""
    exempts: Callable[[Known], str] = never

    def __call__(self, known: Known) -> tuple[list[Finding], CheckResult]:
        exempt = self.exempts(known)
        found = [] if exempt else list(self.run(known))
        looked_at = 0 if exempt else SUBJECTS[self.subject](known)
        return found, result_of(self.name, self.question, self.subject, looked_at, found, self.legal, exempt)


def result_of(
    name: str, question: str, subject: str, looked_at: int, found: Sequence[Finding], legal: str = "", exempt: str = ""
) -> CheckResult:
    """The evidence of a check that has found these."""
    counts: Counter[str] = Counter()
    for finding in found:
        counts[finding.slug] += finding.stands_for
    return CheckResult(
        name=name,
        question=question,
        legal=legal,
        exempt=exempt,
        subject=subject,
        looked_at=looked_at,
        found=tuple(FoundCount(slug, SEVERITIES[slug], counts[slug]) for slug in sorted(counts)),
    )
