"""The peak of a memory space as tables of pages: the same bytes in each grouping that the dump allows.

Every grouping has the columns of `reports/peak_table.py`, and its own after the share.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from operator import itemgetter
from typing import Any, Generic, TypeVar

from markupsafe import Markup

from reportgen.advice.arguments import top_name
from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import Group, by_label, shares
from reportgen.analyse.peak_groups import PeakGroup
from reportgen.analyse.records import Share, Space
from reportgen.record import record
from reportgen.render.drawings.life import Life, life_of
from reportgen.render.html.links import Links, listed
from reportgen.render.html.marks import chip, group_label
from reportgen.render.html.markup import soft_breaks
from reportgen.render.html.members import group_members
from reportgen.render.html.page_table import table
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import shortened
from reportgen.reports.peak_table import PeakFigures, peak_columns, peak_figures

_SHOWN = 10


_Part = TypeVar("_Part", PeakGroup, Group, Share)


@record
class PeakTableRow(PeakFigures, Generic[_Part]):
    """A row of a page: what it has of a peak, its bytes by color, and a value of each of its buffers."""

    part: _Part
    parts: Sequence[tuple[str, int]] = field()  # where others have a property
    numbers: Sequence[int]


class PeakTable:
    """A peak of `whole` bytes in one grouping: `key` is what readers choose it by.

    The rows are followed by the `rest` of the parts. `buffers` are how many each part has; None where a row is a value.
    """

    def __init__(
        self,
        key: str,
        columns: Sequence[Column[PeakTableRow[_Part]]],
        rows: Sequence[PeakTableRow[_Part]],
        parts: Sequence[_Part],
        whole: int,
        buffers: Sequence[int] | None = None,
    ) -> None:
        self.key, self.buffers = key, buffers
        self.rows: Sequence[PeakTableRow[Any]] = rows
        self.rest: Sequence[PeakGroup | Group | Share] = parts[len(rows) :]
        self.table = table(columns, rows, whole=whole, largest=rows[0].size_bytes if rows else 0)


def peak_tables(module: Module, space: Space, links: Links) -> list[PeakTable]:
    """Return the tables of a space's peak, one for each grouping."""
    if space.peak_resident is None or not space.peak_resident.amount:
        return []
    return list(_Tables(module, space, links).groupings())


