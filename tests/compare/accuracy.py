"""How well `reportgen compare` recognises values: `python -m tests.compare.accuracy DIR`.

DIR holds pairs of dumps with a known truth: `pairs.json` (a list of [before, after, kind]), `cases/NAME/nat/` with
the dump and `cases/NAME/gt.json` with the source operation of each value, or null where it is not known. Beside
them may be `renamed/NAME/` (a dump under other names with `truth.json`, old to new name; the original is found in
the folders given by --originals) and `dirs/` (sessions of modules; the first is compared with each of the others).
"""

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from reportgen.analyse.analysis import measure
from reportgen.analyse.records import Measured
from reportgen.compare.dump_comparison import DumpComparison, compare_dumps
from reportgen.compare.graph import Graph, graph_of
from reportgen.compare.module_pairing import Side, pair_modules
from reportgen.compare.signature import arguments
from reportgen.input.discover import discover
from reportgen.input.dump_text import DumpText, TextPart
from reportgen.input.reading import DumpFiles, load_text
from reportgen.parse.parser import parse_dump

GRADES = ("sure", "likely", "in its place")
_OP_NAME = re.compile(rb'op_name="(?:[^"\\]|\\.)*" ?')


@dataclass
class Score:
    """Judged pairs: how many, how many of them are right, and the same in bytes of the peak before."""

    judged: int = 0
    right: int = 0
    peak_bytes: int = 0
    right_bytes: int = 0

    def add(self, *, is_right: bool, peak_bytes: int) -> None:
        self.judged += 1
        self.right += is_right
        self.peak_bytes += peak_bytes
        self.right_bytes += peak_bytes if is_right else 0

    def __iadd__(self, other: "Score") -> "Score":
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __str__(self) -> str:
        return f"{_percent(self.right, self.judged)} of {self.judged:6,} {_percent(self.right_bytes, self.peak_bytes)}"


@dataclass
class Result:
    """What came of one pair; `tiers` is finer than `grades`, `failures` lists the laws that it breaks."""

    grades: defaultdict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    tiers: defaultdict[tuple[str, str], Score] = field(default_factory=lambda: defaultdict(Score))
    matched: int = 0
    values: int = 0
    failures: list[str] = field(default_factory=list)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:6.2f} %" if whole else "     –  "


def _dumps(folder: Path) -> Mapping[str, DumpFiles]:
    return {files.label: files for files in discover([folder]).dumps}


@cache
def _analysis(files: DumpFiles, *, op_names: bool = True) -> Measured:
    text, _ = load_text(files)
    if not op_names:
        text = DumpText(tuple(map(_without_op_names, text.parts)))
    return measure(parse_dump(text), files.name.backend)


def _without_op_names(part: TextPart) -> TextPart:
    data = _OP_NAME.sub(b"", part.data)
    return TextPart(part.label, data)


def _only(folder: Path) -> DumpFiles:
    dumps = _dumps(folder)
    if len(dumps) != 1:
        raise SystemExit(f"{folder}: one dump is expected, {len(dumps)} found")
    return next(iter(dumps.values()))


class Truth:
    """What each value of a case is, as far as it is known: the tag of its operation, or the path of an argument."""

    def __init__(self, case: Path, graph: Graph) -> None:
        tags: Mapping[str, str | None] = json.loads((case / "gt.json").read_text())
        self.graph = graph
        self.tag = {value: tags.get(known) for value, known in enumerate(graph.analysis.dump.values.keys)}
        for (_, index), value in arguments(graph).items():
            path = graph.operation(value).op_name
            self.tag[value] = f"{path} {index}" if path else None


def judge(comparison: DumpComparison, before: Truth, after: Truth) -> Result:
    """Hold the pairs of a comparison to the truth; thread-local values are left out."""
    result = Result()
    dump = comparison.before.dump
    at_peak: Counter[int] = Counter()
    for space in comparison.before.spaces.values():
        for share in space.composition:
            if share.value is not None:
                at_peak[share.value] += share.size_bytes
    for value, match in enumerate(comparison.matching.before):
        if dump.allocations[dump.values.allocations[value]].is_thread_local:
            continue
        result.values += 1
        if match is None:
            continue
        result.matched += 1
        one, other = before.tag[value], after.tag[match.value]
        if one is not None and other is not None:
            for score in (result.grades[match.grade], result.tiers[match.tier, match.how]):
                score.add(is_right=one == other, peak_bytes=at_peak[value])
    return result


def broken_laws(before: Measured, after: Measured) -> Iterator[str]:
    """Yield each law of comparison that this pair breaks, in both directions."""
    for one, other, arrow in ((before, after, "→"), (after, before, "←")):
        comparison = compare_dumps(one, other)
        partners = [match.value for match in comparison.matching.before if match]
        if len(partners) != len(set(partners)):
            yield f"{arrow} a value has two partners"
        for color, space in comparison.spaces.items():
            change, total = space.change_bytes, sum(term.change_bytes for term in space.terms)
            if change is not None and total != change:
                yield f"{arrow} space {color}: terms add up to {total:,}, the peak changes by {change:,}"


def _is_empty(comparison: DumpComparison) -> bool:
    return not any(space.terms for space in comparison.spaces.values())


