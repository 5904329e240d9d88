"""The module's data for scripts: columns, and tables of the words that repeat in them.

A page opened from `file://` may not fetch anything, so a shard is a script that hands its data over.
Columns with numbers into a table of words are a third of the size of rows.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reportgen.analyse.classes import CLASSES, memory_class
from reportgen.model import WHOLE
from reportgen.render.conflicts import conflicts_by_value
from reportgen.render.formats import visible
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.routes import ROWS_PER_PAGE
from reportgen.spans import StepFunction


class Words:
    """A table of words, each once, in the order they are first met."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._numbers = {word: number for number, word in enumerate(known)}

    def number(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    def table(self) -> list[str]:
        return list(self._numbers)


def shard(module: Module, name: str, data: Any) -> Page:
    """A shard of a module."""
    return _shard(module.routes.folder, name, data)


def site_shard(name: str, data: Any) -> Page:
    """A shard of the whole site."""
    return _shard("", name, data)


def _shard(folder: str, name: str, data: Any) -> Page:
    """A script that hands `data` over as `name`; `</` cannot end the script element, since it is a file."""
    text = json.dumps(_visible(data), separators=(",", ":"), ensure_ascii=False)
    return Page(f"{folder}data/{name}.js", f'Report.put("{name}",{text});\n'.encode("utf-8", "replace"))


def _visible(data: Any) -> Any:
    """Scripts put on the page what they are given."""
    match data:
        case str():
            return visible(data)
        case list() | tuple():
            # Columns hold one kind of thing; most of them numbers.
            return data if data and isinstance(data[0], int | float) else [_visible(item) for item in data]
        case Mapping():
            return {key: _visible(item) for key, item in data.items()}
        case _:
            return data


def instructions_shard(module: Module) -> Page:
    """The scheduled instructions that define no value, for the search; `page` is the schedule's page with them."""
    defining = {fact.value.key.name for fact in module.analysis.facts}
    rows = enumerate(sorted(dict(module.analysis.dump.schedule).items()))
    others = [(name, moment, row // ROWS_PER_PAGE + 1) for row, (moment, name) in rows if name not in defining]
    names, moments, pages = zip(*others, strict=True) if others else ((), (), ())
    return shard(module, "instructions", {"name": names, "moment": moments, "page": pages})


def values_shard(module: Module) -> Page:
    """Every value and allocation, for the map, the moments and the search; -1 stands for unknown."""
    return shard(
        module, "values", {**_value_columns(module), **_conflicting(module), "allocations": _allocation_columns(module)}
    )


def timeline_shard(module: Module) -> Page:
    """The name of the instruction at each moment, and every step of each space, for any moment and any zoom."""
    analysis = module.analysis
    spaces = {
        str(space.color): {"static": space.static_bytes, "live": _steps(space.live), "temp": _steps(space.temp)}
        for space in analysis.spaces.values()
        if space.live and space.temp
    }
    names = [module.instruction_at(moment) or "" for moment in range(len(analysis.dump.schedule))]
    return shard(module, "timeline", {"names": names, "spaces": spaces})


def _steps(function: StepFunction) -> dict[str, Sequence[int]]:
    return {"moments": function.moments, "amounts": function.amounts}


def _value_columns(module: Module) -> dict[str, Any]:
    facts, allocations = module.analysis.facts, module.analysis.dump.allocations
    opcodes, scopes, sources, shapes = Words(), Words([""]), Words([""]), Words()
    origins = [module.origin(number) for number in range(len(facts))]
    classes = [CLASSES.index(memory_class(allocation)) for allocation in allocations]
    return {
        "page": [_value_page(module, number) for number in range(len(facts))],
        "name": [fact.value.key.name for fact in facts],
        "index": ["" if (index := fact.value.key.shape_index) == WHOLE else index for fact in facts],
        "allocation": [fact.value.allocation for fact in facts],
        "offset": [fact.value.offset_bytes for fact in facts],
        "size": [fact.value.size_bytes for fact in facts],
        "padding": [fact.padding_bytes for fact in facts],
        "first": [fact.live.start if fact.live else -1 for fact in facts],
        "last": [fact.live.end if fact.live else -1 for fact in facts],
        "class": [classes[fact.value.allocation] for fact in facts],
        "opcode": [opcodes.number(origin.opcode) for origin in origins],
        "scope": [scopes.number(origin.scope) for origin in origins],
        "source": [sources.number(origin.source) for origin in origins],
        "shape": [shapes.number(_short(fact.value.shape)) for fact in facts],
        "classes": list(CLASSES),
        "opcodes": opcodes.table(),
        "scopes": scopes.table(),
        "sources": sources.table(),
        "shapes": shapes.table(),
    }


def _conflicting(module: Module) -> dict[str, list[int]]:
    """The values that hold the same bytes as another at the same time."""
    return {"conflicting": sorted(conflicts_by_value(module.analysis))}


def _value_page(module: Module, number: int) -> str | tuple[int, str]:
    """The name of a value's page; where it has none, the page of the table of values and its name there."""
    name = module.routes.value_names[number]
    return name if number in module.with_page else (module.row_of(number) // ROWS_PER_PAGE + 1, name)


_LONGEST_SHAPE = 80


def _short(shape: str) -> str:
    return shape if len(shape) <= _LONGEST_SHAPE else shape[:_LONGEST_SHAPE] + "…"


def _allocation_columns(module: Module) -> dict[str, Sequence[Any]]:
    allocations = module.analysis.dump.allocations
    return {
        "page": list(module.routes.allocation_names),
        "index": [allocation.index for allocation in allocations],
        "size": [allocation.size_bytes for allocation in allocations],
        "color": [allocation.color for allocation in allocations],
        "class": [CLASSES.index(memory_class(allocation)) for allocation in allocations],
    }
