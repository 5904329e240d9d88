"""Find the operation behind each value of a dump: from the text of its instruction, its place, or its readers.

What the text of an instruction does not tell, the other values of the dump may: those that hold the same bytes one
after the other name what a loop carries, and the first reader of a value without a name says what it is for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reportgen.analyse.chains import chains
from reportgen.analyse.in_place import written_in_place
from reportgen.analyse.records import Analysis, Space
from reportgen.program.author import Attribution
from reportgen.program.join import Join
from reportgen.program.readers import Readers


@dataclass(frozen=True, slots=True)
class Attributed:
    """The bytes of a peak whose values have a name of the program and a source line, and those reserved for such.

    `reserved_bytes` belong to no live value, and so are not among the others.
    """

    scope_bytes: int
    source_bytes: int
    reserved_bytes: int


class Attributions:
    """The attribution of each value of a dump, by its number; `join` is what the files beside the dump tell."""

    def __init__(self, analysis: Analysis, join: Join) -> None:
        self._analysis = analysis
        self._attributor = join.attributor(analysis.dump)
        self._knows_bodies = join.module is not None
        self._found: dict[int, Attribution] = {}  # because tables, pages and shards ask for each value five times
        self._by_text: dict[int, Attribution] = {}
        self._readers = Readers(analysis, self._attributor)

    def of(self, number: int) -> Attribution:
        """Return the operation that wrote a value's bytes, or that first reads them where it has no name."""
        if number not in self._found:
            self._found[number] = self._find(number)
        return self._found[number]

    def attributed(self, space: Space) -> Attributed:
        """Return how much of a space's peak is attributed."""
        found = [(share, self.of(share.value)) for share in space.composition if share.value is not None]
        reserved = [share for share in space.composition if share.value is None]
        return Attributed(
            scope_bytes=sum(share.size_bytes for share, attribution in found if attribution.is_named),
            source_bytes=sum(share.size_bytes for share, attribution in found if attribution.source),
            reserved_bytes=sum(
                share.size_bytes
                for share in reserved
                if (number := reserved_for(self._analysis, share.allocation)) is not None and self.of(number).is_named
            ),
        )

    def _find(self, number: int) -> Attribution:
        facts, found = self._analysis.facts, self._of_text(number)
        if found.is_named:
            return found
        if not found.argument and not self._knows_bodies and number in self.chains:
            in_place = written_in_place(facts, number, self.chains[number], self._of_text)
            if in_place:
                return in_place
        reader = None if found.is_of_loop else self._readers.first(number)
        if reader is None:
            return found
        name, read = reader
        return replace(
            found, scope=read.scope, opcode=read.opcode, stack=read.stack, rule="read", path=(name, *read.path)
        )

    def _of_text(self, number: int) -> Attribution:
        if number not in self._by_text:
            self._by_text[number] = self._attributor.of(self._analysis.facts.values.key(number))
        return self._by_text[number]

    @cached_property
    def chains(self) -> Mapping[int, Sequence[int]]:
        """Return the values that hand one buffer on, by each of them (see the module `chains`)."""
        return chains(self._analysis.facts)


def reserved_for(analysis: Analysis, allocation: int) -> int | None:
    """Return the value that an allocation is reserved for while none is live in it: the last one that it holds."""
    facts = analysis.facts
    last = max(
        analysis.occupants[allocation],
        key=lambda number: (facts.ends[number], facts.values.sizes[number], -number),
        default=None,
    )
    return last if last is not None and facts.ends[last] >= 0 else None
