"""The groups of a peak as rows of a module's page."""

from markupsafe import Markup

from reportgen.analyse.peak_groups import PeakGroup, peak_groups
from reportgen.analyse.records import Space
from reportgen.record import record
from reportgen.render.drawings.life import life_strip
from reportgen.render.html.links import Links, listed
from reportgen.render.html.members import group_members
from reportgen.render.view import Module


@record
class GroupRow:
    """A group of the peak as a row: `origin` is its operation or argument with its source line.

    `is_named` is whether the program has a name for it; `buffers` are links to a value of each buffer, and
    `life` draws when they are held.
    """

    group: PeakGroup
    is_named: bool
    origin: Markup
    what: str
    buffers: Markup
    life: Markup


def group_rows(module: Module, space: Space, links: Links) -> list[GroupRow]:
    """Return the groups of a space's peak as rows, the largest first."""
    return [_row(module, space, group, links) for group in peak_groups(module.analysis, space)]


def _row(module: Module, space: Space, group: PeakGroup, links: Links) -> GroupRow:
    """Return a group as a row; one without buffers is of bytes that an allocation reserves and never uses."""
    if not group.buffers:
        allocations = listed([share.allocation for share in group.shares], links.allocation)
        what = "reserved, never used"
        return GroupRow(
            group=group, is_named=False, origin=Markup("–"), what=what, buffers=Markup(allocations), life=Markup("")
        )
    peak = space.peak_resident
    authors = [module.attribution(number) for number in group.buffers]
    links_to_buffers = group_members(group.buffers, links, "buffer")
    if len(group.buffers) > 1:
        # The table has the shape of a tuple as the dump prints it, and not how many elements it has.
        shape = "(" if module.analysis.program.is_table(group.buffers[0]) else group.shape
        table = links.filtered_values(space=str(space.color), scope=group.name, shape=shape)
        links_to_buffers += Markup(f' <a href="{table}">in the table of values</a>')
    times = f"{len(group.buffers):,} × " if len(group.buffers) > 1 else ""
    return GroupRow(
        group=group,
        is_named=authors[0].is_named,
        origin=links.origin_of(authors, group.name),
        what=f"{times}{group.shape}",
        buffers=links_to_buffers,
        life=life_strip(module.analysis, group.buffers, group.memory_class, peak.moment if peak else None),
    )
