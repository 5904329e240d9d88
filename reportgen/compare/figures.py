"""The figures that a budget can hold, from an analysis or from the `report.json` of an earlier build."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from reportgen.analyse.records import Space
from reportgen.compare.flaws import confirm_listed
from reportgen.document import Misstated, parsed, read
from reportgen.errors import UnreadableInput, quoted
from reportgen.record import record
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
from reportgen.reports.summary import Summary

Figure = Literal["peak_resident", "needed", "allocated", "static", "peak_temp", "padding", "slack"]
"""A figure of a memory space that a budget can hold."""
FIGURES: tuple[Figure, ...] = get_args(Figure)

_LONG_NUMBER, _LAST_NUMBER = re.compile(r"\d{6,}"), re.compile(r"[_.]\d+$")
_AT_MOST: Sequence[tuple[tuple[Figure, ...], tuple[Figure, ...]]] = (
    (("needed",), ("allocated",)),
    (("static",), ("peak_resident",)),
    (("peak_temp",), ("peak_resident",)),
    (("peak_resident",), ("static", "peak_temp")),
)
"""Figures whose sum is at most that of others, by what they mean."""


def plain_name(name: str) -> str:
    """Return a module's name without what changes between builds: long numbers, and a trailing `_3` or `.3`."""
    return _LAST_NUMBER.sub("", _LONG_NUMBER.sub("#", name))


def space_figures(space: Space) -> GateSpace:
    """Return the figures of an analysed space."""
    resident, temp = space.peak_resident, space.peak_temp
    return GateSpace(
        name=space.name,
        peak_resident_bytes=resident.amount if resident else None,
        needed_bytes=space.needed_bytes,
        allocated_bytes=space.allocated_bytes,
        static_bytes=space.static_bytes,
        peak_temp_bytes=temp.amount if temp else None,
        padding_bytes=space.padding_bytes,
        slack_bytes=space.slack_bytes,
    )


def gate_module(entry: Summary) -> GateModule:
    """Return the figures of a summarised module."""
    return read(GateModule, parsed(entry.report_line))


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
    label = f"{commit} ({distance:,} commit{'s' * (distance != 1)} earlier)" if distance else commit
    return RecordedFigures(tuple(map(_with_unknown, recorded.modules)), label)


def _with_unknown(module: RecordedModule) -> GateModule:
    """Return a module of a history, which does not know the rest."""
    return GateModule(
        path=module.path,
        name=module.name,
        backend=module.backend,
        shapes=module.shapes,
        findings=module.findings,
        spaces=module.spaces,
        arguments=(),
        refused=None,
        checks=(),
    )


def recorded_report(modules: Iterable[GateModule], commit: str, distance: int) -> bytes:
    """Return what a history knows of a build as a report: the figures that a gate needs, and whose they are."""
    recorded = tuple(
        RecordedModule(
            path=module.path,
            name=module.name,
            backend=module.backend,
            shapes=module.shapes,
            findings=module.flaws,
            spaces=module.spaces,
        )
        for module in modules
    )
    build = RecordedBuild(commit=commit, distance=distance)
    return json_line(RecordedDocument(schema=SCHEMA, build=build, modules=recorded)) + b"\n"


def _confirm_possible(modules: Sequence[GateModule]) -> None:
    """Raise Misstated if figures contradict what they mean or are not listed, or if two modules are of one dump."""
    for number, module in enumerate(modules):
        confirm_listed(module, f"modules[{number}]")
        for color, space in module.spaces.items():
            for less, more in _AT_MOST:
                amounts = [[space.figure(one) for one in figures] for figures in (less, more)]
                low, high = (sum(one or 0 for one in known) for known in amounts)
                if None not in (*amounts[0], *amounts[1]) and low > high:
                    names = [" + ".join(f"{one}_bytes" for one in figures) for figures in (less, more)]
                    raise Misstated(
                        f"modules[{number}].spaces.{color}.{names[0]}: {low:,} is more than {names[1]}, {high:,}"
                    )
    for label, times in Counter(module.path for module in modules).items():
        if times > 1:
            raise Misstated(f"modules: {quoted(label)} is there {times:,} times")
