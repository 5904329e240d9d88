"""Measure how many plausible corruptions of real dumps the checks report, by kind of damage.

A plausible corruption changes one fact: its form, alignment and order of magnitude are right, so only a contradiction
to another part of the dump can reveal it. It is *told* if there is a new error or warning, *noted* if there is only
another note, and *silent* otherwise. Only corruptions that change a figure count.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Literal

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.parse.parser import parse_dump
from tests.support.damages import KINDS, SINGLE_NUMBER
from tests.support.edits import Corruption, NotPossible, corrupted
from tests.support.markdown import Table

Outcome = Literal["told", "noted", "silent"]
Figure = Literal["peak", "other", "none"]

_LARGEST_BYTES = 3_000_000


def outcome(before: Analysis, after: Analysis) -> tuple[Figure, Outcome]:
    """Return which figure changed, and how the checks report it."""
    added = _findings(after) - _findings(before)
    severities = {severity for severity, _ in added}
    told: Outcome = "told" if severities & {"error", "warning"} else "noted" if severities else "silent"
    if _peaks(before) != _peaks(after):
        return "peak", told
    return ("none" if _others(before) == _others(after) else "other"), told


def _findings(analysis: Analysis) -> Counter[tuple[str, str]]:
    return Counter((found.severity, found.slug) for found in analysis.findings)


def _peaks(analysis: Analysis) -> object:
    return {
        color: (
            space.allocated_bytes,
            space.static_bytes,
            *(peak and peak.amount for peak in (space.peak_live, space.peak_temp)),
        )
        for color, space in analysis.spaces.items()
    }


def _others(analysis: Analysis) -> object:
    spaces = {color: (space.padding_bytes, space.thread_local_bytes) for color, space in analysis.spaces.items()}
    return spaces, len(analysis.facts), len(analysis.dump.live_ranges or ()), len(analysis.dump.used_values or ())


def measured(
    analyses: Sequence[Analysis], corruption: Corruption, count: int, random: Random
) -> Counter[tuple[Figure, Outcome]]:
    """Return how often each outcome follows from `count` corruptions of one kind."""
    outcomes: Counter[tuple[Figure, Outcome]] = Counter()
    for _ in range(20 * count):
        if outcomes.total() == count:
            break
        analysis = random.choice(analyses)
        try:
            edits = corruption(analysis.dump, random)
        except NotPossible:
            continue
        text = corrupted(analysis.dump, edits)
        outcomes[outcome(analysis, analyse(parse_dump(text), analysis.backend))] += 1
    return outcomes


def loaded(paths: Iterable[Path], largest_bytes: int = _LARGEST_BYTES) -> list[Analysis]:
    """Return the analyses of all dumps that have live ranges and are not too large to be analysed a thousand times."""
    analyses = []
    for files in discover(list(paths)).dumps:
        text, _ = load_text(files)
        dump = parse_dump(text)
        if dump.live_ranges and text.size_bytes <= largest_bytes:
            analyses.append(analyse(dump, files.name.backend))
    return analyses


def table(analyses: Sequence[Analysis], count: int, seed: int) -> Table:
    """Return a row for each kind of damage, and one for all plausible kinds together."""
    rows, total = [], Counter[tuple[Figure, Outcome]]()
    for kind, corruption in KINDS.items():
        found = measured(analyses, corruption, count, Random(f"{seed} {kind}"))
        rows.append(_row(kind, found))
        total += found if kind != SINGLE_NUMBER else Counter()
    return Table("Corruptions", _HEADER, [*rows, _row("all plausible kinds", total)])


_HEADER = (
    "damage",
    "made",
    "peak: changed",
    "told",
    "noted",
    "silent",
    "share told",
    "other: changed",
    "told",
    "noted",
    "silent",
)


def _row(kind: str, found: Counter[tuple[Figure, Outcome]]) -> list[str]:
    peak, other = ([found[figure, told] for told in ("told", "noted", "silent")] for figure in ("peak", "other"))
    share = f"{100 * peak[0] / sum(peak):.1f} %" if sum(peak) else ""
    return [kind, *map(str, (found.total(), sum(peak), *peak)), share, *map(str, (sum(other), *other))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table for all dumps below the given folders."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.corruption", description=main.__doc__)
    parser.add_argument("dumps", type=Path, nargs="+")
    parser.add_argument("--per", type=int, default=100, help="corruptions of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    sys.stdout.write(str(table(loaded(options.dumps), options.per, options.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
