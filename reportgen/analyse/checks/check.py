"""A check: what it asks, what it looks at, and the findings that it yields.

How many objects it looks at comes from lengths that are known anyway: evidence costs no time.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.analyse.findings import SEVERITIES
from reportgen.analyse.records import Analysis, CheckResult, Finding, FoundCount

SECTIONS = ("allocations", "total", "used values", "live ranges")

SUBJECTS: Mapping[str, Callable[[Analysis], int]] = {
    "files": lambda analysis: len(analysis.dump.text.parts),
    "sections": lambda analysis: len(SECTIONS),
    "allocations": lambda analysis: len(analysis.dump.allocations),
    "values": lambda analysis: len(analysis.facts),
    "entries of Used values": lambda analysis: len(analysis.dump.used_values or ()),
    "instructions": lambda analysis: len(analysis.dump.schedule),
    "live ranges": lambda analysis: len(analysis.dump.live_ranges or ()),
    "successions": lambda analysis: sum(map(len, analysis.tenancy.before)),
    "rows of XLA’s peak": lambda analysis: len(analysis.dump.printed_peak.rows) if analysis.dump.printed_peak else 0,
    "stack frames": lambda analysis: len(analysis.dump.stack_trace.frames) if analysis.dump.stack_trace else 0,
    "memory spaces": lambda analysis: len(analysis.spaces),
}
"""What checks look at, in words, and how many of it there are."""


def never(analysis: Analysis) -> str:
    return ""


def without_live_ranges(analysis: Analysis) -> str:
    return "the dump has no live ranges" if analysis.dump.live_ranges is None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """`run` looks at a finished analysis and yields findings; it never raises and never changes a number.

    `subject` is one of `SUBJECTS`. `legal` says what looks like a breach and is none; `exempts` gives the
    reason why there is nothing to check in a dump.
    """

    name: str
    question: str
    subject: str
    run: Callable[[Analysis], Iterator[Finding]]
    legal: str = ""
    exempts: Callable[[Analysis], str] = never

    def __call__(self, analysis: Analysis) -> tuple[list[Finding], CheckResult]:
        exempt = self.exempts(analysis)
        found = [] if exempt else list(self.run(analysis))
        looked_at = 0 if exempt else SUBJECTS[self.subject](analysis)
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
