"""What the page of a comparison shows of a module and of each memory space that changed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from reportgen.advice.advise import advise
from reportgen.analyse.contested import Certainty
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import Fit
from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import is_small
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.compare_words import evidence_words, reason_words
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison, TermGroup
from reportgen.compare.module_pairing import Pair
from reportgen.compare.reasons import Reason, Why, slack_reason, space_reasons, step_reason, value_at_peak
from reportgen.compare.scope_changes import largest, scope_changes
from reportgen.compare.terms import JoinedStep, Term, step_words
from reportgen.render.compare.curves import Curves, curves
from reportgen.render.routes import SIDES, ModuleRoutes, comparison_page, module_slug
from reportgen.reports.advice_words import amount_words
from reportgen.reports.formats import signed_bytes

Routes = tuple[ModuleRoutes, ModuleRoutes]
"""The paths of a module's pages on both sides."""

_MOST_GROUPS, OPEN_GROUPS = 300, 10
"""How many groups of buffers are shown, and how many of them in the table; the others are folded below it."""

_MOST_OTHERS, _MOST_SCOPES, _MOST_STEPS, _MOST_NAMES, _SMALL_PART, _ROOM = 2, 20, 6, 3, 100, 0.08
_CHECKPOINTS = {"checkpoint", "checkpoint-loop"}
_MUCH = 10
"""How much more a suggestion must save than all others that may have been followed, for its number to be said."""


class SpaceView:
    """What a page shows of a memory space that changed.

    `groups` are groups of terms, each with its step. The steps of the waterfall begin at their places on an axis of
    `whole_bytes` that begins at `start_bytes`, which is 0 unless that hid the steps.
    """

    def __init__(self, comparison: DumpComparison, space: SpaceComparison, routes: Routes, fit: Fit | None) -> None:
        self.space, self.slack, self._comparison, self._routes = space, slack_reason(space), comparison, routes
        found = [(step, group) for step in space.steps for group in step_groups(comparison, space, step)]
        found.sort(key=lambda pair: (-abs(pair[1].change_bytes), pair[1].name, pair[1].shape))
        self.groups = found[:_MOST_GROUPS]
        self.groups_left_out = len(found) - len(self.groups)
        self.curves: Curves | None = curves(comparison, space, fit.capacity.size_bytes if fit else None)
        scopes = scope_changes(comparison, space)
        self.scopes = largest(scopes, _MOST_SCOPES)
        self.scopes_left_out = len(scopes) - len(self.scopes)
        steps = _shown_steps(space_reasons(comparison, space))
        amounts = list(accumulate((step.change_bytes for step in steps), initial=space.needed_bytes[0]))
        low, high = min(amounts), max(amounts)
        start = max(0, int(low - max((high - low) * (1 + _ROOM), 1)))
        # The axis is broken only where the steps would be too short to see on a whole one.
        self.start_bytes = 0 if start < high // 4 else start
        self.whole_bytes = max(high - self.start_bytes, 1)
        self.waterfall = [
            (step, min(ends) - self.start_bytes) for step, ends in zip(steps, pairwise(amounts), strict=True)
        ]

    def words(self, step: JoinedStep, group: TermGroup) -> str:
        """Return what to call a group of a step."""
        if step.has_moved:
            return step_reason(self._comparison, self.space, step).words
        return step_words(group.kind, group.change_bytes)

    def link(self, group: TermGroup, side: int) -> tuple[str, str, str] | None:
        """Return what the largest term of a group is about on one side, as `link_of` does."""
        return link_of(self._comparison, self._routes, group.terms[0], side)


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
        known = [fit.capacity.size_bytes for _, _, _, fit, _ in reversed(self.sides) if fit]
        self.capacity_bytes = known[0] if known else None
        self.whole_bytes = max(self.capacity_bytes or 0, 1, *(self.main.needed_bytes if self.main else ()))

    def _sides(self, space: SpaceComparison) -> Iterator[tuple[str, int, Certainty, Fit | None, bool]]:
        """Yield the name of each side, what it needs, how certain that is, whether it fits, and if it is refused."""
        figures, fits = self.module.figures, self.module.device_fits
        known = [side.spaces.get(space.color) if side else None for side in figures]
        for side, needed, own, fit in zip(("before", "after"), space.needed_bytes, known, fits, strict=True):
            yield side, needed, own.certainty if own else "exact", fit.fits.get(space.color), fit.refused is not None

    @property
    def others(self) -> Sequence[SpaceComparison]:
        """Return the other memory spaces that are worth a figure next to that of the main one."""
        main = max(self.main.needed_bytes) if self.main else 0
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


def step_groups(comparison: DumpComparison, space: SpaceComparison, step: JoinedStep) -> Sequence[TermGroup]:
    """Return the groups of a step, the largest first; that the peak moved is one, about the instructions at both."""
    if not step.has_moved:
        return comparison.groups(step.terms, finely=True)
    before, after = (value_at_peak(comparison, space, side) for side in (0, 1))
    return [TermGroup("", "", [Term(kind=step.kind, change_bytes=step.change_bytes, before=before, after=after)])]


def link_of(comparison: DumpComparison, routes: Routes, term: Term, side: int) -> tuple[str, str, str] | None:
    """Return the value or the allocation of one side that a term is about: its name, its path, why it has its partner.

    The path is from the root of both sites. The reason is empty where the term is about one side alone.
    """
    value, allocation = (term.after, term.after_allocation) if side else (term.before, term.before_allocation)
    dump = comparison.graphs[side].analysis.dump
    if value is None:
        if allocation is None:
            return None
        name = f"allocation {dump.allocations[allocation].index}"
        return name, SIDES[side] + routes[side].allocation(allocation), ""
    match = comparison.matching.before[term.before] if term.before is not None else None
    # A term may be about one side alone although its value has a partner.
    reason = f"{match.grade}: {reason_words(match)}" if match and match.value == term.after else ""
    return dump.values.keys[value].removesuffix("{}"), SIDES[side] + routes[side].value(value), reason


def _shown_steps(steps: Sequence[Reason]) -> Sequence[Reason]:
    """Return the steps of a waterfall; small ones are one, which names some of them."""
    if any(step.change_bytes for step in steps):
        steps = [step for step in steps if step.change_bytes]
    seen = sum(abs(step.change_bytes) * _SMALL_PART >= abs(steps[0].change_bytes) for step in steps)
    seen = min(seen, _MOST_STEPS) if len(steps) > _MOST_STEPS else seen
    small = steps[seen:]
    if len(small) < 2:  # a single small step is not small
        return steps
    named = [(step.words, step.change_bytes) for step in small[:_MOST_NAMES]]
    if more := small[_MOST_NAMES:]:
        named.append((f"{len(more)} more", sum(step.change_bytes for step in more)))
    note = "; ".join(f"{words} {signed_bytes(change)}" for words, change in named)
    return [*steps[:seen], Reason(f"{len(small)} smaller steps", sum(step.change_bytes for step in small), note=note)]
