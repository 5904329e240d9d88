"""The difference of two compositions as a tree of scopes.

Each side is grouped alone and then subtracted, so these figures need no matching. Gross increase and decrease are
kept beside the net change, because +150 and −150 in one scope is not "no change".
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reportgen.analyse.attributed import held_for
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Space
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.graph import Graph, plain_op_name, shape_parts
from reportgen.document import Bytes, Count, document
from reportgen.parse.op_names import path_parts

_UNKNOWN = ""


class _Detail(NamedTuple):
    """The finest group that can be compared without matching; the parts of `path` begin with their separators."""

    path: tuple[str, ...] = (_UNKNOWN,)
    op_name: str = ""
    what: str = ""


@dataclass(slots=True)
class _Node:
    """A group with its parts; gross figures add up the details inside it."""

    before_bytes: int = 0
    after_bytes: int = 0
    increase_bytes: int = 0
    decrease_bytes: int = 0
    parts: dict[str, "_Node"] = field(default_factory=dict)

    def add(self, before: int, after: int) -> None:
        self.before_bytes += before
        self.after_bytes += after
        self.increase_bytes += max(after - before, 0)
        self.decrease_bytes += max(before - after, 0)

    @property
    def amounts(self) -> tuple[int, int, int, int]:
        return self.before_bytes, self.after_bytes, self.increase_bytes, self.decrease_bytes

    @property
    def only_part(self) -> tuple[str, "_Node"] | None:
        """Return the part that has all bytes of this group, if there is one."""
        if len(self.parts) != 1:
            return None
        [(label, part)] = self.parts.items()
        return (label, part) if part.amounts == self.amounts else None


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
    root = _Node()
    for detail in {**before, **after}:
        node = root
        for label in detail.path:
            node = node.parts.setdefault(label, _Node())
            node.add(before[detail], after[detail])
    return tuple(_rows(root, 0))


def _rows(node: _Node, depth: int) -> Iterator[ScopeChange]:
    """Yield the parts of a group that changed, each before its own; one with a single part is one row with it."""
    changed = ((label, part) for label, part in node.parts.items() if part.increase_bytes or part.decrease_bytes)
    most_first = sorted(
        changed, key=lambda item: (-abs(item[1].after_bytes - item[1].before_bytes), -item[1].increase_bytes, item[0])
    )
    for first, part in most_first:
        label = first
        while only := part.only_part:
            label, part = label + only[0], only[1]
        before, after, increase, decrease = part.amounts
        yield ScopeChange(
            label=label.lstrip("/: ") or None,
            depth=depth,
            before_bytes=before,
            after_bytes=after,
            increase_bytes=increase,
            decrease_bytes=decrease,
        )
        yield from _rows(part, depth + 1)


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
