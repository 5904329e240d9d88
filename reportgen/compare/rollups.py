"""The difference of two compositions as trees, by what a reader may change: scope, line, argument, class.

Each side is grouped alone and then subtracted, so these figures need no matching. Gross increase and decrease are
kept beside the net change, because +150 and −150 in one scope is not "no change".
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Space
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.graph import Graph, plain_op_name, shape_parts
from reportgen.document import Bytes, Count, document
from reportgen.parse.op_names import path_parts

Grouping = Literal["scope", "line", "argument", "class"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)

_UNKNOWN = ""
_SEPARATORS = "/: "


class _Detail(NamedTuple):
    """The finest group that can be compared without matching; the parts of `path` begin with their separators.

    A path of one empty part is that of bytes without a label.
    """

    path: tuple[str, ...]
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
class Row:
    """A group on both sides, with the bytes that grew and shrank inside it."""

    label: str | None
    """What the two reports call the group; null for bytes without a label."""
    depth: Count
    """How many levels the group is below the whole."""
    before_bytes: Bytes
    """Its bytes before."""
    after_bytes: Bytes
    """Its bytes after."""
    increase_bytes: Bytes
    """What grew inside the group, in bytes; what shrank is not taken off."""
    decrease_bytes: Bytes
    """What shrank inside the group, in bytes; what grew is not taken off."""

    @property
    def change_bytes(self) -> int:
        """Return the net change."""
        return self.after_bytes - self.before_bytes


def rollup(comparison: DumpComparison, space: SpaceComparison, grouping: Grouping) -> tuple[Row, ...]:
    """Return the groups of a space that changed, the largest change first, each followed by its parts."""
    if space.place is None:
        return ()
    before = _details(comparison.graphs[0], space.before, space.place.before, grouping)
    after = _details(comparison.graphs[1], space.after, space.place.after, grouping)
    root = _Node()
    for detail in {**before, **after}:
        node = root
        for label in detail.path:
            node = node.parts.setdefault(label, _Node())
            node.add(before[detail], after[detail])
    return tuple(_rows(root, 0))


def _rows(node: _Node, depth: int) -> Iterator[Row]:
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
        yield Row(
            label=label.lstrip(_SEPARATORS) or None,
            depth=depth,
            before_bytes=before,
            after_bytes=after,
            increase_bytes=increase,
            decrease_bytes=decrease,
        )
        yield from _rows(part, depth + 1)


def largest(rows: Sequence[Row], most: int) -> Sequence[Row]:
    """Return at most `most` rows in their order, those with the largest gross change, never one without its parent."""
    order = sorted(range(len(rows)), key=lambda n: (-rows[n].increase_bytes - rows[n].decrease_bytes, rows[n].depth, n))
    return [rows[number] for number in sorted(order[:most])]


def _details(graph: Graph, space: Space | None, moment: int, grouping: Grouping) -> Counter[_Detail]:
    """Return the bytes of the resident memory at a moment in the finest groups."""
    details: Counter[_Detail] = Counter()
    if space is None:
        return details
    analysis = graph.analysis
    for share in composition(analysis.dump, space.allocations, analysis.facts, analysis.occupants, moment):
        memory = memory_class(analysis.dump.allocations[share.allocation])
        # Bytes that hold no live value belong to what they are reserved for.
        value = held_for(analysis, share)
        details[_detail(graph, value, memory, grouping)] += share.size_bytes
    return details


def _detail(graph: Graph, value: int | None, memory: str, grouping: Grouping) -> _Detail:
    """Return the finest group for the bytes of a value; None stands for bytes that hold no known value."""
    path: tuple[str, ...] = (memory,) if grouping == "class" else ()
    if value is None:
        return _Detail(path or (_UNKNOWN,), "", "")
    path = path or _path(graph, value, grouping) or (_UNKNOWN,)
    return _Detail(path, plain_op_name(graph.labels(value).scope), _what(graph, value))


def _what(graph: Graph, value: int) -> str:
    return f"{graph.operation(value).opcode} {_shape(graph, value)}"


def _shape(graph: Graph, value: int) -> str:
    return shape_parts(graph.analysis.dump.values.shapes[value])[0]


def _path(graph: Graph, value: int, grouping: Grouping) -> tuple[str, ...]:
    """Return the groups of a value, the widest first; empty where its report does not say."""
    labels = graph.labels(value)
    match grouping:
        case "line":
            file, colon, line = labels.line.rpartition(":")
            if colon:
                return file, f":{line}"
            return (line,) if line else ()
        case "argument":
            return tuple(path_parts(labels.argument)) if labels.argument else ()
    scope = plain_op_name(labels.scope)
    parts = path_parts(scope) if scope else []
    # The name of an argument is a path as a whole; others end with the operation itself.
    if scope == labels.argument or scope.endswith("]"):
        return tuple(parts)
    return tuple(f"/{part}" for part in parts[: max(1, len(parts) - 1)])
