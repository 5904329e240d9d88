"""The figures that a budget can hold, from an analysis or from the `report.json` of an earlier build."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.document_fields import DocumentField, color_of
from reportgen.compare.flaws import Flaw, flaws_of_report
from reportgen.document import Misstated
from reportgen.errors import UnreadableInput, quoted
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.json_lines import escape_unprintable
from reportgen.reports.report_json import SCHEMA

Figure = Literal["peak_resident", "needed", "allocated", "static", "peak_temp", "padding", "slack"]
FIGURES: tuple[Figure, ...] = get_args(Figure)

_LONG_NUMBER, _LAST_NUMBER = re.compile(r"\d{6,}"), re.compile(r"[_.]\d+$")
SIGNED: frozenset[Figure] = frozenset({"padding", "slack"})
_AT_MOST: Sequence[tuple[tuple[Figure, ...], tuple[Figure, ...]]] = (
    (("needed",), ("allocated",)),
    (("static",), ("peak_resident",)),
    (("peak_temp",), ("peak_resident",)),
    (("peak_resident",), ("static", "peak_temp")),
)
"""Figures whose sum is at most that of others, by what they mean."""

_DIGEST = re.compile(r"[0-9a-f]{4,64}")


@record(kw_only=False)
class SpaceFigures:
    """One memory space; a figure that needs live ranges is None without them."""

    name: str
    bytes: Mapping[Figure, int | None]


@record
class ModuleFigures:
    """One module as a gate sees it; `shapes` is a digest of what it takes and returns, empty if that is not known.

    `flaws` are the first error and the first warning of its checks, `arguments` what it takes, by name and shape.
    `refused` is the memory for which the compiler refused it, such as `hbm`, empty if it did not. `missing` says which
    allocations are not there, so that each figure is the least that it can be; it is empty if all are.
    """

    label: str
    name: str
    backend: Backend
    spaces: Mapping[int, SpaceFigures]
    shapes: str = ""
    flaws: tuple[Flaw, ...] = ()
    arguments: tuple[SiblingArguments, ...] = ()
    refused: str = ""
    missing: str = ""

    @property
    def error(self) -> Flaw | None:
        """Return why the dump is unsound, None for one that does not contradict itself."""
        return next((flaw for flaw in self.flaws if flaw.gravity == "error"), None)

    def is_refused_for(self, color: int) -> bool:
        """Return whether the compiler refused the module because it needs too much of a memory space."""
        main = self.refused == "hbm" and color == MAIN_SPACE
        return bool(self.refused) and (main or self.spaces[color].name.casefold() == self.refused)


def plain_name(name: str) -> str:
    """Return a module's name without what changes between builds: long numbers, and a trailing `_3` or `.3`."""
    return _LAST_NUMBER.sub("", _LONG_NUMBER.sub("#", name))


def space_figures(space: Space) -> SpaceFigures:
    """Return the figures of an analysed space."""
    resident, temp = space.peak_resident, space.peak_temp
    return SpaceFigures(
        space.name,
        {
            "peak_resident": resident.amount if resident else None,
            "needed": space.needed_bytes,
            "allocated": space.allocated_bytes,
            "static": space.static_bytes,
            "peak_temp": temp.amount if temp else None,
            "padding": space.padding_bytes,
            "slack": space.slack_bytes,
        },
    )


def figures_of_report(document: DocumentField, source: str) -> list[ModuleFigures]:
    """Return the modules of a `report.json`. Raises UnreadableInput, naming `source` and the field of a mistake."""
    try:
        schema = document["schema"].count()
        stated = document["modules"].entries()
    except Misstated as error:
        raise UnreadableInput(f"{source}: not a report.json: {error}") from error
    if schema != SCHEMA:
        raise UnreadableInput(
            f"{source}: schema {schema} of report.json; schema {SCHEMA} is needed;"
            " write the report again: reportgen check --json DUMPS"
        )
    try:
        if "build" not in document:  # of which a history knows less
            _confirm_complete(stated)
        modules = list(map(_module, stated))
        _confirm_possible(modules)
    except Misstated as error:
        raise UnreadableInput(
            f"{source}: not a report.json of this version: {error};"
            " write the report again: reportgen check --json DUMPS"
        ) from error
    return modules


