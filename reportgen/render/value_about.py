"""What is said about a value in a line each: size, place, life, origin and readers.

Made for 70,000 pages, so the rows are strings; whatever comes from the dump is escaped where it is put in.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape

from reportgen.analyse.liveness import liveness
from reportgen.analyse.records import ValueFacts
from reportgen.model import WHOLE, Position, Use
from reportgen.render.definitions import Definition
from reportgen.render.formats import LONGEST_NAME, exact_bytes, human_and_exact, whole_name
from reportgen.render.links import Links, listed
from reportgen.render.liveness_words import why_alive
from reportgen.render.module import Module

_MOST_ROWS = 200


class ValueAbout:
    """The rows of one module's values; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._help = f"{links.root}help/glossary.html"
        self._padding_term = f"<dt><a href={self._help}#padding>Padding</a><dd>"
        self._at_peak = _bytes_at_peak(module)
        analysis = module.analysis
        self._spaces = {color: links.space(space) for color, space in analysis.spaces.items()}

    def rows(self, number: int, definition: Definition) -> str:
        """All that is known of a value with its `definition`, in a fixed order."""
        fact = self._module.analysis.facts[number]
        rows = [self._size(fact), self._padding(fact), self._place(fact), self._life(number, fact)]
        if len(fact.value.key.name) > LONGEST_NAME:
            rows.insert(0, f"<dt>Name<dd>{whole_name(fact.value.key.name)}")
        if fact.value.is_phi:
            rows.append(f"<dt><a href={self._help}#phi>Phi</a><dd>merged by control flow")
        if at_peak := self._at_peak.get(number):
            rows.append(
                f"<dt><a href={self._help}#peak-resident>Peak</a><dd>live; {exact_bytes(at_peak)} of it counted"
            )
        rows.extend(definition.origin)
        if others := definition.others(number):
            rows.append(f"<dt>Made with<dd>{others}")
        rows.extend(self._program(number))
        rows.append(f"<dt>In the dump<dd>id {fact.value.id}, {self._location(fact)}")
        return "\n".join(rows)

    def _size(self, fact: ValueFacts) -> str:
        size = f"<dt>Size<dd>{human_and_exact(fact.value.size_bytes)}"
        if fact.owner is None:
            return size
        return f"{size}, what {self._links.value(fact.owner)} needs, which shares the slice"

    def _padding(self, fact: ValueFacts) -> str:
        term = self._padding_term if fact.padding_bytes else "<dt>Padding<dd>"
        has_own_size = fact.owner is None
        size = fact.value.size_bytes
        return term + _padding_words(fact.padding_bytes, fact.dense_bytes, fact.padded_bytes, size, has_own_size)

    def _place(self, fact: ValueFacts) -> str:
        value = fact.value
        space = self._spaces[self._module.analysis.dump.allocations[value.allocation].color]
        allocation = self._links.allocation(value.allocation)
        return f"<dt>Allocation<dd>{allocation}, bytes {value.offset_bytes:,} to {value.end_bytes:,}, in {space}"

    def _life(self, number: int, fact: ValueFacts) -> str:
        live = fact.live
        moments = "" if live is None else f"{live.start} to {live.end}. "
        alive = why_alive(liveness(self._module.analysis, number), live, self._links)
        return f"<dt><a href={self._help}#live-range>Live</a><dd>{moments}{alive}"

    def _program(self, number: int) -> Iterator[str]:
        """Where the program keeps the value, and who reads it."""
        used = self._module.used(number)
        if used is None:
            yield "<dt>Read by<dd>not known: no entry in “Used values”"
            return
        if not used.is_only_where_defined and len(used.positions) > 1:
            yield f"<dt>Also at<dd>{listed(used.positions[1:], self._position)}"
        uses = used.uses
        yield f"<dt>Read by<dd><ol>{self._uses(uses)}</ol>" if uses else "<dt>Read by<dd>no instruction"

    def _position(self, position: Position) -> str:
        index = "" if position.shape_index == WHOLE else f" {position.shape_index}"
        return f"{self._links.instruction(position.name)}{index}"

    def _uses(self, uses: Sequence[Use]) -> str:
        """The readers in the order in which they run; those that are not scheduled come first."""
        moment_of, instruction = self._module.analysis.dump.moment_of, self._links.instruction
        in_order = uses if len(uses) == 1 else sorted(uses, key=lambda use: moment_of.get(use.name, -1))
        rows = []
        for name, operand, index in in_order[:_MOST_ROWS]:
            where = f"operand {operand}" if index == WHOLE else f"operand {operand} {index}"
            rows.append(f"<li>{moment_of.get(name, '–')} {instruction(name)}, {where}")
        if len(uses) > _MOST_ROWS:
            rows.append(f"<li>{len(uses) - _MOST_ROWS:,} more are in the dump")
        return "".join(rows)

    def _location(self, fact: ValueFacts) -> str:
        """Values stand in the first file of a dump, which the module's page names."""
        text = self._module.analysis.dump.text
        location = text.locate(fact.value.place)
        return f"line {location.line}" if location.file == text.parts[0].label else escape(str(location))


@lru_cache(maxsize=4096)
def _padding_words(padding: int, dense: int | None, padded: int | None, size: int, has_own_size: bool) -> str:
    if dense is None or padded is None:
        return "not known"
    if dense == padded == size:
        return "none; dense = padded = size"
    lost = exact_bytes(padding) if padding else "none"
    rest = f" by its layout, {size:,} reserved by the compiler" if has_own_size and size > padded else ""
    return f"{lost}; {dense:,} dense, {padded:,} padded{rest}"


def _bytes_at_peak(module: Module) -> Mapping[int, int]:
    return {
        share.value: share.size_bytes
        for space in module.analysis.spaces.values()
        for share in space.composition
        if share.value is not None
    }
