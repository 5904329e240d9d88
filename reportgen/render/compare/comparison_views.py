"""What the page of a comparison shows, known before any page is written."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reportgen.analyse.devices import Capacity
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.compare_words import evidence_words
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.module_pairing import DeviceFit
from reportgen.compare.rollups import GROUPINGS, Row, largest, rollup
from reportgen.record import record
from reportgen.render.compare.curves import Curves, curves
from reportgen.render.compare.term_groups import Routes, TermGroup, groups, routes_of
from reportgen.render.compare.waterfall_rows import Waterfall, waterfall
from reportgen.render.routes import SIDES, comparison_page

MOST_GROUPS = 300
MOST_ROLLUP_ROWS = 60


@record
class SideBar:
    """What a build needs of a memory space as a bar: arguments and outputs, temporaries, and slack.

    `is_least` is whether more may be needed, because allocations are missing.
    """

    side: str
    peak_bytes: int
    needed_bytes: int
    is_least: bool
    parts: Sequence[tuple[str, int]]


@record
class SpaceView:
    """What a page shows of a memory space that changed."""

    space: SpaceComparison
    waterfall: Waterfall
    curves: Curves | None
    groups: Sequence[TermGroup]
    groups_left_out: int
    rollups: Mapping[str, Sequence[Row]]

    @property
    def groupings(self) -> Sequence[tuple[str, str]]:
        """Return what the change can be shown by: the key and the word of each choice."""
        return [("cause", "cause"), *((grouping, grouping) for grouping, rows in self.rollups.items() if rows)]


@record
class ModuleView:
    """What a page shows of a module that changed; `main` is its main memory space, whose view is the first.

    `sides` are the bars of that space, before and after. `homes` are the pages of the module itself. `evidence` has
    (grade, what is equal, how it was chosen, number of values), most first, with what was not recognised.
    """

    path: str
    module: ModuleComparison
    main: SpaceComparison | None
    sides: Sequence[SideBar]
    capacity: Capacity | None
    spaces: Sequence[SpaceComparison]
    views: Sequence[SpaceView]
    homes: tuple[str, str]
    evidence: Sequence[tuple[str, str, str, int]]


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
    changed = [space for space in comparison.spaces.values() if space.terms]
    color = module.main_color
    changed.sort(key=lambda space: (space.color != color, -abs(space.change_bytes or 0), space.color))
    main = comparison.spaces.get(color) if color is not None else None
    device_fit = module.device_fits[1]
    fit = device_fit.fits.get(color) if color is not None else None
    evidence = Counter(
        (match.grade, *evidence_words(match)) if match else ("not recognised", "", "")
        for match in comparison.matching.before
    )
    most_first = sorted(evidence.items(), key=lambda item: (-item[1], item[0]))
    return ModuleView(
        path=path,
        module=module,
        main=main,
        sides=_sides(main, comparison) if main else (),
        capacity=fit.capacity if fit else None,
        spaces=tuple(comparison.spaces.values()),
        views=[_space_view(comparison, space, routes, device_fit) for space in changed],
        homes=(SIDES[0] + routes[0].index, SIDES[1] + routes[1].index),
        evidence=[(*kind, count) for kind, count in most_first],
    )


def _sides(space: SpaceComparison, comparison: DumpComparison) -> Sequence[SideBar]:
    bars = []
    sides = ("before", space.before, comparison.before), ("after", space.after, comparison.after)
    for side, figures, measured in sides:
        peak = figures.peak_resident.amount if figures and figures.peak_resident else 0
        needed = figures.needed_bytes if figures else 0
        static = min(figures.static_bytes, peak) if figures else 0
        parts = (("parameter", static), ("temporary", peak - static), ("slack", max(needed - peak, 0)))
        is_least = measured.missing is not None
        bars.append(SideBar(side=side, peak_bytes=peak, needed_bytes=needed, is_least=is_least, parts=parts))
    return bars


def _space_view(comparison: DumpComparison, space: SpaceComparison, routes: Routes, device_fit: DeviceFit) -> SpaceView:
    term_groups = [group for step in space.steps for group in groups(comparison, step, routes)]
    fit = device_fit.fits.get(space.color)
    return SpaceView(
        space=space,
        waterfall=waterfall(comparison, space),
        curves=curves(comparison, space, fit.capacity.size_bytes if fit else None),
        groups=term_groups[:MOST_GROUPS],
        groups_left_out=max(0, len(term_groups) - MOST_GROUPS),
        rollups={grouping: largest(rollup(comparison, space, grouping), MOST_ROLLUP_ROWS) for grouping in GROUPINGS},
    )
