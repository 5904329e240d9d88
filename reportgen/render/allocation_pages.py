"""A page for each allocation: what it is, how it is packed, who lived where in it, and what is free in it when.

There are thousands, so like those of the values they are put together here from strings.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from reportgen.render.allocation_about import AllocationAbout
from reportgen.render.allocation_use import AllocationUse
from reportgen.render.formats import bytes_markup
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.routes import ALLOCATIONS_FOLDER, pages_of, rows_of
from reportgen.render.templates import Frame, macro
from reportgen.render.value_rows import layout_life_shape

_VALUES_HEAD = (
    "<thead><tr><th scope=col>Value<th scope=col class=number>Offset<th scope=col class=number>Size"
    "<th scope=col class=number>Dense<th scope=col class=number>Padding<th scope=col class=number>From"
    "<th scope=col class=number>To<th scope=col>Shape"
)


class AllocationRenderer:
    """Renders the allocation pages of one module; the table of values goes on over further pages."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._site_title = site_title
        self._links = Links(module, 1, ALLOCATIONS_FOLDER)
        self._about = AllocationAbout(module, self._links)
        self._use = AllocationUse(module, self._links)

    def pages(self, number: int) -> Iterator[Page]:
        tenants = self._in_order(number)
        index = str(self._module.analysis.dump.allocations[number].index)
        use = self._use.of(number)
        only_first = f"{self._about.section(number, use.moments)}{use.sections}"
        pages = pages_of(len(tenants))
        for page in range(1, pages + 1):
            where = f" Page {page} of {pages}." if pages > 1 else ""
            content = self._frame.filled(
                index=index,
                page=where if page > 1 else "",
                steps=self._steps(number),
                sections=only_first if page == 1 else "",
                values=self._values(number, tenants, page, where),
            )
            yield Page(self._module.routes.allocation(number, page), content)

    @cached_property
    def _frame(self) -> Frame:
        module, path = self._module, self._module.routes.allocation(0)
        return Frame("allocation.html", path, tab="", site_title=self._site_title, module=module, links=self._links)

    def _href(self, number: int, page: int) -> str:
        return self._links.path(self._module.routes.allocation(number, page))

    def _steps(self, number: int) -> str:
        """To the allocations before and after it."""
        allocations = self._module.analysis.dump.allocations
        steps = []
        if number > 0:
            steps.append(f"<a rel=prev href={self._href(number - 1, 1)}>← {allocations[number - 1].index}</a>")
        if number + 1 < len(allocations):
            steps.append(f"<a rel=next href={self._href(number + 1, 1)}>{allocations[number + 1].index} →</a>")
        return " ".join(steps)

    def _in_order(self, number: int) -> list[int]:
        facts = self._module.analysis.facts

        def by_offset_and_time(value: int) -> tuple[int, int, int]:
            fact = facts[value]
            return fact.value.offset_bytes, fact.live.start if fact.live else -1, fact.value.id

        return sorted(self._module.analysis.tenants[number], key=by_offset_and_time)

    def _values(self, number: int, tenants: Sequence[int], page: int, where: str) -> str:
        """A page of the table of values."""
        if not tenants:
            return "<p>No value lies here.\n"
        count, pages = len(tenants), pages_of(len(tenants))
        pager = macro("parts.html", "pager", page, pages, partial(self._href, number)) if pages > 1 else ""
        rows = "\n".join(map(self._row, tenants[rows_of(page)]))
        name = f"Values in allocation {self._module.analysis.dump.allocations[number].index}"
        return (
            f"<p>{count:,} value{'' if count == 1 else 's'}, in order of offset and time.{where}\n{pager}\n"
            f'<div class=scroll tabindex=0 role=region aria-label="{name}"><table class="sortable values">'
            f"<caption>{name}</caption>\n{_VALUES_HEAD}\n<tbody>\n{rows}\n</table></div>\n{pager}\n"
        )

    def _row(self, number: int) -> str:
        """A row of the table of values."""
        fact = self._module.analysis.facts[number]
        size, offset = bytes_markup(fact.value.size_bytes), fact.value.offset_bytes
        place = f"<td><data value={offset}>{offset:,}</data><td>{size}"
        return f"<tr><th scope=row>{self._links.value(number)}{place}{layout_life_shape(fact)}"
