"""Is each value there once, of the size that its layout needs, and in the right memory space?"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from reportgen.analyse.checks.check import Check
from reportgen.analyse.findings import finding
from reportgen.analyse.judgements import Finding
from reportgen.analyse.records import Placement
from reportgen.model import WHOLE, UsedValue, Value, ValueKey
from reportgen.parse.shapes import ArrayShape, ShapeError, parse_shape


def _without_used_values(placement: Placement) -> str:
    return "the dump has no Used values" if placement.dump.used_values is None else ""


def _mixing_spaces(placement: Placement) -> str:
    """XLA b93001da59; temps are recolored to space 2 besides."""
    return "compilers for GPUs reuse bytes across memory spaces on purpose" if placement.backend == "gpu" else ""


def _unique(placement: Placement) -> Iterator[Finding]:
    keys: set[ValueKey] = set()
    ids: set[int] = set()
    for number, fact in enumerate(placement.facts):
        value = fact.value
        if value.key in keys or value.id in ids:
            message = f"value <{value.id} {value.key}> is listed more than once"
            yield finding("duplicate-value", message, value.place, values=(number,))
        keys.add(value.key)
        ids.add(value.id)


def _used_values(placement: Placement) -> Iterator[Finding]:
    used_values = placement.dump.used_values or ()
    assigned = {fact.value.id: fact.value for fact in placement.facts}
    used = {value.id: value for value in used_values}
    for missing in sorted(assigned.keys() - used.keys()):
        message = f"<{missing} {assigned[missing].key}> has bytes but no entry in Used values"
        yield finding("used-values-differ", message, assigned[missing].place)
    for extra in sorted(used.keys() - assigned.keys()):
        message = f"<{extra} {used[extra].key}> is in Used values but has no bytes"
        yield finding("used-values-differ", message, used[extra].place)

    for value_id in _named_differently(placement, assigned, used):
        message = f"<{value_id} {assigned[value_id].key}> has bytes; Used values calls it {used[value_id].key}"
        yield finding("used-values-differ", message, used[value_id].place)


def _named_differently(
    placement: Placement, assigned: Mapping[int, Value], used: Mapping[int, UsedValue]
) -> Iterator[int]:
    if placement.dump.used_by_key.keys() != placement.dump.value_by_key.keys():
        yield from (id_ for id_ in sorted(assigned.keys() & used.keys()) if assigned[id_].key != used[id_].key)


def _instructions(placement: Placement) -> Iterator[Finding]:
    """All values of an instruction repeat its text, so the first one's is compared."""
    dump = placement.dump
    for name, used in dump.first_used_by_name.items():
        place = used.instruction_place
        if place is not None and not dump.text.continues_with(place, f"%{name} = ".encode()):
            message = f"the text of the instruction that defines {used.key} does not begin with %{name} ="
            yield finding("position-mismatch", message, place)


def _positions(placement: Placement) -> Iterator[Finding]:
    for used in placement.dump.used_values or ():
        first, key = used.positions_text.partition(b"\n")[0].strip().decode(), used.key
        if first and first != key.name and first != f"{key.name} {key.shape_index}":
            name, _, index = first.partition(" ")
            message = (
                f"{key} is first positioned at {ValueKey(name, index or WHOLE)}, not at the instruction that defines it"
            )
            yield finding("position-mismatch", message, used.place)


def _sizes(placement: Placement) -> Iterator[Finding]:
    for number, fact in enumerate(placement.facts):
        value, needed = fact.value, fact.padded_bytes
        if needed is not None and value.size_bytes < needed and not value.shape.startswith("("):
            message = f"{value.key} has {value.size_bytes:,} bytes, its layout needs {needed:,}"
            yield finding("below-layout", message, value.place, values=(number,))


def _colors(placement: Placement) -> Iterator[Finding]:
    for number, fact in enumerate(placement.facts):
        value = fact.value
        allocated = placement.dump.allocations[value.allocation].color
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


CHECKS = (
    Check(name="Listed once", question="Is each value there once, by id and by name?", subject="values", run=_unique),
    Check(
        name="Used values",
        question="Has each value with bytes an entry in Used values, and each entry bytes?",
        subject="entries of Used values",
        run=_used_values,
        exempts=_without_used_values,
    ),
    Check(
        name="Positions",
        question="Is each value first positioned at the instruction that defines it?",
        subject="entries of Used values",
        run=_positions,
        exempts=_without_used_values,
    ),
    Check(
        name="Instructions",
        question="Is the text of each value’s instruction that of the instruction it is named for?",
        subject="entries of Used values",
        run=_instructions,
        exempts=_without_used_values,
    ),
    Check(
        name="Sizes",
        question="Has each value the bytes that its shape and layout need?",
        subject="values",
        run=_sizes,
        legal="The table of a tuple’s pointers has a size of the compiler’s own.",
    ),
    Check(
        name="Memory spaces",
        question="Do a value, its layout and its allocation name the same memory space?",
        subject="values",
        run=_colors,
        exempts=_mixing_spaces,
    ),
)
