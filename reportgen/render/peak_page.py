"""The peak of each memory space, taken apart: what its bytes are, and which part of the program asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest

from reportgen.analyse.classes import CLASSES
from reportgen.analyse.decompose import Group, groupings
from reportgen.analyse.records import Space
from reportgen.analyse.scopes import Scope, scope_tree, walk
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.schedule_pages import schedule_href
from reportgen.render.templates import render
from reportgen.spans import Peak

SHOWN_GROUPS = 40
SHOWN_SCOPES = 200
_NARROWEST = 1 / 200
_ROOM_FOR_WORDS = 1 / 40
_DEEPEST = 14


@dataclass(frozen=True, slots=True)
class GroupTable:
    """A grouping as far as it is shown; the rest is named in one row, so that the table adds up."""

    name: str
    rows: tuple[Group, ...]
    rest_count: int
    rest_bytes: int
    rest_values: int


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """The rows of the scope table with their depths; what is hidden is given by its own bytes."""

    rows: list[tuple[int, Scope]]
    rest_count: int
    rest_bytes: int


@dataclass(frozen=True, slots=True)
class Tile:
    """A box of the icicle: `share` of its parent’s width, and the boxes below; a narrow one has no room for words."""

    scope: Scope
    share: float
    is_narrow: bool
    children: tuple["Tile", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the page says of one memory space; only `space` where nothing is resident or known."""

    space: Space
    peak: Peak | None
    value_count: int = 0
    tables: tuple[GroupTable, ...] = ()
    scopes: ScopeTable | None = None
    icicle: Tile | None = None
    is_icicle_whole: bool = True


def peak_page(module: Module, site_title: str) -> Page:
    links, path = Links(module, 0), module.routes.listing("peak")
    content = render(
        "peak.html",
        path,
        tab="peak.html",
        site_title=site_title,
        module=module,
        links=links,
        classes=CLASSES[:-1],
        schedule=partial(schedule_href, module, links),
        parts=[_part(module, space) for space in module.analysis.spaces.values()],
    )
    return Page(path, content)


def _part(module: Module, space: Space) -> Part:
    peak = space.peak_resident
    if peak is None or not peak.amount:
        return Part(space=space, peak=peak)
    tree = scope_tree(module.analysis, space, module.origin)
    groups = groupings(module.analysis, space, module.origin)
    tile = _tile(tree, tree.size_bytes, 0, 1.0)
    return Part(
        space=space,
        peak=peak,
        value_count=tree.values,
        tables=tuple(_table(name, rows) for name, rows in groups.items()),
        scopes=_scope_table(tree),
        icicle=tile,
        is_icicle_whole=_boxes(tile) == sum(1 for _ in walk(tree)),
    )


def _table(name: str, groups: Sequence[Group]) -> GroupTable:
    rest = groups[SHOWN_GROUPS:]
    rest_bytes, rest_values = sum(group.size_bytes for group in rest), sum(group.values for group in rest)
    return GroupTable(name, tuple(groups[:SHOWN_GROUPS]), len(rest), rest_bytes, rest_values)


def _scope_table(tree: Scope) -> ScopeTable:
    """The largest nodes in the order of the tree; a parent is never smaller than its child, so none is torn off."""
    rows = list(enumerate(walk(tree)))[1:]
    kept = nsmallest(SHOWN_SCOPES, rows, key=lambda row: (-row[1][1].size_bytes, row[0]))
    hidden = sum(scope.own_bytes for _, (_, scope) in rows) - sum(scope.own_bytes for _, (_, scope) in kept)
    shown = [(depth - 1, scope) for _, (depth, scope) in sorted(kept, key=lambda row: row[0])]
    return ScopeTable(shown, len(rows) - len(kept), hidden)


def _tile(scope: Scope, parent_bytes: int, depth: int, width: float) -> Tile:
    """Boxes too narrow to see are left out; the table below the icicle has them."""
    children: tuple[Tile, ...] = ()
    if depth < _DEEPEST:
        children = tuple(
            _tile(child, scope.size_bytes, depth + 1, width * child.size_bytes / scope.size_bytes)
            for child in scope.children
            if width * child.size_bytes >= _NARROWEST * scope.size_bytes
        )
    return Tile(scope, scope.size_bytes / parent_bytes, width < _ROOM_FOR_WORDS, children)


def _boxes(tile: Tile) -> int:
    return 1 + sum(map(_boxes, tile.children))
