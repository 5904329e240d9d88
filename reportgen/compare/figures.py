"""The figures that a budget can hold, from an analysis or from the `report.json` of an earlier build."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from reportgen.analyse.records import Space
from reportgen.errors import UnreadableInput

Figure = Literal["peak_resident", "allocated", "static", "peak_temp", "padding", "slack"]
FIGURES: tuple[Figure, ...] = get_args(Figure)

_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class SpaceFigures:
    """One memory space; a figure that needs live ranges is None without them."""

    name: str
    bytes: Mapping[Figure, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFigures:
    """One module as a gate sees it."""

    label: str
    name: str
    backend: str
    spaces: Mapping[int, SpaceFigures]


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


def figures_of_modules(modules: Iterable[Mapping[str, Any]]) -> list[ModuleFigures]:
    """Return the figures of modules as `report.json` has them."""
    return [
        ModuleFigures(
            label=str(module["path"]),
            name=str(module["name"]),
            backend=str(module["backend"]),
            spaces={int(color): _space(space) for color, space in module["spaces"].items()},
        )
        for module in modules
    ]


def _space(space: Mapping[str, Any]) -> SpaceFigures:
    return SpaceFigures(str(space["name"]), {figure: _count(space[f"{figure}_bytes"]) for figure in FIGURES})


def _count(amount: Any) -> int | None:
    if amount is not None and (not isinstance(amount, int) or isinstance(amount, bool)):
        raise TypeError(f"{amount!r} is not a number of bytes")
    return amount
