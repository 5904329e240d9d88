"""Describe a value in a row for each fact: size, place, buffer, life and why it lasts, origin and readers.

The rows are strings because 70,000 values have them; text from the dump is escaped where it is put in.
"""

from collections.abc import Iterator, Mapping
from html import escape

from reportgen.analyse.liveness import Rule, liveness
from reportgen.analyse.records import ValueFacts
from reportgen.model import WHOLE
from reportgen.render.html.links import Links, listed
from reportgen.render.html.markup import human_and_exact, whole_name
from reportgen.render.value.advice import ValueAdvice
from reportgen.render.value.buffer import BufferRow
from reportgen.render.value.instruction import DefinitionRows
from reportgen.render.value.program_rows import ProgramRows
from reportgen.render.view import Module
from reportgen.reports.formats import LONGEST_NAME, counted, exact_bytes

_MOST_READERS = 200

WHY_ALIVE: Mapping[Rule, str] = {
    "no range": "The dump has no live range for it.",
    "thread-local": "None: it belongs to a computation outside the schedule, such as a reducer.",
    "no list of uses": "The dump does not list its uses.",
    "result": "It is part of the output, so it stays live past the last instruction.",
    "parameter": "An argument that is not donated stays to the end.",
    "last use": "Its range ends at its last use.",
    "caller": "Its last reader is a call; the called computation is scheduled first and takes over the bytes as a "
    "parameter.",
    "alias": "{} reuses its bytes before its last use.",
    "position": "{} passes it on at that instruction.",
    "async": "{} ends an asynchronous operation that needs it until then.",
    "carried": "A loop or branch carries it, so it lives as long as that computation.",
    "part of a result": "It is part of the result of a computation that ends there.",
    "never used": "Nothing reads it, so it lives only at the instruction that writes it.",
    "unknown": "The dump does not show why.",
}
# The sentences of these rules say when the last use is, or that none is known.
_NEEDS_NO_LAST_USE = frozenset({"thread-local", "no range", "no list of uses", "last use", "never used"})


