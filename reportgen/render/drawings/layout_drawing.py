"""Draw how tiles pad an array: its two fastest dimensions in memory.

All tiles are drawn at the same size. If there are many, only the first ones and the last are drawn, because what
matters, the padding, is in the last. Small arrays show each cell. The page says the same in words.
"""

from typing import NamedTuple

from reportgen.analyse.sizes import merged_under_tile, round_up, tile_levels
from reportgen.model.shapes import ArrayShape, Shape
from reportgen.render.drawings.svg import drawing, path, rectangle

_MOST_CELLS = 32  # along an edge, drawn one by one
_MOST_TILES = 6  # along an edge; of more, this many are drawn with a gap before the last
_TILE = 12


class Edge(NamedTuple):
    """An edge of the padded array: its elements, what they are padded to, and the tile's size along it."""

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
        """Return the length that the elements fill; neither they nor the padding ever become invisible."""
        in_last = self.size - (self.tiles - 1) * self.tile
        return self.length - _TILE + max(1, in_last * _TILE // self.tile)

    @property
    def cuts(self) -> list[str]:
        """Return where each cell after the first begins, or each tile if there are too many cells."""
        pieces = self.padded if self.padded <= _MOST_CELLS else self.drawn_tiles
        return [f"{self.length * piece / pieces:.3g}" for piece in range(1, pieces)]


class TileGrid(NamedTuple):
    """The two fastest dimensions in memory, as the first tile divides them."""

    down: Edge
    across: Edge

    @property
    def cells(self) -> int:
        return self.down.padded * self.across.padded

    @property
    def padded_cells(self) -> int:
        return self.cells - self.down.size * self.across.size


def layout_drawing(shape: Shape) -> str:
    """Return the drawing of an array in its tiles; none if it fills all of them."""
    grid = tile_grid(shape) if isinstance(shape, ArrayShape) and shape.dimensions else None
    return _tiles(grid) if grid and grid.padded_cells else ""


def tile_grid(shape: ArrayShape) -> TileGrid | None:
    """Return the grid; None where there is no tile, nothing under it, or a single tile without padding."""
    levels = tile_levels(shape)
    if not levels or shape.layout is None or not all(levels[0]):
        return None
    first = shape.layout.tiles[0]
    kept = len(levels[0]) - len(first)
    merged, steps = merged_under_tile(levels[0][kept:], first)
    # A single dimension is drawn as one row.
    sizes = [1, *levels[0][:kept], *merged][-2:]
    tile = [*([1] * (kept + 1)), *steps][-2:]
    down, across = (Edge(size, round_up(size, step), step) for size, step in zip(sizes, tile, strict=True))
    grid = TileGrid(down, across)
    return grid if grid.padded_cells or down.tiles * across.tiles > 1 else None


def _tiles(grid: TileGrid) -> str:
    """Draw the padded array, its elements on it, the edges of tiles or cells, and stripes where tiles are left out."""
    down, across = grid
    lines = [f"M0 {y}h{across.length}" for y in down.cuts] + [f"M{x} 0v{down.length}" for x in across.cuts]
    gaps = []
    if across.tiles > _MOST_TILES:
        gaps.append(rectangle(across.length - _TILE - 1, 0, 2, down.length))
    if down.tiles > _MOST_TILES:
        gaps.append(rectangle(0, down.length - _TILE - 1, across.length, 2))
    body = [
        path(rectangle(0, 0, across.length, down.length), "pad"),
        path(rectangle(0, 0, across.filled, down.filled)),
        path("".join(lines), "line") if lines else "",
        path("".join(gaps), "gap") if gaps else "",
    ]
    svg = drawing(across.length, down.length, body, label=None)
    flat = down.padded == 1
    count = f"{across.tiles:,}" if flat else f"{down.tiles:,}×{across.tiles:,}"
    size = f"{across.tile}" if flat else f"{down.tile}×{across.tile}"
    tiles = f"1 tile of {size}" if count == "1" else f"{count} tiles of {size}"
    caption = f"{tiles}; blank: {grid.padded_cells:,} of {grid.cells:,} cells are padding."
    return f'<figure class="layout">{svg}<figcaption>{caption}</figcaption></figure>'