def label_of_report(document: DocumentField) -> str:
    """Return the commit that a report is of, as `history find` states it; empty if the report names none."""
    if "build" not in document:
        return ""
    build = document["build"]
    commit, distance = build["commit"].text(), build.optional("distance", 0).count()
    return f"{commit} ({distance:,} commit{'s' * (distance != 1)} earlier)" if distance else commit


def recorded_report(modules: Iterable[ModuleFigures], commit: str, distance: int) -> bytes:
    """Return what a history knows of a build as a report: the figures that a gate needs, and whose they are."""
    document = {
        "schema": SCHEMA,
        "build": {"commit": commit, "distance": distance},
        "modules": [
            {
                "path": module.label,
                "name": module.name,
                "backend": module.backend,
                "shapes": module.shapes,
                "findings": [
                    {
                        "slug": flaw.slug,
                        "severity": flaw.gravity,
                        "message": flaw.message,
                        "file": flaw.file or None,
                        "line": flaw.line,
                    }
                    for flaw in module.flaws
                ],
                "spaces": {
                    str(color): {
                        "name": space.name,
                        **{f"{figure}_bytes": amount for figure, amount in space.bytes.items()},
                    }
                    for color, space in module.spaces.items()
                },
            }
            for module in modules
        ],
    }
    return escape_unprintable(json.dumps(document, ensure_ascii=False) + "\n")


def figures_of_modules(modules: Iterable[Mapping[str, Any]]) -> list[ModuleFigures]:
    """Return the figures of modules as `report.json` has them."""
    return [_module(DocumentField(module)) for module in modules]


def _module(stated: DocumentField) -> ModuleFigures:
    """Return one module. Raises Misstated for anything else."""
    backend = stated["backend"]
    if backend.value not in get_args(Backend):
        raise backend.wrong("a backend")
    shapes = stated.optional("shapes", "")
    if shapes.value and not _DIGEST.fullmatch(shapes.text()):
        raise shapes.wrong("a digest of shapes")
    return ModuleFigures(
        label=stated["path"].text(),
        name=stated["name"].text(),
        backend=backend.value,
        spaces={color_of(color, space): _space(space) for color, space in stated["spaces"].items()},
        shapes=shapes.text(),
        flaws=flaws_of_report(stated["findings"].entries(), stated.optional("checks", []).entries()),
        arguments=tuple(map(_siblings, stated.optional("arguments", []).entries())),
        refused=stated.optional("refused", {"space": ""})["space"].text(),
        missing=stated.optional("missing_allocations", "").text(),
    )


def _confirm_complete(modules: Iterable[DocumentField]) -> None:
    """Raise Misstated if a module of a whole report lacks something that a gate judges it by."""
    for module in modules:
        for name in ("shapes", "arguments", "refused", "checks"):
            module[name]  # raises


def _space(stated: DocumentField) -> SpaceFigures:
    found = {one: stated[f"{one}_bytes"].known_size(signed=one in SIGNED) for one in FIGURES}
    return SpaceFigures(stated["name"].text(), found)


def _confirm_possible(modules: Sequence[ModuleFigures]) -> None:
    """Raise Misstated if figures contradict what they mean, or if two modules are of one dump."""
    for number, module in enumerate(modules):
        for color, space in module.spaces.items():
            for less, more in _AT_MOST:
                amounts = [[space.bytes[one] for one in figures] for figures in (less, more)]
                low, high = (sum(one or 0 for one in known) for known in amounts)
                if None not in (*amounts[0], *amounts[1]) and low > high:
                    names = [" + ".join(f"{one}_bytes" for one in figures) for figures in (less, more)]
                    raise Misstated(
                        f"modules[{number}].spaces.{color}.{names[0]}: {low:,} is more than {names[1]}, {high:,}"
                    )
    for label, times in Counter(module.label for module in modules).items():
        if times > 1:
            raise Misstated(f"modules: {quoted(label)} is there {times:,} times")


def _siblings(stated: DocumentField) -> SiblingArguments:
    return siblings_of([stated[field] for field in ("name", "shape", "arrays", "bytes", "donated_bytes")])


def siblings_of(stated: Sequence[DocumentField]) -> SiblingArguments:
    """Return a group from its fields in their order. Raises Misstated for anything else."""
    name, shape, arrays, size, donated = stated
    return SiblingArguments(name.text(), shape.text(), arrays.count(), size.size(), donated.size())
