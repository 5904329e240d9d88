"""Say where in the user's program an array is, how it is laid out, and which arrays a suggestion is mostly about."""

from collections import Counter
from collections.abc import Iterable, Mapping

from reportgen.analyse.records import Analysis
from reportgen.analyse.sizes import round_up, under_first_tile
from reportgen.model.shapes import ArrayShape, Shape
from reportgen.parse.shape_parser import ShapeError, parse_shape


def where(analysis: Analysis, number: int) -> str:
    """Return the shape of a value with the best that is known of where it comes from.

    That is its source line or, without one, its argument, or its operation.
    """
    shape, author = analysis.program.shape(number), analysis.authors.of(number)
    if author.source:
        return f"{shape} at {author.source}"
    if author.argument:
        return f"{author.relation} {author.argument}, {shape}".strip()
    return f"{shape} from {'/'.join(author.scope.split('/')[-2:])}" if author.is_named else shape


def largest_of(analysis: Analysis, sizes: Mapping[int, int]) -> tuple[int, bool]:
    """Return a value of the layout and place that has most of some bytes, and whether it has all of them."""
    groups: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for number, size in sorted(sizes.items()):
        key = analysis.dump.values.shapes[number], where(analysis, number)
        groups[key] += size
        first.setdefault(key, number)
    (chosen, _), *others = groups.most_common()
    return first[chosen], not others


def padded_words(analysis: Analysis, number: int) -> str:
    """Return which sizes of an array the layout pads, and to what: `20 × 64 lies as 24 × 128`; empty without a tile."""
    shape = array_of(analysis, number)
    sizes, steps = under_first_tile(shape) if shape else ([], [])
    padded = [round_up(size, step) for size, step in zip(sizes, steps, strict=True)]
    return "" if sizes == padded else f"{product(sizes)} lies as {product(padded)}"


def order_words(analysis: Analysis, before: int, after: int) -> str:
    """Return how two arrays of one shape differ in the order of their dimensions in memory: `{1,0} → {0,1}`."""
    arrays = array_of(analysis, before), array_of(analysis, after)
    layouts = [array.layout.minor_to_major for array in arrays if array and array.layout]
    if len({len(layout) for layout in layouts}) != 1 or len(set(layouts)) == 1:
        return ""
    return " → ".join(f"{{{','.join(map(str, layout))}}}" for layout in layouts)


def array_of(analysis: Analysis, number: int) -> ArrayShape | None:
    """Return the shape of a value with its layout; None for a tuple."""
    try:
        shape: Shape = parse_shape(analysis.dump.values.shapes[number])
    except ShapeError:
        return None
    return shape if isinstance(shape, ArrayShape) else None


def product(sizes: Iterable[int]) -> str:
    """Return `20 × 64`."""
    return " × ".join(f"{size:,}" for size in sizes)
