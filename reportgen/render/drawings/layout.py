"""How an array lies in memory, drawn: its dimensions in the order of memory, then its two fastest ones in tiles.

Every tile is drawn of one size, and of very many only the first and the last; so what counts, the padding in the
last ones, is always to be seen. Small arrays show each cell. The text beside it says the same in words.
"""

from functools import lru_cache
from typing import NamedTuple

from reportgen.analyse.sizes import merged_under_tile, physical_dimensions, physical_order, round_up, tile_levels
from reportgen.parse.shapes import ArrayShape, Shape
from reportgen.render.drawings.svg import drawing, path, rectangle

MOST_CELLS = 32
"""Along an edge, to be drawn one by one."""

_MOST_TILES = 6  # along an edge; of more, so many with a gap before the last
_TILE = 12
_MOST_DIMENSIONS = 12
_DIMENSION, _ORDER_HEIGHT, _BOX_HEIGHT = 20, 40, 10


class Edge(NamedTuple):
    """An edge of the padded array: elements, what they are padded to, and the tile's part of it."""

    size: int
    padded: int
    tile: int

    @property
    def tiles(self) -> int:
        return self.padded // self.tile

    @property
    def drawn_tiles(self) -> int:
        return min(self.tiles, _MOST_TILES)

    @property
    def length(self) -> int:
        return _TILE * self.drawn_tiles

    @property
    def filled(self) -> int:
        """How much of the length the elements fill; even the least of them, and of padding, is to be seen."""
        in_last = self.size - (self.tiles - 1) * self.tile
        return self.length - _TILE + max(1, in_last * _TILE // self.tile)


class TileGrid(NamedTuple):
    """The two fastest dimensions in memory, as the first tile sees them."""

    down: Edge
    across: Edge

    @property
    def cells(self) -> int:
        return self.down.padded * self.across.padded

    @property
    def padded_cells(self) -> int:
        return self.cells - self.down.size * self.across.size


@lru_cache(maxsize=1024)
def layout_drawing(shape: Shape) -> str:
    """Empty where there is nothing to see: no array, or one in row-major order that fills all of its tiles."""
    if not isinstance(shape, ArrayShape) or not shape.dimensions:
        return ""
    order, grid = _order(shape), tile_grid(shape)
    return order + _tiles(grid) if grid and (grid.padded_cells or order) else order


def tile_grid(shape: ArrayShape) -> TileGrid | None:
    """None where there is no tile, nothing under it, or a single tile without padding."""
    levels = tile_levels(shape)
    if not levels or shape.layout is None or not all(levels[0]):
        return None
    first = shape.layout.tiles[0]
    kept = len(levels[0]) - len(first)
    merged, steps = merged_under_tile(levels[0][kept:], first)
    sizes = [1, *levels[0][:kept], *merged][-2:]
    tile = [*([1] * (kept + 1)), *steps][-2:]
    down, across = (Edge(size, round_up(size, step), step) for size, step in zip(sizes, tile, strict=True))
    grid = TileGrid(down, across)
    return grid if grid.padded_cells or down.tiles * across.tiles > 1 else None


def _tiles(grid: TileGrid) -> str:
    """The padded array, its elements on it, then the edges of tiles or of single cells."""
    down, across = grid
    whole = [path(rectangle(0, 0, across.length, down.length), "pad")] if grid.padded_cells else []
    body = [*whole, path(rectangle(0, 0, across.filled, down.filled)), *_lines(grid), *_gaps(grid)]
    svg = drawing(across.length, down.length, body, label=None)
    return f"<figure class=layout>{svg}<figcaption>{_caption(grid)}</figcaption></figure>"


def _caption(grid: TileGrid) -> str:
    down, across = grid
    flat = down.padded == 1
    count = f"{across.tiles:,}" if flat else f"{down.tiles:,}×{across.tiles:,}"
    tiles = f"{count} tile{'' if count == '1' else 's'} of {across.tile if flat else f'{down.tile}×{across.tile}'}"
    if not grid.padded_cells:
        return f"{tiles}, all filled."
    return f"{tiles}; blank: {grid.padded_cells:,} of {grid.cells:,} cells are padding."


def _lines(grid: TileGrid) -> list[str]:
    down, across = grid
    lines = [f"M0 {y}h{across.length}" for y in _cuts(down)] + [f"M{x} 0v{down.length}" for x in _cuts(across)]
    return [path("".join(lines), "line")] if lines else []


def _cuts(edge: Edge) -> list[str]:
    """Where the next cell begins, or the next tile where there are too many cells."""
    parts = edge.padded if edge.padded <= MOST_CELLS else edge.drawn_tiles
    return [f"{edge.length * part / parts:.3g}" for part in range(1, parts)]


def _gaps(grid: TileGrid) -> list[str]:
    """A stripe before the last tile where tiles are left out."""
    down, across = grid
    shapes = []
    if across.tiles > _MOST_TILES:
        shapes.append(rectangle(across.length - _TILE - 1, 0, 2, down.length))
    if down.tiles > _MOST_TILES:
        shapes.append(rectangle(0, down.length - _TILE - 1, across.length, 2))
    return [path("".join(shapes), "gap")] if shapes else []


def _order(shape: ArrayShape) -> str:
    """The dimensions as written above, as in memory below, each led to its place; nothing for row-major order."""
    order = physical_order(shape)
    if order == tuple(range(len(order))) or len(order) > _MOST_DIMENSIONS:
        return ""
    below, middle = _ORDER_HEIGHT - _BOX_HEIGHT, _DIMENSION // 2
    boxes = [
        rectangle(_DIMENSION * place + 1, top, _DIMENSION - 2, _BOX_HEIGHT)
        for top in (0, below)
        for place in range(len(order))
    ]
    lines = [
        f"M{_DIMENSION * dimension + middle} {_BOX_HEIGHT}L{_DIMENSION * place + middle} {below}"
        for place, dimension in enumerate(order)
    ]
    body = [path("".join(boxes)), path("".join(lines), "line")]
    svg = drawing(_DIMENSION * len(order), _ORDER_HEIGHT, body, label=None)
    written, stored = _sizes(shape.dimensions), _sizes(physical_dimensions(shape))
    return f"<figure class=layout><p>{written} as written{svg}<p>{stored} in memory</figure>"


def _sizes(sizes: tuple[int | None, ...]) -> str:
    return "×".join("?" if size is None else str(size) for size in sizes)