class ValueAbout:
    """The rows about one module's values; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        """Look up what the values share: the links of memory spaces, and the bytes of each value at a peak."""
        self._module = module
        self._links = links
        self._buffer = BufferRow(module, links)
        self._program = ProgramRows(module, links)
        self._advice = ValueAdvice(module, links)
        # The page links the memory spaces once, at the top.
        self._spaces = {color: links.space_name(space) for color, space in module.analysis.spaces.items()}
        self._bytes_at_peak = {
            share.value: share.size_bytes
            for space in module.analysis.spaces.values()
            for share in space.composition
            if share.value is not None
        }

    def rows(self, number: int, definition: DefinitionRows, explained: dict[object, int]) -> str:
        """Return all rows about a value, in a fixed order; `explained` is what the page has said before, and where."""
        fact, text = self._module.analysis.facts[number], self._module.analysis.dump.text
        location = text.locate(fact.value.text_offset)
        # Nearly all values are in the first file of a dump, which the module's page names.
        is_in_first = location.file == text.parts[0].label
        line = f"line {location.line}" if is_in_first else escape(str(location))
        rows = [
            *self._memory(fact),
            self._buffer.row(number),
            *self._life(number, fact),
            *self._program.rows(number, explained),
            *definition.rows(number),
            *self._positions_and_uses(number),
            f"<dt>In the dump<dd>id {fact.value.id}, {line}",
        ]
        return "\n".join(filter(None, rows))

    def _memory(self, fact: ValueFacts) -> Iterator[str]:
        """Yield the name if it is cut elsewhere, the sizes and the place of a value."""
        value = fact.value
        if len(value.key.name) > LONGEST_NAME:
            yield f"<dt>Name<dd>{whole_name(value.key.name)}"
        # The values of a shared slice have the size of the largest.
        owner = "" if fact.owner is None else f", as needed by {self._links.value(fact.owner)}, which shares the slice"
        yield f"<dt>Size<dd>{human_and_exact(value.size_bytes)}{owner}"
        yield f"<dt>Padding<dd>{self._padding(fact)}"
        space = self._spaces[self._module.analysis.dump.allocations[value.allocation].color]
        offsets = f"bytes {value.offset_bytes:,} to {value.end_bytes:,}"
        yield f"<dt>Allocation<dd>{self._links.allocation(value.allocation)}, {offsets}, in {space}"

    def _padding(self, fact: ValueFacts) -> str:
        """Return the bytes lost to padding, beside the sizes that they follow from."""
        dense, padded, size = fact.dense_bytes, fact.padded_bytes, fact.value.size_bytes
        if dense is None or padded is None:
            return "unknown"
        if dense == padded == size:
            return "none"
        padding = exact_bytes(fact.padding_bytes) if fact.padding_bytes else "none"
        has_own_size = fact.owner is None
        rest = f" by its layout, {size:,} reserved by the compiler" if has_own_size and size > padded else ""
        return f"{padding}; {dense:,} dense, {padded:,} padded{rest}"

    def _life(self, number: int, fact: ValueFacts) -> Iterator[str]:
        """Yield when a value is live and why, and what the peak has to do with it."""
        moments = "" if fact.live is None else f"{fact.live.start:,} to {fact.live.end:,}. "
        at_peak, advice = self._bytes_at_peak.get(number), self._advice.sentence(number)
        off_peak = "" if at_peak or not advice else f" {advice}"
        yield f"<dt>Live<dd>{moments}{self._why_alive(number, fact)}{off_peak}"
        if fact.value.is_phi:
            yield "<dt>Phi<dd>merged by control flow"
        if at_peak:
            facts = f"live, counts {human_and_exact(at_peak)}" + (f". {advice}" if advice else "")
            yield f"<dt>At the peak<dd>{facts}"

    def _why_alive(self, number: int, fact: ValueFacts) -> str:
        """Return the rule that ends the live range and, unless the rule says so, the last use."""
        found = liveness(self._module.analysis, number)
        sentence = WHY_ALIVE[found.rule]
        if found.decider is not None:
            sentence = sentence.format(self._links.instruction(found.decider))
        if fact.live is None or found.rule in _NEEDS_NO_LAST_USE:
            return sentence
        if found.last_use is None or found.last_user is None:
            return f"{sentence} No scheduled instruction reads it."
        last_use = f"{sentence} Last used at {found.last_use:,} by {self._links.instruction(found.last_user)}"
        distance = fact.live.end - found.last_use
        if not distance:
            return f"{last_use}."
        direction = "earlier" if distance > 0 else "later"
        return f"{last_use}, {counted(abs(distance), 'instruction')} {direction}."

    def _positions_and_uses(self, number: int) -> Iterator[str]:
        """Yield the other positions of a value, and the instructions that read it, in schedule order."""
        used = self._module.analysis.dump.used(number)
        if used is None:
            yield "<dt>Read by<dd>unknown: no entry in “Used values”"
            return
        if not used.is_only_where_defined and len(used.positions) > 1:
            link = self._links.instruction
            others = listed(used.positions[1:], lambda at: f"{link(at.name)}{_index(at.shape_index)}")
            yield f"<dt>Also at<dd>{others}"
        moment_of = self._module.analysis.dump.moment_of
        # Instructions that are not scheduled come first.
        uses = sorted(used.uses, key=lambda use: moment_of.get(use.name, -1))
        readers = []
        for name, operand, index in uses[:_MOST_READERS]:
            reader = self._links.instruction(name)
            at = f"{moment_of[name]:,}" if name in moment_of else "–"
            readers.append(f"<li>{at} {reader}, operand {operand}{_index(index)}")
        if len(uses) > _MOST_READERS:
            readers.append(f"<li>{len(uses) - _MOST_READERS:,} more are in the dump")
        yield f"<dt>Read by<dd><ol>{''.join(readers)}</ol>" if readers else "<dt>Read by<dd>no instruction"


def _index(shape_index: str) -> str:
    return "" if shape_index == WHOLE else f" {shape_index}"
