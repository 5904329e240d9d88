"""The pages of a comparison: an overview of all modules, and a page for each module that changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from reportgen.analyse.records import Analysis, Space
from reportgen.compare.builds import BuildComparison, ModuleComparison
from reportgen.compare.comparison import Comparison, SpaceComparison
from reportgen.compare.rollups import GROUPINGS, Row, rollup
from reportgen.compare.terms import KINDS
from reportgen.compare.verdicts import Judgement
from reportgen.render import routes
from reportgen.render.compare.bars import Bars, bars
from reportgen.render.compare.curves import Curves, curves
from reportgen.render.compare.groups import Group, Link, groups, link_text
from reportgen.render.compare.words import (
    STEPS,
    change_words,
    headline,
    input_words,
    main_color,
    matched_words,
    share,
    signed_bytes,
    signed_count,
    status,
)
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import shard
from reportgen.render.page import Page
from reportgen.render.site.pages import fixed_pages
from reportgen.render.view import Module

MOST_GROUPS = 300
MOST_ROLLUP_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceView:
    """What a page shows of one memory space."""

    space: SpaceComparison
    bars: Bars
    curves: Curves | None
    groups: Sequence[Group]
    groups_left_out: int
    rollups: Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceRow:
    """A memory space in the table of spaces, with the changes of its figures in bytes."""

    space: SpaceComparison
    allocated: int
    slack: int
    static: int
    temporary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewRow:
    """A module on the overview."""

    module: ModuleComparison
    href: str | None
    headline: str
    before_bytes: int | None
    after_bytes: int | None


def comparison_pages(
    title: str, comparison: BuildComparison, judgement: Judgement | None, value_pages: int | None, *, has_sites: bool
) -> Iterator[Page]:
    """Yield every page but those of `before/` and `after/`, to which pages link if `has_sites`."""
    yield from fixed_pages(title)
    rows = [_overview_row(module) for module in comparison.modules]
    yield shard("modules", _columns(rows))
    context: dict[str, Any] = {"site_title": title, "comparison": comparison, "judgement": judgement}
    context |= {"rows": {kind: [row for row in rows if status(row.module) == kind] for kind in STATUSES}}
    context |= {"has_sites": has_sites}
    yield Page(routes.OVERVIEW, render("compare_overview.html", routes.OVERVIEW, **context))
    for module in comparison.modules:
        if (path := page_of(module)) is not None:
            yield Page(path, _module_page(path, title, module, judgement, value_pages, has_sites=has_sites))


STATUSES = ("changed", "new", "missing", "same")
WORDS = {
    "change": change_words,
    "headline": headline,
    "input": input_words,
    "matched": matched_words,
    "share": share,
    "signed": signed_bytes,
    "signed_count": signed_count,
    "status": status,
}
"""The functions that templates may call."""


def page_of(module: ModuleComparison) -> str | None:
    """Return the path of a module's comparison; None where there is nothing to explain."""
    if module.comparison is None or module.is_unchanged:
        return None
    return routes.comparison(module.module.label, module.module.name)


def _overview_row(module: ModuleComparison) -> OverviewRow:
    color = main_color(module)
    peaks = module.peaks.get(color, (None, None)) if color is not None else (None, None)
    before, after = module.figures
    return OverviewRow(
        module=module,
        href=page_of(module),
        headline=headline(module),
        before_bytes=peaks[0] if before else None,
        after_bytes=peaks[1] if after else None,
    )


def _columns(rows: Sequence[OverviewRow]) -> Mapping[str, Any]:
    """Return the modules that have a page, for the search of the site."""
    shown = [row for row in rows if row.href]
    return {
        "hrefs": routes.OVERVIEW_HREFS,
        "name": [row.module.module.name for row in shown],
        "path": [row.module.module.label for row in shown],
        "backend": [row.module.module.backend for row in shown],
        "size": [row.after_bytes or 0 for row in shown],
        "href": [row.href for row in shown],
        "page": [1 for _ in shown],
    }


