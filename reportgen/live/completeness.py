"""Decide whether a dump is complete or a compiler is still writing it.

XLA writes no end marker: files grow, the three files of a dump are written one after another, and new files replace
old ones at different times. But a dump is redundant, so an incomplete one contradicts itself or lacks a section that
the previous one had. There are three verdicts:

- *complete*: show the dump.
- *truncated*: a file is empty, ends in the middle of a line, or a section is missing. It never replaces a good report.
  If there is none to keep, the dump is shown after its files have not changed for several seconds.
- *inconsistent*: the parts contradict each other, or only some of them are new. The others usually follow at once; if
  they do not, this is what the compiler wrote, so it is shown.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from reportgen.analyse.records import Analysis
from reportgen.input.names import PART_SUFFIXES, split_part
from reportgen.input.reading import DumpFiles, Problem
from reportgen.live.scan import Stamps

_PART_WORDS = ("allocations", "values", "live ranges")
_LATER = frozenset({"XLA's total", "used values", "live ranges"})
"""The sections in the second and third file of a compiler that writes three, as XLA does since 2026-04-03."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The last good reading of a dump: its sections, its kinds of contradictions, and the stamps of its parts."""

    sections: frozenset[str]
    contradictions: frozenset[str]
    parts: Stamps


@dataclass(frozen=True, slots=True)
class Completeness:
    """A verdict with its reason in words; `contradictions` are the slugs of the dump's errors."""

    verdict: Literal["complete", "truncated", "inconsistent"]
    reason: str
    sections: frozenset[str]
    contradictions: frozenset[str]

    def has_new_contradictions(self, baseline: Baseline | None) -> bool:
        """Return whether the dump contradicts itself in a new way."""
        return bool(self.contradictions - (baseline.contradictions if baseline else frozenset()))


def completeness(
    files: DumpFiles, analysis: Analysis, problems: Iterable[Problem], parts: Stamps, baseline: Baseline | None
) -> Completeness:
    """Return the verdict on a dump that was read.

    `parts` are the stamps of its parts, without its notes. `baseline` is None for a dump that was never shown.
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
    for reason in _truncations(files, analysis, problems, sections, baseline):
        return Completeness("truncated", reason, sections, contradictions)
    for reason in _inconsistencies(files, contradictions, parts, baseline):
        return Completeness("inconsistent", reason, sections, contradictions)
    return Completeness("complete", "", sections, contradictions)


def _truncations(
    files: DumpFiles,
    analysis: Analysis,
    problems: Iterable[Problem],
    sections: frozenset[str],
    baseline: Baseline | None,
) -> Iterator[str]:
    yield from (f"{problem.file}: {problem.message}" for problem in problems if problem.severity != "note")
    for part in analysis.dump.text.parts:
        split = split_part(part.label)
        contents = _PART_WORDS[split[1]] if split else part.label
        if part.start == part.end:
            yield f"the {contents} file is empty"
        elif part.data[part.end - 1] != 0x0A:  # a newline, with which every complete part ends
            yield f"the {contents} file ends in the middle of a line"
    if not analysis.dump.allocations:
        yield "it lists no allocations"
    missing = sorted((baseline.sections if baseline else _expected(files, sections)) - sections)
    if missing:
        yield f"{', '.join(missing)} missing"


def _expected(files: DumpFiles, sections: frozenset[str]) -> frozenset[str]:
    """Return the sections that the names of a dump's files promise.

    A file that contains only allocations is the first of three, so the other two must follow.
    """
    numbers = {split[1] for part in files.parts if not part.frame and (split := split_part(part.path.name))}
    if numbers == {0}:
        return frozenset() if sections & _LATER else _LATER
    return _LATER if 0 < len(numbers) < len(PART_SUFFIXES) else frozenset()


def _inconsistencies(
    files: DumpFiles, contradictions: frozenset[str], parts: Stamps, baseline: Baseline | None
) -> Iterator[str]:
    new = sorted(contradictions - (baseline.contradictions if baseline else frozenset()))
    if new:
        yield f"its parts contradict each other ({', '.join(new)})"
    if baseline and len(parts) == len(baseline.parts):
        is_old = [now == before for now, before in zip(parts, baseline.parts, strict=True)]
        if any(is_old) and not all(is_old):
            splits = [split_part(part.path.name) for part in files.parts]
            # The numbers differ for a log, because its frames share one file.
            pairs = zip(splits, is_old, strict=True) if len(splits) == len(is_old) else ()
            old = ", ".join(_PART_WORDS[split[1]] for split, is_old_part in pairs if split and is_old_part)
            yield f"some of its files are new, others are old{f' ({old})' if old else ''}"
