"""Report the forms of a dump that only a newer XLA writes, each of them once."""

from collections import Counter
from collections.abc import Iterator, Mapping

from reportgen.analyse.checks.declaration import check
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding
from reportgen.model.shapes import ArrayShape
from reportgen.parse.shape_parser import ShapeError, parse_shape

_LAYOUT_ATTRIBUTES = frozenset(("D", "#", "*", "P", "M"))
"""Attributes of layouts that no size depends on; those that sizes depend on have fields of their own."""

_MOST_FORMS = 5  # that a finding names


@check(
    name="Instructions that are understood",
    question="Are the operands and the opcode of every instruction known?",
    subject="instructions",
    exceptions="Nothing is concluded from an instruction that is not understood.",
)
def unknown_forms(figures: Figures) -> Iterator[Finding]:
    """Report, in one finding, the operands and opcodes that are not known, each with its count."""
    dialect = figures.program.dialect
    forms = [
        *(f"{_times(count, 'operand')} of the form {form}" for form, count in sorted(dialect.operands.items())),
        *(f"{_times(count, 'instruction')} {opcode}" for opcode, count in sorted(dialect.opcodes.items())),
    ]
    if forms:
        message = f"written by a newer XLA: {_listed(forms)} are not understood; lines and suggestions may be missing"
        yield finding("unknown-form", message)


@check(
    name="Attributes",
    question="Is every attribute of an allocation, a layout and the metadata of an instruction known?",
    subject="allocations",
    exceptions="New builds of XLA add attributes. They are shown, and change no number.",
)
def unknown_attributes(figures: Figures) -> Iterator[Finding]:
    """Report, in one finding, the attributes that are not known, each with the number of its owners."""
    allocations = [allocation for allocation in figures.dump.allocations if allocation.unknown_attributes]
    counts: Mapping[str, Mapping[str, int]] = {
        "allocation": Counter(repr(text) for allocation in allocations for text in allocation.unknown_attributes),
        "layout": _of_layouts(figures),
        "instruction": figures.program.dialect.fields,
    }
    forms = [
        f"{name} of {_times(count, owner)}" for owner, names in counts.items() for name, count in sorted(names.items())
    ]
    if forms:
        message = f"written by a newer XLA: {_listed(forms)} are not known yet; they are shown, and change no number"
        yield finding("unknown-attribute", message, allocations[0].text_offset if allocations else None)


def _of_layouts(figures: Figures) -> Mapping[str, int]:
    """Return the attributes of layouts that are not known, each with the number of values that have it."""
    counts: Counter[str] = Counter()
    for shape, count in Counter(figures.dump.values.shapes).items():
        if "{" in shape and not shape.startswith("("):
            try:
                parsed = parse_shape(shape)
            except ShapeError:
                continue
            if isinstance(parsed, ArrayShape) and parsed.layout:
                for name, _ in parsed.layout.other_attributes:
                    counts[name] += count if name not in _LAYOUT_ATTRIBUTES else 0
    return +counts


def _times(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _listed(forms: list[str]) -> str:
    more = len(forms) - _MOST_FORMS
    return ", ".join(forms[:_MOST_FORMS]) + (f" and {more:,} more" if more > 0 else "")


CHECKS = (
    unknown_forms,
    unknown_attributes,
)