def _module_page(
    path: str,
    title: str,
    module: ModuleComparison,
    judgement: Judgement | None,
    value_pages: int | None,
    *,
    has_sites: bool,
) -> bytes:
    comparison = module.comparison
    assert comparison is not None
    root = routes.root_from(path)
    sides = _sides(module, comparison, value_pages)

    def link(side: int, value: int | None, allocation: int | None) -> Link | None:
        if value is None and allocation is None:
            return None
        text = link_text(comparison, side, value, allocation)
        return Link(text, f"{root}{routes.SIDES[side]}{_href(sides[side], value, allocation)}" if has_sites else "")

    rows = [_space_row(space) for space in comparison.spaces.values()]
    changed = [space for space in comparison.spaces.values() if space.terms]
    changed.sort(key=lambda space: (-abs(space.change_bytes or 0), space.color))
    return render(
        "compare.html",
        path,
        site_title=title,
        module=module,
        comparison=comparison,
        words=WORDS,
        headline=headline(module),
        main=next((row for row in rows if row.space.color == main_color(module)), None),
        spaces=rows,
        views=[_space_view(comparison, space, link) for space in changed],
        verdicts=[one for one in (judgement.verdicts if judgement else ()) if one.module == module.module.name],
        homes=[f"{root}{folder}{side.routes.index}" for folder, side in zip(routes.SIDES, sides, strict=True)],
        has_sites=has_sites,
        tiers=_tiers(comparison),
    )


def _space_row(space: SpaceComparison) -> SpaceRow:
    sides = [one for one in (space.before, space.after) if one]
    signs = [-1] * bool(space.before) + [1] * bool(space.after)

    def change(amount: Callable[[Space], int]) -> int:
        return sum(sign * amount(one) for sign, one in zip(signs, sides, strict=True))

    return SpaceRow(
        space=space,
        allocated=change(lambda one: one.allocated_bytes),
        slack=change(lambda one: one.slack_bytes or 0),
        static=change(lambda one: one.static_bytes),
        temporary=change(lambda one: one.peak_temp.amount if one.peak_temp else 0),
    )


def _sides(module: ModuleComparison, comparison: Comparison, value_pages: int | None) -> tuple[Module, Module]:
    """Return both modules as their own sites know them, for the paths of their pages."""
    before, after = (
        Module(
            label=figures.label if figures else "",
            title=figures.name if figures else "",
            stage=None,
            number=None,
            analysis=cast(Analysis, measured),  # because paths need nothing of what `Analysis` has more
            value_pages=value_pages,
        )
        for figures, measured in zip(module.figures, (comparison.before, comparison.after), strict=True)
    )
    return before, after


def _href(module: Module, value: int | None, allocation: int | None) -> str:
    """Return the page of a value, its row in the table of values if it has none, or the page of an allocation."""
    if value is None:
        return module.routes.allocation(allocation or 0)
    if value in module.with_page:
        return module.routes.value(value)
    name = module.routes.value_names[value]
    return f"{module.routes.listing('values', routes.page_of(module.row_of(value)))}#{routes.value_row(name)}"


def _space_view(comparison: Comparison, space: SpaceComparison, link: Any) -> SpaceView:
    found = groups(comparison, space.terms, link, routes.space_section(space.color))
    steps = [
        (STEPS[kind], f"#{step_id(space.color, kind)}", sum(t.change_bytes for t in space.terms if t.kind == kind))
        for kind in KINDS
        if any(term.kind == kind for term in space.terms)
    ]
    return SpaceView(
        space=space,
        bars=bars(space.before_bytes or 0, space.after_bytes or 0, steps),
        curves=curves(comparison, space),
        groups=found[:MOST_GROUPS],
        groups_left_out=max(0, len(found) - MOST_GROUPS),
        rollups={grouping: rollup(comparison, space, grouping)[:MOST_ROLLUP_ROWS] for grouping in GROUPINGS},
    )


def step_id(color: int, kind: str) -> str:
    """Return the id of the first row of a step."""
    return f"space-{color}-{kind.replace(' ', '-')}"


def _tiers(comparison: Comparison) -> Sequence[tuple[str, str, str, int]]:
    """Return (grade, tier, how, number of values) of the matching, most first, and what was left."""
    counts: dict[tuple[str, str, str], int] = {}
    for match in comparison.matching.before:
        key = (match.grade, match.tier, match.how) if match else ("not recognised", "", "")
        counts[key] = counts.get(key, 0) + 1
    return sorted(((*key, count) for key, count in counts.items()), key=lambda row: (-row[3], row))
