"""Measure how many corrupted builds the gate lets pass: those that `check` tells must not be judged without a word.

The build after is the build before with one corruption that changes a peak. The gate allows any growth, so that only
the soundness of the dump can stop it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import NamedTuple

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.compare.budgets import Budget, Budgets
from reportgen.compare.figures import figures_of_side, flaws_of
from reportgen.compare.growth import Growth
from reportgen.compare.module_pairing import Side
from reportgen.compare.verdicts import Judgement, judge
from reportgen.parse.parser import parse_dump
from reportgen.reports.report_document import GateModule
from tests.support.corruption import loaded, outcome
from tests.support.damages import KINDS
from tests.support.edits import NotPossible, corrupted
from tests.support.markdown import Table

_ANY_GROWTH = Budgets(budgets=(Budget(growth=(Growth(share=Fraction(10**9)),)),))


class Damaged(NamedTuple):
    """A build and what became of it; `is_told` says whether the checks tell the difference."""

    kind: str
    before: Analysis
    after: Analysis
    is_told: bool


def damaged(analyses: Sequence[Analysis], count: int, random: Random) -> Iterator[Damaged]:
    """Yield `count` builds that are damaged so that a peak changes."""
    made = 0
    while made < count:
        kind = random.choice(list(KINDS))
        before = random.choice(analyses)
        try:
            text = corrupted(before.dump, KINDS[kind](before.dump, random))
        except NotPossible:
            continue
        after = analyse(parse_dump(text), before.backend)
        figure, told = outcome(before, after)
        if figure == "peak":
            made += 1
            yield Damaged(kind, before, after, told == "told")


def judgement_of(before: Analysis, after: Analysis, budgets: Budgets | None = _ANY_GROWTH) -> Judgement:
    """Return what the gate says of two builds of one module."""
    return judge(budgets, [(_figures(before), _figures(after))], has_baseline=True)


def _figures(analysis: Analysis) -> GateModule:
    return figures_of_side(Side("dump", "module", 0, analysis, flaws=flaws_of(analysis.findings)))


def table(analyses: Sequence[Analysis], count: int, seed: int) -> Table:
    """Return how many of the damages that the checks tell the gate refuses, only mentions, or passes."""
    found: Counter[str] = Counter()
    for one in damaged(analyses, count, Random(seed)):
        if not one.is_told:
            found["not told by check"] += 1
            continue
        judgement = judgement_of(one.before, one.after)
        mentioned = "mentioned" if judgement.reported else "passed in silence"
        found["refused" if judgement.overall == "unsound" else mentioned] += 1
    sound = [judgement_of(one, one) for one in analyses]
    rows = [
        [words, f"{found[words]:,}"] for words in ("refused", "mentioned", "passed in silence", "not told by check")
    ]
    rows.append(["sound builds", f"{len(sound):,}"])
    rows.append(["of these refused", f"{sum(one.overall != 'pass' for one in sound):,}"])
    return Table("The gate", ("damaged builds", "number"), rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table for all dumps below the given folders."""
    parser = argparse.ArgumentParser(prog="python -m tests.compare.gate", description=main.__doc__)
    parser.add_argument("dumps", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=60, help="damaged builds")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    sys.stdout.write(str(table(loaded(options.dumps), options.count, options.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
