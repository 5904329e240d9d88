"""The overview: the modules that do not fit and the largest others, each with what it needs and what to do first.

All others are rows of the same table, on as many pages as needed, which the reader asks for; a few small ones are named
instead. It stays quick with thousands of modules: a page holds some hundred rows, identical dumps share one row, and
whatever looks at all modules at once (search, the filter, previous and next) reads a data shard.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from reportgen.analyse.devices import DEVICES, MAIN_SPACE, Device
from reportgen.analyse.fit import fits
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.drawings.chart_data import MOST_ABOVE
from reportgen.render.html.markdown import note_markup
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.file_names import own_parts, short_places
from reportgen.reports import formats
from reportgen.reports.error_story import story_of
from reportgen.reports.formats import function_name
from reportgen.reports.source_words import NO_FILLER, NO_LINES, NO_TEXT, short_words
from reportgen.reports.summary import FirstSuggestion, LargestLine, Summary, biggest_first
from reportgen.work import Front, Page

MODULES_PER_PAGE = 500
MOST_FITTING = 8
"""Rows that the overview begins with of modules that fit, or may fit."""
SMALL_BYTES = 1 << 20
"""Modules that need less are none of them, unless all do."""
SMALL_PART = 50
"""Modules that need less than this part of the axis are none of them either: their bars would say nothing."""
_UNSEEN_PART = 200
"""What is less than this part of the axis is not seen in a bar."""
_COLORS = {
    "parameter": "arguments",
    "output": "outputs",
    "source-1": "largest line",
    "source-2": "second line",
    "other": "everything else",
}
"""The colors of the bars, and their names."""
_NO_LINE = {
    NO_TEXT: "no HLO text",
    NO_LINES: "no lines in the HLO text",
    NO_FILLER: "only arguments",
    "": "peak unknown",
}
"""Why there is no largest line, by what is said of the lines."""


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
        """Return the place of the dump, and the memory space if that is not the main one."""
        module = self.module
        space = "" if module.space_name.startswith(f"{MAIN_SPACE} ") else module.space_name.partition(" · ")[2]
        known = function_name(self.module.title) if self.lead else formats.shortened(self.place)
        if known.removesuffix(".txt") == self.name:
            known = ""
        return " · ".join(filter(None, (known, space)))

    @property
    def backend(self) -> str:
        """Return the backend as it is said."""
        return "unknown backend" if self.module.backend == "unknown" else self.module.backend.upper()

    @property
    def parts(self) -> Sequence[tuple[str, str, int]]:
        """Return the colors, names and bytes of the parts of what the module needs, which add up to it."""
        module, lines = self.module, enumerate(self.module.largest_lines, 1)
        named = [
            ("parameter", "arguments", module.argument_bytes),
            ("output", "outputs", module.output_bytes),
            *((f"source-{number}", line.place, line.size_bytes) for number, line in lines),
        ]
        rest = module.needed_bytes - sum(size for *_, size in named)
        return [part for part in (*named, ("other", "other", rest)) if part[2] > 0]

    @property
    def no_line(self) -> str:
        """Return why there is no largest line, or what is more than half of what is needed."""
        held = [(name, size) for look, name, size in self.parts if look in {"parameter", "output"}]
        names = [name for name, size in held if 4 * size >= self.module.needed_bytes]
        is_most = 2 * sum(size for _, size in held) > self.module.needed_bytes
        mostly = f"mostly {' and '.join(names)}" if names and is_most else "no large line"
        return _NO_LINE.get(self.module.filled, mostly)

    def line_href(self, line: LargestLine | FirstSuggestion) -> str:
        """Return where a line is: its place in its file or, without a page of that, in the peak."""
        return line.href or f"{routes.module_view(self.module.label, self.module.title)}#peak"

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


class NeedAxis:
    """What the bars of all rows are drawn on: `limit_bytes` is their full length.

    `capacity_bytes` is that of the `device` of all these modules, whose name may be unknown; None if they have several,
    or one so large that no bar would be seen. A bar is seen from `small_bytes` on, and a module that the overview
    begins with needs `least_bytes`.
    """

    def __init__(self, rows: Sequence[ModuleRow]) -> None:
        largest = max((row.module.needed_bytes for row in rows), default=0)
        known = {row.module.capacity_bytes for row in rows} - {None}
        capacity = known.pop() if len(known) == 1 else None
        self.capacity_bytes = None if capacity and capacity > MOST_ABOVE * largest else capacity
        devices = {row.module.device for row in rows if row.module.capacity_bytes}
        self.device = devices.pop() if self.capacity_bytes and len(devices) == 1 else ""
        self.limit_bytes = max(largest, self.capacity_bytes or 0, 1)
        self.small_bytes = self.limit_bytes // SMALL_PART
        self.least_bytes = max(SMALL_BYTES, self.small_bytes)


def overview_pages(site_title: str, summaries: Sequence[Summary], front: Front) -> Iterator[Page]:
    """Yield the overview, the further pages of its table, and the shard with all modules."""
    modules = sorted(summaries, key=biggest_first)
    rows = sorted(folded(modules), key=lambda row: row.module.fits is not False)
    columns = module_columns(
        (
            row.name if entry is row.module else entry.title,
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
    shown, pages = front_rows(rows), routes.pages_of(len(rows), MODULES_PER_PAGE)
    has_capacity, axis = any(module.fits is not None for module in modules), NeedAxis(rows)
    fits, small_bytes = _fit_counts(rows, axis) if has_capacity else (_fit_of_no_device(rows), 0)
    table = {
        "has_capacity": has_capacity,
        "asks_device": any(module.asks_device for module in modules),
        "axis": axis,
        "lacking_text": [row.name for row in rows if NO_TEXT in row.module.filled],
        "site_title": site_title,
        "dumps": len(modules),
        "count": len(rows),
        "shown": shown,
        "others": rows[shown:],
        "cut": _cut_words(rows[:shown]),
        "suggestions": sum(bool(row.suggestion) for row in rows),
        "backends": sorted(Counter((row.backend, row.module.backend) for row in rows).items()),
        "pages": pages,
        "fits": fits,
        "small_bytes": small_bytes,
        "named": _named_devices(rows, axis),
    }
    for page in range(1, max(1, pages) + 1):
        path = routes.modules(page)
        own = _front_context(modules, front) if page == 1 else {}
        listed = rows[routes.rows_of(page, MODULES_PER_PAGE)]
        of_page = {"rows": listed, "colors": _colors(listed, axis, shown if page == 1 else 0), "page": page}
        template = "pages/modules.html" if page > 1 else "pages/overview.html"
        yield Page(path, render(template, path, **table, **of_page, **own))


def _colors(rows: Sequence[ModuleRow], shared: NeedAxis, shown: int) -> list[tuple[str, str, bool]]:
    """Return the colors seen in bars, each with its name, and whether only rows after those `shown` have it."""
    seen = [
        {look for look, _, size in row.parts if size * _UNSEEN_PART >= shared.limit_bytes}
        if row.module.needed_bytes >= shared.small_bytes
        else set()
        for row in rows
    ]
    first, every = set().union(*seen[: shown or None]), set().union(*seen)
    return [(look, name, look not in first) for look, name in _COLORS.items() if look in every]


def front_rows(rows: Sequence[ModuleRow]) -> int:
    """Return how many rows the overview begins with: of those that do not fit, which are first, and the largest others.

    A table of small modules only begins with any of them.
    """
    over = sum(row.module.fits is False for row in rows)
    least = NeedAxis(rows).least_bytes
    large = sum(row.module.needed_bytes >= least for row in rows[over:])
    shown = over + min(large, MOST_FITTING) or min(len(rows), MOST_FITTING)
    # One more row takes no more room than the sentence on it.
    return len(rows) if len(rows) - shown == 1 else shown


def _cut_words(shown: Sequence[ModuleRow]) -> str:
    """Return which modules the overview begins with."""
    over = sum(row.module.fits is False for row in shown)
    largest = f"the {len(shown) - over:,} largest" + (" others" if over else "")
    does_not_fit = f"{over:,} that {'does' if over == 1 else 'do'} not fit"
    return formats.capital(" and ".join([does_not_fit] * bool(over) + [largest] * (len(shown) > over)))


def _index(module: Summary) -> str:
    return routes.module_view(module.label, module.title)


def _front_context(modules: Sequence[Summary], front: Front) -> dict[str, Any]:
    """Return what only the overview shows; a site of one module or error opens on it, unless there is more to read."""
    readme = note_markup(front.readme)
    labels = {module.label for module in modules}
    # The figures of a program that is a module say what its row says.
    errors = [
        (routes.out_of_memory(number), error, story_of(error.event))
        for number, error in enumerate(front.errors, start=1)
        if error.event.kind != "compiled" or error.label not in labels
    ]
    hrefs = [*map(_index, modules), *(href for href, *_ in errors)]
    is_plain = not (front.problems or readme or front.redaction or front.has_trend)
    return {
        "problems": front.problems,
        "readme": readme,
        "redaction": front.redaction,
        "errors": errors,
        "has_failure": any(error.event.is_failure for _, error, _ in errors),
        "has_trend": front.has_trend,
        "only": hrefs[0] if len(hrefs) == 1 and is_plain else "",
    }


def _named_devices(rows: Sequence[ModuleRow], shared: NeedAxis) -> Sequence[tuple[Device, str]]:
    """Return in words how many modules would fit if those of unknown device ran on each that the reader can name."""
    if not any(row.module.asks_device for row in rows):
        return []
    return [(device, "|".join(_fit_counts(rows, shared, device.size_bytes)[0])) for device in DEVICES.values()]


def _fit_of_no_device(rows: Sequence[ModuleRow]) -> Sequence[str]:
    """Return how many modules of unknown device would fit none that the reader can name, as `_fit_counts` does."""
    sizes = [row.module.needed_bytes for row in rows if row.module.asks_device]
    largest = max(device.size_bytes for device in DEVICES.values())
    over = sum(size > largest for size in sizes)
    return f"{over:,} would fit no device" if over else "", "", "no device chosen" if sizes else ""


def _fit_counts(
    rows: Sequence[ModuleRow], shared: NeedAxis, named_bytes: int | None = None
) -> tuple[Sequence[str], int]:
    """Return how many modules do not fit, how many do, and of how many that is not known, each empty for none.

    Beside them stands what those need at most, if that is too little for a row of its own, and else 0. `named_bytes`
    are those of the device that the reader has named.
    """
    modules = [row.module for row in rows]
    verdicts = [
        fits(module.needed_bytes, module.certainty, named_bytes, None) if module.asks_device else module.fits
        for module in modules
    ]
    unknown = [module.needed_bytes for module, known in zip(modules, verdicts, strict=True) if known is None]
    most = max(unknown, default=0)
    small_bytes = most if most < shared.least_bytes else 0
    over, fitting = verdicts.count(False), verdicts.count(True)
    rest = f"small, at most {formats.human_bytes(small_bytes)}" if small_bytes else "unknown"
    words = (
        f"{over:,} {'does' if over == 1 else 'do'} not fit" if over else "",
        f"{fitting:,} {'fits' if fitting == 1 else 'fit'}" if fitting else "",
        f"{len(unknown):,} {rest}" if unknown else "",
    )
    return words, small_bytes


def folded(modules: Sequence[Summary]) -> list[ModuleRow]:
    """Return a row for each content, at the place of its first module."""
    same: defaultdict[str, list[Summary]] = defaultdict(list)
    for module in modules:
        same[module.content_digest].append(module)
    first = [module for module, *_ in same.values()]
    places = short_places([module.label for module in first])
    leads = _leads(first, places)
    return [ModuleRow(one, tuple(copies), places[one.label], leads[one.label]) for one, *copies in same.values()]


def _leads(modules: Iterable[Summary], places: Mapping[str, str]) -> Mapping[str, str]:
    """Return by label what tells each of several modules of one name apart: its place without the folders in common.

    Empty for a name that only one has. Where others have a lead, a dump that is alone in its folder has its place.
    """
    same_name: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for module in modules:
        same_name[function_name(module.title)][module.label] = places[module.label]
    leads = dict[str, str]()
    for named in same_name.values():
        own = own_parts(list(named.values()))
        if len(own) > 1 and all(own):
            leads |= zip(named, own, strict=True)
    folders = Counter(PurePosixPath(label).parent for label in places if leads)
    alone = {label: place for label, place in places.items() if folders[PurePosixPath(label).parent] == 1}
    return dict.fromkeys(places, "") | alone | leads
