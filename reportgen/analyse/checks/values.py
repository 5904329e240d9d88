"""Is each value there once, of the size that its layout needs, and in the right memory space?"""

from collections.abc import Iterator

from reportgen.analyse.findings import finding
from reportgen.analyse.records import Analysis, Finding, ValueFacts
from reportgen.model import UsedValue, ValueKey
from reportgen.parse.shapes import ArrayShape, ShapeError, parse_shape


def check_values(analysis: Analysis) -> Iterator[Finding]:
    yield from _unique(analysis)
    yield from _used_values(analysis)
    yield from _positions(analysis)
    for number, fact in enumerate(analysis.facts):
        yield from _size(analysis, number, fact)
        yield from _color(analysis, number, fact)


def _unique(analysis: Analysis) -> Iterator[Finding]:
    keys: set[ValueKey] = set()
    ids: set[int] = set()
    for number, fact in enumerate(analysis.facts):
        value = fact.value
        if value.key in keys or value.id in ids:
            message = f"value <{value.id} {value.key}> is listed more than once"
            yield finding(analysis, "duplicate-value", message, value.place, values=(number,))
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
        yield finding(analysis, "used-values-differ", message, assigned[missing].place)
    for extra in sorted(used.keys() - assigned.keys()):
        message = f"<{extra} {used[extra].key}> is in Used values but has no bytes"
        yield finding(analysis, "used-values-differ", message, used[extra].place)


def _positions(analysis: Analysis) -> Iterator[Finding]:
    for used in analysis.dump.used_values or ():
        first = _first_position(used)
        if first is not None and first != used.key:
            message = f"{used.key} is first positioned at {first}, not at the instruction that defines it"
            yield finding(analysis, "position-mismatch", message, used.place)


def _first_position(used: UsedValue) -> ValueKey | None:
    line, _, _ = used.positions_text.partition(b"\n")
    name, _, index = line.strip().decode("utf-8", "replace").partition(" ")
    return ValueKey(name, index or "{}") if name else None


def _size(analysis: Analysis, number: int, fact: ValueFacts) -> Iterator[Finding]:
    needed = fact.padded_bytes
    if needed is not None and fact.value.size_bytes < needed and not fact.value.shape.startswith("("):
        message = f"{fact.value.key} has {fact.value.size_bytes:,} bytes, its layout needs {needed:,}"
        yield finding(analysis, "below-layout", message, fact.value.place, values=(number,))


def _color(analysis: Analysis, number: int, fact: ValueFacts) -> Iterator[Finding]:
    value = fact.value
    allocated = analysis.dump.allocations[value.allocation].color
    colors = {"the value": value.color, "its layout": _layout_space(value.shape)}
    for owner, color in colors.items():
        if color is not None and color != allocated and not _may_differ(analysis):
            message = f"{value.key}: {owner} says memory space {color}, its allocation says {allocated}"
            yield finding(analysis, "color-mismatch", message, value.place, values=(number,))
            return


def _may_differ(analysis: Analysis) -> bool:
    """GPU compilers reuse buffers across colors (XLA b93001da59) and recolor temps to space 2."""
    return analysis.backend == "gpu"


def _layout_space(shape_text: str) -> int | None:
    """The S(n) of an array's layout; None for tuples and where there is no layout."""
    if shape_text.startswith("(") or "S(" not in shape_text:
        return None
    try:
        shape = parse_shape(shape_text)
    except ShapeError:
        return None
    return shape.layout.memory_space if isinstance(shape, ArrayShape) and shape.layout else None
