"""The overview: the modules that do not fit and the largest others, each with what it needs and what to do first.

All others are counted there, the largest of them by name, and listed in the table of all modules, on as many pages as
needed. It stays quick with
thousands of modules: a page holds some hundred rows, identical dumps share one row, and whatever looks at all modules
at once (search, the filter, previous and next) reads a data shard.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from reportgen.analyse.devices import DEVICES, MAIN_SPACE, Device
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.drawings.chart_data import MOST_ABOVE
from reportgen.render.html.markdown import note_markup
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.file_names import file_names, own_parts, shared_parts
from reportgen.render.site.out_of_memory import error_views
from reportgen.reports import formats
from reportgen.reports.error_words import is_failure
from reportgen.reports.formats import function_name
from reportgen.reports.source_words import NO_TEXT, short_words
from reportgen.reports.summary import Summary, biggest_first
from reportgen.work import Front, Page

MODULES_PER_PAGE = 500
MOST_FITTING = 12
"""Rows of the overview of modules that fit, or may fit."""
SMALL_BYTES = 1 << 20
"""Modules that need less have no row there, unless all do, and no name."""
SMALL_PART = 50
"""Modules that need less than this part of the axis have no row either: their bars would say nothing."""
_MOST_NAMED = 8
"""Modules without a row that the overview names."""
_ROOM = 32
"""Characters of a scope."""
_DEVICE_BACKENDS = ("cpu", "gpu", "tpu")


@record
class BarPart:
    """A part of what a module needs: `look` is its color."""

    look: str
    name: str
    size_bytes: int


@record(kw_only=False)
class ModuleRow:
    """A module, and the others whose dumps are identical; `place` is what tells its dump apart from those of others.

    `lead` is the part of the place by which it is known where other modules have its name; empty where none has.
    """

    module: Summary
    copies: tuple[Summary, ...]
    place: str
    lead: str = ""

    @property
    def name(self) -> str:
        """What the module is known by: the name of its function, or what tells it apart from others of that name."""
        return self.lead or function_name(self.module.title)

    @property
    def href(self) -> str:
        return _index(self.module)

    @property
    def found_at(self) -> str:
        """Return the place of the dump and its backend, and the memory space if that is not the main one."""
        module = self.module
        backend = module.backend.upper() if module.backend in _DEVICE_BACKENDS else ""
        space = "" if module.space_name.startswith(f"{MAIN_SPACE} ") else module.space_name.partition(" · ")[2]
        known = function_name(self.module.title) if self.lead else formats.shortened(self.place)
        if known.removesuffix(".txt") == self.name:
            known = ""
        return " · ".join(filter(None, (known, backend, space)))

    @property
    def parts(self) -> Sequence[BarPart]:
        """Return what the module needs in parts, which add up to it."""
        module, line = self.module, self.module.largest_line
        named = [
            BarPart(look="parameter", name="arguments", size_bytes=module.argument_bytes),
            BarPart(look="output", name="outputs", size_bytes=module.output_bytes),
        ]
        if line:
            named.append(BarPart(look="source-1", name=line.place, size_bytes=line.size_bytes))
        rest = module.needed_bytes - sum(part.size_bytes for part in named)
        return [part for part in (*named, BarPart(look="other", name="other", size_bytes=rest)) if part.size_bytes > 0]

    @property
    def line(self) -> str:
        """Return the largest line or the end of the largest scope; empty where neither is known."""
        line = self.module.largest_line
        return formats.end_of(line.place, _ROOM) if line else ""

    @property
    def line_href(self) -> str:
        """Return where the largest line is: its place in its file or, without a page of that, in the peak."""
        line = self.module.largest_line
        return (line and line.href) or routes.module_view(self.module.label, self.module.title, "peak")

    @property
    def suggestion(self) -> str:
        """Return what to do first, in words; empty where nothing is known to help."""
        first = self.module.to_do_first
        return formats.capital(formats.shortened(short_words(first.what))) if first else ""

    @property
    def is_solved(self) -> bool:
        """Whether the module does not fit its device as it is, and is predicted to fit after the first suggestion."""
        first, capacity = self.module.to_do_first, self.module.capacity_bytes
        return bool(
            self.module.fits is False and first and first.fits_from_bytes and (capacity or 0) >= first.fits_from_bytes
        )


@record
class FitCounts:
    """How many modules do not fit, how many do, and of how many that is not known."""

    over: int
    fitting: int
    unknown: int

    @property
    def words(self) -> Sequence[str]:
        """Return the three in words, each empty for none."""
        return (
            f"{self.over:,} {'does' if self.over == 1 else 'do'} not fit" if self.over else "",
            f"{self.fitting:,} {'fits' if self.fitting == 1 else 'fit'}" if self.fitting else "",
            f"{self.unknown:,} unknown" if self.unknown else "",
        )


@record
class NeedAxis:
    """What the bars are drawn on: `limit_bytes` is their full length.

    `capacity_bytes` is that of the device of all these modules; None if they have several, or one so large that no bar
    would be seen.
    """

    limit_bytes: int
    capacity_bytes: int | None

    @property
    def small_bytes(self) -> int:
        """Return what a bar must stand for to be seen."""
        return self.limit_bytes // SMALL_PART


@record
class OtherModules:
    """The modules that have no row on the overview: how many, and the largest of them."""

    count: int
    most_bytes: int
    largest: Sequence[ModuleRow]
    are_small: bool
    all_fit: bool


def overview_pages(site_title: str, summaries: Sequence[Summary], front: Front) -> Iterator[Page]:
    """Yield the overview, the table of all modules if it leaves some out, and the shard with all of them."""
    modules = sorted(summaries, key=biggest_first)
    rows = folded(modules)
    columns = module_columns(
        (
            entry.title,
            entry.label,
            entry.backend,
            entry.needed_bytes,
            _index(entry),
            routes.page_of(number, MODULES_PER_PAGE),
        )
        for number, row in enumerate(rows)
        for entry in (row.module, *row.copies)
    )
    yield shard("modules", columns)
    shown = front_rows(rows)
    table = {
        "has_capacity": any(module.fits is not None for module in modules),
        "asks_device": any(module.asks_device for module in modules),
        "axis": axis(rows),
        "lacks_lines": any(NO_TEXT in module.filled for module in modules),
        "site_title": site_title,
        "count": len(modules),
    }
    own = _front_context(modules, front) | {"rows": shown, "others": _others(rows, shown)}
    yield Page(routes.OVERVIEW, render("pages/overview.html", routes.OVERVIEW, **table, **own))
    if len(shown) == len(rows):
        return
    pages = routes.pages_of(len(rows), MODULES_PER_PAGE)
    for page in range(1, pages + 1):
        path = routes.modules(page)
        of_page = {
            "rows": rows[routes.rows_of(page, MODULES_PER_PAGE)],
            "rows_in_all": len(rows),
            "page": page,
            "pages": pages,
            "fits": _fit_counts(modules),
            "named": _named_devices(modules),
        }
        yield Page(path, render("pages/modules.html", path, **table, **of_page))


def front_rows(rows: Sequence[ModuleRow]) -> Sequence[ModuleRow]:
    """Return the rows of the overview: those that do not fit, then the largest others."""
    over = [row for row in rows if row.module.fits is False]
    fitting = [row for row in rows if row.module.fits is not False]
    least = max(SMALL_BYTES, axis(rows).small_bytes)
    large = [row for row in fitting if row.module.needed_bytes >= least]
    shown = [*over, *large[:MOST_FITTING]] or fitting[:MOST_FITTING]
    # One more row takes no more room than the sentence on it.
    return [*over, *fitting] if len(rows) - len(shown) == 1 else shown


def _others(rows: Sequence[ModuleRow], shown: Sequence[ModuleRow]) -> OtherModules | None:
    """Return the modules without a row; None where all have one."""
    listed = {row.module.label for row in shown}
    unlisted = [row for row in rows if row.module.label not in listed]
    others = [module for row in unlisted for module in (row.module, *row.copies)]
    if not others:
        return None
    most = max(module.needed_bytes for module in others)
    return OtherModules(
        count=len(others),
        most_bytes=most,
        largest=[row for row in unlisted if row.module.needed_bytes >= SMALL_BYTES][:_MOST_NAMED],
        are_small=most < max(SMALL_BYTES, axis(rows).small_bytes),
        all_fit=all(module.fits for module in others),
    )


def axis(rows: Sequence[ModuleRow]) -> NeedAxis:
    """Return the one axis of the bars of all rows."""
    limit = max((row.module.needed_bytes for row in rows), default=0)
    known = {row.module.capacity_bytes for row in rows} - {None}
    capacity = known.pop() if len(known) == 1 else None
    if capacity and capacity > MOST_ABOVE * limit:
        capacity = None
    return NeedAxis(limit_bytes=max(limit, capacity or 0, 1), capacity_bytes=capacity)


def _index(module: Summary) -> str:
    return routes.module_view(module.label, module.title)


def _front_context(modules: Sequence[Summary], front: Front) -> dict[str, Any]:
    """Return what only the overview shows; a site of one module or error opens on it, unless there is more to read."""
    readme = note_markup(front.readme)
    errors = error_views(front.errors)
    hrefs = [*map(_index, modules), *(view.href for view in errors)]
    is_plain = not (front.problems or readme or front.redaction or front.has_trend)
    return {
        "problems": front.problems,
        "readme": readme,
        "redaction": front.redaction,
        "errors": errors,
        "has_failure": any(is_failure(error.event) for error in front.errors),
        "has_trend": front.has_trend,
        "fits": _fit_counts(modules),
        "named": _named_devices(modules),
        "only": hrefs[0] if len(hrefs) == 1 and is_plain else "",
    }


def _named_devices(modules: Sequence[Summary]) -> Sequence[tuple[Device, FitCounts]]:
    """Return how many modules would fit if those whose device is not known ran on each that the reader can name."""
    if not any(module.asks_device for module in modules):
        return []
    return [(device, _fit_counts(modules, device.size_bytes)) for device in DEVICES.values()]


def _fit_counts(modules: Sequence[Summary], named_bytes: int | None = None) -> FitCounts:
    """Count the modules that fit; `named_bytes` are those of the device that the reader has named."""
    verdicts = Counter(
        module.needed_bytes <= named_bytes if named_bytes is not None and module.asks_device else module.fits
        for module in modules
    )
    return FitCounts(over=verdicts[False], fitting=verdicts[True], unknown=verdicts[None])


def folded(modules: Sequence[Summary]) -> list[ModuleRow]:
    """Return a row for each content, at the place of its first module."""
    same: dict[str, list[Summary]] = {}
    for module in modules:
        same.setdefault(module.content_digest, []).append(module)
    places = _places([first.label for first, *_ in same.values()])
    leads = _leads({first.label: (function_name(first.title), places[first.label]) for first, *_ in same.values()})
    return [
        ModuleRow(first, tuple(copies), places[first.label], leads[first.label]) for first, *copies in same.values()
    ]


def _leads(named: Mapping[str, tuple[str, str]]) -> Mapping[str, str]:
    """Return by label what tells each of several modules of one name apart: its folders without those in common.

    `named` has the name and the place of each by its label. Empty for a name that only one has.
    """
    same_name: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for label, (name, place) in named.items():
        same_name[name][label] = place
    leads = dict.fromkeys(named, "")
    for places in same_name.values():
        own = own_parts(list(places.values()))
        if len(own) > 1 and all(own):
            leads |= zip(places, own, strict=True)
    return leads


def _places(labels: Sequence[str]) -> Mapping[str, str]:
    """Return the shortest part of each dump's path that tells it apart: its folder, where it is alone there."""
    paths = {label: PurePosixPath(label) for label in labels}
    shared = shared_parts([path.parent.parts for path in paths.values()])
    alone, names = Counter(path.parent for path in paths.values()), file_names(labels)
    places = {}
    for label, path in paths.items():
        folder = path.parent.parts[shared:]
        places[label] = "/".join(folder if folder and alone[path.parent] == 1 else (*folder, names[label]))
    return places