def pairs_table(folder: Path, *, op_names: bool, tiers: bool) -> bool:
    """Print what came of each pair, and return whether no law was broken."""
    total: defaultdict[str, Score] = defaultdict(Score)
    by_tier: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    failures, start = 0, time.process_time()
    print(f"{'pair':34}{'matched':>16}   " + "".join(f"{grade + ': exact, of peak bytes':36}" for grade in GRADES))
    for before_name, after_name, kind in json.loads((folder / "pairs.json").read_text()):
        cases = [folder / "cases" / name for name in (before_name, after_name)]
        sides = [_analysis(_only(case / "nat"), op_names=op_names) for case in cases]
        named = [graph_of(_analysis(_only(case / "nat"))) for case in cases]
        truths = [Truth(case, graph) for case, graph in zip(cases, named, strict=True)]
        result = judge(compare_dumps(*sides), *truths)
        result.failures += broken_laws(*sides)
        name = f"{before_name} → {after_name} ({kind})"
        scores = "".join(f"{result.grades[grade]!s:36}" for grade in GRADES)
        print(f"{name:34}{result.matched:7,} of {result.values:5,}   {scores}")
        for failure in result.failures:
            print("   FAILED", failure)
        failures += len(result.failures)
        for grade in GRADES:
            total[grade] += result.grades[grade]
        for key, score in result.tiers.items():
            by_tier[key] += score
    print(f"{'all':34}{'':16}   " + "".join(f"{total[grade]!s:36}" for grade in GRADES))
    for (tier, how), score in by_tier.items() if tiers else ():
        print(f"   {tier:24}{how:10}{score}")
    print(f"laws broken: {failures}; {time.process_time() - start:.1f} s of processor time")
    return not failures


def self_table(folder: Path) -> bool:
    """Compare each case with itself and print those that are not empty."""
    cases = sorted((folder / "cases").iterdir())
    full = []
    for case in cases:
        one = _analysis(_only(case / "nat"))
        if not _is_empty(compare_dumps(one, one)):
            full.append(case.name)
    print(f"with itself: {len(cases) - len(full)} of {len(cases)} compare empty", *full)
    return not full


def renamed_table(folder: Path, originals: Path) -> bool:
    """Compare renamed dumps with their originals: nothing may have changed, and each value has one right partner."""
    good = True
    for case in sorted((folder / "renamed").glob("*/truth.json")):
        original = _original(originals, case.parent.name)
        if original is None:
            print(f"{case.parent.name}: its original is not in {originals}")
            good = False
            continue
        before, after = _analysis(original), _analysis(_only(case.parent))
        comparison = compare_dumps(before, after)
        truth: Mapping[str, str] = json.loads(case.read_text())
        right = wrong = 0
        for value, match in enumerate(comparison.matching.before):
            name, index = before.dump.values[value].key
            partner = after.dump.values[match.value].key if match else None
            if partner == (truth.get(name, name), index):
                right += 1
            elif match:
                wrong += 1
        is_empty = _is_empty(comparison)
        total = len(comparison.matching.before)
        print(
            f"{case.parent.name:44}{right:6,} of {total:6,} right, {wrong} wrong, empty: {'yes' if is_empty else 'NO'}"
        )
        good &= is_empty
    return good


def _original(originals: Path, name: str) -> DumpFiles | None:
    """Return the dump that was renamed: its folder's name is that of the original's file or folder and the way."""
    stem = name.rpartition("_")[0]
    number = re.fullmatch(r"seed(\d+)", stem)
    parts = stem.split("_")
    places = [originals / "small" / parts[0] / parts[1] / "_".join(parts[2:])] if len(parts) > 2 else []
    if number:
        places = sorted((originals / "seeds").glob(f"{number[1]}_*"))
    return next((_first(place) for place in places if place.exists()), None)


def _first(place: Path) -> DumpFiles:
    return next(iter(_dumps(place).values()))


def sessions_table(folder: Path) -> bool:
    """Pair the modules of each session with those of the first, and print how."""
    sessions = sorted((folder / "dirs").iterdir())
    sides = [
        [
            Side(label, files.name.module_name, number, _analysis(files))
            for number, (label, files) in enumerate(_dumps(session).items())
        ]
        for session in sessions
    ]
    complete = True
    for session, modules in zip(sessions[1:], sides[1:], strict=True):
        pairs, gone, new = pair_modules(sides[0], modules)
        how = Counter(pair.paired_by for pair in pairs)
        print(f"{sessions[0].name} → {session.name}: {len(pairs)} of {len(modules)} modules paired, {dict(how)}")
        complete &= not gone and not new
        empty = sum(_is_empty(compare_dumps(pair.before.analysis, pair.after.analysis)) for pair in pairs)
        print(f"   {empty} compare empty")
        for pair in pairs:
            complete &= not list(broken_laws(pair.before.analysis, pair.after.analysis))
    return complete


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table that DIR has the data for, and return 1 if a law is broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--originals", type=Path, metavar="DIR", help="folders of the dumps that were renamed")
    parser.add_argument("--tiers", action="store_true", help="print the precision of each tier")
    options = parser.parse_args(arguments)
    folder: Path = options.directory
    good = True
    if (folder / "pairs.json").exists():
        print("with metadata")
        good &= pairs_table(folder, op_names=True, tiers=options.tiers)
        print("without op_names")
        good &= pairs_table(folder, op_names=False, tiers=options.tiers)
        good &= self_table(folder)
    if (folder / "renamed").is_dir():
        good &= renamed_table(folder, options.originals or folder.parent)
    if (folder / "dirs").is_dir():
        good &= sessions_table(folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
