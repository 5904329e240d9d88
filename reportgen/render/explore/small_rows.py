"""Which rows of a table that begins with the largest stand behind a fold, so that it begins with what matters."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from markupsafe import Markup

from reportgen.render.explore.instruction_folds import LEAST_FOLDED
from reportgen.reports.formats import human_bytes

_Row = TypeVar("_Row")


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
