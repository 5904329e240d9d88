"""Show when a value is written and read, and by what, as a few rows."""

from collections.abc import Iterator, Sequence

from reportgen.analyse.phases import label, pass_at
from reportgen.render.html.links import Links
from reportgen.render.view import Module

_MOST_READS = 5
_UNKNOWN = "<p>What reads it is unknown: the dump has no “Used values” of it."


class ValueUses:
    """The rows about one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links = module, links

    def table(self, number: int) -> str:
        """Return the table of the writes and reads of a value, the first and the last of many."""
        rows = "".join(f"<tr><td>{when}<td>{how}<td>{what}" for when, how, what in self._rows(number))
        is_known = self._module.analysis.dump.used(number) is not None
        return f'<table class="uses">{rows}</table>{"" if is_known else _UNKNOWN}'

    def _rows(self, number: int) -> Iterator[tuple[str, str, str]]:
        """Yield the instruction, what it does, and its name with the pass that it runs in."""
        dump = self._module.analysis.dump
        start, values = dump.starts[number], dump.values
        if dump.allocations[values.allocations[number]].parameter is not None:
            yield f"{max(start, 0):,}", "argument", "held from the start"
        else:
            yield self._when(start), "written", f"{self._links.instruction(values.names[number])}{self._within(start)}"
        used = dump.used(number)
        # Instructions that are not scheduled come first, and one may read a value twice.
        names = list(dict.fromkeys(use.name for use in used.uses)) if used else []
        readers = sorted(names, key=lambda name: dump.moment_of.get(name, -1))
        if not readers and used:
            yield "", "not read", ""
        yield from self._reads(readers)

    def _reads(self, readers: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        moment_of = self._module.analysis.dump.moment_of
        for place, name in enumerate(readers, 1):
            if place == len(readers) or place < _MOST_READS or len(readers) == _MOST_READS + 1:
                moment = moment_of.get(name, -1)
                how = "read last" if place == len(readers) > 1 else "read"
                yield self._when(moment), how, f"{self._links.instruction(name)}{self._within(moment)}"
            elif place == _MOST_READS:
                yield "", "read", f"by {len(readers) - _MOST_READS:,} more instructions"

    @staticmethod
    def _when(moment: int) -> str:
        return "–" if moment < 0 else f"{moment:,}"

    def _within(self, moment: int) -> str:
        phase = pass_at(self._module.phases, moment)
        return f", {label(phase.kind, phase.passes)}" if phase else ""
