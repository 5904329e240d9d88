"""The overview: every module, the one that needs most memory first, on as many pages as that takes.

It stays quick with thousands of modules: a page holds some hundred rows, copies are folded into one row, and
whatever looks at all modules at once (search, the filter, previous and next) reads a shard.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from markupsafe import Markup

from reportgen.analyse.classes import CLASSES
from reportgen.options import Redaction
from reportgen.reading import Problem
from reportgen.render import formats, routes
from reportgen.render.chart_data import byte_ticks
from reportgen.render.data_shards import site_shard
from reportgen.render.page import Page
from reportgen.render.recompiled import Recompiled, recompiled
from reportgen.render.summary import Summary, biggest_first, needed_bytes
from reportgen.render.templates import render

MODULES_PER_PAGE = 500
MOST_BARS = 20
_MOST_FUNCTIONS = 10
_MOST_VARIANTS = 6


@dataclass(frozen=True, slots=True)
class Row:
    """A module, and the ones whose dumps say exactly the same."""

    module: Summary
    copies: tuple[Summary, ...]


def overview_pages(
    site_title: str,
    summaries: Sequence[Summary],
    problems: Sequence[Problem],
    readme: Markup,
    redaction: Redaction | None = None,
) -> Iterator[Page]:
    """The overview, the pages that go on with its tables, and the shard with all modules."""
    modules = sorted(summaries, key=biggest_first)
    rows, groups = folded(modules), recompiled(modules)
    yield site_shard("modules", _columns(rows))
    table = {"site_title": site_title, "count": len(modules), "rows_in_all": len(rows), "href": routes.overview}
    first = {"problems": problems, "readme": readme, "redaction": redaction, **_chart(rows), **_recompiled(groups)}
    pages = routes.pages_of(len(rows), MODULES_PER_PAGE)
    for page in range(1, pages + 1):
        template, own = ("overview.html", first) if page == 1 else ("modules.html", {})
        shown = rows[routes.rows_of(page, MODULES_PER_PAGE)]
        path = routes.overview(page)
        yield Page(path, render(template, path, rows=shown, page=page, pages=pages, **table, **own))
    if first["has_more_recompiled"]:
        yield Page(
            routes.RECOMPILED, render("recompiled.html", routes.RECOMPILED, site_title=site_title, groups=groups)
        )


def _chart(rows: Sequence[Row]) -> dict[str, Any]:
    return {"chart": largest_modules(rows), "largest": [row.module for row in rows[:MOST_BARS]], "classes": CLASSES}


def _recompiled(groups: Sequence[Recompiled]) -> dict[str, Any]:
    """What the overview says of recompiled functions, and whether that leaves something to a page of its own."""
    shown = groups[:_MOST_FUNCTIONS]
    is_complete = len(shown) == len(groups) and all(
        len(group.variants) <= _MOST_VARIANTS and group.module_count == len(group.variants) for group in shown
    )
    return {
        "recompiled": shown,
        "recompiled_count": len(groups),
        "most_variants": _MOST_VARIANTS,
        "has_more_recompiled": not is_complete,
    }


def folded(modules: Sequence[Summary]) -> list[Row]:
    """A row for each content, where its first module stands."""
    same: dict[str, list[Summary]] = {}
    for module in modules:
        same.setdefault(module.content_digest, []).append(module)
    return [Row(first, tuple(copies)) for first, *copies in same.values()]


def _columns(rows: Sequence[Row]) -> Mapping[str, Sequence[Any]]:
    """All modules for scripts, in the order of the overview; `page` is the one with the module's row."""
    listed = [
        (module, number // MODULES_PER_PAGE + 1)
        for number, row in enumerate(rows)
        for module in (row.module, *row.copies)
    ]
    return {
        "name": [module.title for module, _ in listed],
        "path": [module.label for module, _ in listed],
        "backend": [module.backend for module, _ in listed],
        "size": [needed_bytes(module) for module, _ in listed],
        "href": [module.href for module, _ in listed],
        "page": [page for _, page in listed],
    }


def largest_modules(rows: Sequence[Row]) -> dict[str, Any] | None:
    """A bar for each of the largest, in parts by class; None where there is nothing to compare."""
    modules = [row.module for row in rows[:MOST_BARS]]
    if not modules or not needed_bytes(modules[0]):
        return None
    limit = needed_bytes(modules[0])
    datasets = {
        "parts": [part for rank, module in enumerate(modules) for part in _parts(rank, module)],
        "totals": [_total(rank, module) for rank, module in enumerate(modules)],
    }
    params = {"names": _names(modules), "limit": limit, **byte_ticks(limit)}
    return {"datasets": datasets, "params": params}


def _names(modules: Sequence[Summary]) -> list[str]:
    """What tells the modules apart: their names, with the folder of the dump where a name is repeated."""
    repeated = Counter(module.title for module in modules)
    return [formats.visible(_name(module, tells_folder=repeated[module.title] > 1)) for module in modules]


def _name(module: Summary, *, tells_folder: bool) -> str:
    return f"{module.title} · {PurePosixPath(module.label).parent.name}" if tells_folder else module.title


def _parts(rank: int, module: Summary) -> Iterator[dict[str, Any]]:
    low = 0
    for kind in CLASSES:
        size = module.bytes_by_class.get(kind, 0)
        if size:
            yield {"rank": rank, "class": kind, "low": low, "high": low + size, "href": module.href}
        low += size


def _total(rank: int, module: Summary) -> dict[str, Any]:
    words = formats.human_bytes(needed_bytes(module))
    known = module.peak_resident_bytes is not None
    return {"rank": rank, "end": needed_bytes(module), "label": words if known else f"{words} allocated"}
