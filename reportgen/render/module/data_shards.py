"""Write data for scripts: columns, and tables of the words that repeat in them.

A page opened from `file://` may not fetch anything, so a shard is a script that hands its data over. Columns with
numbers into a table of words are a third of the size of rows. `hrefs` are patterns of the paths that scripts need,
from the folder that the shard belongs to.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import sub
from typing import Any

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.fitting import least_needed
from reportgen.analyse.classes import CLASSES, memory_class
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.analyse.temporary_parts import TemporaryPart
from reportgen.intervals.step_function import StepFunction
from reportgen.model import WHOLE
from reportgen.program.author import Author
from reportgen.program.scopes import short_name
from reportgen.render import routes
from reportgen.render.drawings.conflicts import conflicts_by_value
from reportgen.render.module.advice_box import joint_suggestions, suggestion_keys, suggestions_to_tick
from reportgen.render.view import Module
from reportgen.reports.advice_words import CONFIDENCES, curve_words, result_words, together_words, what_words
from reportgen.reports.formats import cut, visible
from reportgen.reports.report import allocation_kind
from reportgen.reports.source_words import short_words
from reportgen.work import Page

LONGEST_SHAPE = 80
_MOST_PLAIN_BYTES = 1_000_000
"""The bytes of data that a shard has as they are."""


class Words:
    """A table of words, each listed once, in the order in which they first occur."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._numbers = {word: number for number, word in enumerate(known)}

    def number(self, word: str) -> int:
        """Return the position of a word in the table, and add it where it is new."""
        return self._numbers.setdefault(word, len(self._numbers))

    def table(self) -> list[str]:
        return list(self._numbers)


def shard(name: str, data: Any, folder: str = "") -> Page:
    """Return a script that hands `data` over as `name`; `folder` is a module's, or empty for the whole site."""
    content = data_json(data)
    if len(content) > _MOST_PLAIN_BYTES:
        content = b'"%s"' % packed(content)
    return Page(folder + routes.shard(name), b'Report.put("%s",%s);\n' % (name.encode(), content))


def packed(content: bytes) -> bytes:
    """Return data compressed, in base 64: browsers unpack it sooner than they read a script of its length."""
    # Level 1 takes a tenth of the time of the usual one, and without a time the same data make the same bytes.
    return b64encode(gzip.compress(content, 1, mtime=0))


