"""The peak of a memory space as tables of a module's page: the same bytes in each grouping that the dump allows."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from markupsafe import Markup, escape

from reportgen.advice.arguments import top_name
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import Group, GroupKind, by_label, groupings, shares
from reportgen.analyse.peak_groups import PeakGroup
from reportgen.analyse.records import Share, Space
from reportgen.record import record
from reportgen.render.drawings.life import Life, life_of
from reportgen.render.html.links import Links, listed
from reportgen.render.html.markup import soft_breaks
from reportgen.render.html.members import group_members
from reportgen.render.module.listings import peak_kind
from reportgen.render.module.view_page import Rest
from reportgen.render.view import Module
from reportgen.reports.formats import counted, shortened

_SHOWN = 20
_Part = TypeVar("_Part", PeakGroup, Group, Share)


@record
class GroupingRow:
    """Bytes of a peak that have a name in common; `kind` says why there may be none.

    `what` says more about them, `buffers` are links to them or their number, and `life` draws when they are held.
    """

    kind: GroupKind
    name: Markup
    size_bytes: int
    classes: Sequence[tuple[MemoryClass, int]]
    what: Markup
    buffers: Markup
    life: Life | None


@record
class PeakTable:
    """A peak in one grouping. `key` is what readers choose it by, `head` what its rows are named by."""

    key: str
    head: str
    what: str
    rows: Sequence[GroupingRow]
    rest: Rest


def peak_tables(module: Module, space: Space, groups: Sequence[PeakGroup], links: Links) -> list[PeakTable]:
    """Return the tables of a space's peak, which `groups` has by operation.

    Those by something that the dump does not have are left out.
    """
    if space.peak_resident is None or not space.peak_resident.amount:
        return []
    return list(_Tables(module, space, links).tables(groups))


def unnamed_bytes(module: Module, groups: Sequence[PeakGroup]) -> int:
    """Return how many bytes of a peak's groups the program has no name for."""
    named = (bool(group.buffers) and module.attribution(group.buffers[0]).is_named for group in groups)
    return sum(group.size_bytes for group, is_named in zip(groups, named, strict=True) if not is_named)


class _Tables:
    """Makes the tables of one space."""

    def __init__(self, module: Module, space: Space, links: Links) -> None:
        self._module, self._analysis, self._links = module, module.analysis, links
        self._space, self._peak = space, space.peak_resident

    def tables(self, groups: Sequence[PeakGroup]) -> Iterator[PeakTable]:
        found = groupings(self._analysis, self._space)
        if any(group.name for group in groups):
            yield self._table("operation", "Operation or argument", "What", groups, self._of_operation)
        if any(group.kind == "named" for group in found["source line"]):
            yield self._table("source line", "Source line", "Largest", found["source line"], self._of(self._line))
        arguments = self._arguments()
        if any(group.kind == "named" for group in arguments):
            yield self._table("argument", "Argument", "Largest", arguments, self._of(self._code))
        yield self._table("shape", "Shape", "Largest", found["shape"], self._of(self._code))
        yield self._table("class", "Class", "Largest", found["class"], self._of(escape))
        yield self._table("value", "Value", "Operation or argument", shares(self._space), self._of_value)

    def _table(
        self, key: str, head: str, what: str, groups: Sequence[_Part], row: Callable[[_Part], GroupingRow]
    ) -> PeakTable:
        rest = groups[_SHOWN:]
        return PeakTable(
            key=key,
            head=head,
            what=what,
            rows=[row(group) for group in groups[:_SHOWN]],
            rest=Rest(
                count=len(rest),
                amount=sum(group.size_bytes for group in rest),
                href=self._links.listing(peak_kind(self._space)),
            ),
        )

    def _of_operation(self, group: PeakGroup) -> GroupingRow:
        """Return a group as a row; one without buffers is of bytes that an allocation reserves and never uses."""
        if not group.buffers:
            name, what = Markup("–"), Markup("<em>reserved, never used</em>")
            buffers = Markup(listed([share.allocation for share in group.shares], self._links.allocation))
        else:
            authors = [self._module.attribution(number) for number in group.buffers]
            name, buffers = self._links.origin_of(authors, group.name), self._buffers(group)
            times = f"{len(group.buffers):,} × " if len(group.buffers) > 1 else ""
            what = self._code(shortened(f"{times}{group.shape}"))
            if group.is_held:
                what = Markup("<em>reserved for</em> ") + what
        return GroupingRow(
            kind="named",
            name=name,
            size_bytes=group.size_bytes,
            classes=((group.memory_class, group.size_bytes),),
            what=what,
            buffers=buffers,
            life=self._life(group.buffers, group.memory_class),
        )

    def _buffers(self, group: PeakGroup) -> Markup:
        """Return links to the buffers of a group, and to the rows of several in the table of values."""
        if len(group.buffers) == 1:
            return group_members(group.buffers, self._links, "buffer")
        # The table has the shape of a tuple as the dump prints it, and not how many elements it has.
        shape = "(" if self._analysis.program.is_table(group.buffers[0]) else group.shape
        href = self._links.filtered_values(space=str(self._space.color), scope=group.pattern, shape=shape)
        return group_members(group.buffers, self._links, "buffer", f'; <a href="{href}">in the table of values</a>')

    def _of(self, name: Callable[[str], Markup]) -> Callable[[Group], GroupingRow]:
        def row(group: Group) -> GroupingRow:
            largest = max(group.classes, key=lambda part: part[1])[0]
            buffers = self._analysis.program.buffers.one_of_each(group.members)
            return GroupingRow(
                kind=group.kind,
                name=name(group.label) if group.label else Markup(""),
                size_bytes=group.size_bytes,
                classes=group.classes,
                what=self._links.value(group.largest) if group.largest is not None else Markup(""),
                buffers=Markup(counted(len(buffers), "buffer")) if buffers else Markup(""),
                life=self._life(buffers, largest),
            )

        return row

    def _of_value(self, share: Share) -> GroupingRow:
        kind, value = memory_class(self._analysis.dump.allocations[share.allocation]), share.value
        name = what = Markup("")
        if value is not None:
            name, what = self._links.value(value) + self._links.sharing(share), self._links.origin(value)
        return GroupingRow(
            kind="held" if value is None else "named",
            name=name,
            size_bytes=share.size_bytes,
            classes=((kind, share.size_bytes),),
            what=what,
            buffers=self._links.allocation(share.allocation),
            life=self._life(() if value is None else (value,), kind),
        )

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
        return Markup(f'<a href="{href}">{self._code(label)}</a>') if href else self._code(label)

    @staticmethod
    def _code(label: str) -> Markup:
        return Markup("<code>{}</code>").format(soft_breaks(shortened(label)))

    def _life(self, buffers: Sequence[int], kind: MemoryClass) -> Life | None:
        members = [one for number in buffers for one in self._analysis.program.buffers.members(number)]
        return life_of(self._analysis, members, kind, self._peak.moment if self._peak else None)
