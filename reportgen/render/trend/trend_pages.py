"""The pages of a history: `trend.html` with a chart for each function, and a page for each with every change."""

from collections.abc import Iterator, Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.spaces import is_small
from reportgen.compare.budgets import Budgets
from reportgen.compare.figures import FIGURES
from reportgen.compare.history import History, module_figures
from reportgen.compare.series import NEEDED, PEAK, Change, Series, changes_of, series_of
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.site_pages import fixed_pages
from reportgen.render.trend.chart import Chart, Limit
from reportgen.work import Page

_LEAST_CHANGES, _MOST_CHANGES = 5, 12
"""The last changes that the page of all functions has of each at least, and of all together."""


class SpaceTrend:
    """One memory space of a function over the builds: what is needed, or the resident peak if only that has a budget.

    `needed_bytes` is what the last build needs, None where it does not have the space. `capacity_bytes` is what the
    device of the last build has, None if that is not known. `chart` is None where the figure is never known.
    """

    def __init__(self, history: History, series: Series, color: int, budgets: Budgets | None) -> None:
        # Whether a budget covers a space does not depend on its figures.
        module = module_figures(series.last.key, {color: (None, 0, 0, 0, None, 0, None)})
        self.color, self.name = color, module.spaces[color].name
        budgeted = [
            (budget.figure, Limit("budget", budget.max_bytes))
            for budget in (budgets.budgets if budgets else ())
            if budget.max_bytes is not None and budget.covers(module) and budget.covers_space(color, self.name)
        ]
        amounts = [point.spaces.get(color) if point.spaces else None for point in series.points]
        has_peak = any(of_build and of_build[PEAK] is not None for of_build in amounts)
        limited = {of_budget for of_budget, _ in budgeted}
        figure = PEAK if has_peak and "peak_resident" in limited and "needed" not in limited else NEEDED
        self.figure = FIGURES[figure]
        self.needed_bytes = amounts[-1][NEEDED] if amounts[-1] else None
        last = history.records[-1].modules.get(series.last.key)
        self.capacity_bytes = last.capacities.get(color) if last else None
        self.changes = list(changes_of(history, series, color, figure))
        limits = [limit for of_budget, limit in budgeted if of_budget == self.figure]
        if self.capacity_bytes and figure == NEEDED:
            limits.append(Limit("capacity", self.capacity_bytes))
        is_known = any(change.amount is not None for change in self.changes)
        self.chart = Chart(history.records, self.changes, limits) if is_known else None

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
        return sorted(shown, key=lambda pair: -pair[1].now.build)

    @property
    def excess_bytes(self) -> int | None:
        """What is needed more than the device has; None if that is not known, or the space is not used any more."""
        if self.capacity_bytes is None or self.needed_bytes is None:
            return None
        return self.needed_bytes - self.capacity_bytes


def _by_bytes(change: Change) -> int:
    return change.by_bytes or 0


class FunctionTrend:
    """One function over the builds; `spaces` are those that it uses or used: the main memory first, then by size."""

    def __init__(self, history: History, series: Series, budgets: Budgets | None) -> None:
        self.series, self.path = series, routes.trend_of_function(str(series), series.name)
        colors = {color for point in series.points for color in point.spaces or ()}
        self.spaces = sorted((SpaceTrend(history, series, color, budgets) for color in colors), key=_space_order)

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
    trends = [trend for series in series_of(history) if (trend := FunctionTrend(history, series, budgets)).spaces]
    return sorted(trends, key=lambda trend: (trend.is_gone, -(trend.spaces[0].needed_bytes or 0), str(trend.series)))


def _space_order(space: SpaceTrend) -> tuple[bool, int, int]:
    """Return the key that sorts memory spaces: the main one first if it is used, then by what they need."""
    return space.color != MAIN_SPACE or not space.needed_bytes, -(space.needed_bytes or 0), space.color
