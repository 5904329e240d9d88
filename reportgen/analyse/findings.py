"""Define the kinds of finding, each a slug with a severity; the help page has a section for every slug.

*error*: the dump contradicts itself, so a number may be wrong. *warning*: something unusual that a
reader should look at. *note*: worth knowing, and normal.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from reportgen.analyse.results import SEVERITY_ORDER, Finding, Severity
from reportgen.input.dump_text import DumpText, TextOffset

LISTED_PER_SLUG: dict[Severity, int] = {"error": 100, "warning": 100, "note": 5}

SEVERITIES: dict[str, Severity] = {
    "allocation-kind": "warning",
    "allocation-order": "error",
    "allocations-missing": "error",
    "below-layout": "warning",
    "bytes-shared": "error",
    "carried-apart": "warning",
    "color-mismatch": "warning",
    "contents-differ": "error",
    "duplicate-value": "error",
    "ends-early": "warning",
    "ends-late": "warning",
    "exclusive-branches": "note",
    "law-broken": "error",
    "live-ranges-lost": "warning",
    "misaligned-offset": "warning",
    "no-allocations": "warning",
    "no-instructions": "note",
    "no-live-ranges": "note",
    "no-total": "warning",
    "no-used-values": "note",
    "old-alias": "note",
    "output-allocation": "warning",
    "outside-allocation": "error",
    "oversized-value": "warning",
    "peak-replay": "warning",
    "peak-rows": "warning",
    "peak-unexplained": "warning",
    "position-mismatch": "warning",
    "position-missing": "warning",
    "range-missing": "error",
    "range-outside-schedule": "error",
    "range-start": "warning",
    "range-without-value": "error",
    "reserved-allocation": "note",
    "schedule-damaged": "error",
    "shape-differs": "warning",
    "shared-scratch": "note",
    "sibling-age": "note",
    "sibling-differs": "warning",
    "sibling-unread": "note",
    "stack-trace-sum": "warning",
    "thread-local": "error",
    "total-mismatch": "error",
    "touching-slices": "warning",
    "unfilled-allocation": "warning",
    "unfinished-file": "warning",
    "unknown-attribute": "note",
    "unknown-form": "warning",
    "unknown-shape": "note",
    "unparsed-line": "warning",
    "use-after-end": "warning",
    "used-values-differ": "error",
}
OF_MISSING = frozenset({"allocation-order", "allocations-missing", "total-mismatch"})
"""Errors by which missing allocations are found."""
OF_SIZES = OF_MISSING | {"law-broken", "outside-allocation", "thread-local"}
"""Errors about sizes: what a program needs may be wrong."""


def finding(
    slug: str,
    message: str,
    text_offset: TextOffset | None = None,
    *,
    values: tuple[int, ...] = (),
    allocation: int | None = None,
    stands_for: int = 1,
) -> Finding:
    """Return a finding of a known kind, located at `text_offset` in the dump's text."""
    return Finding(
        slug, SEVERITIES[slug], message, text_offset, values=values, allocation=allocation, stands_for=stands_for
    )


def rank(slug: str) -> tuple[int, bool, str]:
    """Return the sort key of lists: worst first, so that errors about sizes come before others, then by kind."""
    return SEVERITY_ORDER.index(SEVERITIES[slug]), slug not in OF_SIZES, slug


def listed(findings: Iterable[Finding], text: DumpText) -> tuple[Finding, ...]:
    """Return findings with their locations, worst first; a final entry of each kind gives the number left out."""
    by_slug: defaultdict[str, list[Finding]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for entry in findings:
        counts[entry.slug] += 1
        # Keep no more than are listed, because a damaged dump has millions.
        if counts[entry.slug] <= LISTED_PER_SLUG[entry.severity]:
            by_slug[entry.slug].append(entry)
    chosen: list[Finding] = []
    for slug in sorted(by_slug, key=rank):
        chosen.extend(by_slug[slug])
        more = counts[slug] - LISTED_PER_SLUG[SEVERITIES[slug]]
        if more > 0:
            chosen.append(finding(slug, f"… and {more} more of this kind", stands_for=more))
    return tuple(
        entry if entry.text_offset is None else replace(entry, location=text.locate(entry.text_offset))
        for entry in chosen
    )
