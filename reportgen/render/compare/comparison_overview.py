"""What the first page of a comparison shows: what became of all modules, and a row with two bars for each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.advice.advise import advise
from reportgen.analyse.devices import MAIN_SPACE, Capacity
from reportgen.analyse.records import Analysis
from reportgen.compare.builds import BuildComparison, ModuleComparison, Status
from reportgen.compare.compare_words import headline, unknown_words
from reportgen.compare.reasons import Reason, why
from reportgen.render import routes
from reportgen.render.compare.comparison_views import page_of
from reportgen.render.site.file_names import own_parts, short_places
from reportgen.reports.advice_words import advice_sentence
from reportgen.reports.formats import capital, counted
from reportgen.reports.source_words import short_words

_MOST_ROWS = 20
_MOST_NAMES = 12
_NOTABLE_PART = 20
"""Growth of at least this part of a need stands out."""
_NEAR = 2
"""A capacity is drawn where it is at most so many times the highest need; elsewhere it would flatten all bars."""


class OverviewRow:
    """A module with what it needs in its main memory space; None on a side that lacks the module.

    `apart` is the part of its path that tells it from others of its name, empty where its name does. A module without a
    comparison leads to its page in a build that has it, if the builds `has_sites`.
    """

    def __init__(self, module: ModuleComparison, apart: str, *, has_sites: bool) -> None:
        self.module, self.apart, self.why, self._has_sites = module, apart, why(module), has_sites
        needs = zip(module.main_needs, module.figures, strict=True)
        self.before_bytes, self.after_bytes = (need if figures else None for need, figures in needs)
        self.href = page_of(module) or (self._page() if has_sites else None)

    def _page(self, *view: str) -> str:
        """Return where a view of the module is in the site of the build after or, of a missing module, before."""
        side, module = routes.SIDES[self.module.figures[1] is not None], self.module.module
        return side + routes.module_view(module.path, module.name, *view)

    @property
    def suggestions(self) -> str:
        """Return where the suggestions for the module are."""
        return self._page("suggestions")

    @property
    def to_do_first(self) -> str:
        """Return what to do first with a module that did not change; empty where nothing is known."""
        after = self.module.comparison.after if self.module.comparison else None
        if self.module.status != "same" or not self._has_sites or not isinstance(after, Analysis):
            return ""
        capacity = _capacity(self.module)
        advice = advise(after, capacity.size_bytes if capacity else None).get(MAIN_SPACE)
        return capital(short_words(advice_sentence(advice)))

    @property
    def is_grave(self) -> bool:
        """Return whether the module grew by a notable part, or does not fit any more."""
        fits_before, fits_after = (fit.fits_device for fit in self.module.device_fits)
        grown = max(0, self.change_bytes or 0)
        return grown * _NOTABLE_PART >= max(1, self.before_bytes or 0) or bool(fits_before and fits_after is False)

    @property
    def is_over(self) -> bool:
        """Return whether it is known that the module does not fit now."""
        return self.module.figures[1] is not None and self.module.device_fits[1].fits_device is False

    @property
    def steps(self) -> Sequence[tuple[Reason, str]]:
        """Return the steps that are a part of the change, each with its words, empty for the one that `cause` has."""
        steps = self.why.steps if self.change_bytes else ()
        if len(steps) == 1 and not self.rest_bytes:
            return ()
        is_said = steps and (steps[0] == self.why.reason or steps[0].kind == "argument resized")
        return [(step, "" if is_said and step is steps[0] else step.words) for step in steps]

    @property
    def rest_bytes(self) -> int:
        """Return what everything but the steps changes."""
        return (self.change_bytes or 0) - sum(step.change_bytes for step in self.why.steps)

    @property
    def change_bytes(self) -> int | None:
        """Return the change of the need; None for a module that is new or missing."""
        if self.before_bytes is None or self.after_bytes is None:
            return None
        return self.after_bytes - self.before_bytes


class ComparisonOverview:
    """The rows of the modules that changed, are new and are missing, in a scale of `whole_bytes`, and all the others.

    `shown` are the largest changes, with all of those that do not fit: growth, unchanged modules that do not fit,
    savings, and then what is new or missing; `smaller` are the other changes.
    `unchanged` are few enough to be named in a sentence, or they are `folded`. `capacity` is that of all modules, None
    where they differ or where none is known or near. `outcomes` are words about fitting, each with whether that is
    good, None for neither. `apart` is by path what tells a module from others of its name.
    """

    def __init__(self, comparison: BuildComparison, *, has_sites: bool) -> None:
        modules, self.apart = comparison.modules, _apart(comparison.modules)
        by_status: dict[Status, list[OverviewRow]] = {"changed": [], "new": [], "missing": [], "same": []}
        for module in modules:
            row = OverviewRow(module, self.apart.get(module.module.path, ""), has_sites=has_sites)
            by_status[module.status].append(row)
        over = [row for row in by_status["same"] if row.is_over][:_MOST_ROWS]
        changed = sorted(by_status["changed"], key=lambda row: (not row.is_over, _size_order(row)))
        others = sorted([*by_status["new"], *by_status["missing"]], key=lambda row: not row.is_over)
        seen = _MOST_ROWS if len(changed) > _MOST_ROWS + 1 else len(changed)
        self.shown = [*sorted([*changed[:seen], *over], key=_worst_first), *others]
        self.smaller = changed[seen:]
        self.unchanged = [row for row in by_status["same"] if row not in over] if len(modules) > 1 else []
        self.is_folded = len(self.unchanged) > _MOST_NAMES
        rows = (*changed, *over, *others)
        most = max((size for row in rows for size in (row.before_bytes, row.after_bytes) if size), default=0)
        capacities = {_capacity(row.module) for row in (*changed, *by_status["new"], *over)}
        capacity = capacities.pop() if len(capacities) == 1 else None
        self.capacity = capacity if capacity and capacity.size_bytes <= _NEAR * most else None
        self.whole_bytes = max(most, self.capacity.size_bytes if self.capacity else 0, 1)
        self.sentence = _sentence(modules, changed)
        self.outcomes = list(_outcomes(modules))

    @property
    def has_fits(self) -> bool:
        """Return whether it is known of some module whether it fits."""
        return any(row.module.device_fits[1].fits_device is not None for row in (*self.shown, *self.smaller))


def _size_order(row: OverviewRow) -> tuple[int, bool]:
    """Return the key that sorts changes by size, the largest first, and growth before a saving of the same size."""
    change = row.change_bytes or 0
    return -abs(change), change < 0


def _worst_first(row: OverviewRow) -> tuple[bool, int, tuple[int, bool]]:
    """Return the key that sorts rows as a reviewer reads them: what grew and does not fit, what grew, what did not."""
    change = row.change_bytes or 0
    return not (change > 0 and row.is_over), (change < 0) - (change > 0), _size_order(row)


def _apart(modules: Iterable[ModuleComparison]) -> Mapping[str, str]:
    """Return by path what tells modules of one name apart: the shortest part of the path that does."""
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules:
        by_name[module.module.name].append(module.module.path)
    places, found = short_places([path for paths in by_name.values() for path in paths]), dict[str, str]()
    for paths in by_name.values():
        if len(set(paths)) > 1:
            own = own_parts([places[path] for path in paths])
            found |= {path: part or places[path] for path, part in zip(paths, own, strict=True)}
    return found


def _capacity(module: ModuleComparison) -> Capacity | None:
    """Return the capacity of the main memory of a module's device; None where it is unknown."""
    fit = module.device_fits[1].fits.get(MAIN_SPACE)
    return fit.capacity if fit else None


