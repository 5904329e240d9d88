"""The kinds of finding: each slug with its severity. The help page has a section for every one.

*error*: the dump contradicts itself, so a number may be wrong. *warning*: something unusual that a
reader should look at. *note*: worth knowing, and normal.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from reportgen.analyse.judgements import SEVERITY_ORDER, Finding, Severity
from reportgen.source import DumpText, Place

LISTED_PER_SLUG: dict[Severity, int] = {"error": 100, "warning": 100, "note": 5}

SEVERITIES: dict[str, Severity] = {
    "alias-gap": "note",
    "allocation-kind": "warning",
    "allocation-order": "error",
    "async-start": "note",
    "below-layout": "warning",
    "bytes-shared": "error",
    "caller-handover": "note",
    "color-mismatch": "warning",
    "duplicate-value": "error",
    "ends-early": "warning",
    "law-broken": "error",
    "no-allocations": "warning",
    "no-instructions": "note",
    "no-live-ranges": "note",
    "no-total": "warning",
    "no-used-values": "note",
    "old-alias": "note",
    "output-allocation": "warning",
    "outside-allocation": "error",
    "peak-replay": "warning",
    "peak-rows": "warning",
    "peak-unexplained": "warning",
    "position-mismatch": "warning",
    "range-outside-schedule": "error",
    "range-start": "warning",
    "range-without-value": "error",
    "schedule-damaged": "error",
    "sliced-handover": "note",
    "sibling-differs": "warning",
    "sibling-unread": "note",
    "stack-trace-sum": "warning",
    "thread-local": "warning",
    "total-mismatch": "error",
    "touching-slices": "warning",
    "unfilled-allocation": "note",
    "unfinished-file": "warning",
    "unknown-attribute": "note",
    "unknown-shape": "note",
    "unparsed-line": "warning",
    "use-after-end": "warning",
    "used-values-differ": "error",
    "value-without-range": "note",
}


def finding(
    slug: str,
    message: str,
    place: Place | None = None,
    *,
    values: tuple[int, ...] = (),
    allocation: int | None = None,
    stands_for: int = 1,
) -> Finding:
    """A finding of a known kind, with its place in the dump's text."""
    return Finding(slug, SEVERITIES[slug], message, place, values=values, allocation=allocation, stands_for=stands_for)


def by_severity(found: Finding) -> tuple[int, str]:
    """The order of lists: worst first, then by kind."""
    return SEVERITY_ORDER.index(found.severity), found.slug


def listed(findings: Iterable[Finding], text: DumpText) -> tuple[Finding, ...]:
    """Worst first, each with its location; of each kind the first few, the last saying how many more there are."""
    by_slug: defaultdict[str, list[Finding]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for found in findings:  # a damaged dump has millions, so no more are kept than are listed
        counts[found.slug] += 1
        if counts[found.slug] <= LISTED_PER_SLUG[found.severity]:
            by_slug[found.slug].append(found)
    chosen: list[Finding] = []
    for slug in sorted(by_slug, key=lambda slug: (SEVERITY_ORDER.index(SEVERITIES[slug]), slug)):
        chosen.extend(by_slug[slug])
        more = counts[slug] - LISTED_PER_SLUG[SEVERITIES[slug]]
        if more > 0:
            chosen.append(finding(slug, f"… and {more} more of this kind", stands_for=more))
    return tuple(_located(found, text) for found in chosen)


def _located(found: Finding, text: DumpText) -> Finding:
    return found if found.place is None else replace(found, location=text.locate(found.place))
