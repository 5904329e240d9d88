"""The overview: every module, the one that needs most memory first, on as many pages as needed.

It stays quick with thousands of modules: a page holds some hundred rows, identical dumps share one row, and whatever
looks at all modules at once (search, the filter, previous and next) reads a data shard.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from reportgen.analyse.classes import HELD_CLASSES
from reportgen.analyse.devices import DEVICES, Device
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.drawings.chart_data import MOST_ABOVE, byte_ticks
from reportgen.render.html.markdown import note_markup
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.file_names import file_names
from reportgen.render.site.out_of_memory import error_views
from reportgen.reports import formats
from reportgen.reports.formats import function_name
from reportgen.reports.summary import Summary, biggest_first, shown_bytes
from reportgen.work import Front, Page

MODULES_PER_PAGE = 500
MOST_BARS = 20
_BAR_HEIGHT = 20
_AXIS_HEIGHT = 32


@record(kw_only=False)
class ModuleRow:
    """A module, and the others whose dumps are identical; `place` is what tells its dump apart from those of others."""

    module: Summary
    copies: tuple[Summary, ...]
    place: str

    @property
    def name(self) -> str:
        """The name of the function that the module was compiled from."""
        return function_name(self.module.title)


@record
class LargestModules:
    """The chart of the largest modules: its data, its height in pixels, and the same figures for a table."""

    data: dict[str, Any]
    height: int
    first_bytes: int
    modules: Sequence[Summary]


@record
class Fitting:
    """How many modules fit, of those whose device is known: in figures and in words; `is_bad` if some do not."""

    count: str
    words: str
    is_bad: bool


@record
class Glance:
    """The figures that the overview begins with, over all modules; `sound` have no errors or warnings.

    `fitting` is None where no device is known. `named` is what it would be if the modules whose device is not known
    ran on a device that the reader names, empty where there are no such modules. `is_least` is whether some dump lacks
    allocations, so that more may be needed than `most_bytes`.
    """

    most_bytes: int
    is_least: bool
    fitting: Fitting | None
    named: Sequence[tuple[Device, Fitting]]
    sound: int


def overview_pages(site_title: str, summaries: Sequence[Summary], front: Front) -> Iterator[Page]:
    """Yield the overview, the further pages of its tables, and the shard with all modules."""
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
    table = {
        "has_capacity": any(module.fits is not None for module in modules),
        "asks_device": any(module.asks_device for module in modules),
        "site_title": site_title,
        "count": len(modules),
        "rows_in_all": len(rows),
        "href": routes.overview,
    }
    own = _front_context(modules, rows, front)
    pages = routes.pages_of(len(rows), MODULES_PER_PAGE)
    for page in range(1, pages + 1):
        template, context = ("pages/overview.html", table | own) if page == 1 else ("pages/modules.html", table)
        shown, path = rows[routes.rows_of(page, MODULES_PER_PAGE)], routes.overview(page)
        yield Page(path, render(template, path, rows=shown, page=page, pages=pages, **context))


def _index(module: Summary) -> str:
    return routes.module_view(module.label, module.title)


def _front_context(modules: Sequence[Summary], rows: Sequence[ModuleRow], front: Front) -> dict[str, Any]:
    """Return what only the first page shows; a site of one module opens on it, unless there is more to read."""
    readme = note_markup(front.readme)
    is_plain = not (front.problems or readme or front.redaction or front.errors)
    troubled = Counter(severity for module in modules for severity, _ in module.finding_counts)
    return {
        "problems": front.problems,
        "readme": readme,
        "redaction": front.redaction,
        "troubled": [(severity, troubled[severity]) for severity in ("error", "warning") if troubled[severity]],
        "errors": error_views(front.errors),
        "has_trend": front.has_trend,
        "glance": _glance(modules),
        "chart": largest_modules(rows),
        "classes": HELD_CLASSES,
        "only": _index(modules[0]) if len(modules) == 1 and is_plain else "",
    }


def _glance(modules: Sequence[Summary]) -> Glance:
    """Return the largest need, how many modules fit their own device and each known one, and how many are sound."""
    known = [(module.fits, module.excess_bytes or 0) for module in modules if module.fits is not None]
    asking = [module.needed_bytes for module in modules if module.asks_device]
    severe = ("error", "warning")
    named = []
    for device in DEVICES.values() if asking else ():
        excesses = (size - device.size_bytes for size in asking)
        named.append((device, _fitting([*known, *((excess <= 0, excess) for excess in excesses)], len(modules))))
    return Glance(
        most_bytes=max((module.needed_bytes for module in modules), default=0),
        is_least=any(module.missing for module in modules),
        fitting=_fitting(known, len(modules)) if known else None,
        named=named,
        sound=sum(all(severity not in severe for severity, _ in module.finding_counts) for module in modules),
    )


def _fitting(known: Sequence[tuple[bool, int]], count: int) -> Fitting:
    """Return how many of `count` modules fit; `known` says whether one does and what it needs more than there is."""
    fitting, worst = sum(fits for fits, _ in known), max(excess for _, excess in known)
    words = "All fit"
    if worst > 0:
        words = f"{formats.human_bytes(worst)} over capacity at worst"
    elif fitting < len(known):
        words = f"{formats.counted(len(known) - fitting, 'module')} refused, or short of another memory"
    unknown = f"; {count - len(known):,} unknown" if len(known) < count else ""
    return Fitting(count=f"{fitting:,} of {len(known):,}", words=words + unknown, is_bad=fitting < len(known))


def folded(modules: Sequence[Summary]) -> list[ModuleRow]:
    """Return a row for each content, at the place of its first module."""
    same: dict[str, list[Summary]] = {}
    for module in modules:
        same.setdefault(module.content_digest, []).append(module)
    places = _places([first.label for first, *_ in same.values()])
    return [ModuleRow(first, tuple(copies), places[first.label]) for first, *copies in same.values()]


def _places(labels: Sequence[str]) -> Mapping[str, str]:
    """Return the shortest part of each dump's path that tells it apart: its folder, where it is alone there."""
    paths = {label: PurePosixPath(label) for label in labels}
    shared = _shared_parts([path.parent.parts for path in paths.values()])
    alone, names = Counter(path.parent for path in paths.values()), file_names(labels)
    places = {}
    for label, path in paths.items():
        folder = path.parent.parts[shared:]
        places[label] = "/".join(folder if folder and alone[path.parent] == 1 else (*folder, names[label]))
    return places


