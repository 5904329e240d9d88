"""Decide whether a dump is complete or a compiler is still writing it.

XLA writes no end marker: files grow, the three files of a dump are written one after another, and new files replace
old ones at different times. But a dump is redundant, so an incomplete one contradicts itself or lacks a section that
the previous one had. There are three verdicts:

- *complete*: show the dump.
- *truncated*: a file is empty, ends in the middle of a line, or a section is missing. It never replaces a good report.
  If there is none to keep, the dump is shown after its files have not changed for several seconds.
- *inconsistent*: the parts contradict each other, only some of them are new, or the files next to the dump do not fit
  it. The others usually follow at once; if they do not, this is what the compiler wrote, so it is shown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

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
class Baseline:
    """The last good reading of a dump, by which the next one is judged."""

    sections: frozenset[str]
    contradictions: frozenset[str]
    siblings_differ: bool
    parts: Stamps


@record(kw_only=False)
class Completeness:
    """A verdict with its reason in words.

    `contradictions` are the slugs of the dump's errors; `siblings_differ` says that a file next to it differs from it.
    """

    verdict: Literal["complete", "truncated", "inconsistent"]
    reason: str
    sections: frozenset[str]
    contradictions: frozenset[str]
    siblings_differ: bool

    def baseline(self, parts: Stamps) -> Baseline:
        """Return the baseline for later readings, once a dump with these parts is shown."""
        return Baseline(self.sections, self.contradictions, self.siblings_differ, parts)

    def has_new_contradictions(self, baseline: Baseline | None) -> bool:
        """Return whether the dump contradicts itself in a new way."""
        return bool(self.contradictions - (baseline.contradictions if baseline else frozenset()))


def completeness(contents: Contents, analysis: Analysis, parts: Stamps, baseline: Baseline | None) -> Completeness:
    """Return the verdict on a dump that was read.

    `parts` are the stamps of its parts alone. `baseline` is None for a dump that was never shown.
    """
    dump = analysis.dump
    present = {
        "XLA's total": dump.total_bytes is not None,
        "used values": dump.used_values is not None,
        "live ranges": dump.live_ranges is not None,
        "XLA's own peak": dump.printed_peak is not None,
    }
    sections = frozenset(name for name, is_present in present.items() if is_present)
    contradictions = frozenset(finding.slug for finding in analysis.findings if finding.severity == "error")
    siblings_differ = any(finding.slug in _DIFFERING for finding in analysis.findings)
    judged = Completeness("complete", "", sections, contradictions, siblings_differ)
    # Parts that are shown already are judged; only the dump's name or the files next to it are new.
    is_judged = baseline is not None and parts == baseline.parts
    truncation = None if is_judged else next(_truncations(contents, analysis, sections, baseline), None)
    if truncation:
        return replace(judged, verdict="truncated", reason=truncation)
    inconsistency = next(_inconsistencies(contents.files, judged, parts, baseline), None)
    if inconsistency:
        return replace(judged, verdict="inconsistent", reason=inconsistency)
    return judged


def _truncations(
    contents: Contents, analysis: Analysis, sections: frozenset[str], baseline: Baseline | None
) -> Iterator[str]:
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
    missing = sorted((baseline.sections if baseline else _expected(contents.files, sections)) - sections)
    if missing:
        yield f"{', '.join(missing)} missing"


def _expected(files: DumpFiles, sections: frozenset[str]) -> frozenset[str]:
    """Return the sections that the names of a dump's files promise.

    A file that contains only allocations is the first of three, so the other two must follow.
    """
    numbers = {split.part for part in files.parts if not part.frame and (split := split_part(part.path.name))}
    if numbers == {0}:
        return frozenset() if sections & _LATER else _LATER
    return _LATER if 0 < len(numbers) < len(PART_SUFFIXES) else frozenset()


def _inconsistencies(files: DumpFiles, judged: Completeness, parts: Stamps, baseline: Baseline | None) -> Iterator[str]:
    """Yield each sign, in words for a page, that the files of a dump are of different builds."""
    new = sorted(judged.contradictions - (baseline.contradictions if baseline else frozenset()))
    if new:
        yield f"its parts contradict each other ({', '.join(new)})"
    if baseline and len(parts) == len(baseline.parts):
        is_old = [now == before for now, before in zip(parts, baseline.parts, strict=True)]
        if any(is_old) and not all(is_old):
            old = _old_parts(files, is_old)
            which = f" ({old})" if old else ""
            yield f"some of its files are new, others are old{which}"
    if judged.siblings_differ and not (baseline and baseline.siblings_differ):
        yield "the files next to it do not fit it"


def _old_parts(files: DumpFiles, is_old: Sequence[bool]) -> str:
    """Return the names of the old parts; empty for a log, whose parts share one file."""
    if len(files.parts) != len(is_old):
        return ""
    splits = [split_part(part.path.name) for part, old in zip(files.parts, is_old, strict=True) if old]
    return ", ".join(_PART_WORDS[split.part] for split in splits if split)
