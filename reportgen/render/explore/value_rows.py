"""The values of a module as rows: equal buffers are one, the largest first.

`templates/scripts/value-groups.js` does the same with the values that a filter leaves.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.analyse.spaces import main_space
from reportgen.intervals.step_function import most_at_once
from reportgen.program.buffers import stretches
from reportgen.render.drawings.life import Life, life_of
from reportgen.render.explore.folds import with_fold
from reportgen.render.html.links import Links
from reportgen.render.html.members import group_members
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.routes import value_id
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import shortened

_SMALL_PART = 100
"""A group of values below this part of the largest is small."""
_LEAST_PADDING = 100
"""Parts of the bytes of all values, of which padding has to be one to have a column."""


class ValueGroup(NamedTuple):
    """Values of one operation or argument, line, shape and class of memory.

    `buffers` has the largest value of each of their buffers, the largest first, and `size_bytes` is the most that these
    take at one time.
    """

    numbers: Sequence[int]
    buffers: Sequence[int]
    size_bytes: int


def value_groups(module: Module, numbers: Iterable[int] | None = None) -> list[ValueGroup]:
    """Return all values of a module, or some of them, in groups, the largest first."""
    dump = module.analysis.dump
    values, found = dump.values, defaultdict[tuple[object, ...], list[int]](list)
    for number in range(len(values)) if numbers is None else numbers:
        author, allocation = module.attribution(number), dump.allocations[values.allocations[number]]
        name = author.scope_name or author.name
        key = name, author.relation, author.source, values.shapes[number], allocation.color, memory_class(allocation)
        found[key].append(number)
    groups = [_group(module, numbers) for numbers in found.values()]
    return sorted(groups, key=lambda group: (-group.size_bytes, values.ids[group.buffers[0]]))


def _group(module: Module, numbers: Sequence[int]) -> ValueGroup:
    values, buffer_of = module.analysis.dump.values, module.analysis.program.buffers.members
    in_order = sorted(numbers, key=lambda number: (-values.sizes[number], values.ids[number]))
    buffers = defaultdict[int, list[int]](list)
    for number in in_order:
        buffers[buffer_of(number)[0]].append(number)
    return ValueGroup(in_order, [first for first, *_ in buffers.values()], _at_once(module, buffers.values()))


def _at_once(module: Module, buffers: Iterable[Sequence[int]]) -> int:
    """Return the most bytes that some buffers take at one time; those that are never live count as if they always were.

    Each is given by its values, the largest first.
    """
    dump, lives, always = module.analysis.dump, list[tuple[int, int, int]](), 0
    for members in buffers:
        size, held = dump.values.sizes[members[0]], stretches(members, dump.starts, dump.ends)
        always += 0 if held else size
        lives += [(first, last, size) for first, last in held]
    return always + most_at_once(lives)


def thing(module: Module, links: Links, number: int) -> Markup:
    """Return the operation or argument of a value with its line, and the name of its instruction."""
    name = shortened(module.analysis.dump.values.names[number])
    return links.short_origin(number) + Markup(f' <small class="xla">{escape(name)}</small>')


class ValueRows:
    """Makes the table of the values of one module; a row is the place of those that have no view in the page."""

    def __init__(self, module: Module, links: Links, with_views: Collection[int] | None = None) -> None:
        self._module, self._analysis, self._links = module, module.analysis, links
        self._with_views = range(len(module.analysis.facts)) if with_views is None else with_views
        main = main_space(module.analysis.spaces)
        self.peak = main.peak_resident.moment if main and main.peak_resident else None

    def table(self, groups: Sequence[ValueGroup], most: int) -> PageTable:
        """Return the table of the first groups; bars are in the scale of the largest."""
        sizes, padding = self._analysis.dump.values.sizes, self._analysis.facts.padding
        padded: Sequence[Column[ValueGroup]] = (
            (Column("padding", "Padding", "bytes", self._padding),)
            if sum(padding) * _LEAST_PADDING > sum(sizes)
            else ()
        )
        columns: Sequence[Column[ValueGroup]] = (
            Column("size", "At once", "bytes", lambda group: group.size_bytes),
            Column("bar", "Of the largest", "bar", lambda group: (self._look(group), group.size_bytes)),
            Column("thing", "Operation or argument", "thing", self._thing, names_rows=True),
            Column("shape", "Shape", "shape", self._shape),
            Column("life", "Lifetime", "life", self._life),
            *padded,
            Column("members", "Values", "members", self._members),
        )
        largest = groups[0].size_bytes if groups else 0
        rows, attributes = with_fold(groups[:most], lambda group: group.size_bytes, _SMALL_PART, len(columns))
        return table(columns, rows, largest=largest, attributes=attributes, for_scripts=True)

    def _look(self, group: ValueGroup) -> str:
        """Return the color of a group: that of its line, or of its class of memory."""
        return self._module.color(group.buffers[0]).removeprefix("class-")

    def _thing(self, group: ValueGroup) -> Markup:
        return thing(self._module, self._links, group.buffers[0])

    def _shape(self, group: ValueGroup) -> Markup:
        times = f"{len(group.buffers):,} × " if len(group.buffers) > 1 else ""
        return Markup(times) + self._links.shape(group.buffers[0])

    def _life(self, group: ValueGroup) -> Life | None:
        return life_of(self._analysis, sorted(group.numbers), f"fill-{self._look(group)}", self.peak)

    def _padding(self, group: ValueGroup) -> int:
        return sum(self._analysis.facts.padding[number] for number in group.buffers)

    def _members(self, group: ValueGroup) -> Markup:
        names, without = self._module.routes.value_names, (n for n in group.numbers if n not in self._with_views)
        places = "".join(f"<i id={value_id(names[number])}></i>" for number in without)
        return Markup(places) + group_members(group.numbers, self._links, noun="value")
