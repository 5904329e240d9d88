"""Group the buffers of temporaries at the peak by their author: one operation of the program, over all its layers."""

from collections import defaultdict

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.avoidable import idle_over_peak
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import Memory, PeakAfter
from reportgen.advice.suggest import suggest
from reportgen.analyse.peak_groups import spoken_name
from reportgen.analyse.records import Analysis
from reportgen.program.author import UNNAMED_ARGUMENT, common_relation
from reportgen.program.scopes import pattern
from reportgen.record import record

MOST = 20
"""How many groups are asked for: the largest."""


@record
class SimilarBuffers:
    """Buffers whose authors have one name, but for numbers, and that have one shape.

    `relation` is what stands before that name, as in "a copy of". `buffers` has a value of each of them that is live at
    the peak. `gone` is the peak of this schedule without the whole buffers, and `not_idle` the peak if the values were
    not held while nothing uses them around the peak.
    """

    relation: str
    op_name: str
    shape: str
    buffers: tuple[int, ...]
    held_bytes: int
    gone: PeakAfter
    not_idle: PeakAfter

    @property
    def name(self) -> str:
        """Return what the buffers are, as people read it."""
        return f"what {self.op_name} reads" if self.relation == "read by" else f"{self.relation} {self.op_name}".strip()


def similar_buffers(analysis: Analysis, memory: Memory) -> list[SimilarBuffers]:
    """Return the largest groups at the peak, largest first. Bytes that two members share count once."""
    program = analysis.program
    members: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number in memory.at_peak:
        if number >= 0 and not program.is_table(number):
            members[pattern(analysis.authors.of(number).name), program.shape(number)].append(number)
    sizes = {key: _held_bytes(memory, numbers) for key, numbers in members.items()}
    largest = sorted(members, key=lambda key: (-sizes[key], key))[:MOST]
    return [_group(analysis, memory, key, members[key], sizes[key]) for key in largest]


def without_group(context: AdviceContext, group: SimilarBuffers) -> Suggestion:
    """Return the suggestion of never holding a group of buffers."""
    what = f"without {group.name}, {group.shape}"
    return suggest(context, "family", "up to", what, group.held_bytes, group.gone, buffers=group.buffers)


def _held_bytes(memory: Memory, numbers: list[int]) -> int:
    """Return the bytes that values hold at the peak; members of one buffer hold the same."""
    return sum({(h.allocation, h.low, h.high): h.size_bytes for h in map(memory.temps.__getitem__, numbers)}.values())


def _group(
    analysis: Analysis, memory: Memory, key: tuple[str, str], numbers: list[int], held_bytes: int
) -> SimilarBuffers:
    """Return similar buffers with the peaks without them and without their idle stretches; `key` is name and shape."""
    name, shape = key
    names = [analysis.authors.of(number).name for number in numbers]
    stretches = {number: idle_over_peak(analysis.program, memory, number) for number in numbers}
    members = {member for number in numbers for member in analysis.program.buffers.members(number)}
    return SimilarBuffers(
        relation=common_relation(map(analysis.authors.of, numbers)),
        op_name=spoken_name(names) if name.startswith(UNNAMED_ARGUMENT) else name,
        shape=shape,
        buffers=analysis.program.buffers.one_of_each(numbers),
        held_bytes=held_bytes,
        gone=memory.gone(members),
        not_idle=memory.without({number: [stretch] for number, stretch in stretches.items() if stretch}),
    )