def data_json(data: Any) -> bytes:
    """Return data for scripts as JSON."""
    return json.dumps(_visible(data), separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")


def module_columns(
    rows: Iterable[tuple[str, str, str, int, str, int]], hrefs: Mapping[str, str] = routes.OVERVIEW_HREFS
) -> dict[str, Any]:
    """Return the modules of a site, for all that looks at them at once: the search, the filter, previous and next.

    A row is (name, path of the dump, backend, bytes, href, page of the table that has it).
    """
    columns = list(zip(*rows, strict=True)) or [()] * 6  # because a table without rows has all columns, too
    return {"hrefs": hrefs, **dict(zip(("name", "path", "backend", "size", "href", "page"), columns, strict=True))}


def _visible(data: Any) -> Any:
    """Replace what shows nothing, because scripts put texts on the page as they are."""
    match data:
        case str():
            return visible(data)
        case list() | tuple():
            # Looking at the first item is enough, because a column holds one kind of thing, mostly numbers.
            return data if data and isinstance(data[0], int | float) else [_visible(item) for item in data]
        case Mapping():
            return {key: _visible(item) for key, item in data.items()}
        case _:
            return data


def instruction_columns(module: Module, hrefs: Mapping[str, str]) -> dict[str, Any]:
    """Return the scheduled instructions that define no value."""
    dump = module.analysis.dump
    moments = [moment for moment in module.scheduled_moments if dump.name_at[moment] not in dump.made_by]
    return {"hrefs": hrefs, "name": [dump.name_at[moment] for moment in moments], "moment": moments}


def value_columns(module: Module, hrefs: Mapping[str, str]) -> dict[str, Any]:
    """Return every value and allocation; -1 stands for unknown.

    `unusualDense` has the dense bytes of values where they are not the size less the padding; None if unknown.
    `reads` are the moments that read each value.
    `conflicting` are the values that hold the same bytes as another one at the same time.
    """
    allocations, kinds = module.analysis.dump.allocations, Words()
    return {
        "hrefs": hrefs,
        **_value_columns(module),
        "spaces": {str(space.color): space.name for space in module.analysis.spaces.values()},
        "conflicting": sorted(conflicts_by_value(module.analysis)),
        "allocations": {
            "id": module.routes.allocation_names,
            "index": [allocation.index for allocation in allocations],
            "size": [allocation.size_bytes for allocation in allocations],
            "color": [allocation.color for allocation in allocations],
            "class": [CLASSES.index(memory_class(allocation)) for allocation in allocations],
            "kind": [kinds.number(allocation_kind(module, number)) for number in range(len(allocations))],
        },
        "kinds": kinds.table(),
        "lines": _line_columns(module),
    }


def _line_columns(module: Module) -> dict[str, Any]:
    """Return the source lines with bytes of the main peak, the one with the most first; page 0 stands for none."""
    space = module.main_space
    groups = [group for group in module.source_lines[space.color] if group.kind == "named"] if space else []
    pages = module.source_pages
    return {
        "line": [group.label for group in groups],
        "size": [group.size_bytes for group in groups],
        "page": [pages[group.label] + 1 if group.label in pages else 0 for group in groups],
    }


def timeline(module: Module) -> dict[str, Any]:
    """Return the instruction at each moment, the one that it recomputes if any, and every step of each space."""
    analysis = module.analysis
    spaces = {
        str(space.color): {
            "static": space.static_bytes,
            "live": _steps(space.live),
            "temp": _steps(space.temp),
            "parts": [{"name": part.name, **_steps(part.steps)} for part in _parts(module, space)],
        }
        for space in analysis.spaces.values()
        if space.live and space.temp
    }
    names = [analysis.program.instruction_at(moment) for moment in range(len(analysis.dump.schedule))]
    repeats = analysis.program.repeated_from
    recomputes = {moment: repeats[name] for moment, name in enumerate(names) if name in repeats}
    return {"names": names, "recomputes": recomputes, "spaces": spaces}


def _parts(module: Module, space: Space) -> Sequence[TemporaryPart]:
    found = module.temporary_parts[space.color]
    return found.parts if found else ()


def suggestion_curves(module: Module) -> dict[str, Any]:
    """Return what each suggestion, and each choice of those to combine, leads to in the main memory."""
    advice = module.advice.get(MAIN_SPACE, Advice())
    before = advice.peak.curve() if advice.peak else ()
    joint = joint_suggestions(suggestions_to_tick(advice), advice)
    return {
        **{
            key: _change(advice, suggestion, curve_words(what_words(advice, suggestion), suggestion), before)
            for key, suggestion in suggestion_keys(advice).items()
        },
        **{
            key: _change(advice, made, curve_words(together_words(suggestions), made), before)
            for key, suggestions in joint.items()
            if (made := advice.together(suggestions))
        },
    }


def _change(advice: Advice, suggestion: Suggestion, words: str, before: Sequence[int]) -> dict[str, Any]:
    """Return what a suggestion adds over time to what is resident, its peak, and what is needed then."""
    exceeded = advice.exceeded_bytes
    return {
        "words": short_words(words),
        "result": f"{result_words(suggestion, exceeded)} ({CONFIDENCES[suggestion.confidence]})",
        "least": least_needed(suggestion),
        "needs": suggestion.needed_bytes,
        "peak": suggestion.outcome.peak_bytes,
        "moment": suggestion.outcome.moment,
        **_steps(StepFunction.from_amounts(list(map(sub, suggestion.outcome.curve(), before)))),
    }


def _steps(function: StepFunction) -> dict[str, Sequence[int]]:
    return {"moments": function.moments, "amounts": function.amounts}


def _value_columns(module: Module) -> dict[str, Any]:
    """Return the columns with an entry for each value, and the tables of words that they point into."""
    facts, values = module.analysis.facts, module.analysis.dump.values
    opcodes, relations, scopes, sources, shapes = Words(), Words([""]), Words([""]), Words([""]), Words()
    labels = Words([""])
    authors = [module.attribution(number) for number in range(len(facts))]
    opcode, buffers = module.analysis.program.opcode, module.analysis.program.buffers
    indexes = (key[len(name) :] for name, key in zip(values.names, values.keys, strict=True))
    sizes = zip(facts.dense, values.sizes, facts.padding, strict=True)
    return {
        "id": module.routes.value_names,
        "name": values.names,
        "index": ["" if index == WHOLE else index for index in indexes],
        "allocation": values.allocations,
        "offset": values.offsets,
        "size": values.sizes,
        "padding": facts.padding,
        "first": facts.starts,
        "last": facts.ends,
        "reads": module.reads,
        "unusualDense": {
            str(number): dense for number, (dense, size, padding) in enumerate(sizes) if dense != size - padding
        },
        "unusualBuffer": {str(number): first for first, *others in buffers for number in others},
        "opcode": [opcodes.number(opcode(name)) for name in values.names],
        "relation": [relations.number(author.relation) for author in authors],
        "scope": [scopes.number(author.scope_name) for author in authors],
        "label": [labels.number(_label(author, name)) for author, name in zip(authors, values.names, strict=True)],
        "source": [sources.number(author.source) for author in authors],
        "firstRead": [sources.number("" if author.source else author.read_first) for author in authors],
        "shape": [shapes.number(cut(shape, LONGEST_SHAPE)) for shape in values.shapes],
        "classes": list(CLASSES),
        "opcodes": opcodes.table(),
        "relations": relations.table(),
        "scopes": scopes.table(),
        "shortScopes": [short_name(scope) for scope in scopes.table()],
        "labels": labels.table(),
        "sources": sources.table(),
        "looks": module.line_looks,
        "shapes": shapes.table(),
    }


def _label(author: Author, name: str) -> str:
    """Return what a value is called that has no scope; empty where that is the name of its own instruction."""
    return "" if author.scope_name or author.name == name else author.name


_COLUMNS: Mapping[str, Callable[[Module], dict[str, Any]]] = {
    "values": partial(value_columns, hrefs=routes.VALUE_HREFS),
    "timeline": timeline,
    "instructions": partial(instruction_columns, hrefs=routes.INSTRUCTION_HREFS),
    "advice": suggestion_curves,
}


def module_shard(module: Module, name: str) -> Page:
    """Return a shard of a module: `values`, `timeline` and `instructions`, and `advice` where there is any."""
    return shard(name, _COLUMNS[name](module), module.routes.folder)
