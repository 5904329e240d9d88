"""The difference of two compositions as a tree of scopes.

Each side is grouped alone and then subtracted, so these figures need no matching. Gross increase and decrease are
kept beside the net change, because +150 and −150 in one scope is not "no change".
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reportgen.analyse.attributed import held_for
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Space
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.graph import Graph, plain_op_name, shape_parts
from reportgen.document import Bytes, Count, document
from reportgen.parse.op_names import path_parts

_UNKNOWN = ""

_Path = tuple[str, ...]
_Amounts = tuple[int, int, int, int]
"""Bytes before and after, and what grew and shrank."""


class _Detail(NamedTuple):
    """The finest group that can be compared without matching; the parts of `path` begin with their separators."""

    path: _Path = (_UNKNOWN,)
    op_name: str = ""
    what: str = ""


@document()
class ScopeChange:
    """A scope on both sides, with the bytes that grew and shrank inside it."""

    label: str | None
    """What the two reports call the scope; null for bytes without one."""
    depth: Count
    """How many levels the scope is below the whole."""
    before_bytes: Bytes
    """Its bytes before."""
    after_bytes: Bytes
    """Its bytes after."""
    increase_bytes: Bytes
    """What grew inside the scope, in bytes; what shrank is not taken off."""
    decrease_bytes: Bytes
    """What shrank inside the scope, in bytes; what grew is not taken off."""

    @property
    def change_bytes(self) -> int:
        """Return the net change."""
        return self.after_bytes - self.before_bytes


def scope_changes(comparison: DumpComparison, space: SpaceComparison) -> tuple[ScopeChange, ...]:
    """Return the scopes of a space that changed, the largest change first, each followed by its parts."""
    if space.place is None:
        return ()
    before = _details(comparison.graphs[0], space.before, space.place.before)
    after = _details(comparison.graphs[1], space.after, space.place.after)
    tree = _Tree()
    for detail in {**before, **after}:
        tree.add(detail.path, before[detail], after[detail])
    return tuple(tree.rows((), 0))


class _Tree:
    """The groups and their parts by their paths; gross figures add up the details inside a group."""

    def __init__(self) -> None:
        self._amounts: dict[_Path, _Amounts] = {}
        self._parts: defaultdict[_Path, list[_Path]] = defaultdict(list)

    def add(self, path: _Path, before: int, after: int) -> None:
        """Add a detail to its group and to all groups around it."""
        for length in range(1, len(path) + 1):
            part = path[:length]
            if part not in self._amounts:
                self._parts[part[:-1]].append(part)
            old, new, increase, decrease = self._amounts.get(part, (0, 0, 0, 0))
            grown, shrunk = max(after - before, 0), max(before - after, 0)
            self._amounts[part] = old + before, new + after, increase + grown, decrease + shrunk

    def rows(self, path: _Path, depth: int) -> Iterator[ScopeChange]:
        """Yield the parts of a group that changed, each before its own; one with a single part is one row with it."""
        for first in sorted(self._parts[path], key=self._order):
            part = first
            while [self._amounts[each] for each in self._parts[part]] == [self._amounts[part]]:
                (part,) = self._parts[part]
            before, after, increase, decrease = self._amounts[part]
            if increase or decrease:
                yield ScopeChange(
                    label="".join(part[len(path) :]).lstrip("/: ") or None,
                    depth=depth,
                    before_bytes=before,
                    after_bytes=after,
                    increase_bytes=increase,
                    decrease_bytes=decrease,
                )
                yield from self.rows(part, depth + 1)

    def _order(self, part: _Path) -> tuple[int, int, str]:
        before, after, increase, _ = self._amounts[part]
        return -abs(after - before), -increase, part[-1]


def largest(rows: Sequence[ScopeChange], most: int) -> Sequence[ScopeChange]:
    """Return at most `most` rows in their order, those with the largest gross change, never one without its parent."""
    order = sorted(range(len(rows)), key=lambda n: (-rows[n].increase_bytes - rows[n].decrease_bytes, rows[n].depth, n))
    return [rows[number] for number in sorted(order[:most])]


def _details(graph: Graph, space: Space | None, moment: int) -> Counter[_Detail]:
    """Return the bytes of the resident memory at a moment in the finest groups."""
    details: Counter[_Detail] = Counter()
    analysis = graph.analysis
    allocations = space.allocations if space else ()
    for share in composition(analysis.dump, allocations, analysis.facts, analysis.occupants, moment):
        # Bytes that hold no live value belong to what they are reserved for.
        value = held_for(analysis, share)
        details[_Detail() if value is None else _detail(graph, value)] += share.size_bytes
    return details


def _detail(graph: Graph, value: int) -> _Detail:
    """Return the finest group for the bytes of a value."""
    labels, shape = graph.labels(value), graph.analysis.dump.values.shapes[value]
    scope = plain_op_name(labels.scope)
    path = path_parts(scope) if scope else [_UNKNOWN]
    # The name of an argument is a path as a whole; others end with the operation itself.
    if scope and scope != labels.argument and not scope.endswith("]"):
        path = [f"/{part}" for part in path[: max(1, len(path) - 1)]]
    return _Detail(tuple(path), scope, f"{graph.operation(value).opcode} {shape_parts(shape)[0]}")
