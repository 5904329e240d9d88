"""A page for each value: everything that the dump says about it, and what follows from that.

There may be 70,000 of them, so each is small and made of few pieces: lists of links are put together here, the
template only places them, and what depends on the shape alone is made once for each shape.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from markupsafe import Markup

from reportgen.analyse.chains import chains
from reportgen.analyse.classes import memory_class
from reportgen.analyse.liveness import liveness
from reportgen.analyse.records import Finding, ValueFacts
from reportgen.model import WHOLE, Position, Use, Value
from reportgen.parse.shapes import ShapeError, parse_shape
from reportgen.render.drawings.layout import layout_drawing
from reportgen.render.drawings.neighbourhood import MOST, columns, neighbourhood
from reportgen.render.drawings.svg import Box
from reportgen.render.layout_words import layout_sentences
from reportgen.render.linked_text import linked_instruction
from reportgen.render.links import Links
from reportgen.render.liveness_words import why_alive
from reportgen.render.module import Module, key_text
from reportgen.render.page import Page
from reportgen.render.routes import VALUES_FOLDER
from reportgen.render.templates import render

Item = TypeVar("Item")

_MOST_LINKS = 10
_MOST_ROWS = 200
_CHAIN_BEFORE_AND_AFTER = 5
_LONG_TEXT = 300  # characters of what is repeated on the pages of all values of an instruction
_OWN_METADATA = ("op_name", "source_file", "source_line")


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._site_title = site_title
        self._links = Links(module, 1, VALUES_FOLDER)
        self._at_peak = _bytes_at_peak(module)
        self._findings = _findings_by_value(module)
        self._siblings = _siblings(module)
        self._chains = chains(module.analysis.facts)
        self._sharers = _sharers(module)

    def pages(self, number: int) -> Iterator[Page]:
        """The page of a value."""
        yield self.page(number)

    def page(self, number: int) -> Page:
        analysis, fact = self._module.analysis, self._module.analysis.facts[number]
        allocation = analysis.dump.allocations[fact.value.allocation]
        path = self._module.routes.value(number)
        content = render(
            "value.html",
            path,
            tab="",
            site_title=self._site_title,
            module=self._module,
            links=self._links,
            fact=fact,
            value=fact.value,
            name=key_text(fact.value.key),
            steps=self._steps(number),
            space=analysis.spaces[allocation.color],
            alive=why_alive(liveness(analysis, number), fact.live, self._links),
            at_peak=self._at_peak.get(number),
            location=self._location(fact),
            findings=self._findings.get(number, ()),
            **self._shape(number, fact),
            **self._instruction(number, fact),
            **self._program(number, fact),
            **self._bytes(number, fact),
        )
        return Page(path, content)

    def _location(self, fact: ValueFacts) -> str:
        """Values stand in the first file of a dump, which the module's page names."""
        text = self._module.analysis.dump.text
        location = text.locate(fact.value.place)
        return f"line {location.line}" if location.file == text.parts[0].label else str(location)

    def _steps(self, number: int) -> Markup:
        """To the values before and after it in the dump."""
        facts = self._module.analysis.facts
        steps = []
        if number > 0:
            steps.append(f"<a rel=prev href={self._links.value_href(number - 1)}>← {facts[number - 1].value.id}</a>")
        if number + 1 < len(facts):
            steps.append(f"<a rel=next href={self._links.value_href(number + 1)}>{facts[number + 1].value.id} →</a>")
        return Markup(" ".join(steps))

    def _shape(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        text = fact.value.shape
        whole = len(text) <= _LONG_TEXT or self._module.is_first_of_instruction(number)
        return {"shape_text": text if whole else text[:_LONG_TEXT] + "…", "layout": _layout(text)}

    def _instruction(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        module, name = self._module, fact.value.key.name
        text, instruction = module.instruction_text(name), module.instruction(name)
        if text is None or instruction is None:
            return {"instruction": None, "no_instruction": self._why_no_instruction()}
        first, is_long = module.first_of_instruction(name), len(text) > _LONG_TEXT
        return {
            "instruction": instruction,
            "instruction_text": None if is_long and first != number else linked_instruction(text, self._links),
            "full_text_of": first,
            "operands": _listed(instruction.operands, self._links.instruction) if is_long else None,
            "other_metadata": [(k, v) for k, v in instruction.metadata.items() if k not in _OWN_METADATA],
        }

    def _why_no_instruction(self) -> str:
        if self._module.analysis.dump.used_values is None:
            return "The dump has no “Used values” section, so the instruction is not known."
        return "The dump does not print the instruction; XLA does so since 2021-09-23."

    def _program(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        """Where the program keeps the value, who reads it, and what else its instruction makes."""
        used, name = self._module.used(number), fact.value.key.name
        others = [other for other in self._siblings[name] if other != number]
        if used is None:
            return {"is_listed": False, "siblings": _listed(others, self._index)}
        positions = used.positions[1:]
        return {
            "is_listed": True,
            "positions": _listed(positions, self._position),
            "uses": self._uses(used.uses),
            "siblings": _listed(others, self._index),
        }

    def _position(self, position: Position) -> str:
        index = "" if position.shape_index == WHOLE else f" {position.shape_index}"
        return f"{self._links.instruction(position.name)}{index}"

    def _index(self, number: int) -> str:
        """A value of the same instruction, by its index alone."""
        index = self._module.analysis.facts[number].value.key.shape_index
        return f"<a href={self._links.value_href(number)}>{index}</a>"

    def _uses(self, uses: Sequence[Use]) -> Markup:
        """The readers in the order in which they run; those that are not scheduled come first."""
        moment_of, instruction = self._module.analysis.dump.moment_of, self._links.instruction
        rows = []
        for name, operand, index in sorted(uses, key=lambda use: moment_of.get(use.name, -1))[:_MOST_ROWS]:
            where = f"operand {operand}" if index == WHOLE else f"operand {operand} {index}"
            rows.append(f"<li>{moment_of.get(name, '–')} {instruction(name)}, {where}")
        if len(uses) > _MOST_ROWS:
            rows.append(f"<li>{len(uses) - _MOST_ROWS:,} more are in the dump")
        return Markup("".join(rows))

    def _bytes(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        """Who else holds its bytes."""
        analysis = self._module.analysis
        before, after = analysis.tenancy.before[number], analysis.tenancy.after[number]
        chain = self._chains.get(number, (number,))
        others = dict.fromkeys((*before, *self._sharers.get(number, ()), *after))
        return {
            "is_alone": len(analysis.tenants[fact.value.allocation]) == 1,
            "before": _listed(before, self._links.value),
            "sharers": _listed(self._sharers.get(number, ()), self._links.value),
            "after": _listed(after, self._links.value),
            "takes_over": chain[0] != number,
            "hands_on": chain[-1] != number,
            "chain": self._chain(number, chain) if len(chain) > 2 else None,
            **(self._map(number, fact, list(others)) if others else {"map": None}),
        }

    def _map(self, number: int, fact: ValueFacts, others: Sequence[int]) -> dict[str, Any]:
        own = self._box(number, fact.value)
        boxes = [self._box(other, fact.value) for other in others]
        return {
            "map": neighbourhood(own, boxes),
            "columns": _columns(own, boxes),
            "map_class": memory_class(self._module.analysis.dump.allocations[fact.value.allocation]),
            "merged": len(others) if len(others) > MOST else 0,
        }

    def _box(self, number: int, own: Value) -> Box:
        """The bytes are told where they are others than those of the value that the map is about."""
        value, live = self._module.analysis.facts[number].value, self._module.analysis.facts[number].live
        assert live is not None, "only what is live holds bytes before or after another"
        low, high = value.offset_bytes, value.end_bytes
        title = f"{key_text(value.key)}: {live.start} to {live.end}"
        if (low, high) != (own.offset_bytes, own.end_bytes):
            title = f"{title}, bytes {low:,} to {high:,}"
        return Box(live.start, live.end + 1, low, high, title, self._links.value_href(number))

    def _chain(self, number: int, chain: Sequence[int]) -> Markup:
        """The buffer from hand to hand, cut to the neighbours of the value."""
        place = chain.index(number)
        start, end = max(0, place - _CHAIN_BEFORE_AND_AFTER), place + _CHAIN_BEFORE_AND_AFTER + 1
        links = ["<b>this</b>" if other == number else self._links.value(other) for other in chain[start:end]]
        earlier = [f"{start:,} earlier"] if start else []
        later = [f"{len(chain) - end:,} later"] if end < len(chain) else []
        return Markup(" → ".join([*earlier, *links, *later]))


def _columns(own: Box, others: Sequence[Box]) -> str:
    """The moments at which the columns of the map begin, and where the last one ends."""
    moments = columns(own, others)
    if len(moments) <= _MOST_LINKS:
        return ", ".join(map(str, moments))
    return f"{moments[0]} to {moments[-1]}, those in which something changes"


def _listed(items: Sequence[Item], link: Callable[[Item], str]) -> Markup:
    """The first of the items as links, and how many more there are."""
    shown = ", ".join(map(link, items[:_MOST_LINKS]))
    more = len(items) - _MOST_LINKS
    return Markup(f"{shown} and {more:,} more" if more > 0 else shown)


@lru_cache(maxsize=4096)
def _layout(text: str) -> Markup:
    """What the shape means, in words and drawn; most values share theirs with many others."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        problem = f"This shape is not understood: expected {error.expected} at column {error.column + 1}."
        return Markup("<p>{}").format(problem)
    sentences = Markup("").join(Markup("<li>{}").format(sentence) for sentence in layout_sentences(shape, brief=True))
    return Markup(f"<ul>{sentences}</ul>{layout_drawing(shape)}")


def _bytes_at_peak(module: Module) -> Mapping[int, int]:
    return {
        share.value: share.size_bytes
        for space in module.analysis.spaces.values()
        for share in space.composition
        if share.value is not None
    }


def _findings_by_value(module: Module) -> Mapping[int, list[Finding]]:
    return _grouped((number, finding) for finding in module.analysis.findings for number in finding.values)


def _siblings(module: Module) -> Mapping[str, list[int]]:
    return _grouped((fact.value.key.name, number) for number, fact in enumerate(module.analysis.facts))


def _sharers(module: Module) -> Mapping[int, list[int]]:
    """Values that hold some of the same bytes for more than the moment of a hand-over."""
    pairs = [(conflict.earlier, conflict.later) for conflict in module.analysis.tenancy.conflicts]
    return _grouped([*pairs, *((later, earlier) for earlier, later in pairs)])


Key = TypeVar("Key")


def _grouped(pairs: Iterable[tuple[Key, Item]]) -> Mapping[Key, list[Item]]:
    groups: defaultdict[Key, list[Item]] = defaultdict(list)
    for key, item in pairs:
        groups[key].append(item)
    return groups
