"""The page of lifetimes: when the largest temporaries at each peak are written and read next, and are idle meanwhile.

Numbered siblings, as of the layers of a network, are one group.
"""

from collections.abc import Sequence
from operator import itemgetter

from markupsafe import Markup

from reportgen.advice.advise import Advice
from reportgen.analyse.lifetimes import idle_at_peak, idle_temporary_bytes
from reportgen.analyse.peak_groups import PeakGroup
from reportgen.analyse.records import Analysis, Space
from reportgen.program.author import lines_of_authors
from reportgen.program.buffer_uses import read_next_round
from reportgen.program.buffers import stretches
from reportgen.render.drawings.life import life_of, uses
from reportgen.render.drawings.time_axis import time_axis
from reportgen.render.html.links import Links
from reportgen.render.html.templates import view_page
from reportgen.render.view import Module
from reportgen.reports.advice_words import saving_words, title_words
from reportgen.reports.formats import more_lines, shortened
from reportgen.reports.source_words import short_words
from reportgen.work import Page

_SHOWN = 12
_FEW = 100
"""Temporaries that are less than this part of a peak say nothing of it."""


class GroupLife:
    """When `count` buffers are held, and when that of them which is idle longest at the peak is used around it.

    `last_use` and `next_use` are empty where no instruction uses it, and `idle` is None where it is unknown.
    It is 0 for a group that is in use at the peak.
    """

    idle: int | None

    def __init__(self, module: Module, group: PeakGroup, peak: int, links: Links) -> None:
        analysis, first = module.analysis, group.buffers[0]
        buffers = [analysis.program.buffers.members(number) for number in group.buffers]
        all_members = [member for members in buffers for member in members]
        authors = [module.attribution(number) for number in group.buffers]
        self.count, self.size_bytes = len(group.buffers), group.size_bytes
        self.name = links.named(first, group.name)
        self.line = links.line(authors[0].source) + more_lines(len(lines_of_authors(authors)))
        times = f"{self.count:,} × " if self.count > 1 else ""
        self.shape = Markup("<code>{}{}</code>").format(times, shortened(group.shape))
        looks = {module.color(member) for member in all_members}
        self.life = life_of(analysis, all_members, looks.pop() if len(looks) == 1 else "other", peak)
        # Without uses nothing tells an idle stretch from one at which values are read.
        has_uses = analysis.dump.used_values is not None
        around = (_around(analysis, members, peak) for members in buffers if has_uses)
        longest = max(around, key=itemgetter(2), default=None)
        self.last_use, self.next_use, self.idle = longest or ("", "", None)


class SpaceLifetimes:
    """The largest groups at the peak of a memory space, and the bytes that are idle there.

    The groups are temporaries, `temporary_bytes` of the peak, unless these are next to nothing. `held_idle_bytes` are
    those of arguments and outputs. `suggestion` is the first that is about one of the groups, in words; empty for none.
    """

    def __init__(self, module: Module, space: Space, links: Links) -> None:
        analysis, peak = module.analysis, space.peak_resident
        idle = idle_at_peak(analysis, space)
        self.space, self.idle_bytes = space, idle_temporary_bytes(analysis, idle)
        self.held_idle_bytes = sum(stretch.amount for stretch in idle) - self.idle_bytes
        groups = [group for group in module.peak_groups[space.color] if group.buffers] if peak else []
        temporary = [group for group in groups if group.memory_class == "temporary"]
        self.temporary_bytes = sum(group.size_bytes for group in temporary)
        self.are_temporary = self.temporary_bytes * _FEW >= (peak.amount if peak else 0)
        self.suggestion = _suggestion(module, space, temporary[:_SHOWN])
        shown = temporary if self.are_temporary else groups
        self.axis = time_axis(analysis.moments, module.phases, peak.moment) if peak else None
        self.rows = [GroupLife(module, group, peak.moment, links) for group in shown[:_SHOWN]] if peak else []
        self.rest = shown[_SHOWN:]


def lifetimes_page(module: Module, site_title: str) -> Page:
    """Return the page of lifetimes."""
    links = Links(module)
    return view_page(
        module,
        site_title,
        "lifetimes",
        "pages/lifetimes.html",
        links=links,
        has_time=module.analysis.dump.live_ranges is not None,
        has_uses=module.analysis.dump.used_values is not None,
        spaces=[SpaceLifetimes(module, space, links) for space in module.large_spaces],
    )


def _suggestion(module: Module, space: Space, groups: Sequence[PeakGroup]) -> str:
    members = module.analysis.program.buffers.members
    shown = {members(number)[0] for group in groups for number in group.buffers}
    for suggestion in module.advice.get(space.color, Advice()).best:
        if any(members(number)[0] in shown for number in suggestion.buffers):
            return f"{short_words(title_words(suggestion))}, {saving_words(suggestion)}"
    return ""


def _around(analysis: Analysis, members: Sequence[int], peak: int) -> tuple[str, str, int]:
    """Return when a buffer is used last and next, and for how many instructions it is idle around the peak."""
    program = analysis.program
    held = stretches(members, analysis.dump.starts, analysis.dump.ends)
    start, end = next(((first, last) for first, last in held if first <= peak <= last), (peak, peak))
    used = [moment for moment in uses(program, members) if start <= moment <= end]
    last = max((moment for moment in used if moment <= peak), default=None)
    following = min((moment for moment in used if moment >= peak), default=None)
    again = read_next_round(program, members, peak) if following is None else None
    idle = (end + 1 if following is None else following) - (start - 1 if last is None else last) - 1
    next_use = f"{again[0]:,}, next round" if again else "" if following is None else f"{following:,}"
    return "" if last is None else f"{last:,}", next_use, max(idle, 0)
