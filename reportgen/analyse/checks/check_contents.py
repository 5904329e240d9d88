"""Check that each allocation holds what its kind says: the kind decides whether bytes count for the whole run."""

import re
from collections.abc import Iterator, Sequence
from itertools import compress
from operator import not_

from reportgen.analyse.checks.declaration import check, without_text
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding
from reportgen.analyse.sizes import printed_bytes
from reportgen.model import WHOLE, Allocation, UsedValues
from reportgen.program.definitions import without_layout


def _without_root(figures: Figures) -> str:
    if figures.dump.used_values is None:
        return "the dump does not list positions"
    return "" if figures.dump.schedule else "the dump has no schedule"


@check(
    name="Parameters",
    question="Does each parameter’s allocation hold that parameter, of the shape that it names?",
    subject="allocations",
    skips=without_text,
)
def contents_of_parameters(figures: Figures) -> Iterator[Finding]:
    """Report allocations in which no value is the parameter that they name."""
    for number, allocation in enumerate(figures.dump.allocations):
        if allocation.parameter is not None and not _holds_its_parameter(figures, number, allocation):
            shape = f" of shape {allocation.parameter_shape[:80]}" if allocation.parameter_shape else ""
            message = (
                f"allocation {allocation.index} does not hold parameter {allocation.parameter}{shape} at"
                f" {allocation.parameter_shape_index}"
            )
            yield finding("contents-differ", message, allocation.text_offset, allocation=number)


def _holds_its_parameter(figures: Figures, number: int, allocation: Allocation) -> bool:
    values, index = figures.dump.values, allocation.parameter_shape_index or WHOLE
    for value in figures.occupants[number]:
        name, key = values.names[value], values.keys[value]
        definition = figures.definitions.get(name)
        if definition is None:
            return True  # because a text that is absent contradicts nothing
        if definition.parameter == allocation.parameter and key == name + index:
            shapes = {without_layout(values.shapes[value]), without_layout(definition.shape)}
            return allocation.parameter_shape is None or without_layout(allocation.parameter_shape) in shapes
    return False


@check(
    name="Numbers of parameters",
    question="Does each parameter up to the last have an allocation?",
    subject="allocations",
)
def numbering(figures: Figures) -> Iterator[Finding]:
    """Report the first gap in the numbers of the parameters; gaps after it say nothing new."""
    numbers = {allocation.parameter for allocation in figures.dump.allocations if allocation.parameter is not None}
    for due, number in enumerate(sorted(numbers)):
        if number != due:
            message = f"no allocation holds parameter {due}, although one holds parameter {number}"
            yield finding("contents-differ", message)
            return


@check(
    name="Constants and parameters",
    question="Are constants and parameters only in allocations that are marked so?",
    subject="allocations",
    exceptions="The parameter of a called computation may share the allocation of its argument.",
    skips=without_text,
)
def constants_and_parameters(figures: Figures) -> Iterator[Finding]:
    """Look for constants in other allocations, and for parameters of the entry, which live from 0 to the end."""
    yield from _constants(figures)
    yield from _parameters(figures)


def _constants(figures: Figures) -> Iterator[Finding]:
    """Compare the allocations marked as constant with those of constants, but where an instruction has no text."""
    values, allocations, definitions = figures.dump.values, figures.dump.allocations, figures.definitions
    constants = {name for name, defined in definitions.items() if defined.opcode == "constant"}
    with_constant = set(compress(values.allocations, map(constants.__contains__, values.names)))
    with_unknown = set(compress(values.allocations, map(not_, map(definitions.__contains__, values.names))))
    marked = {number for number, allocation in enumerate(allocations) if allocation.is_constant}
    for number in sorted(with_constant ^ marked):
        if number not in with_unknown:
            is_marked = allocations[number].is_constant
            what = "holds no constant" if is_marked else "holds a constant but is not marked as one"
            message = f"allocation {allocations[number].index} {what}"
            yield finding("contents-differ", message, allocations[number].text_offset, allocation=number)


def _parameters(figures: Figures) -> Iterator[Finding]:
    """Report allocations that hold a parameter of the entry and are not marked as its own."""
    values, allocations = figures.dump.values, figures.dump.allocations
    parameters = {
        name: defined.parameter for name, defined in figures.definitions.items() if defined.parameter is not None
    }
    with_parameter = {
        values.allocations[number]: parameters[values.names[number]]
        for number in compress(range(len(values)), map(parameters.__contains__, values.names))
        if figures.facts.starts[number] == 0 and figures.facts.ends[number] == figures.moments
    }
    for number, parameter in with_parameter.items():
        if allocations[number].parameter is None:
            message = f"allocation {allocations[number].index} holds parameter {parameter} but is not marked as one"
            yield finding("contents-differ", message, allocations[number].text_offset, allocation=number)


@check(
    name="Results",
    question="Is an allocation marked maybe-live-out exactly if it holds a part of the result?",
    subject="allocations",
    skips=_without_root,
)
def result(figures: Figures) -> Iterator[Finding]:
    """Compare the marks of each allocation with the values that the program returns."""
    values, number_of = figures.dump.values, figures.dump.number_of
    part_of_result, whole_result = _at_root(figures)
    holding = {values.allocations[number_of[key]] for key in part_of_result if key in number_of}
    for number, allocation in enumerate(figures.dump.allocations):
        wrong = ""
        if allocation.is_maybe_live_out and number not in holding:
            wrong = "is marked maybe-live-out but holds no part of the result"
        elif number in holding and not allocation.is_maybe_live_out:
            wrong = "holds a part of the result but is not marked maybe-live-out"
        elif allocation.output_shape is not None:
            whole = [value for value in figures.occupants[number] if values.keys[value] in whole_result]
            if not any(_is_result(figures, value, allocation.output_shape) for value in whole):
                wrong = f"does not hold the result of shape {allocation.output_shape[:80]}"
        if wrong:
            message = f"allocation {allocation.index} {wrong}"
            yield finding("contents-differ", message, allocation.text_offset, allocation=number)


def _is_result(figures: Figures, value: int, result: str) -> bool:
    """Return whether a value may be the result: one of that shape or, under a `bitcast`, of enough bytes for it.

    `output shape` is that of the root, and a root that is a bitcast passes on a value of another shape (XLA
    `HloDataflowAnalysis::UpdateBitcastValueSet`), on TPUs also one of more rows that are padding afterwards.
    """
    program, values = figures.program, figures.dump.values
    root = program.instruction(program.returning) if program.module else None
    if root and without_layout(root.shape) != without_layout(result):
        return False
    return without_layout(values.shapes[value]) == without_layout(result) or (
        0 < printed_bytes(result) <= values.sizes[value]
    )


def _at_root(figures: Figures) -> tuple[set[str], set[str]]:
    """Return the keys of the values that are part of the result, and of those that are all of it."""
    entries = figures.dump.used_values or UsedValues()
    root = figures.program.returning.encode()
    is_part = re.compile(rb"^  " + re.escape(root) + rb"( \{\d[\d,]*\})?(?: \{\})?$", re.MULTILINE)
    part, whole = set(), set()
    for key, positions in zip(entries.keys, entries.positions, strict=True):
        if root in positions:
            indexes: Sequence[str] = is_part.findall(positions)
            if indexes:
                part.add(key)
            if not all(indexes):
                whole.add(key)
    return part, whole


CHECKS = (
    contents_of_parameters,
    numbering,
    constants_and_parameters,
    result,
)
