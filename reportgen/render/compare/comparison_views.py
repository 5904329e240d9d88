"""What the page of a comparison shows, known before any page is written."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reportgen.advice.advise import advise
from reportgen.analyse.capacity import Fit
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import is_small
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.compare_words import evidence_words
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.module_pairing import DeviceFit
from reportgen.compare.reasons import Reason, Why, slack_reason
from reportgen.compare.rollups import Grouping
from reportgen.record import record
from reportgen.render.compare.curves import Curves, curves
from reportgen.render.compare.rollup_rows import Rollup, rollups_of
from reportgen.render.compare.term_groups import Routes, TermGroup, groups, routes_of, size_order
from reportgen.render.compare.waterfall_rows import Waterfall, waterfall
from reportgen.render.routes import SIDES, comparison_page
from reportgen.reports.advice_words import amount_words

MOST_GROUPS = 300
_MOST_OTHERS = 2
_CHECKPOINTS = {"checkpoint", "checkpoint-loop"}
OPEN_GROUPS = 10
"""How many groups of buffers are in the table; the others are folded below it."""


@record
class SideBar:
    """What a build needs in a memory space as a bar, and whether it fits.

    `is_least` is whether more may be needed, because allocations are missing. `fit` is None where no capacity is known,
    and `is_refused` whether the compiler refused the program.
    """

    side: str
    needed_bytes: int
    is_least: bool
    fit: Fit | None
    is_refused: bool


@record
class SpaceView:
    """What a page shows of a memory space that changed; `groups` are the largest of all steps, the largest first.

    `slack` is what is needed more or less than the groups, None where that did not change.
    """

    space: SpaceComparison
    waterfall: Waterfall
    curves: Curves | None
    groups: Sequence[TermGroup]
    groups_left_out: int
    slack: Reason | None
    rollups: Mapping[Grouping, Rollup]

    @property
    def groupings(self) -> Sequence[tuple[str, str]]:
        """Return what the change can be shown by: the key and the word of each choice."""
        return [("cause", "cause"), *((grouping, grouping) for grouping in self.rollups)]


@record
class ModuleView:
    """What a page shows of a module that changed; `main` is its main memory space, whose view is the first.

    `sides` are the bars of that space, before and after, in a scale of `whole_bytes`; `capacity_bytes` is None where no
    capacity is known. `homes` are the pages of the module itself. `evidence` has (grade, what is equal, how it was
    chosen, number of values), most first, with what was not recognised. `unchanged` are the names of memory spaces.
    """

    path: str
    module: ModuleComparison
    main: SpaceComparison | None
    sides: Sequence[SideBar]
    whole_bytes: int
    capacity_bytes: int | None
    unchanged: Sequence[str]
    views: Sequence[SpaceView]
    homes: tuple[str, str]
    evidence: Sequence[tuple[str, str, str, int]]

    @property
    def others(self) -> Sequence[SpaceComparison]:
        """Return the other memory spaces that are worth a figure next to that of the main one."""
        main = max(side.needed_bytes for side in self.sides) if self.sides else 0
        others = [view.space for view in self.views if self.main is None or view.space.color != self.main.color]
        return [
            space
            for space in others
            if space.need_change_bytes and not is_small(space.name, max(space.needed_bytes), main, is_short=False)
        ][:_MOST_OTHERS]


def page_of(module: ModuleComparison) -> str | None:
    """Return the path of a module's comparison; None where there is nothing to explain."""
    if module.comparison is None or module.status == "same":
        return None
    return comparison_page(module.module.path, module.module.name)


def module_views(modules: Sequence[ModuleComparison]) -> tuple[ModuleView, ...]:
    """Return the view of each module that has a page."""
    return tuple(
        _module_view(path, module, module.comparison)
        for module in modules
        if module.comparison is not None and (path := page_of(module)) is not None
    )


def _module_view(path: str, module: ModuleComparison, comparison: DumpComparison) -> ModuleView:
    """Return what a module's page shows; the main space comes first, then the others by their change."""
    routes = routes_of(module.figures, comparison)
    changed = [
        space
        for space in comparison.spaces.values()
        if space.terms or (space.need_change_bytes and space.change_bytes is not None)
    ]
    color = MAIN_SPACE if module.main_color is None else module.main_color
    changed.sort(key=lambda space: (space.color != color, -abs(space.need_change_bytes), space.color))
    main = comparison.spaces.get(color)
    sides = _sides(module, main, comparison) if main else ()
    capacity = next((side.fit.capacity.size_bytes for side in reversed(sides) if side.fit), None)
    evidence = Counter(
        (match.grade, *evidence_words(match)) if match else ("not recognised", "", "")
        for match in comparison.matching.before
    )
    most_first = sorted(evidence.items(), key=lambda item: (-item[1], item[0]))
    return ModuleView(
        path=path,
        module=module,
        main=main,
        sides=sides,
        whole_bytes=max([capacity or 0, 1, *(side.needed_bytes for side in sides)]),
        capacity_bytes=capacity,
        unchanged=list(
            dict.fromkeys(
                space.name for space in comparison.spaces.values() if not (space.terms or space.need_change_bytes)
            )
        ),
        views=[_space_view(comparison, space, routes, module.device_fits[1]) for space in changed],
        homes=(SIDES[0] + routes[0].index, SIDES[1] + routes[1].index),
        evidence=[(*kind, count) for kind, count in most_first],
    )


def predicted_words(view: ModuleView, why: Why) -> str:
    """Return what the checkpoint suggested for the build before was to save; empty unless it is the only one, and done.

    It may be done where only checkpoints were added.
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
    return amount_words(suggested[0]) if len(suggested) == 1 else ""


def _sides(module: ModuleComparison, space: SpaceComparison, comparison: DumpComparison) -> Sequence[SideBar]:
    return [
        SideBar(
            side=side,
            needed_bytes=needed,
            is_least=dump.missing is not None,
            fit=device_fit.fits.get(space.color),
            is_refused=bool(device_fit.refused),
        )
        for side, needed, dump, device_fit in zip(
            ("before", "after"),
            space.needed_bytes,
            (comparison.before, comparison.after),
            module.device_fits,
            strict=True,
        )
    ]


def _space_view(comparison: DumpComparison, space: SpaceComparison, routes: Routes, device_fit: DeviceFit) -> SpaceView:
    term_groups = [group for step in space.steps for group in groups(comparison, space, step, routes)]
    term_groups.sort(key=size_order)
    fit = device_fit.fits.get(space.color)
    return SpaceView(
        space=space,
        waterfall=waterfall(comparison, space),
        curves=curves(comparison, space, fit.capacity.size_bytes if fit else None),
        groups=term_groups[:MOST_GROUPS],
        groups_left_out=max(0, len(term_groups) - MOST_GROUPS),
        slack=slack_reason(space),
        rollups=rollups_of(comparison, space),
    )
