"""A page for each value: everything that the dump says about it, and what follows from that."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from reportgen.analyse.records import Finding, ValueFacts
from reportgen.model import UsedValue
from reportgen.parse.shapes import ShapeError, parse_shape
from reportgen.render.layout_words import layout_sentences
from reportgen.render.linked_text import SHORTENED, linked_instruction
from reportgen.render.links import Links
from reportgen.render.module import Module, key_text
from reportgen.render.page import Page
from reportgen.render.templates import render

_MOST_NEIGHBOURS = 20
_MOST_ROWS = 500
_LEDE = (
    "What this value is, where its bytes lie, how long they are needed, and who uses them before, meanwhile and after."
)
_OWN_METADATA = ("op_name", "source_file", "source_line")


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A position or use: the instruction with its moment, and the operand for a use."""

    moment: int | None
    link: Markup
    shape_index: str
    operand: int | None = None


def value_pages(module: Module, site_title: str) -> Iterator[Page]:
    renderer = ValueRenderer(module, site_title)
    for number in range(len(module.analysis.facts)):
        yield renderer.page(number)


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._site_title = site_title
        self._links = Links(module, 1)
        self._at_peak = _bytes_at_peak(module)
        self._findings = _findings_by_value(module)
        self._siblings = _siblings(module)

    def page(self, number: int) -> Page:
        module, fact = self._module, self._module.analysis.facts[number]
        allocation = module.analysis.dump.allocations[fact.value.allocation]
        path = module.routes.value(number)
        content = render(
            "value.html",
            path,
            tab="",
            site_title=self._site_title,
            module=module,
            links=self._links,
            fact=fact,
            value=fact.value,
            name=key_text(fact.value.key),
            lede=_LEDE,
            allocation=allocation,
            space=module.analysis.spaces[allocation.color],
            at_peak=self._at_peak.get(number),
            location=str(module.analysis.dump.text.locate(fact.value.place)),
            findings=self._findings.get(number, ()),
            **self._shape(number, fact),
            **self._instruction(number, fact),
            **self._places(number),
            **self._neighbours(number, fact),
        )
        return Page(path, content)

    def _shape(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        text = fact.value.shape
        whole = self._module.is_first_of_instruction(number) or len(text) <= SHORTENED
        try:
            sentences = layout_sentences(parse_shape(text), size_bytes=fact.value.size_bytes)
        except ShapeError as error:
            sentences = [f"This shape is not understood: expected {error.expected} at column {error.column + 1}."]
        return {"shape_text": text if whole else text[:SHORTENED] + "…", "sentences": sentences}

    def _instruction(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        module, name = self._module, fact.value.key.name
        text, instruction = module.instruction_text(name), module.instruction(name)
        if text is None or instruction is None:
            return {"instruction": None, "no_instruction": self._why_no_instruction()}
        whole = module.is_first_of_instruction(number)
        shortened = not whole and len(text) > SHORTENED
        return {
            "instruction": instruction,
            "instruction_text": linked_instruction(text, self._links, whole=whole),
            "full_text_of": module.first_of_instruction(name) if shortened else None,
            "other_metadata": [(k, v) for k, v in instruction.metadata.items() if k not in _OWN_METADATA],
        }

    def _why_no_instruction(self) -> str:
        if self._module.analysis.dump.used_values is None:
            return "The dump has no “Used values” section, so the instruction is not known."
        return "The dump does not print the instruction; XLA does so since 2021-09-23."

    def _places(self, number: int) -> dict[str, Any]:
        used = self._module.used(number)
        if used is None:
            return {"used": None, "positions": (), "uses": (), "unlisted": 0}
        positions, uses = self._positions(used), self._uses(used)
        unlisted = max(0, len(positions) - _MOST_ROWS) + max(0, len(uses) - _MOST_ROWS)
        return {"used": used, "positions": positions[:_MOST_ROWS], "uses": uses[:_MOST_ROWS], "unlisted": unlisted}

    def _positions(self, used: UsedValue) -> list[PlaceRow]:
        moment_of = self._module.analysis.dump.moment_of
        return [
            PlaceRow(moment_of.get(name), self._links.instruction(name, shape_index), shape_index)
            for name, shape_index in used.positions
        ]

    def _uses(self, used: UsedValue) -> list[PlaceRow]:
        moment_of = self._module.analysis.dump.moment_of
        return [
            PlaceRow(moment_of.get(name), self._links.instruction(name), shape_index, operand)
            for name, operand, shape_index in used.uses
        ]

    def _neighbours(self, number: int, fact: ValueFacts) -> dict[str, Any]:
        tenancy = self._module.analysis.tenancy
        siblings = [other for other in self._siblings[fact.value.key.name] if other != number]
        return {
            **_limited("before", tenancy.before[number]),
            **_limited("after", tenancy.after[number]),
            **_limited("same_instruction", siblings),
        }


def _limited(name: str, numbers: Sequence[int]) -> dict[str, Any]:
    return {name: numbers[:_MOST_NEIGHBOURS], f"{name}_more": max(0, len(numbers) - _MOST_NEIGHBOURS)}


def _bytes_at_peak(module: Module) -> Mapping[int, int]:
    return {
        share.value: share.size_bytes
        for space in module.analysis.spaces.values()
        for share in space.composition
        if share.value is not None
    }


def _findings_by_value(module: Module) -> Mapping[int, list[Finding]]:
    by_value: defaultdict[int, list[Finding]] = defaultdict(list)
    for finding in module.analysis.findings:
        for number in finding.values:
            by_value[number].append(finding)
    return by_value


def _siblings(module: Module) -> Mapping[str, list[int]]:
    siblings: defaultdict[str, list[int]] = defaultdict(list)
    for number, fact in enumerate(module.analysis.facts):
        siblings[fact.value.key.name].append(number)
    return siblings
