"""The difference of two compositions, grouped by what a reader may change: scope, source line, opcode, class.

Each side is grouped alone and then subtracted, so these figures need no matching. Gross increase and decrease are
kept beside the net change, because +150 and −150 in one scope is not "no change".
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Space
from reportgen.compare.comparison import Comparison, SpaceComparison
from reportgen.compare.graph import Graph, Operation, shape_parts
from reportgen.parse.op_names import path_parts

Grouping = Literal["scope", "source line", "opcode", "class"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)

HELD = "held by the caller, with nothing live in it"
UNKNOWN = "not in the dump"

_Detail = tuple[str, str, str]
"""The finest group that can be compared without matching: label, op_name, opcode and shape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A group on both sides. Gross figures add up the groups of one operation and shape inside it."""

    label: str
    before_bytes: int
    after_bytes: int
    increase_bytes: int
    decrease_bytes: int

    @property
    def change_bytes(self) -> int:
        return self.after_bytes - self.before_bytes


def rollup(comparison: Comparison, space: SpaceComparison, grouping: Grouping) -> tuple[Row, ...]:
    """Return the groups of a space that changed, the largest change first."""
    if space.place is None:
        return ()
    before = _details(comparison.graphs[0], space.before, space.place.before, grouping)
    after = _details(comparison.graphs[1], space.after, space.place.after, grouping)
    rows: dict[str, list[int]] = {}
    for detail in {**before, **after}:
        row = rows.setdefault(detail[0], [0, 0, 0, 0])
        change = after[detail] - before[detail]
        for number, amount in enumerate((before[detail], after[detail], max(change, 0), max(-change, 0))):
            row[number] += amount
    found = (
        Row(label=label, before_bytes=row[0], after_bytes=row[1], increase_bytes=row[2], decrease_bytes=row[3])
        for label, row in rows.items()
        if row[2] or row[3]
    )
    return tuple(sorted(found, key=lambda row: (-abs(row.change_bytes), -row.increase_bytes, row.label)))


def _details(graph: Graph, space: Space | None, moment: int, grouping: Grouping) -> Counter[_Detail]:
    """Return the bytes of the resident memory at a moment in the finest groups."""
    found: Counter[_Detail] = Counter()
    if space is None:
        return found
    analysis = graph.analysis
    for share in composition(analysis.dump, space.allocations, analysis.facts, analysis.occupants, moment):
        memory = memory_class(analysis.dump.allocations[share.allocation])
        if share.value is None:
            found[memory if grouping == "class" else HELD, "", ""] += share.size_bytes
            continue
        what = graph.operation(share.value)
        label = memory if grouping == "class" else _LABELS[grouping](what) or UNKNOWN
        shape = shape_parts(analysis.dump.values.shapes[share.value])[0]
        found[label, what.op_name, f"{what.opcode} {shape}"] += share.size_bytes
    return found


def _scope(what: Operation) -> str:
    """Return the scope without the operation itself, which ends the path."""
    parts = path_parts(what.op_name) if what.op_name else []
    return "/".join(parts[:-1]) if len(parts) > 1 and not what.op_name.endswith("]") else "".join(parts)


_LABELS: Mapping[str, Callable[[Operation], str]] = {
    "scope": _scope,
    "source line": lambda what: what.source,
    "opcode": lambda what: what.opcode,
}