def _sentence(modules: Sequence[ModuleComparison], changed: Sequence[OverviewRow]) -> str:
    """Return what became of the modules: how many need less and more, or that none changed."""
    if 1 in (len(modules), len(changed)):
        only = changed[0].module if changed else modules[0]
        return f"{only.module.name}: {headline(only)}."
    both = [module for module in modules if module.status in {"changed", "same"}]
    if not both:
        return "No module is in both builds."
    if not changed:
        unknown = next(filter(None, map(unknown_words, both)), "")
        return f"No known figure changed; {unknown}." if unknown else "No module changed."
    changes = [row.change_bytes or 0 for row in changed]
    numbers = (sum(change > 0 for change in changes), "more"), (sum(change < 0 for change in changes), "less")
    words = [f"{number:,} {'need' if number > 1 else 'needs'} {how}" for number, how in numbers if number]
    part = f"{len(changed):,} of " if len(changed) < len(modules) else ""
    those = f"{part}{counted(len(modules), 'module')}"
    if len(words) == 1 and len(changed) in dict(numbers):
        needs = f"{those} {words[0].partition(' ')[2]}"
    else:
        needs = f"{those} changed" + (f": {', '.join(words)}" if words else "")
    return f"{needs}."


def _outcomes(modules: Sequence[ModuleComparison]) -> Iterator[tuple[str, bool | None]]:
    """Yield how many modules fit now, how many do not, no longer, still or at all, and how many are new and missing."""
    present = [module.device_fits for module in modules if module.figures[1] is not None]
    fits = Counter((before.fits_device, after.fits_device) for before, after in present)
    statuses = Counter(module.status for module in modules)
    outcomes = (
        (fits[True, False], ("no longer fits", "no longer fit"), False),
        (fits[False, True], ("fits now", "fit now"), True),
        (fits[False, False], ("still does not fit", "still do not fit"), False),
        (fits[None, False], ("does not fit", "do not fit"), False),
        (statuses["new"], ("new", "new"), None),
        (statuses["missing"], ("missing", "missing"), None),
    )
    return ((f"{number:,} {words[number > 1]}", is_good) for number, words, is_good in outcomes if number)
