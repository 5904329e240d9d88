"""Show when a value is written and read, and by what, as a few rows."""

from collections.abc import Iterator

from reportgen.analyse.phases import label, pass_at
from reportgen.program.buffer_uses import reads, same_contents
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
        """Yield the instruction, what it does, and its name with the pass that it runs in.

        They are those of all values with the contents of this one, as a loop that keeps it returns it under its own
        name.
        """
        program, dump = self._module.analysis.program, self._module.analysis.dump
        members = same_contents(program, number)
        names = dump.values.names
        if dump.allocations[dump.values.allocations[number]].parameter is not None:
            yield f"{max(dump.starts[number], 0):,}", "argument", "held from the start"
        else:
            yield self._row(dump.starts[members[0]], "written", names[members[0]])
        read = reads(program, members)
        if not read and dump.used(number):
            yield "", "not read", ""
        for place, moment in enumerate(read, 1):
            if place == len(read) or place < _MOST_READS or len(read) == _MOST_READS + 1:
                how = "read last" if place == len(read) > 1 else "read"
                yield self._row(moment, how, program.instruction_at(moment))
            elif place == _MOST_READS:
                yield "", "read", f"by {len(read) - _MOST_READS:,} more instructions"

    def _row(self, moment: int, how: str, name: str) -> tuple[str, str, str]:
        phase = pass_at(self._module.phases, moment)
        within = f", {label(phase.kind, phase.passes)}" if phase else ""
        made = self._module.analysis.dump.made_by.get(name)
        line = self._links.line(self._module.attribution(made[0]).source) if made else ""
        where = f" <small>{line}</small>" if line else ""
        return "–" if moment < 0 else f"{moment:,}", how, f"{self._links.instruction(name)}{where}{within}"
