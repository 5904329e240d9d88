"""What the page of a comparison shows of a module and of each memory space that changed."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from reportgen.advice.advise import advise
from reportgen.analyse.contested import Certainty
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import Fit
from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import is_small
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.compare_words import evidence_words, reason_words
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.graph import shape_parts
from reportgen.compare.module_pairing import Pair
from reportgen.compare.reasons import Reason, Why, slack_reason, step_reason, value_at_peak
from reportgen.compare.rollups import largest, scope_changes
from reportgen.compare.terms import JoinedStep, Kind, Term, step_words, total
from reportgen.record import record
from reportgen.render.compare.curves import Curves, curves
from reportgen.render.routes import SIDES, ModuleRoutes, comparison_page, module_slug, step_section
from reportgen.reports.advice_words import amount_words
from reportgen.reports.formats import capital, signed_bytes

Routes = tuple[ModuleRoutes, ModuleRoutes]
"""The paths of a module's pages on both sides."""

MOST_GROUPS, OPEN_GROUPS = 300, 10
"""How many groups of buffers are shown, and how many of them in the table; the others are folded below it."""

_MOST_OTHERS, _MOST_SCOPES, _MOST_STEPS, _MOST_NAMES, _SMALL_PART, _ROOM = 2, 20, 6, 3, 100, 0.08
_CHECKPOINTS = {"checkpoint", "checkpoint-loop"}
_MUCH = 10
"""How much more a suggestion must save than all others that may have been followed, for its number to be said."""


class WaterfallRow(NamedTuple):
    """What is needed on a side, a step, or the small ones together; its bar begins at `low_bytes` of the axis."""

    words: str
    change_bytes: int
    low_bytes: int
    look: str  # "before", "after", "grown", "shrunk" or "level"
    reason: Reason | None = None
    note: str = ""
    href: str = ""


class Waterfall(NamedTuple):
    """The rows; the axis begins at `start_bytes`, which is 0 unless that hid the steps."""

    rows: Sequence[WaterfallRow]
    start_bytes: int
    whole_bytes: int


class Link(NamedTuple):
    """A value or an allocation of one side, its path from the root of both sites, and why it has this partner."""

    text: str
    href: str
    reason: str


@record
class TermGroup:
    """Terms of one kind about one part of the program, in one shape; the links are those of the largest term."""

    words: str
    kind: Kind
    step: Kind
    change_bytes: int
    before: Link | None
    after: Link | None
    subject: str = ""
    line: str = ""
    shape: str = ""
    count: int = 1

    @property
    def is_one_sided(self) -> bool:
        """Return whether the column of the other side says all of what happened: that it is gone, or new."""
        return self.kind in {"gone", "new"}


class SideBar(NamedTuple):
    """What a build needs in a memory space as a bar, how certain that is, and whether it fits."""

    side: str
    needed_bytes: int
    certainty: Certainty
    fit: Fit | None
    is_refused: bool


class SpaceView:
    """What a page shows of a memory space that changed."""

    def __init__(self, comparison: DumpComparison, space: SpaceComparison, routes: Routes, fit: Fit | None) -> None:
        self.space, self.slack = space, slack_reason(space)
        found = [group for step in space.steps for group in groups(comparison, space, step, routes)]
        self.groups = sorted(found, key=_size_order)[:MOST_GROUPS]
        self.groups_left_out = len(found) - len(self.groups)
        self.waterfall = _waterfall(comparison, space, self.slack)
        self.curves: Curves | None = curves(comparison, space, fit.capacity.size_bytes if fit else None)
        scopes = scope_changes(comparison, space)
        self.scopes = largest(scopes, _MOST_SCOPES)
        self.scopes_left_out = len(scopes) - len(self.scopes)


