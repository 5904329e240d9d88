"""Read the figures of an earlier build from its `report.json`, and write those that a history knows as one.

A gate that passes a damaged dump is worse than none, so a module takes its flaws along with its figures.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from reportgen.compare.figures import Figure
from reportgen.document import Misstated, parsed, read
from reportgen.errors import UnreadableInput, quoted, shown
from reportgen.record import record
from reportgen.reports.formats import counted
from reportgen.reports.json_lines import json_line
from reportgen.reports.report_document import (
    SCHEMA,
    GateDocument,
    GateModule,
    GateSpace,
    NumberedDocument,
    RecordedBuild,
    RecordedDocument,
    RecordedModule,
)

_AT_MOST: Sequence[tuple[tuple[Figure, ...], tuple[Figure, ...]]] = (
    (("needed",), ("allocated",)),
    (("static",), ("peak_resident",)),
    (("peak_temp",), ("peak_resident",)),
    (("peak_resident",), ("static", "peak_temp")),
)
"""Figures whose sum is at most that of others, by what they mean."""


@record(kw_only=False)
class RecordedFigures:
    """The modules of a report of an earlier build, and the commit that it names; empty if it names none."""

    modules: tuple[GateModule, ...]
    label: str = ""


def figures_of_report(data: bytes, source: str) -> RecordedFigures:
    """Return the modules of a `report.json`. Raises UnreadableInput, naming `source` and the field of a mistake."""
    try:
        stated = parsed(data)
        number = read(NumberedDocument, stated).schema
    except Misstated as error:
        raise UnreadableInput(f"{source}: not a report.json: {error}") from error
    if number != SCHEMA:
        raise UnreadableInput(
            f"{source}: schema {number} of report.json; schema {SCHEMA} is needed;"
            " write the report again: reportgen check --json DUMPS"
        )
    try:
        figures = _figures(stated)
        _confirm_possible(figures.modules)
    except Misstated as error:
        raise UnreadableInput(
            f"{source}: not a report.json of this version: {error};"
            " write the report again: reportgen check --json DUMPS"
        ) from error
    return figures


def _figures(stated: Mapping[str, Any]) -> RecordedFigures:
    """Return the modules of a whole report, or of what a history knows of one. Raises Misstated."""
    if "build" not in stated:
        return RecordedFigures(read(GateDocument, stated).modules)
    recorded = read(RecordedDocument, stated)
    commit, distance = recorded.build.commit, recorded.build.distance
    label = f"{commit} ({counted(distance, 'commit')} earlier)" if distance else commit
    # A history does not know the rest.
    modules = (GateModule(**_recorded(module), arguments=(), refused=None, checks=()) for module in recorded.modules)
    return RecordedFigures(tuple(modules), label)


def _recorded(module: GateModule | RecordedModule) -> dict[str, Any]:
    """Return what a history knows of a module, by field."""
    return {field.name: getattr(module, field.name) for field in fields(RecordedModule)}


def recorded_report(modules: Iterable[GateModule], commit: str, distance: int) -> bytes:
    """Return what a history knows of a build as a report: the figures that a gate needs, and whose they are."""
    recorded = tuple(RecordedModule(**{**_recorded(module), "findings": module.flaws}) for module in modules)
    build = RecordedBuild(commit=commit, distance=distance)
    return json_line(RecordedDocument(schema=SCHEMA, build=build, modules=recorded)) + b"\n"


def _confirm_ordered(space: GateSpace, place: str) -> None:
    """Raise Misstated, naming the `place` of a space, if figures that are known are not in the order of `_AT_MOST`."""
    for less, more in _AT_MOST:
        low, high = _sum_of(space, less), _sum_of(space, more)
        if low is not None and high is not None and low > high:
            names = [" + ".join(f"{figure}_bytes" for figure in figures) for figures in (less, more)]
            raise Misstated(f"{place}.{names[0]}: {low:,} is more than {names[1]}, {high:,}")


def _sum_of(space: GateSpace, figures: Sequence[Figure]) -> int | None:
    """Return the sum of some figures; None if one of them is unknown."""
    amounts = [space.figure(figure) for figure in figures]
    return None if None in amounts else sum(amount or 0 for amount in amounts)


def _confirm_possible(modules: Sequence[GateModule]) -> None:
    """Raise Misstated if figures contradict what they mean or are not listed, or if two modules are of one dump."""
    for number, module in enumerate(modules):
        _confirm_listed(module, f"modules[{number}]")
        for color, space in module.spaces.items():
            _confirm_ordered(space, f"modules[{number}].spaces.{color}")
    for label, times in Counter(module.path for module in modules).items():
        if times > 1:
            raise Misstated(f"modules: {quoted(label)} is there {times:,} times")


def _confirm_listed(module: GateModule, place: str) -> None:
    """Raise Misstated, naming the `place` of a module, if a check found what none of its findings is."""
    listed = {finding.slug for finding in module.findings}
    for number, check in enumerate(module.checks):
        for slug in check.found:
            if slug not in listed:
                raise Misstated(f"{place}.checks[{number}].found.{shown(slug)}: there is no such finding")
