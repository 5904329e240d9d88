"""Say in a row for each fact what XLA has of a value: its exact sizes, why it is live, and where it comes from.

The rows are strings because 70,000 values have them; text from the dump is escaped where it is put in.
"""

from collections.abc import Iterator, Mapping
from html import escape

from reportgen.analyse.liveness import Rule, liveness
from reportgen.analyse.records import ValueFacts
from reportgen.model import WHOLE
from reportgen.render.html.links import Links, listed
from reportgen.render.html.markup import whole_name
from reportgen.render.value.program_rows import ProgramRows
from reportgen.render.view import Module
from reportgen.reports.formats import LONGEST_NAME, counted, exact_bytes

WHY_ALIVE: Mapping[Rule, str] = {
    "no range": "The dump has no live range for it.",
    "thread-local": "None: it belongs to a computation outside the schedule, such as a reducer.",
    "no list of uses": "The dump does not list its uses.",
    "result": "It is part of the output, so it stays live past the last instruction.",
    "parameter": "An argument that is not donated stays to the end.",
    "last use": "Its range ends at its last use.",
    "caller": "Its last reader is a call; the called computation is scheduled first and takes over the bytes as a "
    "parameter.",
    "alias": "{} takes over its buffer before its last use.",
    "position": "{} passes it on at that instruction.",
    "async": "{} ends an asynchronous operation that needs it until then.",
    "carried": "A loop or branch carries it, so it lives as long as that computation.",
    "inherited": "{}, earlier in its buffer, is needed until then.",
    "part of a result": "It is part of the result of a computation that ends there.",
    "never used": "Nothing reads it, so it lives only at the instruction that writes it.",
    "unknown": "The dump does not show why.",
}
# The sentences of these rules say when the last use is, or that none is known.
_NEEDS_NO_LAST_USE = frozenset({"thread-local", "no range", "no list of uses", "last use", "never used"})


class ValueAbout:
    """What XLA says of one module's values; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links = module, links
        self._program = ProgramRows(module, links)

    def rows(self, number: int) -> str:
        """Return rows of facts that the rest of the section leaves out, in a fixed order."""
        fact, text = self._module.analysis.facts[number], self._module.analysis.dump.text
        location = text.locate(fact.value.text_offset)
        # Nearly all values are in the first file of a dump, which the module's page names.
        is_in_first = location.file == text.parts[0].label
        line = f"line {location.line}" if is_in_first else escape(str(location))
        name = fact.value.key.name
        rows = [
            f"<dt>Name<dd>{whole_name(name)}" if len(name) > LONGEST_NAME else "",
            f"<dt>Size<dd>{self._sizes(fact)}",
            f"<dt>Live<dd>{self._live(number, fact)}",
            *self._program.rows(number),
            *self._positions(number),
            f"<dt>In the dump<dd>id {fact.value.id}, {line}",
        ]
        return "\n".join(filter(None, rows))

    def _sizes(self, fact: ValueFacts) -> str:
        """Return the exact size of a value, and the padding in it next to the sizes that it follows from."""
        dense, padded, size = fact.dense_bytes, fact.padded_bytes, fact.value.size_bytes
        # The values of a shared slice have the size of the largest.
        owner = "" if fact.owner is None else f", as needed by {self._links.value(fact.owner)}, which shares the slice"
        exact = f"{exact_bytes(size)}{owner}"
        if dense is None or padded is None:
            return f"{exact}; padding unknown"
        if dense == padded == size:
            return f"{exact}, no padding"
        reserved = f", {size:,} reserved by the compiler" if fact.owner is None and size > padded else ""
        return f"{exact}; {fact.padding_bytes:,} of padding: {dense:,} dense, {padded:,} padded{reserved}"

    def _live(self, number: int, fact: ValueFacts) -> str:
        """Return when a value is live and why, and whether control flow merges it."""
        moments = "" if fact.live is None else f"{fact.live.start:,} to {fact.live.end:,}. "
        phi = " Merged by control flow (phi)." if fact.value.is_phi else ""
        return f"{moments}{self._why_alive(number, fact)}{phi}"

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

    def _positions(self, number: int) -> Iterator[str]:
        """Yield the other positions of a value."""
        used = self._module.analysis.dump.used(number)
        if used and not used.is_only_where_defined and len(used.positions) > 1:
            link = self._links.instruction
            yield f"<dt>Also at<dd>{listed(used.positions[1:], lambda at: f'{link(at.name)}{_index(at.shape_index)}')}"


def _index(shape_index: str) -> str:
    return "" if shape_index == WHOLE else f" {shape_index}"
