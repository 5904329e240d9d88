"""Compare what advice promised with what recompiled programs saved, and the order of its steps with the best change.

    python -m tests.advice.promises DIR…

A directory has a `pairs.json` and a folder of dumps for each program that was changed. Each pair has a kind of change,
`saved` in bytes, and the peak before. `negatives.json`, where there is one, has the changes that saved nothing.

A number is a saving, or a range whose most is at most 1.5 times its least. It holds if what was saved is within 2 % of
the peak for a donation, and within 5 % for others. What is said to be "up to" or "at least" something is no number: it
has to be true within the same 5 %, and counts as a change of which something is said.

Two changes, one after the other, are compared with the first two of the combined suggestions.

The order is right if the change that saved most, of those that saved a tenth of the peak, is the first step or the
second, and nothing stands before it that saved less when it was tried. The same is asked of every fixed order of kinds.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice, advise
from reportgen.advice.suggest import WIDEST_RANGE
from tests.advice.recompiled import largest
from tests.support.markdown import Table

_HEADER = ("program", "change", "peak", "said", "saved", "off, of the peak", "")
_LARGE_PART = 10
_MIB = 1 << 20
_DONATION, _OTHER = 0.02, 0.05
_AND = " + "
_GROUPS = {"checkpoint-loop": "checkpoint", "copies": "copy"}
"""Kinds of suggestions and changes that are one change to a reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A change to a program, which made it program `after`, and what it saved, in bytes."""

    change: str
    saved: int
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was said of a change; `off` is how far what was saved lies outside of it, as a part of the peak."""

    program: str
    change: str
    peak: int
    said: str
    saved: int
    off: float | None
    holds: bool
    is_number: bool


def kind(suggestion: Suggestion) -> str:
    return _GROUPS.get(suggestion.kind, suggestion.kind)


def programs(directory: Path) -> Iterator[tuple[str, Advice, Sequence[Tried]]]:
    """Yield each program that was changed, with its advice and the changes."""
    pairs = _tried(directory / "pairs.json")
    for name, tried in pairs.items():
        folder = directory / name / "dump"
        analysis = largest(folder if folder.is_dir() else directory / name)
        if analysis:
            yield name, advise(analysis)[0], [*tried, *_both(pairs, name)]


def _tried(path: Path) -> Mapping[str, Sequence[Tried]]:
    """Return the changes of each program."""
    found: defaultdict[str, list[Tried]] = defaultdict(list)
    for pair in json.loads(path.read_text(encoding="utf-8")) if path.is_file() else ():
        change = _GROUPS.get(pair["change"], pair["change"])
        found[pair["before"]].append(Tried(change=change, saved=pair["saved"], after=pair["after"]))
    return found


def _both(pairs: Mapping[str, Sequence[Tried]], name: str) -> Iterator[Tried]:
    """Yield each two changes of a program that were made one after the other."""
    found = {
        (second.after, *sorted((first.change, second.change))): first.saved + second.saved
        for first in pairs[name]
        for second in pairs.get(first.after, ())
        if first.change != second.change
    }
    for (after, *changes), saved in found.items():
        yield Tried(change=_AND.join(changes), saved=saved, after=after)


def rows(name: str, advice: Advice, tried: Iterable[Tried]) -> Iterator[Row]:
    """Yield what was said of each change, and whether it holds; a change of which nothing was said has no number."""
    peak = advice.peak.peak_bytes if advice.peak else 0
    for one in tried:
        if _AND in one.change and not _is_sequence(advice, one.change):
            continue
        suggestion = _suggestion_of(advice, one.change)
        if suggestion is None or not suggestion.is_computed:
            yield Row(
                program=name, change=one.change, peak=peak, said="unknown" if suggestion else "nothing",
                saved=one.saved, off=None, holds=True, is_number=False,
            )  # fmt: skip
            continue
        low, high = said(suggestion)
        off = max(low - one.saved, one.saved - high, 0) / peak
        one_sided = {"up to": f"up to {high / _MIB:,.0f}", "at least": f"at least {low / _MIB:,.0f}"}
        words = f"{low / _MIB:,.0f}" if low == high else f"{low / _MIB:,.0f} … {high / _MIB:,.0f}"
        words = one_sided.get(suggestion.confidence, words)
        yield Row(
            program=name, change=one.change, peak=peak, said=words, saved=one.saved, off=off,
            holds=off <= (_DONATION if suggestion.kind == "donate" else _OTHER),
            is_number=suggestion.confidence not in one_sided and high <= WIDEST_RANGE * low,
        )  # fmt: skip


