"""Compare what the peak is said to be without some buffers with programs that were compiled without them.

    python -m tests.advice.without DIR…

`removed` finds the buffers that a change removes from the peak. A pair tests what is said of them only if

* both programs have the same arguments and donate the same: another batch is another program;
* their removal is the main effect: everything else that changes at the peaks is less than half of their bytes. An array
  that is replaced by half of it is made smaller, not removed.

A change may also remove buffers at other moments, which limits what the peak loses. Such pairs stay in the table, and
further columns show what is said without those buffers, too, and what is said without single values.

A directory has a `pairs.json` and a folder of dumps for each program, or `BACKEND/CASE/VARIANT` as `recompiled` reads
it. There the other variants of a case are changes to `base` or to `donate`.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from statistics import median

from tests.advice.recompiled import Variant, largest, variants
from tests.advice.removed import removal
from tests.support.markdown import Table

_MEDIAN, _WORST = 0.05, 0.25
_HEADER = (
    "case", "change", "peak", "removed", "other changes", "said", "saved", "off", "with other moments", "off",
    "values alone", "off",
)  # fmt: skip
_STARTS = ("base", "donate")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs that one change separates."""

    before: Variant
    after: Variant
    change: str

    @property
    def case(self) -> str:
        names = (self.before.backend, self.before.case, f"{self.before.name} → {self.after.name}")
        return "/".join(filter(None, names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was said about a pair, and what the second program really saved, in bytes.

    `reason` says why the pair is no test; it is empty for one that is.
    """

    case: str
    change: str
    peak: int
    removed: int
    other: int
    said: int
    anywhere: int
    values: int
    saved: int
    reason: str

    def off(self, said: int) -> float:
        """Return how far an answer is from what was saved, as a part of the larger of both."""
        return abs(said - self.saved) / max(abs(said), abs(self.saved), 1)

    def cells(self) -> tuple[str, ...]:
        answers = ((self.said, self.saved), (self.anywhere,), (self.values,))
        sizes = map(_mib, (self.peak, self.removed, self.other))
        found = [cell for answer in answers for cell in (*map(_mib, answer), f"{self.off(answer[0]):.1%}")]
        return (self.case, self.change, *sizes, *found)


def row(pair: Pair) -> Row:
    """Ask for the peak without the buffers that are removed."""
    found = removal(pair.before, pair.after)
    if sorted(pair.before.shapes) != sorted(pair.after.shapes) or pair.before.donated != pair.after.donated:
        reason = "other arguments"
    elif not found.at_peak:
        reason = "removes no buffer at the peak"
    elif found.other_bytes * 2 >= found.removed_bytes:
        reason = "other changes are as large"
    else:
        reason = ""
    return Row(
        case=pair.case,
        change=pair.change,
        peak=pair.before.peak_bytes,
        removed=found.removed_bytes,
        other=found.other_bytes,
        said=found.saving(found.at_peak),
        anywhere=found.saving(found.anywhere),
        values=found.saving_of_values,
        saved=pair.before.peak_bytes - pair.after.peak_bytes,
        reason=reason,
    )


def pairs(root: Path) -> Iterator[Pair]:
    """Read the pairs in a directory."""
    if not (listed := root / "pairs.json").is_file():
        yield from _pairs_of_variants(variants(root))
        return
    dumps = root / "dumps" if (root / "dumps").is_dir() else root
    for stated in json.loads(listed.read_text(encoding="utf-8")):
        before, after = (_program(dumps / stated[side]) for side in ("before", "after"))
        if before and after:
            yield Pair(before, after, stated["change"])


@lru_cache(maxsize=2)  # because the pairs of one program follow each other
def _program(folder: Path) -> Variant | None:
    analysis = largest(folder)
    return Variant("", "", folder.name, analysis, {}) if analysis else None


def _pairs_of_variants(found: Iterable[Variant]) -> Iterator[Pair]:
    for before, after in permutations(found, 2):
        if (before.backend, before.case) == (after.backend, after.case) and before.name in _STARTS:
            yield Pair(before, after, after.name)


def verdict(rows: Sequence[Row]) -> str:
    """Return how far the answers are off, and whether that is within the bar."""
    off = [one.off(one.said) for one in rows]
    is_met = median(off) <= _MEDIAN and max(off) <= _WORST
    return (
        f"{len(rows)} pairs: {median(off):.1%} off in the median, {max(off):.1%} at worst "
        f"(bar: {_MEDIAN:.0%}, {_WORST:.0%}): {'met' if is_met else '**missed**'}; "
        f"with those of other moments {median(one.off(one.anywhere) for one in rows):.1%}, "
        f"with the values alone {median(one.off(one.values) for one in rows):.1%} in the median"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, the pairs that are left out, and the bar."""
    parser = argparse.ArgumentParser(prog="python -m tests.advice.without", description=main.__doc__)
    parser.add_argument("paths", type=Path, nargs="+", metavar="DIR", help="programs before and after one change")
    found = [row(pair) for path in parser.parse_args(arguments).paths for pair in pairs(path)]
    tests = [one for one in found if not one.reason]
    if not tests:
        print("no pair whose main effect is that buffers are removed", file=sys.stderr)
        return 1
    print(Table("Without removed buffers (MiB)", _HEADER, [one.cells() for one in tests]))
    left_out = [(*one.cells(), one.reason) for one in found if one.reason]
    print(Table("Left out", (*_HEADER, "reason"), left_out))
    print(f"- {verdict(tests)}")
    return 0


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):,.1f}"


if __name__ == "__main__":
    sys.exit(main())
