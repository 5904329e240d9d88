"""Is a dump all there, or is a compiler still writing it?

Nothing says so: files grow, three of them come one after another, old ones are still beside new ones. But a dump is
full of redundancy, and what is not whole contradicts itself or lacks what the dump before it had. Three answers:

- *complete*: show it.
- *cut off*: a file is empty, ends in the middle of a line, or a section is missing. A good report is never replaced by
  that; where there is none yet, it is shown as it is once its files have rested for long.
- *doubtful*: the parts do not fit together, or only some were written anew. Most likely the others follow at once; if
  not, that is what the compiler made of it, and it must be seen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.analyse.records import Analysis
from reportgen.dump_names import PART_SUFFIXES, split_part
from reportgen.model import Dump
from reportgen.reading import DumpFiles, Problem
from reportgen.watch.scan import Stamps

Verdict = Literal["complete", "cut off", "doubtful"]

_PART_WORDS = ("allocations", "values", "live ranges")
_LATER = frozenset({"XLA's total", "used values", "live ranges"})
"""What stands in the files that a compiler writes after the first one, where it writes several."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the last good reading of the same dump had."""

    sections: frozenset[str]
    contradictions: frozenset[str]
    parts: Stamps


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reason, for people; `contradictions` are kinds of findings."""

    verdict: Verdict
    reason: str = ""
    sections: frozenset[str] = frozenset()
    contradictions: frozenset[str] = frozenset()

    def contradictions_are_new(self, known: Known | None) -> bool:
        """Whether the dump was sound in this respect before; a dump never read before is held to be."""
        return bool(self.contradictions - (known.contradictions if known else frozenset()))


def judge(
    files: DumpFiles, analysis: Analysis, problems: Iterable[Problem], parts: Stamps, known: Known | None
) -> Judgement:
    """`parts` are the stamps of the dump's parts, without its notes; `known` is None for a dump never read before."""
    sections = _sections(analysis.dump)
    contradictions = frozenset(finding.slug for finding in analysis.findings if finding.severity == "error")
    for reason in _cuts(files, analysis, problems, sections, known):
        return Judgement("cut off", reason, sections, contradictions)
    for reason in _doubts(files, contradictions, parts, known):
        return Judgement("doubtful", reason, sections, contradictions)
    return Judgement("complete", "", sections, contradictions)


def _sections(dump: Dump) -> frozenset[str]:
    present = {
        "XLA's total": dump.total_bytes is not None,
        "used values": dump.used_values is not None,
        "live ranges": dump.live_ranges is not None,
        "XLA's own peak": dump.printed_peak is not None,
    }
    return frozenset(name for name, is_there in present.items() if is_there)


def _cuts(
    files: DumpFiles,
    analysis: Analysis,
    problems: Iterable[Problem],
    sections: frozenset[str],
    known: Known | None,
) -> Iterator[str]:
    yield from (f"{problem.file}: {problem.message}" for problem in problems if problem.severity != "note")
    for part in analysis.dump.text.parts:
        if part.start == part.end:
            yield f"the file of {_contents(part.label)} is empty"
        elif part.data[part.end - 1] != 0x0A:
            yield f"the file of {_contents(part.label)} ends in the middle of a line"
    if not analysis.dump.allocations:
        yield "it lists no allocations"
    missing = sorted((known.sections if known else _expected(files, sections)) - sections)
    if missing:
        yield f"{', '.join(missing)} missing"


def _expected(files: DumpFiles, sections: frozenset[str]) -> frozenset[str]:
    """A dump of which nothing but the allocations is there is the first file of three, as far as one can tell.

    Where one later file is there, the others belong to it.
    """
    names = {split[1] for part in files.parts if not part.frame and (split := split_part(part.path.name))}
    if names == {0} and not sections & _LATER:
        return _LATER
    return _LATER if names and names != {0} and len(names) < len(PART_SUFFIXES) else frozenset()


def _doubts(files: DumpFiles, contradictions: frozenset[str], parts: Stamps, known: Known | None) -> Iterator[str]:
    new = sorted(contradictions - (known.contradictions if known else frozenset()))
    if new:
        yield f"its parts do not fit together ({', '.join(new)})"
    if known and len(parts) == len(known.parts):
        same = [now == before for now, before in zip(parts, known.parts, strict=True)]
        if any(same) and not all(same):
            yield f"only some of its files were written anew, not {_named(files, same)}"


def _contents(label: str) -> str:
    """What XLA writes into a file of this name."""
    split = split_part(label)
    return _PART_WORDS[split[1]] if split else label


def _named(files: DumpFiles, same: Sequence[bool]) -> str:
    splits = [split_part(part.path.name) for part in files.parts]
    if len(splits) != len(same):
        return "the others"
    return ", ".join(_PART_WORDS[split[1]] for split, old in zip(splits, same, strict=True) if split and old)
