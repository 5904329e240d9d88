"""Find what is held at the peak although it could be there later: made early, recomputed early, copied.

Being idle is a fact, no fault: somebody decided on the order of the program, and seldom the reader. So each of these
says what the peak would be if the bytes were not held over that stretch, and leaves the cause to the words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.context import AdviceContext
from reportgen.advice.kinds import Kind
from reportgen.advice.memory import ALWAYS, Memory, PeakAfter, Stretch
from reportgen.advice.suggest import is_worth_listing, suggest
from reportgen.advice.where import largest_of, order_words, where
from reportgen.analyse.records import Analysis
from reportgen.intervals.step_function import Change
from reportgen.program.opcodes import MOVES, WRITES_NOTHING, ZEROS
from reportgen.program.program import Program
from reportgen.program.scopes import REMATERIALIZED
from reportgen.record import record

_LONG_MOMENTS = 50
_LONG_PART = 10
"""A stretch is long from so many moments on, or from this part of the schedule on."""

_SMALL_PART = 1000
"""A value is small if it is less than this part of the peak."""

_CPU_CHECKPOINT = (
    "XLA on CPU merges the second computation with the first, up to jaxlib 0.11.0: a checkpoint outside of a loop does "
    "not lower the peak here. Test its effect on memory on the device that the program is for."
)


@record
class AvoidableGroup:
    """Values that could be held for a shorter time, their bytes, and the peak if they were.

    `sizes` are the bytes by the arrays that say where it is: those that are padded, or those that are copied, of which
    `copies` has the first copy of each.
    """

    values: tuple[int, ...]
    size_bytes: int
    outcome: PeakAfter
    sizes: Mapping[int, int] = field(default_factory=dict)
    copies: Mapping[int, int] = field(default_factory=dict)


def find_early_recomputation(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield what a checkpoint computes long before it is read."""
    group = _recomputed_early(context.analysis, context.memory)
    caveat = "" if context.has_checkpoints else _CPU_CHECKPOINT
    if is_worth_listing(context, group.size_bytes):
        yield suggest_group(context, "recomputed-early", "up to", group, "recomputed too early", caveat)