def largest_modules(rows: Sequence[ModuleRow]) -> LargestModules | None:
    """Return a bar for each of the largest modules, in parts by class; None where there is nothing to compare."""
    modules = [row.module for row in rows[:MOST_BARS]]
    limit = max(map(shown_bytes, modules), default=0)
    if not limit:
        return None
    datasets: dict[str, list[dict[str, Any]]] = {
        "parts": [part for rank, module in enumerate(modules) for part in _parts(rank, module)],
        "totals": [
            {
                "rank": rank,
                "end": shown_bytes(module),
                "label": formats.least_words(shown_bytes(module), is_least=module.is_peak_least)
                + ("" if module.peak_resident_bytes is not None else " needed"),
            }
            for rank, module in enumerate(modules)
        ],
    }
    names = [formats.visible(name) for name in _distinct_names(modules)]
    capacity = _shared_capacity(modules, limit)
    datasets["capacity"] = [{"limit": capacity}] if capacity else []
    limit = max(limit, capacity)
    return LargestModules(
        data={"datasets": datasets, "params": {"names": names, "limit": limit, **byte_ticks(limit)}},
        height=len(modules) * _BAR_HEIGHT + _AXIS_HEIGHT,
        first_bytes=shown_bytes(modules[0]),
        modules=modules,
    )


def _shared_capacity(modules: Sequence[Summary], limit: int) -> int:
    """Return what the device of all these modules has; 0 if they have several, or one so large that no bar is seen."""
    (capacity, *others) = {module.capacity_bytes for module in modules}
    return capacity if capacity and not others and capacity <= MOST_ABOVE * limit else 0


def _distinct_names(modules: Sequence[Summary]) -> list[str]:
    """Return the names of the modules; a repeated one begins with the part of the dump's path that tells it apart."""
    by_title: dict[str, list[str]] = {}
    for module in modules:
        by_title.setdefault(module.title, []).append(module.label)
    parts = {title: _distinct_parts(labels) for title, labels in by_title.items()}
    named = [(parts[module.title][module.label], module.title) for module in modules]
    return [f"{part} · {title}" if part else title for part, title in named]


def _distinct_parts(labels: Sequence[str]) -> Mapping[str, str]:
    """Return the part of each dump's path that differs: of its folder, where no two dumps share a folder."""
    names, folders = file_names(labels), {label: PurePosixPath(label).parent.parts for label in labels}
    is_alone = len(set(folders.values())) == len(labels)
    parts = {label: folder if is_alone else (*folder, names[label]) for label, folder in folders.items()}
    start = _shared_parts(parts.values())
    end = _shared_parts(own[start:][::-1] for own in parts.values())
    return {label: "/".join(own[start : len(own) - end]) for label, own in parts.items()}


def _shared_parts(paths: Iterable[tuple[str, ...]]) -> int:
    """Return how many parts all the paths begin with."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False)))


def _parts(rank: int, module: Summary) -> Iterator[dict[str, Any]]:
    low = 0
    for kind in HELD_CLASSES:
        size = module.bytes_by_class.get(kind, 0)
        if size:
            yield {"rank": rank, "class": kind, "low": low, "high": low + size, "href": _index(module)}
        low += size
