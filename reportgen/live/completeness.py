"""Decide whether a dump is complete or a compiler is still writing it.

XLA writes no end marker: files grow, the three files of a dump are written one after another, and new files replace
old ones at different times. But a dump is redundant, so an incomplete one contradicts itself, lacks a section that the
previous one had, or has only some new files. It is shown all the same once its files have rested for some seconds,
because then it is what the compiler wrote; a truncated one never replaces a good one.
"""

from collections.abc import Iterator

from reportgen.analyse.records import Analysis
from reportgen.input.dump_contents import Contents
from reportgen.input.names import PART_SUFFIXES, split_part
from reportgen.input.reading import DumpFiles
from reportgen.live.listing import Stamps
from reportgen.record import record

_PART_WORDS = ("allocations", "values", "live ranges")
_DIFFERING = frozenset({"sibling-differs", "sibling-unread"})
_LATER = frozenset({"XLA's total", "used values", "live ranges"})
"""The sections in the second and third file of a compiler that writes three, as XLA does since 2026-04-03."""


@record(kw_only=False)
class Completeness:
    """Why a dump seems incomplete, empty if it does not, and what the next reading of it is compared with.

    `contradictions` are the slugs of its errors, and of files next to it that do not fit it; `parts` are the stamps of
    its parts.
    """

    reason: str
    is_truncated: bool
    sections: frozenset[str]
    contradictions: frozenset[str]
    parts: Stamps


def completeness(contents: Contents, analysis: Analysis, parts: Stamps, last: Completeness | None) -> Completeness:
    """Return the verdict on a dump that was read; `last` is that on the build that is shown, if there is one."""
    dump = analysis.dump
    present = {
        "XLA's total": dump.total_bytes is not None,
        "used values": dump.used_values is not None,
        "live ranges": dump.live_ranges is not None,
        "XLA's own peak": dump.printed_peak is not None,
    }
    sections = frozenset(name for name, is_present in present.items() if is_present)
    slugs = {finding.slug for finding in analysis.findings if finding.severity == "error"}
    slugs |= {finding.slug for finding in analysis.findings} & _DIFFERING
    missing = (last.sections if last else _expected(contents.files, sections)) - sections
    # Parts that are shown already are judged; only the dump's name or the files next to it are new.
    truncation = "" if last and parts == last.parts else next(_truncations(contents, analysis, missing), "")
    reason = truncation or next(_contradictions(frozenset(slugs), parts, last), "")
    return Completeness(reason, bool(truncation), sections, frozenset(slugs), parts)


def _truncations(contents: Contents, analysis: Analysis, missing: frozenset[str]) -> Iterator[str]:
    """Yield each sign, in words for a page, that the compiler has not finished writing a dump."""
    yield from (f"{problem.file}: {problem.message}" for problem in contents.problems if problem.severity != "note")
    for part in analysis.dump.text.parts:
        split = split_part(part.label)
        words = _PART_WORDS[split.part] if split else part.label
        if not part.data:
            yield f"the {words} file is empty"
        elif not part.data.endswith(b"\n"):  # with which every complete part ends
            yield f"the {words} file ends in the middle of a line"
    if not analysis.dump.allocations:
        yield "it lists no allocations"
    if missing:
        yield f"{', '.join(sorted(missing))} missing"


def _expected(files: DumpFiles, sections: frozenset[str]) -> frozenset[str]:
    """Return the sections that the names of a dump's files promise.

    A file that contains only allocations is the first of three, so the other two must follow.
    """
    numbers = {split.part for part in files.parts if not part.frame and (split := split_part(part.path.name))}
    if numbers == {0}:
        return frozenset() if sections & _LATER else _LATER
    return _LATER if 0 < len(numbers) < len(PART_SUFFIXES) else frozenset()


def _contradictions(slugs: frozenset[str], parts: Stamps, last: Completeness | None) -> Iterator[str]:
    """Yield each sign, in words for a page, that the files of a dump are of different builds."""
    new = sorted(slugs - (last.contradictions if last else frozenset()))
    if errors := [slug for slug in new if slug not in _DIFFERING]:
        yield f"its parts contradict each other ({', '.join(errors)})"
    if last and len(parts) == len(last.parts):
        is_old = {now == before for now, before in zip(parts, last.parts, strict=True)}
        if len(is_old) > 1:
            yield "some of its files are new, others are old"
    if new:
        yield "the files next to it do not fit it"
