"""Check that each value is there once, of the size that its layout needs, and in the right memory space."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress

from reportgen.analyse.checks.declaration import check
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.findings import finding
from reportgen.analyse.records import VMEM, Figures
from reportgen.analyse.results import Finding
from reportgen.analyse.value_sizes import possible_sizes
from reportgen.input.names import Backend
from reportgen.model import WHOLE, Allocation, UsedValues, Values, users_in
from reportgen.model.shapes import ArrayShape
from reportgen.parse.shape_parser import ShapeError, parse_shape

_ALIGNMENTS: Mapping[Backend, int] = {"cpu": 16, "gpu": 128, "tpu": 512, "unknown": 16}
_TPU_BLOCK_SPACES = (MAIN_SPACE, VMEM)
_GPU_TEMPORARIES = 2
_TPU_WORD_BYTES = 4
"""The alignment in all other memories of a TPU."""


def _without_used_values(figures: Figures) -> str:
    return "the dump has no Used values" if figures.dump.used_values is None else ""


@check(
    name="Listed once",
    question="Is each value there once, by id and by name?",
    subject="values",
)
def unique(figures: Figures) -> Iterator[Finding]:
    """Report each value whose key or id an earlier value has, too."""
    values = figures.dump.values
    if len(figures.dump.number_of) == len(set(values.ids)) == len(values):
        return
    keys: set[str] = set()
    ids: set[int] = set()
    for number, (key, value_id) in enumerate(zip(values.keys, values.ids, strict=True)):
        if key in keys or value_id in ids:
            message = f"value <{value_id} {key}> is listed more than once"
            yield finding("duplicate-value", message, values.text_offsets[number], values=(number,))
        keys.add(key)
        ids.add(value_id)


@check(
    name="Used values",
    question="Has each value with bytes an entry in Used values, and each entry bytes?",
    subject="entries of Used values",
    skips=_without_used_values,
)
def used_values(figures: Figures) -> Iterator[Finding]:
    """Compare values and entries by id, and where both have an id, by the key that they state for it."""
    values, entries = figures.dump.values, figures.dump.used_values or UsedValues()
    has_same_keys = set(entries.keys) == figures.dump.number_of.keys()
    if has_same_keys and set(values.ids) == set(entries.ids):
        return
    assigned, used = _rows_by_id(values.ids), _rows_by_id(entries.ids)
    for missing in sorted(assigned.keys() - used.keys()):
        message = f"<{missing} {values.keys[assigned[missing]]}> has bytes but no entry in Used values"
        yield finding("used-values-differ", message, values.text_offsets[assigned[missing]])
    for extra in sorted(used.keys() - assigned.keys()):
        message = f"<{extra} {entries.keys[used[extra]]}> is in Used values but has no bytes"
        yield finding("used-values-differ", message, entries.text_offsets[used[extra]])
    if not has_same_keys:
        for value_id in sorted(assigned.keys() & used.keys()):
            ours, theirs = values.keys[assigned[value_id]], entries.keys[used[value_id]]
            if ours != theirs:
                message = f"<{value_id} {ours}> has bytes; Used values calls it {theirs}"
                yield finding("used-values-differ", message, entries.text_offsets[used[value_id]])


def _rows_by_id(ids: Sequence[int]) -> dict[int, int]:
    return dict(zip(ids, range(len(ids)), strict=True))


@check(
    name="Instructions",
    question="Is the text of each value’s instruction that of the instruction it is named for?",
    subject="entries of Used values",
    skips=_without_used_values,
)
def instructions(figures: Figures) -> Iterator[Finding]:
    """Compare the text of each instruction's first value, because all its values repeat the text."""
    entries, text = figures.dump.used_values or UsedValues(), figures.dump.text
    unread = [item for item in figures.dump.first_used_row.items() if item[0] not in figures.definitions]
    for name, row in unread:
        place = entries.instruction_starts[row]
        if place is not None and not text.continues_with(place, f"%{name} = ".encode()):
            message = f"the text of the instruction that defines {entries.keys[row]} does not begin with %{name} ="
            yield finding("position-mismatch", message, place)