def find_early_creation(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield what is made long before it is read."""
    group = _made_early(context.program, context.memory)
    if is_worth_listing(context, group.size_bytes):
        yield suggest_group(context, "made-early", "up to", group, "created too early")


def find_copies(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the copies of what is held anyway, with the array that most of them are of, and the orders of both."""
    group = _copies_of_held(context.program, context.memory)
    if is_worth_listing(context, group.size_bytes):
        number, is_all = largest_of(context.analysis, group.sizes)
        orders = order_words(context.analysis, number, group.copies[number])
        of = f"{'' if is_all else ', mainly'} of {where(context.analysis, number)}"
        what = f"avoid redundant copies{of}{f': {orders}' if orders else ''}"
        yield suggest_group(context, "copy", "up to", group, what)


def suggest_group(
    context: AdviceContext, kind: Kind, confidence: Confidence, group: AvoidableGroup, what: str, caveat: str = ""
) -> Suggestion:
    """Return the suggestion about a group, with a value of each of its buffers."""
    buffers = context.program.buffers.one_of_each(group.values)
    return suggest(context, kind, confidence, what, group.size_bytes, group.outcome, buffers=buffers, caveat=caveat)


def idle_over_peak(program: Program, memory: Memory, number: int) -> Stretch | None:
    """Return the moments around the peak at which nothing makes or reads a value; None where it is used there."""
    held, peak = memory.temps[number], memory.peak.moment
    touches = [held.first, *program.reads(number)] if number >= 0 else [held.first, held.last]
    if peak in touches:
        return None
    before = [touch for touch in touches if touch < peak]
    after = [touch for touch in touches if touch > peak]
    return (max(before) + 1, min(after) - 1) if before and after else None


def _recomputed_early(analysis: Analysis, memory: Memory) -> AvoidableGroup:
    """Find what a checkpoint recomputes, and what then waits for its reader over the peak."""
    long = max(_LONG_MOMENTS, memory.moments // _LONG_PART)
    cuts = {}
    for number in memory.at_peak:
        if number >= 0 and REMATERIALIZED in analysis.authors.of(number).scope:
            stretch = idle_over_peak(analysis.program, memory, number)
            if stretch and stretch[1] - stretch[0] + 1 >= long:
                cuts[number] = [stretch]
    return _group(memory, cuts)


def _made_early(program: Program, memory: Memory) -> AvoidableGroup:
    """Find what is made before the peak and first read after it, although it could be made just before.

    That is so if what it is made of is still there then. The bytes of a few small operands are held longer instead.
    """
    peak, long = memory.peak.moment, min(_LONG_MOMENTS, memory.moments // _LONG_PART)
    small = memory.peak.peak_bytes // _SMALL_PART
    cuts: dict[int, list[Stretch]] = {}
    more: list[Change] = []
    for number in memory.at_peak:
        held = memory.temps[number]
        reads = program.reads(number) if number >= 0 else []
        if held.size_bytes <= small or held.first >= peak or not reads or reads[0] <= peak:
            continue
        longer = None if reads[0] - held.first < long else _operands_held_longer(program, memory, number, reads[0])
        if longer is not None and len(memory.groups[number]) == 1:
            cuts[number] = [(held.first, reads[0] - 1)]
            more += longer
    return _group(memory, cuts, more)


def _operands_held_longer(program: Program, memory: Memory, number: int, until: int) -> list[Change] | None:
    """Return what the operands of a value cost if it is made at `until`; None where that is not less than its bytes."""
    name = program.dump.values.names[number]
    if program.opcode(name) in ("while", "call", "conditional", "parameter", "copy-start", "copy-done", ""):
        return None
    longer: list[Change] = []
    for operand in program.operands(name):
        held = memory.temps.get(operand)
        if held is not None and held.last < until:
            longer += ((held.last + 1, held.size_bytes), (until, -held.size_bytes))
    cost = sum(change for _, change in longer if change > 0)
    return None if cost * 2 > memory.temps[number].size_bytes else longer


def _copies_of_held(program: Program, memory: Memory) -> AvoidableGroup:
    """Find the buffers at the peak that begin as a copy of what stays: a live value, or an array of the caller.

    What begins as a copy of one repeated number needs bytes of its own, and so does what is written later, unless the
    caller donates the array that is copied.
    """
    cuts: dict[int, list[Stretch]] = {}
    sizes: Counter[int] = Counter()
    copies: dict[int, int] = {}
    for number in memory.at_peak:
        group = memory.groups[number]
        first = min(group, key=lambda held: (held.first, held.number)).number
        if first < 0 or program.opcode(program.dump.values.names[first]) != "copy":
            continue
        copied = next(iter(program.operands(program.dump.values.names[first])), None)
        if copied is None or _is_fill(program, copied):
            continue
        is_shared = _is_donated(program, copied) or not _is_written_later(program, first)
        if is_shared and _is_held(program, copied, memory.peak.moment):
            cuts.update({held.number: [ALWAYS] for held in group})
            copies.setdefault(copied, first)
            sizes[copied] += memory.temps[number].size_bytes
    return replace(_group(memory, cuts), sizes=sizes, copies=copies)


def _is_fill(program: Program, number: int) -> bool:
    """Return whether a value is one number throughout, or counts."""
    name = program.dump.values.names[program.root(number)]
    instruction = program.instruction(name)
    return program.opcode(name) in ZEROS | {"broadcast"} or bool(
        instruction and instruction.opcode == "fusion" and not instruction.operands
    )


def _is_written_later(program: Program, number: int) -> bool:
    """Return whether an instruction writes into the buffer that begins with a value, as a loop fills a stack."""
    names = (program.dump.values.names[later] for later in program.buffers.members(number) if later != number)
    return any(program.opcode(name) not in WRITES_NOTHING | MOVES for name in names)


def _is_donated(program: Program, number: int) -> bool:
    allocation = program.dump.allocations[program.dump.values.allocations[number]]
    return allocation.parameter is not None and allocation.is_maybe_live_out


def _is_held(program: Program, number: int, moment: int) -> bool:
    dump = program.dump
    allocation = dump.allocations[dump.values.allocations[number]]
    return allocation.parameter is not None or dump.starts[number] <= moment <= dump.ends[number]


def _group(memory: Memory, cuts: dict[int, list[Stretch]], more: Sequence[Change] = ()) -> AvoidableGroup:
    size = sum(memory.temps[number].size_bytes for number in memory.at_peak if number in cuts)
    return AvoidableGroup(values=tuple(cuts), size_bytes=size, outcome=memory.without(cuts, more))