def _is_sequence(advice: Advice, change: str) -> bool:
    return {kind(suggestion) for suggestion in advice.combined[:2]} == set(change.split(_AND))


def _suggestion_of(advice: Advice, change: str) -> Suggestion | None:
    """Return the suggestion to a change; of two changes one that saves what both save."""
    if _AND in change:
        return advice.combined[1]
    return next((suggestion for suggestion in (*advice.best, *advice.suggestions) if kind(suggestion) == change), None)


def negatives(directory: Path, name: str) -> Sequence[Tried]:
    """Return the changes of a program that saved nothing."""
    return _tried(directory / "negatives.json").get(name, ())


def promises_something(row: Row) -> bool:
    """Return whether a saving is promised, of which a compilation knows nothing."""
    return row.off is not None and not row.holds


def said(suggestion: Suggestion) -> tuple[int, int]:
    """Return the least and the most that a suggestion is said to save."""
    match suggestion.confidence:
        case "range":
            return suggestion.saving_bytes, suggestion.saving_high_bytes or suggestion.saving_bytes
        case "up to":
            return -(1 << 62), suggestion.saving_bytes
        case "at least":
            return suggestion.saving_bytes, 1 << 62
        case _:
            return suggestion.saving_bytes, suggestion.saving_bytes


def best(peak: int, tried: Iterable[Tried]) -> Mapping[str, int]:
    """Return the most that each kind of change saved; empty if none saved a tenth of the peak."""
    found: dict[str, int] = {}
    for one in (one for one in tried if _AND not in one.change):
        found[one.change] = max(found.get(one.change, one.saved), one.saved)
    return found if max(found.values(), default=0) * _LARGE_PART >= peak else {}


def is_right(order: Sequence[str], saved: Mapping[str, int]) -> bool:
    """Return whether the change that saved most is among the first two, and after none that saved less."""
    first = max(saved, key=lambda change: saved[change])
    at = order.index(first) if first in order else len(order)
    return at < 2 and all(saved.get(before, saved[first]) >= saved[first] for before in order[:at])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the promises, and how often the order of the steps is right."""
    parser = argparse.ArgumentParser(prog="python -m tests.advice.promises", description=main.__doc__)
    parser.add_argument("paths", type=Path, metavar="DIR", nargs="+", help="a folder with pairs.json and dumps")
    found: list[Row] = []
    worse: list[Row] = []
    orders: list[tuple[Sequence[str], Mapping[str, int]]] = []
    kinds: set[str] = set()
    for directory in parser.parse_args(arguments).paths:
        for name, advice, tried in programs(directory):
            found += rows(name, advice, tried)
            worse += [row for row in rows(name, advice, negatives(directory, name)) if promises_something(row)]
            saved = best(advice.peak.peak_bytes if advice.peak else 0, tried)
            if saved:
                kinds.update(saved)
                orders.append(([kind(step) for step in advice.best], saved))
    cells = [
        (
            row.program, row.change, f"{row.peak / _MIB:,.0f}", row.said, f"{row.saved / _MIB:,.0f}",
            "" if row.off is None else f"{row.off:.1%}", "" if row.holds else "**missed**",
        )
        for row in found
    ]  # fmt: skip
    print(Table("Promised against saved (MiB)", _HEADER, cells))
    right = sum(is_right(order, saved) for order, saved in orders)
    fixed = max(sum(is_right(order, saved) for _, saved in orders) for order in permutations(kinds, 2))
    both = [row for row in found if _AND in row.change]
    alone = [row for row in found if row not in both]
    numbers = [row for row in alone if row.is_number]
    print(f"{sum(row.holds for row in numbers)} of {len(numbers)} numbers hold, of {len(alone)} pairs.")
    others = [row for row in alone if row.off is not None and not row.is_number]
    print(f"{sum(row.holds for row in others)} of {len(others)} savings up to or at least something hold.")
    print(f"{sum(row.holds for row in both)} of {len(both)} savings of two changes together hold.")
    print(f"The order of steps is right for {right} of {len(orders)} programs; the best fixed order for {fixed}.")
    print(f"Promised where it saved nothing: {', '.join(f'{row.program} {row.change}' for row in worse) or 'nothing'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
