"""The pages of a history: `trend.html` with a chart for each function, and a page for each with every change."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.spaces import is_small
from reportgen.compare.argument_changes import cause_words, shape_change, shape_words
from reportgen.compare.budgets import Budgets
from reportgen.compare.figures import FIGURES, Figure
from reportgen.compare.history import Amounts, Arguments, History, PeakOrigin, Record, module_figures
from reportgen.compare.series import Point, Series, series_of
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.site_pages import fixed_pages
from reportgen.render.trend.chart import Change, Chart, Limit, chart
from reportgen.reports.formats import change_words
from reportgen.work import Page

_PEAK, _NEEDED = FIGURES.index("peak_resident"), FIGURES.index("needed")

_LEAST_CHANGES, _MOST_CHANGES = 5, 12
"""The last changes that the page of all functions has of each at least, and of all together."""


@record
class SpaceTrend:
    """One memory space of a module over the builds: what is needed, or the resident peak if only that has a budget.

    `needed_bytes` is what the last build needs, None where it does not have the space. `capacity_bytes` is what the
    device of the last build has, None if that is not known.
    """

    color: int
    name: str
    figure: Figure
    needed_bytes: int | None
    capacity_bytes: int | None
    chart: Chart | None
    changes: Sequence[Change]

    @property
    def has_changed(self) -> bool:
        """Return whether a build changed it after the one that brought it."""
        return len(self.changes) > 1

    @property
    def moves(self) -> Sequence[Change]:
        """Return the builds that made the amount larger or smaller, against one of equal shapes if there is one."""
        return [change.judged for change in self.changes if change.judged.by_bytes]

    @property
    def largest(self) -> Sequence[tuple[str, Change]]:
        """Return the largest increase and decrease with the same shapes before the last change, those that there are.

        They are in the order of the builds, the last one first.
        """
        alike = [change for change in self.moves if not change.resized]
        found = [("increase", max(alike, key=_by_bytes)), ("decrease", min(alike, key=_by_bytes))] if alike else []
        shown = [
            (word, change)
            for word, change in found
            if change is not self.moves[-1] and (_by_bytes(change) > 0) == (word == "increase")
        ]
        return sorted(shown, key=lambda pair: -pair[1].build)

    @property
    def excess_bytes(self) -> int | None:
        """What is needed more than the device has; None if that is not known, or the space is not used any more."""
        if self.capacity_bytes is None or self.needed_bytes is None:
            return None
        return self.needed_bytes - self.capacity_bytes


def _by_bytes(change: Change) -> int:
    return change.by_bytes or 0


@record
class FunctionTrend:
    """One function over the builds; `spaces` are those that it uses or used: the main memory first, then by size."""

    series: Series
    path: str
    spaces: Sequence[SpaceTrend]

    @property
    def charted(self) -> Sequence[SpaceTrend]:
        """Return the first memory space and the others that matter and that a build changed."""
        return [space for space in self.spaces if space is self.spaces[0] or not self._is_small(space)]

    @property
    def small(self) -> Sequence[SpaceTrend]:
        """Return the other memory spaces."""
        return [space for space in self.spaces[1:] if self._is_small(space)]

    def _is_small(self, space: SpaceTrend) -> bool:
        is_over = space.excess_bytes is not None and space.excess_bytes > 0
        return not space.has_changed or is_small(
            space.name, space.needed_bytes or 0, self.spaces[0].needed_bytes or 0, is_short=is_over
        )

    @property
    def is_gone(self) -> bool:
        """Return whether the last build does not have it."""
        return self.series.last.spaces is None


def trend_pages(title: str, history: History, budgets: Budgets | None) -> Iterator[Page]:
    """Yield `trend.html` and the page of each function; budgets are lines in the charts."""
    trends = function_trends(history, budgets)
    yield Page(routes.TREND, trend_page(routes.TREND, title, history, trends))
    for trend in trends:
        context = {"site_title": title, "history": history, "trend": trend, "short": short}
        yield Page(trend.path, render("pages/trend_function.html", trend.path, **context))


def front_pages(title: str, history: History, budgets: Budgets | None) -> Iterator[Page]:
    """Yield what a site without a build needs: the trend as its overview, help and assets."""
    yield from fixed_pages(title)
    yield shard("modules", module_columns(()))
    yield Page(routes.OVERVIEW, trend_page(routes.OVERVIEW, title, history, function_trends(history, budgets)))


def trend_page(path: str, title: str, history: History, trends: Sequence[FunctionTrend]) -> bytes:
    """Return the page with the charts of all functions."""
    shown = [trend for trend in trends if not trend.is_gone]
    return render(
        "pages/trend.html",
        path,
        site_title=title,
        history=history,
        short=short,
        most=max(_LEAST_CHANGES, _MOST_CHANGES // max(len(shown), 1)),
        shown=shown,
        gone=[trend for trend in trends if trend.is_gone],
    )


def short(commit: str) -> str:
    """Return a hash as git abbreviates it, and any other name as it is."""
    # The hashes of git have these lengths, SHA-1 and SHA-256.
    return commit[:7] if len(commit) in {40, 64} else commit


def function_trends(history: History, budgets: Budgets | None) -> list[FunctionTrend]:
    """Return each function that a build of the history has, the largest first, and those that are gone at the end."""
    trends = []
    for series in series_of(history):
        colors = {color for point in series.points for color in point.spaces or ()}
        spaces = [_space(history, series, color, budgets) for color in colors]
        if spaces:
            spaces.sort(key=_space_order)
            path = routes.trend_of_function(str(series), series.name)
            trends.append(FunctionTrend(series=series, path=path, spaces=spaces))
    return sorted(trends, key=lambda trend: (trend.is_gone, -(trend.spaces[0].needed_bytes or 0), str(trend.series)))


def _space_order(space: SpaceTrend) -> tuple[bool, int, int]:
    """Return the key that sorts memory spaces: the main one first if it is used, then by what they need."""
    return space.color != MAIN_SPACE or not space.needed_bytes, -(space.needed_bytes or 0), space.color


def _space(history: History, series: Series, color: int, budgets: Budgets | None) -> SpaceTrend:
    """Return a memory space of a function over the builds, with the budgets that limit what is drawn."""
    # Whether a budget covers a space does not depend on its figures.
    module = module_figures(series.last.key, {color: (None, 0, 0, 0, None, 0, None)})
    name = module.spaces[color].name
    amounts = [point.spaces.get(color) if point.spaces else None for point in series.points]
    limits = [
        (budget.figure, Limit("budget", budget.max_bytes))
        for budget in (budgets.budgets if budgets else ())
        if budget.max_bytes is not None and budget.covers(module) and budget.covers_space(color, name)
    ]
    has_peak = any(of_build and of_build[_PEAK] is not None for of_build in amounts)
    limited = {of_budget for of_budget, _ in limits}
    figure = _PEAK if has_peak and "peak_resident" in limited and "needed" not in limited else _NEEDED
    changes = list(_changes(history, series.points, color, figure))
    capacity = history.records[-1].capacities.get(series.last.key, {}).get(color)
    if capacity:
        limits.append(("needed", Limit("capacity", capacity)))
    return SpaceTrend(
        color=color,
        name=name,
        figure=FIGURES[figure],
        needed_bytes=amounts[-1][_NEEDED] if amounts[-1] else None,
        capacity_bytes=capacity,
        chart=chart(
            history.records,
            changes,
            [limit for of, limit in limits if of == FIGURES[figure]],
            is_small=color != MAIN_SPACE,
        ),
        changes=changes,
    )


class _Build(NamedTuple):
    """What a build needs in a memory space and in the main one, what it takes, and where its peak comes from."""

    record: Record
    space: Amounts | None
    main: Amounts | None
    arguments: Arguments
    origin: PeakOrigin

    @property
    def shapes(self) -> frozenset[tuple[str, str, int]]:
        return frozenset((group.name, group.shape, group.arrays) for group in self.arguments)


def _changes(history: History, points: Sequence[Point], color: int, figure: int) -> Iterator[Change]:
    """Yield the builds at which a space came, went or changed in any figure, with the change of one in words."""
    before = _Build(history.records[0], None, None, (), PeakOrigin())
    of_shapes: dict[frozenset[tuple[str, str, int]], _Build] = {}
    shown = ""
    for point in points:
        space, main = ((point.spaces or {}).get(one) for one in (color, MAIN_SPACE))
        made = history.records[point.build]
        origin = made.origins.get(point.key, PeakOrigin())
        if color != MAIN_SPACE:
            origin = origin._replace(line="")
        now = _Build(made, space, main, point.arguments, origin)
        if now.space != before.space:
            slug = made.unsound.get(point.key)
            remarks = [f"unsound, {slug}"] if slug else []
            if made.accepted:
                remarks.append(f"accepted: {made.accepted}")
            shapes = shape_words(point.arguments) if now.space else ""
            is_both = before.space and now.space
            resized = shape_change(before.arguments, point.arguments) if is_both else ""
            like = of_shapes.get(now.shapes) if resized else None
            yield replace(
                _change(point.build, before, now, figure),
                remarks="; ".join(remarks),
                resized=resized,
                resized_from=shape_change(point.arguments, before.arguments) if resized else "",
                alike=replace(_change(point.build, like, now, figure), against=like.record) if like else None,
                shapes="" if shapes == shown else shapes,
                argument_count=sum(group.arrays for group in point.arguments),
            )
            shown = shapes
        # A space that does not change in a build has nothing of that build as a cause later.
        before = now
        if now.space:
            of_shapes[now.shapes] = now


def _change(build: int, before: _Build, now: _Build, figure: int) -> Change:
    """Return how a figure changed between two builds, and why."""
    was, amount = (side.space[figure] if side.space else None for side in (before, now))
    main_change = (now.main[_NEEDED] or 0) - (before.main[_NEEDED] or 0) if now.main and before.main else 0
    return Change(
        build=build,
        record=now.record,
        amount=amount,
        words=_words(was, amount, is_new=before.space is None),
        by_bytes=None if was is None or amount is None else amount - was,
        causes=cause_words(
            before.arguments, now.arguments, (before.space, now.space), (before.origin, now.origin), main_change
        )
        if before.space and now.space
        else (),
    )


def _words(before: int | None, amount: int | None, *, is_new: bool) -> str:
    """Return how an amount changed, in words that stand next to it."""
    if amount is None:
        return "unknown" if is_new else "gone"
    if before is None:
        return "new"
    return change_words(before, amount) if before != amount else "as before, with other figures changed"
