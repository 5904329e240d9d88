"""One analysed dump as its pages see it: their paths, which values have one, and the order of the rows in tables."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from reportgen.analyse.attributed import reserved_for
from reportgen.render.routes import ModuleRoutes, module_slug
from reportgen.reports.report import Report


@dataclass(frozen=True, kw_only=True)
class Module(Report):
    """A report with pages: at least the `value_pages` largest values and the `named_values` have one; with None all."""

    value_pages: int | None = None
    named_values: Set[int] = frozenset()

    @cached_property
    def routes(self) -> ModuleRoutes:
        """The paths of the pages."""
        return ModuleRoutes(module_slug(self.label, self.title), self.analysis.dump)

    @cached_property
    def row_of(self) -> Mapping[int, int]:
        """The row of each value in the table of values, counted from 0."""
        return {number: row for row, number in enumerate(self.by_size)}

    @cached_property
    def with_page(self) -> Set[int]:
        """The values that have a page."""
        if self.value_pages is None:
            return frozenset(range(len(self.analysis.facts)))
        peaks = {peak.moment for space in self.analysis.spaces.values() if (peak := space.peak_resident)}
        live_at_peak = (
            number
            for number, fact in enumerate(self.analysis.facts)
            if (live := fact.live) and any(live.start <= moment <= live.end for moment in peaks)
        )
        # Bytes that are reserved for a value lead to it, although it is not live yet or any more.
        reserved = (
            reserved_for(self.analysis, share.allocation)
            for space in self.analysis.spaces.values()
            for share in space.composition
            if share.value is None
        )
        return frozenset(
            (
                *self.by_size[: self.value_pages],
                *live_at_peak,
                *(one for one in reserved if one is not None),
                *self.named_values,
            )
        )

    @cached_property
    def by_instruction(self) -> Sequence[int]:
        """The values that have a page, grouped by instruction: the order to render them in."""
        return [number for made in self.analysis.dump.made_by.values() for number in made if number in self.with_page]

    @cached_property
    def scheduled_moments(self) -> Sequence[int]:
        """The moments that the schedule lists, in order: the rows of its pages."""
        return sorted(self.analysis.dump.name_at)
