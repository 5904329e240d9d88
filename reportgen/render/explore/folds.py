"""Which rows of a table stand behind a fold: instructions that hardly change memory, and what is small."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from markupsafe import Markup

from reportgen.reports.formats import human_bytes

LEAST_FOLDED, MOST_FOLDED = 4, 1_000
"""Fewer instructions have rows of their own; more are several folds, as a browser lays out a thousand rows a second."""
_Row = TypeVar("_Row")


def folded(
    moments: Sequence[int], changes: Mapping[int, int], marked: Sequence[int], most: int
) -> Sequence[Sequence[int]]:
    """Return the moments of each row of a table: one or, where memory hardly changes, several as a fold.

    What is marked, the first before all others, and the largest changes are rows, at most `most` of them with those
    that are too few for a fold.
    """
    changed = sorted((moment for moment in moments if changes.get(moment)), key=lambda moment: -abs(changes[moment]))
    places = {moment: place for place, moment in enumerate(moments)}
    own = [places[moment] for moment in dict.fromkeys((*marked, *changed)) if moment in places]

    def count(shown: int) -> int:
        return sum(len(row) == 1 for row in _rows(len(moments), own[:shown]))

    shown = bisect_right(range(min(len(own), most) + 1), most, key=count) - 1
    return [moments[row.start : row.stop] for row in _rows(len(moments), own[:shown])]


def _rows(count: int, own: Iterable[int]) -> Iterator[range]:
    """Yield the places from 0 to `count` in rows: each of `own` and what is near it alone, the others in folds."""
    for before, after in pairwise((-1, *sorted(own), count)):
        between = range(before + 1, after)
        folds = -(-len(between) // MOST_FOLDED)
        size = -(-len(between) // folds) if len(between) >= LEAST_FOLDED else 1
        yield from (between[start : start + size] for start in range(0, len(between), size))
        if after < count:
            yield range(after, after + 1)


def with_fold(
    rows: Sequence[_Row], size_of: Callable[[_Row], int], part: int, width: int
) -> tuple[Sequence[_Row | Markup], Callable[[_Row], str]]:
    """Return the rows of a table as wide as `width` columns, with a fold before the small ones, and their attributes.

    Small is what has less than a `part` of the bytes of the first. A click on the fold shows them, without scripts.
    """
    largest = size_of(rows[0]) if rows else 0
    small = [row for row in rows if size_of(row) * part < largest]
    if len(small) < LEAST_FOLDED:
        return rows, lambda _: ""
    words = f"{len(small):,} smaller, none above {human_bytes(size_of(small[0]))}"
    box = f'<label><input type="checkbox" class="hidden" autocomplete="off">{words}</label>'
    fold = Markup(f'<tr class="fold"><td colspan="2"><td colspan="{width - 2}">{box}')
    rest = ' class="rest"'
    return [*rows[: len(rows) - len(small)], fold, *small], lambda row: rest if size_of(row) * part < largest else ""
