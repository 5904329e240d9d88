"""Check that each value agrees with the instruction that defines it, and that each instruction has its values."""

from collections.abc import Iterator
from io import BytesIO

from reportgen.analyse.checks.declaration import check, without_text
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding
from reportgen.model import WHOLE, UsedValues
from reportgen.parse.shape_parser import ShapeError, shapes_by_index


def _without_positions(figures: Figures) -> str:
    return "the dump does not list positions" if figures.dump.used_values is None else ""


@check(
    name="Shapes of definitions",
    question="Does each value have the shape that the text of its instruction gives it?",
    subject="values",
    skips=without_text,
)
def shapes(figures: Figures) -> Iterator[Finding]:
    """Compare the shape of each value with the part of its instruction's shape that the value's index names."""
    values, definitions = figures.dump.values, figures.definitions
    for number, (name, key, shape) in enumerate(zip(values.names, values.keys, values.shapes, strict=True)):
        definition = definitions.get(name)
        if definition is None:
            continue
        expected: str | None = definition.shape
        is_part = len(key) > len(name) + len(WHOLE)
        if is_part and expected is not None:
            try:
                expected = shapes_by_index(expected).get(key[len(name) :])
            except ShapeError:
                continue
        if expected != shape:
            stated = expected or "that it does not exist"
            message = f"{key} has shape {shape[:80]}; its instruction says {stated[:80]}"
            yield finding("shape-differs", message, values.text_offsets[number], values=(number,))


@check(
    name="Values of instructions",
    question="Is a value positioned at each scheduled instruction, and at each part of a tuple?",
    subject="instructions",
    skips=_without_positions,
)
def covered(figures: Figures) -> Iterator[Finding]:
    """Look for instructions and parts of tuples at which no value is positioned: XLA places a value at each."""
    dump, entries = figures.dump, figures.dump.used_values or UsedValues()
    # Rows are compared as bytes, as the dump prints them, because a large dump has hundreds of thousands.
    rows = b"".join(entries.positions)
    positions = {row.removesuffix(b"\n") for row in BytesIO(rows)}
    if rows.count(b"\n") != len(positions) - (b"" in positions):
        yield finding("position-missing", "two values have the same position")
    for name in sorted(dump.moment_of.keys() - dump.first_used_row.keys()):
        row = f"  {name}".encode()
        if row not in positions and row + b" {}" not in positions:
            message = f"no value is positioned at {name}, although it is scheduled"
            yield finding("position-missing", message, dump.schedule_text_offset)
    tuples = [(name, defined.shape) for name, defined in figures.definitions.items() if defined.shape[0] == "("]
    for name, shape in tuples:
        try:
            indexes = shapes_by_index(shape)
        except ShapeError:
            continue
        for index in indexes:
            if f"  {name} {index}".encode() not in positions:
                place = entries.text_offsets[dump.first_used_row[name]]
                yield finding("position-missing", f"no value is positioned at {name}{index}", place)


CHECKS = (
    shapes,
    covered,
)
