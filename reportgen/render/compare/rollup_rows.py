"""The change of a memory space by line, scope, argument and class as rows, with bars on either side of no change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.rollups import Grouping, Row, largest, rollup
from reportgen.record import record

_GROUPINGS: Sequence[Grouping] = ("line", "scope", "argument", "class")
_MOST_ROWS = 20


@record
class Rollup:
    """The rows of one grouping; `left_out` is how many are not shown."""

    rows: Sequence[Row]
    left_out: int

    @property
    def decrease_bytes(self) -> int:
        """Return the largest decrease of a row, which is how far bars reach to the left."""
        return max(row.decrease_bytes for row in self.rows)

    @property
    def whole_bytes(self) -> int:
        """Return the length of the axis."""
        return self.decrease_bytes + max(row.increase_bytes for row in self.rows)


def rollups_of(comparison: DumpComparison, space: SpaceComparison) -> Mapping[Grouping, Rollup]:
    """Return the largest rows of a memory space by grouping, without the groupings that have none."""
    rollups = {}
    for grouping in _GROUPINGS:
        tree = rollup(comparison, space, grouping)
        rows = _lines(tree) if grouping == "line" else tree
        if rows:
            rollups[grouping] = Rollup(rows=largest(rows, _MOST_ROWS), left_out=max(0, len(rows) - _MOST_ROWS))
    return rollups


def _lines(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows of lines without those of their files, the largest change first."""
    lines, file = list[Row](), ""
    for row, following in zip_longest(rows, rows[1:]):
        if row.depth:
            lines.append(replace(row, label=f"{file}:{row.label}", depth=0))
        else:
            file = row.label or ""
            if following is None or not following.depth:
                lines.append(row)
    return sorted(lines, key=lambda row: (-abs(row.change_bytes), -row.increase_bytes, row.label or ""))