@check(
    name="Positions",
    question="Is each value first positioned at the instruction that defines it?",
    subject="entries of Used values",
    skips=_without_used_values,
)
def first_positions(figures: Figures) -> Iterator[Finding]:
    """Report entries whose first position is neither the defining instruction nor the key of the value."""
    entries = figures.dump.used_values or UsedValues()
    for row, (positions, key, name) in enumerate(zip(entries.positions, entries.keys, entries.names, strict=True)):
        first = positions.partition(b"\n")[0].strip().decode()
        if first and first != name and first.replace(" ", "") != key:
            there, _, index = first.partition(" ")
            message = f"{key} is first positioned at {there}{index or WHOLE}, not at the instruction that defines it"
            yield finding("position-mismatch", message, entries.text_offsets[row])


@check(
    name="Sizes",
    question="Has each value the bytes that its shape and layout need?",
    subject="values",
    exceptions="But on GPUs, the table of a tuple’s pointers has a size of the compiler’s own.",
)
def sizes(figures: Figures) -> Iterator[Finding]:
    """Report values with fewer bytes than their layout needs."""
    values = figures.dump.values
    for number, (size, needed) in enumerate(zip(values.sizes, figures.facts.padded, strict=True)):
        has_own = figures.backend != "gpu" and values.shapes[number].startswith("(")
        if needed is not None and size < needed and not has_own:
            message = f"{values.keys[number]} has {size:,} bytes, its layout needs {needed:,}"
            yield finding("below-layout", message, values.text_offsets[number], values=(number,))


@check(
    name="Needed sizes",
    question="Is the size of each slice needed by one of its values?",
    subject="values",
    exceptions="On TPUs, the table of an empty tuple has a size of the compiler’s own.",
)
def needed_sizes(figures: Figures) -> Iterator[Finding]:
    """Look at values that are larger than their layout needs: another value of the slice needs the size, or none."""
    values, backend = figures.dump.values, figures.backend
    kinds = zip(values.shapes, figures.facts.padded, values.sizes, strict=True)
    pairs = {
        (shape, padded, size): padded is None or size <= padded or size in possible_sizes(shape, padded, backend)
        for shape, padded, size in set(kinds)
    }
    if all(pairs.values()):
        return
    explained = list(map(pairs.__getitem__, zip(values.shapes, figures.facts.padded, values.sizes, strict=True)))
    slices = list(zip(values.allocations, values.offsets, values.sizes, strict=True))
    needed = set(compress(slices, explained))
    for number, slice_ in enumerate(slices):
        is_empty_table = backend == "tpu" and figures.facts.padded[number] == 0
        if slice_ not in needed and not is_empty_table:
            message = (
                f"{values.keys[number]} has {values.sizes[number]:,} bytes, its layout needs"
                f" {figures.facts.padded[number]:,}, and no value in the same slice needs more"
            )
            yield finding("oversized-value", message, values.text_offsets[number], values=(number,))


@check(
    name="Alignment",
    question="Does each value in temporary memory start at a multiple of the backend’s alignment, any other at 0?",
    subject="values",
)
def alignment(figures: Figures) -> Iterator[Finding]:
    """Report offsets that break the alignment, and offsets other than 0 outside of temporary memory."""
    values, allocations = figures.dump.values, figures.dump.allocations
    steps = [_step(figures.backend, allocation) if allocation.is_preallocated_temp else 0 for allocation in allocations]
    for number, (position, offset) in enumerate(zip(values.allocations, values.offsets, strict=True)):
        step = steps[position]
        if offset and (not step or offset % step):
            expected = f"at a multiple of {step}" if step else "at 0, since it is not temporary memory"
            message = (
                f"{values.keys[number]} starts at byte {offset:,} of allocation {allocations[position].index},"
                f" not {expected}"
            )
            yield finding("misaligned-offset", message, values.text_offsets[number], values=(number,))


