"""The peak of each memory space, taken apart: what its bytes are, and which part of the program asks for them."""

from collections.abc import Callable, Sequence
from heapq import nsmallest
from typing import NamedTuple
from urllib.parse import urlencode

from reportgen.analyse.classes import HELD_CLASSES
from reportgen.analyse.records import Space
from reportgen.analyse.scope_tree import Scope, scope_tree, walk
from reportgen.intervals.step_function import Peak
from reportgen.record import record
from reportgen.render.html.hints import naming_hint
from reportgen.render.html.links import Links
from reportgen.render.module.peak_rows import PeakTable, peak_kind, peak_tables
from reportgen.render.module.schedule_page import schedule_href
from reportgen.render.module.view_page import view_page
from reportgen.render.view import Module
from reportgen.work import Page

_SHOWN_SCOPES = 200
_NARROWEST = 1 / 200
_ROOM_FOR_WORDS = 1 / 40
_DEEPEST = 14


@record(kw_only=False)
class ScopeTable:
    """The rows of the scope table with their depths and hrefs; the hidden ones are summed by their own bytes."""

    rows: list[tuple[int, Scope, str]]
    rest_count: int
    rest_bytes: int


@record
class Tile:
    """A box of the icicle with the boxes below it; `width` is in percent of its parent.

    `href` shows what is in it, on the module's own page.
    """

    scope: Scope
    href: str
    width: str
    is_narrow: bool
    children: tuple["Tile", ...]


@record
class PeakScopes:
    """The scopes of a memory space's peak, which has `value_count` values."""

    space: Space
    peak: Peak
    value_count: int
    table: ScopeTable
    icicle: Tile
    is_icicle_whole: bool

    @property
    def lacks_names(self) -> bool:
        """Whether the scope table has a row for bytes without a name."""
        return any(scope.kind == "missing" for _, scope, _ in self.table.rows)


@record
class SpacePeak:
    """The peak of one memory space; without tables and scopes where nothing is resident or known."""

    space: Space
    peak: Peak | None
    tables: Sequence[PeakTable]
    scopes: PeakScopes | None
    unnamed_bytes: int
    values_href: str
    schedule_href: str | None


def peak_page(module: Module, site_title: str) -> Page:
    """Return the page of the peaks."""
    links = Links(module, 0)
    return view_page(
        module,
        site_title,
        "peak",
        "pages/peak.html",
        links=links,
        classes=HELD_CLASSES,
        spaces=[_space_peak(module, space, links) for space in module.analysis.spaces.values()],
        hint=naming_hint(module.title, has_text=module.join.module is not None),
    )


def peak_scopes(module: Module, space: Space, links: Links) -> PeakScopes | None:
    """Return the scopes of a memory space's peak; None where nothing is resident or known."""
    peak = space.peak_resident
    if peak is None or not peak.amount:
        return None
    tree = scope_tree(module.analysis, space)

    def href(path: str) -> str:
        """Return the href of what is live at the peak in a scope, as the module's own page shows it."""
        choices = {"space": space.color, "moment": peak.moment} | ({"within": path} if path else {})
        return f"{links.listing('index')}#{urlencode(choices)}"

    tile = _tile(tree, href, tree.size_bytes, depth=0, share=1.0)
    return PeakScopes(
        space=space,
        peak=peak,
        value_count=tree.values,
        table=_scope_table(tree, href),
        icicle=tile,
        is_icicle_whole=_boxes(tile) == sum(1 for _ in walk(tree)),
    )


def _space_peak(module: Module, space: Space, links: Links) -> SpacePeak:
    peak = space.peak_resident
    return SpacePeak(
        space=space,
        peak=peak,
        tables=peak_tables(module, space, links, is_complete=True, by_value=False),
        scopes=peak_scopes(module, space, links),
        unnamed_bytes=module.attributed[space.color].unnamed_bytes(peak.amount) if peak else 0,
        values_href=links.listing(peak_kind(space)),
        schedule_href=schedule_href(module, links, peak.moment) if peak else None,
    )


class _PlacedScope(NamedTuple):
    """A scope with its place in the order of the tree, in which the root is at 0."""

    place: int
    depth: int
    scope: Scope


def _scope_table(tree: Scope, href: Callable[[str], str]) -> ScopeTable:
    """Keep the largest nodes, in the order of the tree.

    Each keeps its parent, because a parent is never smaller than its child and comes before it.
    """
    rows = [_PlacedScope(place, depth, scope) for place, (depth, scope) in enumerate(walk(tree)) if place > 0]
    kept = nsmallest(_SHOWN_SCOPES, rows, key=lambda row: (-row.scope.size_bytes, row.place))
    hidden = sum(row.scope.own_bytes for row in rows) - sum(row.scope.own_bytes for row in kept)
    in_order = sorted(kept, key=lambda row: row.place)
    shown = [(row.depth - 1, row.scope, href(row.scope.path)) for row in in_order]
    return ScopeTable(shown, len(rows) - len(kept), hidden)


def _tile(scope: Scope, href: Callable[[str], str], parent_bytes: int, *, depth: int, share: float) -> Tile:
    """Leave out boxes that are too narrow to see: the table below the icicle has them."""
    children: tuple[Tile, ...] = ()
    if depth < _DEEPEST:
        children = tuple(
            _tile(child, href, scope.size_bytes, depth=depth + 1, share=share * child.size_bytes / scope.size_bytes)
            for child in scope.children
            if share * child.size_bytes >= _NARROWEST * scope.size_bytes
        )
    width = f"{100 * (scope.size_bytes / parent_bytes):.3f}%"
    return Tile(scope=scope, href=href(scope.path), width=width, is_narrow=share < _ROOM_FOR_WORDS, children=children)


def _boxes(tile: Tile) -> int:
    return 1 + sum(map(_boxes, tile.children))
