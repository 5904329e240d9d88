"""The figures that a budget can hold, from an analysis or from the `report.json` of an earlier build."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast, get_args

from reportgen.analyse.records import Space
from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.flaws import Flaw, flaws_of_report
from reportgen.errors import UnreadableInput
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.json_lines import escape_unprintable
from reportgen.reports.report_json import SCHEMA

Figure = Literal["peak_resident", "needed", "allocated", "static", "peak_temp", "padding", "slack"]
FIGURES: tuple[Figure, ...] = get_args(Figure)

_LONG_NUMBER, _LAST_NUMBER = re.compile(r"\d{6,}"), re.compile(r"[_.]\d+$")
_MORE_THAN_ANY_BYTES = 1 << 100
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
    """

    label: str
    name: str
    backend: Backend
    spaces: Mapping[int, SpaceFigures]
    shapes: str = ""
    flaws: tuple[Flaw, ...] = ()
    arguments: tuple[SiblingArguments, ...] = ()

    @property
    def error(self) -> Flaw | None:
        """Return why the dump is unsound, None for one that does not contradict itself."""
        return next((flaw for flaw in self.flaws if flaw.gravity == "error"), None)


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


def figures_of_report(document: Any, source: str) -> list[ModuleFigures]:
    """Return the modules of a `report.json`. Raises UnreadableInput, naming `source`, if it is something else."""
    if not isinstance(document, Mapping) or not isinstance(document.get("modules"), Sequence):
        raise UnreadableInput(f'{source}: not a report.json: an object with "schema" and "modules" is needed')
    if document.get("schema") != SCHEMA:
        raise UnreadableInput(
            f"{source}: schema {document.get('schema')} of report.json; schema {SCHEMA} is needed;"
            " write the report again: reportgen check --json DUMPS"
        )
    try:
        return figures_of_modules(document["modules"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableInput(
            f"{source}: not a report.json of this version: {type(error).__name__}: {error};"
            " write the report again: reportgen check --json DUMPS"
        ) from error


def label_of_report(document: Mapping[str, Any]) -> str:
    """Return the commit that a report is of, as `history find` states it; empty if the report names none."""
    build = document.get("build")
    if not isinstance(build, Mapping) or not isinstance(build.get("commit"), str):
        return ""
    distance = build.get("distance")
    is_earlier = isinstance(distance, int) and distance > 0
    return f"{build['commit']} ({distance:,} commit{'s' * (distance != 1)} earlier)" if is_earlier else build["commit"]


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
    return list(map(_module, modules))


def _module(stated: Mapping[str, Any]) -> ModuleFigures:
    """Return one module. Raises KeyError, TypeError, ValueError or AttributeError for anything else."""
    backend, shapes = stated["backend"], stated.get("shapes", "")
    if backend not in get_args(Backend):
        raise ValueError(f"backend {backend!r} does not exist")
    if shapes and not (isinstance(shapes, str) and _DIGEST.fullmatch(shapes)):
        raise ValueError(f"{shapes!r} is not a digest of shapes")
    return ModuleFigures(
        label=_text(stated["path"]),
        name=_text(stated["name"]),
        backend=backend,
        spaces={
            int(color): SpaceFigures(_text(space["name"]), {one: _count(space[f"{one}_bytes"]) for one in FIGURES})
            for color, space in stated["spaces"].items()
        },
        shapes=shapes or "",
        flaws=flaws_of_report(stated.get("findings", ())),
        arguments=tuple(map(_siblings, stated.get("arguments", ()))),
    )


def _siblings(stated: Mapping[str, Any]) -> SiblingArguments:
    return siblings_of([stated[field] for field in ("name", "shape", "arrays", "bytes", "donated_bytes")])


def siblings_of(stated: Sequence[Any]) -> SiblingArguments:
    """Return a group from its fields in their order. Raises ValueError or TypeError for anything else."""
    name, shape, *amounts = stated
    if not isinstance(name, str) or not isinstance(shape, str) or any(type(amount) is not int for amount in amounts):
        raise TypeError(f"{stated!r} is not a group of arguments")
    return SiblingArguments(name, shape, *amounts)


def _count(amount: Any) -> int | None:
    if not is_amount(amount):
        raise TypeError(f"{str(amount)[:40]} is not a number of bytes")
    return cast("int | None", amount)


def is_amount(stated: Any) -> bool:
    """Return whether something is a number of bytes, or None where it is not known."""
    # By type(), because JSON's true is an int in Python.
    return stated is None or (type(stated) is int and abs(stated) < _MORE_THAN_ANY_BYTES)


def _text(stated: Any) -> str:
    """Return a text that can be written. JSON may state halves of characters that no encoding has."""
    return str(stated).encode("utf-8", "replace").decode()
