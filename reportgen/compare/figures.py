"""The figures that a budget can hold, from an analysis or from the `report.json` of an earlier build."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from reportgen.analyse.records import Backend, Space
from reportgen.errors import UnreadableInput

Figure = Literal["peak_resident", "allocated", "static", "peak_temp", "padding", "slack"]
FIGURES: tuple[Figure, ...] = get_args(Figure)

_SCHEMA = 1
_LONG_NUMBER, _LAST_NUMBER = re.compile(r"\d{6,}"), re.compile(r"[_.]\d+$")
_DIGEST = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class SpaceFigures:
    """One memory space; a figure that needs live ranges is None without them."""

    name: str
    bytes: Mapping[Figure, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFigures:
    """One module as a gate sees it; `shapes` is a digest of what it takes and returns, empty if that is not known."""

    label: str
    name: str
    backend: Backend
    spaces: Mapping[int, SpaceFigures]
    shapes: str = ""


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
    if document.get("schema") != _SCHEMA:
        raise UnreadableInput(f"{source}: schema {document.get('schema')} of report.json; schema {_SCHEMA} is needed")
    try:
        return figures_of_modules(document["modules"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableInput(f"{source}: not a report.json: {type(error).__name__}: {error}") from error


def label_of_report(document: Mapping[str, Any]) -> str:
    """Return the commit that a report is of, as `history find` states it; empty if the report names none."""
    build = document.get("build")
    if not isinstance(build, Mapping) or not isinstance(build.get("commit"), str):
        return ""
    distance = build.get("distance")
    words = f" ({distance:,} commits earlier)" if isinstance(distance, int) and distance > 0 else ""
    return f"{build['commit']}{words}".replace("(1 commits", "(1 commit")


def figures_of_modules(modules: Iterable[Mapping[str, Any]]) -> list[ModuleFigures]:
    """Return the figures of modules as `report.json` has them."""
    return [
        ModuleFigures(
            label=str(module["path"]),
            name=str(module["name"]),
            backend=_backend(module["backend"]),
            spaces={int(color): _space(space) for color, space in module["spaces"].items()},
            shapes=_digest(module.get("shapes", "")),
        )
        for module in modules
    ]


def _backend(text: Any) -> Backend:
    if text not in get_args(Backend):
        raise ValueError(f"backend {text!r} does not exist")
    return cast(Backend, text)


def _digest(text: Any) -> str:
    if text and not (isinstance(text, str) and _DIGEST.fullmatch(text)):
        raise ValueError(f"{text!r} is not a digest of shapes")
    return text or ""


def _space(space: Mapping[str, Any]) -> SpaceFigures:
    return SpaceFigures(str(space["name"]), {figure: _count(space[f"{figure}_bytes"]) for figure in FIGURES})


def _count(amount: Any) -> int | None:
    if amount is not None and (not isinstance(amount, int) or isinstance(amount, bool)):
        raise TypeError(f"{amount!r} is not a number of bytes")
    return amount