class _Tables:
    """Makes the tables of one space."""

    def __init__(self, module: Module, space: Space, links: Links) -> None:
        self._module, self._analysis, self._links = module, module.analysis, links
        self._space, self._peak = space, space.peak_resident
        self._whole = space.peak_resident.amount if space.peak_resident else 0
        self._strip: Column[PeakTableRow[Any]] = Column("life", "Lifetime", "life", self._life)

    def groupings(self) -> Iterator[PeakTable]:
        """Yield the tables of the peak, the most useful first and those for compiler engineers last."""
        found, groups = self._module.groupings[self._space.color], self._module.peak_groups[self._space.color]
        if any(group.name for group in groups):
            yield self._by_operation(groups)
        if any(group.kind == "named" for group in found["source line"]):
            yield self._by_label("source line", found["source line"], self._line)
        arguments = self._arguments()
        if any(group.kind == "named" for group in arguments):
            yield self._by_label("argument", arguments, _code)
        yield self._by_label("shape", found["shape"], _code)
        yield self._by_label("class", found["class"], lambda kind: chip(f"class-{kind}", kind))
        composition = shares(self._space)
        rows = list(map(self._owned, composition[:_SHOWN]))
        yield PeakTable("value", self._value_columns(), rows, composition, self._whole)
        for key in ("opcode", "element type"):
            yield self._by_label(key, found[key], _code)

    def _value_columns(self) -> Sequence[Column[PeakTableRow[Share]]]:
        own: Sequence[Column[PeakTableRow[Share]]] = (
            Column("value", "Value", "owner", self._owner, names_rows=True),
            Column("shape", "Shape", "code", self._of_owner(self._links.shape)),
            Column("origin", "Operation or argument", "origin", self._of_owner(self._links.origin)),
        )
        allocation: Column[PeakTableRow[Share]] = Column(
            "allocation", "Allocation", "allocation", lambda row: self._links.allocation(row.part.allocation)
        )
        return *peak_columns(*own), self._strip, allocation

    def _by_operation(self, groups: Sequence[PeakGroup]) -> PeakTable:
        own: Sequence[Column[PeakTableRow[PeakGroup]]] = (
            Column("name", "Operation or argument", "markup", self._operation, names_rows=True),
            Column("shape", "What", "markup", self._what),
        )
        columns = (*peak_columns(*own), self._strip, Column("buffers", "Buffers", "markup", self._buffers))
        rows = [self._row(group, group.memory_class, self._by_line(group), group.buffers) for group in groups[:_SHOWN]]
        return PeakTable("operation", columns, rows, groups, self._whole, [len(group.buffers) for group in groups])

    def _by_label(self, key: str, groups: Sequence[Group], name: Callable[[str], Markup]) -> PeakTable:
        """Return the table of groups that share a label; `name` draws a label."""

        def named(row: PeakTableRow[Group]) -> Markup:
            if key == "argument" and row.part.kind == "missing":
                return Markup("<em>not an argument</em>")
            return group_label(row.part.kind, key, name(row.part.label))

        own: Sequence[Column[PeakTableRow[Group]]] = (
            Column("name", key.capitalize(), "markup", named, names_rows=True),
            Column("largest", "Largest", "markup", self._largest),
        )
        members: Column[PeakTableRow[Group]] = Column(
            "buffers", "Buffers", "markup", lambda row: group_members(row.numbers, self._links)
        )
        buffers = [self._analysis.program.buffers.one_of_each(group.members) for group in groups]
        shown = zip(groups[:_SHOWN], buffers, strict=False)
        rows = []
        for group, numbers in shown:
            by_class = [(self._color(kind, numbers), size) for kind, size in group.classes]
            rows.append(self._row(group, max(group.classes, key=itemgetter(1))[0], by_class, numbers))
        columns = (*peak_columns(*own), self._strip, members)
        return PeakTable(key, columns, rows, groups, self._whole, list(map(len, buffers)))

    def _row(
        self, part: _Part, kind: MemoryClass, parts: Sequence[tuple[str, int]], numbers: Sequence[int]
    ) -> PeakTableRow[_Part]:
        size_bytes = sum(size for _, size in parts)
        return peak_figures(
            PeakTableRow, self._module, size_bytes, kind, numbers, part=part, parts=parts, numbers=numbers
        )

    def _by_line(self, group: PeakGroup) -> Sequence[tuple[str, int]]:
        """Return the bytes of buffers of one class by the color of their lines, in the order of those."""
        sizes: Counter[str] = Counter()
        for share in group.shares:
            sizes[self._color(group.memory_class, () if share.value is None else (share.value,))] += share.size_bytes
        return sorted(sizes.items())

    def _color(self, kind: MemoryClass, numbers: Sequence[int]) -> str:
        """Return the color of some values in a class of memory: that of their line, if temporaries have only one."""
        lines = {self._module.attribution(number).source for number in numbers}
        return self._module.line_looks.get(lines.pop(), kind) if kind == "temporary" and len(lines) == 1 else kind

    def _owned(self, share: Share) -> PeakTableRow[Share]:
        kind = memory_class(self._analysis.dump.allocations[share.allocation])
        numbers = () if share.value is None else (share.value,)
        parts = ((self._color(kind, numbers), share.size_bytes),)
        return self._row(share, kind, parts, numbers)

    def _operation(self, row: PeakTableRow[PeakGroup]) -> Markup:
        """Return what wrote the buffers; bytes without any are of allocations that are reserved and never used."""
        if not row.numbers:
            return Markup("–")
        return self._links.origin_of([self._module.attribution(number) for number in row.numbers], row.part.name)

    def _what(self, row: PeakTableRow[PeakGroup]) -> Markup:
        if not row.numbers:
            return Markup("<em>reserved, never used</em>")
        times = f"{len(row.numbers):,} × " if len(row.numbers) > 1 else ""
        held = Markup("<small>{}</small> ").format(self._links.term("reserved", "reserved")) if row.part.is_held else ""
        return held + _code(f"{times}{row.part.shape}")

    def _buffers(self, row: PeakTableRow[PeakGroup]) -> Markup:
        """Return links to the buffers of a group, and to the rows of several in the table of values."""
        if not row.numbers:
            return Markup(listed([share.allocation for share in row.part.shares], self._links.allocation))
        if len(row.numbers) == 1:
            return group_members(row.numbers, self._links)
        # The table has the shape of a tuple as the dump prints it, and not how many elements it has.
        shape = "(" if self._analysis.program.is_table(row.numbers[0]) else row.part.shape
        href = self._links.filtered_values(space=str(self._space.color), scope=row.part.pattern, shape=shape)
        return group_members(row.numbers, self._links, f'; <a href="{href}">in the table of values</a>')

    def _largest(self, row: PeakTableRow[Group]) -> Markup:
        return Markup("") if row.part.largest is None else self._links.value(row.part.largest)

    def _owner(self, row: PeakTableRow[Share]) -> Markup:
        """Return the value that the bytes are or will be of."""
        value = held_for(self._analysis, row.part)
        if value is None:
            return Markup("<em>reserved, never used</em>")
        if row.part.value is None:
            return Markup("<em>reserved for</em> ") + self._links.value(value)
        return self._links.value(value) + self._links.sharing(row.part)

    def _of_owner(self, cell: Callable[[int], Markup]) -> Callable[[PeakTableRow[Share]], Markup]:
        def of_owner(row: PeakTableRow[Share]) -> Markup:
            value = held_for(self._analysis, row.part)
            return Markup("") if value is None else cell(value)

        return of_owner

    def _arguments(self) -> Sequence[Group]:
        """Return the peak by the program's arguments; what is none of them has no label."""
        dump, authors = self._analysis.dump, self._analysis.authors

        def label(value: int) -> str:
            if memory_class(dump.allocations[dump.values.allocations[value]]) != "parameter":
                return ""
            return top_name(authors.of(value).name)

        return by_label(self._analysis, self._space, label)

    def _line(self, label: str) -> Markup:
        href = self._links.line_href(label)
        return Markup(f'<a href="{href}">{_code(label)}</a>') if href else _code(label)

    def _life(self, row: PeakTableRow[Any]) -> Life | None:
        members = [member for number in row.numbers for member in self._analysis.program.buffers.members(number)]
        largest = max(row.parts, key=itemgetter(1))[0]
        return life_of(self._analysis, members, f"fill-{largest}", self._peak.moment if self._peak else None)


def _code(label: str) -> Markup:
    return Markup("<code>{}</code>").format(soft_breaks(shortened(label)))