class ModuleView:
    """What a page shows of a module that changed; `main` is its main memory space, whose view is the first."""

    def __init__(self, path: str, module: ModuleComparison, comparison: DumpComparison) -> None:
        self.path, self.module, self._comparison = path, module, comparison
        self._routes = routes_of(module.figures, comparison)
        self.homes = tuple(side + routes.index for side, routes in zip(SIDES, self._routes, strict=True))
        spaces, color = comparison.spaces.values(), MAIN_SPACE if module.main_color is None else module.main_color
        self.unchanged = list(dict.fromkeys(each.name for each in spaces if not (each.terms or each.need_change_bytes)))
        changed = [each for each in spaces if each.terms or (each.need_change_bytes and each.change_bytes is not None)]
        changed.sort(key=lambda space: (space.color != color, -abs(space.need_change_bytes), space.color))
        fits = module.device_fits[1].fits
        self.views = [SpaceView(comparison, space, self._routes, fits.get(space.color)) for space in changed]
        self.main = comparison.spaces.get(color)
        self.sides = list(self._sides(self.main)) if self.main else []
        self.capacity_bytes = next((side.fit.capacity.size_bytes for side in reversed(self.sides) if side.fit), None)
        self.whole_bytes = max(self.capacity_bytes or 0, 1, *(side.needed_bytes for side in self.sides), 1)

    def _sides(self, space: SpaceComparison) -> Sequence[SideBar]:
        figures, fits = self.module.figures, self.module.device_fits
        known = [side.spaces.get(space.color) if side else None for side in figures]
        return [
            SideBar(side, needed, own.certainty if own else "exact", fit.fits.get(space.color), fit.refused is not None)
            for side, needed, own, fit in zip(("before", "after"), space.needed_bytes, known, fits, strict=True)
        ]

    @property
    def others(self) -> Sequence[SpaceComparison]:
        """Return the other memory spaces that are worth a figure next to that of the main one."""
        main = max((side.needed_bytes for side in self.sides), default=0)
        others = [view.space for view in self.views if self.main is None or view.space.color != self.main.color]
        return [
            space
            for space in others
            if space.need_change_bytes and not is_small(space.name, max(space.needed_bytes), main, is_short=False)
        ][:_MOST_OTHERS]

    @cached_property
    def evidence(self) -> Sequence[tuple[str, str, str, int]]:
        """Return (grade, what is equal, how it was chosen, number of values), most first."""
        counts = Counter(
            (match.grade, *evidence_words(match)) if match else ("not recognised", "", "")
            for match in self._comparison.matching.before
        )
        return [(*kind, count) for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def page_of(module: ModuleComparison) -> str | None:
    """Return the path of a module's comparison; None where there is nothing to explain."""
    if module.comparison is None or module.status == "same":
        return None
    return comparison_page(module.module.path, module.module.name)


def module_views(modules: Sequence[ModuleComparison]) -> tuple[ModuleView, ...]:
    """Return the view of each module that has a page."""
    return tuple(
        ModuleView(path, module, module.comparison)
        for module in modules
        if module.comparison is not None and (path := page_of(module)) is not None
    )


def predicted_words(view: ModuleView, why: Why) -> str:
    """Return what the checkpoint suggested for the build before was to save; empty unless it is done.

    It may be done where only checkpoints were added, and all others that were suggested save little.
    """
    comparison, (before, after) = view.module.comparison, view.module.figures
    is_added = any(again.cause == "checkpoints added" for again in why.likely)
    if not comparison or not before or not after or not is_added or before.arguments != after.arguments:
        return ""
    if view.main is None or view.main.color != MAIN_SPACE or not isinstance(comparison.before, Analysis):
        return ""
    suggested = [
        suggestion
        for suggestion in advise(comparison.before)[MAIN_SPACE].suggestions
        if suggestion.kind in _CHECKPOINTS and suggestion.is_computed
    ]
    suggested.sort(key=lambda suggestion: -suggestion.saving_bytes)
    others = sum(suggestion.saving_bytes for suggestion in suggested[1:])
    return amount_words(suggested[0]) if suggested and others <= suggested[0].saving_bytes / _MUCH else ""


def routes_of(figures: Pair, comparison: DumpComparison) -> Routes:
    """Return the paths of the pages of both sides of a comparison."""
    before, after = figures
    # Only a module of both builds has a comparison.
    assert before is not None
    assert after is not None
    return (
        ModuleRoutes(module_slug(before.path, before.name), comparison.before.dump),
        ModuleRoutes(module_slug(after.path, after.name), comparison.after.dump),
    )


def groups(comparison: DumpComparison, space: SpaceComparison, step: JoinedStep, routes: Routes) -> Sequence[TermGroup]:
    """Return the groups of a step, the largest first; that the peak moved is one, with both instructions."""
    if step.has_moved:
        before, after = (_link_to(comparison, routes, side, value_at_peak(comparison, space, side)) for side in (0, 1))
        words = step_reason(comparison, space, step).words
        return [
            TermGroup(
                words=words, kind=step.kind, step=step.kind, change_bytes=step.change_bytes, before=before, after=after
            )
        ]
    by_key: dict[tuple[Kind, str, str, str], list[Term]] = {}
    for term in step.terms:
        by_key.setdefault((term.kind, *_description(comparison, term)), []).append(term)
    found = [
        TermGroup(
            words=step_words(kind, total(terms)),
            kind=kind,
            step=step.kind,
            change_bytes=total(terms),
            before=_link(comparison, routes, 0, terms[0]),
            after=_link(comparison, routes, 1, terms[0]),
            subject=subject,
            line=line,
            shape=shape,
            count=len(terms),
        )
        for (kind, subject, line, shape), terms in by_key.items()
    ]
    return sorted(found, key=_size_order)


def _size_order(group: TermGroup) -> tuple[int, str, str]:
    return -abs(group.change_bytes), group.subject, group.shape


def _description(comparison: DumpComparison, term: Term) -> tuple[str, str, str]:
    """Return (part of the program, source line, shape) of what a term is about."""
    subject = comparison.subject(term)
    if subject is None:
        return "", "", ""
    graph, value = subject
    shape = shape_parts(graph.analysis.dump.values.shapes[value])[0]
    return comparison.subject_name(term), comparison.subject_line(term), shape


def _link(comparison: DumpComparison, routes: Routes, side: int, term: Term) -> Link | None:
    """Return the value of one side that a term is about, or its allocation where it is about no value."""
    value, allocation = (term.after, term.after_allocation) if side else (term.before, term.before_allocation)
    if value is None and allocation is not None:
        name = f"allocation {comparison.graphs[side].analysis.dump.allocations[allocation].index}"
        return Link(name, SIDES[side] + routes[side].allocation(allocation), "")
    match = comparison.matching.before[term.before] if term.before is not None else None
    # A term may be about one side alone although its value has a partner.
    reason = f"{match.grade}: {reason_words(match)}" if match and match.value == term.after else ""
    return _link_to(comparison, routes, side, value, reason)


def _link_to(comparison: DumpComparison, routes: Routes, side: int, value: int | None, reason: str = "") -> Link | None:
    if value is None:
        return None
    name = comparison.graphs[side].analysis.dump.values.keys[value].removesuffix("{}")
    return Link(name, SIDES[side] + routes[side].value(value), reason)


def _waterfall(comparison: DumpComparison, space: SpaceComparison, slack: Reason | None) -> Waterfall:
    """Return the rows of a memory space, whose bytes lead from one need to the other. Small steps are one row."""
    has_change = slack or any(step.change_bytes for step in space.steps)
    steps = [step_reason(comparison, space, step) for step in space.steps if step.change_bytes or not has_change]
    steps = sorted([*steps, *([slack] if slack else [])], key=lambda step: -abs(step.change_bytes))
    seen = sum(abs(step.change_bytes) * _SMALL_PART >= abs(steps[0].change_bytes) for step in steps)
    seen = min(seen, _MOST_STEPS) if len(steps) > _MOST_STEPS else seen
    seen = len(steps) if len(steps) - seen == 1 else seen  # a single small step is not small
    rows: list[tuple[str, int, Reason | None, str]] = [
        (capital(step.words), step.change_bytes, step, "" if step.kind else "alignment and gaps between buffers")
        for step in steps[:seen]
    ]
    if small := steps[seen:]:
        named = [(step.words, step.change_bytes) for step in small[:_MOST_NAMES]]
        if more := small[_MOST_NAMES:]:
            named.append((f"{len(more)} more", sum(step.change_bytes for step in more)))
        note = "; ".join(f"{words} {signed_bytes(change)}" for words, change in named)
        rows.append((f"{len(small)} smaller steps", sum(step.change_bytes for step in small), None, note))
    amounts = list(accumulate((change for _, change, _, _ in rows), initial=space.needed_bytes[0]))
    low, high = min(amounts), max(amounts)
    start = max(0, int(low - max((high - low) * (1 + _ROOM), 1)))
    # The axis is broken only where the steps would be too short to see on a whole one.
    start = 0 if start < high // 4 else start

    def row(words: str, change: int, reason: Reason | None, note: str, amount: int) -> WaterfallRow:
        href = f"#{step_section(space.color, reason.kind)}" if reason and reason.kind else ""
        look = "grown" if change > 0 else "shrunk" if change else "level"
        return WaterfallRow(words, change, min(amount, amount + change) - start, look, reason, note, href)

    before, after = (
        WaterfallRow(f"Needed {side}", need, 0, side)
        for side, need in zip(("before", "after"), space.needed_bytes, strict=True)
    )
    drawn = [row(*each, amount) for each, amount in zip(rows, amounts, strict=False)]
    return Waterfall([before, *drawn, after], start, max(high - start, 1))