def _step(backend: Backend, allocation: Allocation) -> int:
    """Return the alignment of temporaries that all dumps show; small memories of TPUs use words."""
    if backend == "tpu" and allocation.color not in _TPU_BLOCK_SPACES:
        return _TPU_WORD_BYTES
    return _ALIGNMENTS[backend]


@check(
    name="Loops",
    question="Do a loop’s operands and its results have the same bytes?",
    subject="entries of Used values",
    skips=_without_used_values,
)
def carried(figures: Figures) -> Iterator[Finding]:
    """Compare the operands of a loop with its results: XLA keeps both in the same bytes."""
    entries, values = figures.dump.used_values or UsedValues(), figures.dump.values
    names = set(compress(entries.names, entries.phis)) & figures.definitions.keys()
    loops = {name.encode() for name in names if figures.definitions[name].opcode == "while"}
    if not loops:
        return
    number_of = figures.dump.number_of
    for number, row in enumerate(figures.dump.used_rows):
        if row < 0 or loops.isdisjoint(users_in(entries.uses[row])):
            continue
        for use in entries[row].uses:
            result = number_of.get(use.name + use.shape_index) if use.name.encode() in loops else None
            if result is not None and _slice_of(values, result) != _slice_of(values, number):
                message = f"{values.keys[number]} is carried on as {values.keys[result]}, which has other bytes"
                yield finding("carried-apart", message, values.text_offsets[number], values=(number, result))


def _slice_of(values: Values, number: int) -> tuple[int, int, int]:
    return values.allocations[number], values.offsets[number], values.sizes[number]


@check(
    name="Memory spaces",
    question="Do a value, its layout and its allocation name the same memory space?",
    subject="values",
    exceptions="Compilers for GPUs reuse bytes across memory spaces on purpose; there one value has to be of the space"
    " of its allocation, and temporaries may be in space 2.",
)
def colors(figures: Figures) -> Iterator[Finding]:
    """Report values whose memory space, or that of their layout, is not the one of their allocation."""
    values, allocations = figures.dump.values, figures.dump.allocations
    if figures.backend == "gpu":
        yield from _colors_on_gpus(figures)
        return
    layout_spaces = {shape: _layout_space(shape) for shape in set(values.shapes)}
    columns = zip(values.colors, values.allocations, values.shapes, strict=True)
    for number, (own, allocation, shape) in enumerate(columns):
        allocated, of_layout = allocations[allocation].color, layout_spaces[shape]
        if own not in (None, allocated):
            owner, color = "the value", own
        elif of_layout not in (None, allocated):
            owner, color = "its layout", of_layout
        else:
            continue
        message = f"{values.keys[number]}: {owner} says memory space {color}, its allocation says {allocated}"
        yield finding("color-mismatch", message, values.text_offsets[number], values=(number,))


def _colors_on_gpus(figures: Figures) -> Iterator[Finding]:
    """Look for allocations in which no value is of their space: XLA b93001da59 mixes spaces, but has a reason to."""
    colors = figures.dump.values.colors
    for number, allocation in enumerate(figures.dump.allocations):
        occupants = figures.occupants[number]
        named = {colors[value] for value in occupants}
        is_recolored = allocation.is_preallocated_temp and allocation.color == _GPU_TEMPORARIES
        if occupants and not is_recolored and None not in named and allocation.color not in named:
            said = ", ".join(map(str, sorted(color for color in named if color is not None)))
            message = f"allocation {allocation.index} says memory space {allocation.color}, and its values say {said}"
            yield finding("color-mismatch", message, allocation.text_offset, allocation=number)


@lru_cache(maxsize=4096)
def _layout_space(shape_text: str) -> int | None:
    """Return the `S(n)` of an array's layout; None for a tuple, and without a layout."""
    if shape_text.startswith("(") or "S(" not in shape_text:
        return None
    try:
        shape = parse_shape(shape_text)
    except ShapeError:
        return None
    return shape.layout.memory_space if isinstance(shape, ArrayShape) and shape.layout else None


CHECKS = (
    unique,
    used_values,
    first_positions,
    instructions,
    sizes,
    needed_sizes,
    alignment,
    carried,
    colors,
)
