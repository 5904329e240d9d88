"""The peak of each memory space, taken apart: what its bytes are, and which part of the program asks for them."""

from collections.abc import Sequence

from reportgen.analyse.records import Space
from reportgen.analyse.spaces import main_space
from reportgen.intervals.step_function import Peak
from reportgen.record import record
from reportgen.render.drawings.icicle import Icicle, icicle_of_space
from reportgen.render.html.hints import naming_hint
from reportgen.render.html.links import Links
from reportgen.render.module.peak_rows import PeakTable, groupings_of, peak_kind, peak_tables
from reportgen.render.module.schedule_page import schedule_href
from reportgen.render.module.view_page import view_page
from reportgen.render.view import Module
from reportgen.reports.formats import percent
from reportgen.work import Page


@record
class SpacePeak:
    """The peak of one memory space; without tables where nothing is resident or known.

    `unnamed_bytes` are those of no operation, unless they are next to nothing.
    """

    space: Space
    peak: Peak | None
    icicle: Icicle | None
    tables: Sequence[PeakTable]
    unnamed_bytes: int
    values_href: str
    schedule_href: str | None

    @property
    def choice(self) -> tuple[str, str]:
        """The space, as the state of the page calls it and in words."""
        return str(self.space.color), self.space.name


def peak_page(module: Module, site_title: str) -> Page:
    """Return the page of the peaks."""
    links, main = Links(module, 0), main_space(module.analysis.spaces)
    # The main memory first, whatever its color is.
    ordered = sorted(module.analysis.spaces.values(), key=lambda space: (space is not main, space.color))
    parts = [_space_peak(module, space, links) for space in ordered]
    return view_page(
        module,
        site_title,
        "peak",
        "pages/peak.html",
        links=links,
        groupings=groupings_of([part.tables for part in parts]),
        large=[part for part in parts if part.space.color not in module.small_spaces],
        small=[part for part in parts if part.space.color in module.small_spaces],
        hint=naming_hint(module.title, has_text=module.join.module is not None),
    )


def _space_peak(module: Module, space: Space, links: Links) -> SpacePeak:
    peak = space.peak_resident
    unnamed_bytes = module.attributed[space.color].unnamed_bytes(peak.amount) if peak else 0
    return SpacePeak(
        space=space,
        peak=peak,
        icicle=icicle_of_space(module, space, links),
        tables=peak_tables(module, space, links, is_complete=True, by_value=False),
        unnamed_bytes=unnamed_bytes if peak and percent(unnamed_bytes, peak.amount) != "0.0 %" else 0,
        values_href=links.listing(peak_kind(space)),
        schedule_href=schedule_href(module, links, peak.moment) if peak else None,
    )
