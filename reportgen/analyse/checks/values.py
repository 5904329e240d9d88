"""Is each value there once, of the size that its layout needs, and in the right memory space?"""

from collections.abc import Iterator
from functools import lru_cache

from reportgen.analyse.findings import finding
from reportgen.analyse.records import Analysis, Finding
from reportgen.model import WHOLE, ValueKey
from reportgen.parse.shapes import ArrayShape, ShapeError, parse_shape


def check_values(analysis: Analysis) -> Iterator[Finding]:
    yield from _unique(analysis)
    yield from _used_values(analysis)
    yield from _positions(analysis)
    yield from _sizes(analysis)
    yield from _colors(analysis)


def _unique(analysis: Analysis) -> Iterator[Finding]:
    keys: set[ValueKey] = set()
    ids: set[int] = set()
    for number, fact in enumerate(analysis.facts):
        value = fact.value
        if value.key in keys or value.id in ids:
            message = f"value <{value.id} {value.key}> is listed more than once"
            yield finding("duplicate-value", message, value.place, values=(number,))
        keys.add(value.key)
        ids.add(value.id)


def _used_values(analysis: Analysis) -> Iterator[Finding]:
    used_values = analysis.dump.used_values
    if used_values is None:
        return
    assigned = {fact.value.id: fact.value for fact in analysis.facts}
    used = {value.id: value for value in used_values}
    for missing in sorted(assigned.keys() - used.keys()):
        message = f"<{missing} {assigned[missing].key}> has bytes but no entry in Used values"
        yield finding("used-values-differ", message, assigned[missing].place)
    for extra in sorted(used.keys() - assigned.keys()):
        message = f"<{extra} {used[extra].key}> is in Used values but has no bytes"
        yield finding("used-values-differ", message, used[extra].place)


def _positions(analysis: Analysis) -> Iterator[Finding]:
    for used in analysis.dump.used_values or ():
        first, key = used.positions_text.partition(b"\n")[0].strip().decode(), used.key
        if first and first != key.name and first != f"{key.name} {key.shape_index}":
            name, _, index = first.partition(" ")
            message = (
                f"{key} is first positioned at {ValueKey(name, index or WHOLE)}, not at the instruction that defines it"
            )
            yield finding("position-mismatch", message, used.place)


def _sizes(analysis: Analysis) -> Iterator[Finding]:
    for number, fact in enumerate(analysis.facts):
        value, needed = fact.value, fact.padded_bytes
        if needed is not None and value.size_bytes < needed and not value.shape.startswith("("):
            message = f"{value.key} has {value.size_bytes:,} bytes, its layout needs {needed:,}"
            yield finding("below-layout", message, value.place, values=(number,))


def _colors(analysis: Analysis) -> Iterator[Finding]:
    """GPU compilers reuse buffers across colors (XLA b93001da59) and recolor temps to space 2, so there any may be."""
    if analysis.backend == "gpu":
        return
    for number, fact in enumerate(analysis.facts):
        value = fact.value
        allocated = analysis.dump.allocations[value.allocation].color
        of_layout = _layout_space(value.shape)
        if value.color in (None, allocated) and of_layout in (None, allocated):
            continue
        owner, color = ("its layout", of_layout) if value.color in (None, allocated) else ("the value", value.color)
        message = f"{value.key}: {owner} says memory space {color}, its allocation says {allocated}"
        yield finding("color-mismatch", message, value.place, values=(number,))


@lru_cache(maxsize=4096)
def _layout_space(shape_text: str) -> int | None:
    """The S(n) of an array's layout; None for tuples and where there is no layout."""
    if shape_text.startswith("(") or "S(" not in shape_text:
        return None
    try:
        shape = parse_shape(shape_text)
    except ShapeError:
        return None
    return shape.layout.memory_space if isinstance(shape, ArrayShape) and shape.layout else None
