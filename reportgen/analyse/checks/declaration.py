"""The type that all checks have in common, and the decorator `check` that makes one of a function.

The number of objects comes from lengths that are known anyway, so that evidence costs no time.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from reportgen.analyse.findings import SEVERITIES
from reportgen.analyse.records import Figures
from reportgen.analyse.results import CheckResult, Finding, FoundCount
from reportgen.record import record

SECTIONS = ("allocations", "total", "used values", "live ranges")

SUBJECTS: Mapping[str, Callable[[Figures], int]] = {
    "files": lambda figures: len(figures.dump.text.parts),
    "sections": lambda figures: len(SECTIONS),
    "allocations": lambda figures: len(figures.dump.allocations),
    "values": lambda figures: len(figures.facts),
    "entries of Used values": lambda figures: len(figures.dump.used_values or ()),
    "instructions": lambda figures: len(figures.dump.schedule),
    "live ranges": lambda figures: len(figures.dump.live_ranges or ()),
    "successions": lambda figures: len(figures.reuse.later),
    "rows of XLA’s peak": lambda figures: len(figures.dump.printed_peak.rows) if figures.dump.printed_peak else 0,
    "stack frames": lambda figures: len(figures.dump.stack_trace.frames) if figures.dump.stack_trace else 0,
    "memory spaces": lambda figures: len(figures.spaces),
}
"""The subjects of checks in words, each with the function that counts them."""


def never(_: Figures) -> str:
    return ""


def without_text(figures: Figures) -> str:
    return "" if figures.definitions else "the dump has no instruction text"


def without_live_ranges(figures: Figures) -> str:
    return "the dump has no live ranges" if figures.dump.live_ranges is None else ""


def without_exact_ranges(figures: Figures) -> str:
    if figures.dump.text.origin == "trace":
        return "the live ranges are rebuilt from a trace of the heap simulator"
    return without_live_ranges(figures)


@record(slots=False)
class Check:
    """Look at the figures with `run` and yield findings; never raise and never change a number.

    `subject` is one of `SUBJECTS`. `exceptions` says what looks like a breach and is none; `skips` returns the reason
    why there is nothing to check in a dump, or an empty string.
    """

    name: str
    question: str
    subject: str
    run: Callable[[Figures], Iterator[Finding]]
    exceptions: str = ""
    skips: Callable[[Figures], str] = never

    def __call__(self, figures: Figures) -> tuple[list[Finding], CheckResult]:
        """Return the findings and the result of the check, without findings on instructions that are not understood."""
        reason = self.skips(figures)
        findings = [] if reason else [finding for finding in self.run(figures) if _is_understood(figures, finding)]
        looked_at = 0 if reason else SUBJECTS[self.subject](figures)
        return findings, CheckResult(
            name=self.name,
            question=self.question,
            exceptions=self.exceptions,
            skipped_because=reason,
            subject=self.subject,
            looked_at=looked_at,
            found=counted(findings),
        )


def _is_understood(figures: Figures, finding: Finding) -> bool:
    """Return whether every instruction around the values of a finding is understood; notes need none."""
    unread = figures.program.dialect.unread if finding.severity != "note" else frozenset[str]()
    if not unread:
        return True
    dump, inside = figures.dump, () if finding.allocation is None else figures.occupants[finding.allocation]
    for number in (*finding.values, *inside):
        used = dump.used(number)
        names = {dump.values.names[number], dump.name_at.get(dump.ends[number], "")}
        if used:
            names |= {position.name for position in used.positions} | {use.name for use in used.uses}
        if not names.isdisjoint(unread):
            return False
    return True


def check(
    *, name: str, question: str, subject: str, exceptions: str = "", skips: Callable[[Figures], str] = never
) -> Callable[[Callable[[Figures], Iterator[Finding]]], Check]:
    """Return a decorator that makes a `Check` of the function that runs it."""
    return lambda run: Check(name=name, question=question, subject=subject, run=run, exceptions=exceptions, skips=skips)


def counted(findings: Sequence[Finding]) -> tuple[FoundCount, ...]:
    """Return how many findings there are of each kind, in the order of the slugs."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.slug] += finding.stands_for
    return tuple(FoundCount(slug, SEVERITIES[slug], counts[slug]) for slug in sorted(counts))
