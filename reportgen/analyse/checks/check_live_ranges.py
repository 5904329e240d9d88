"""Check that each live range fits the schedule, its definition and its uses."""

from collections.abc import Iterator, Mapping
from itertools import compress, islice, repeat
from operator import ne

from reportgen.analyse.checks.declaration import check, without_exact_ranges
from reportgen.analyse.findings import finding
from reportgen.analyse.liveness import liveness
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding
from reportgen.model import LiveRanges, UsedValues, users_in


def _without_uses(figures: Figures) -> str:
    unknown = "the dump does not say who uses a value" if figures.dump.used_values is None else ""
    return without_exact_ranges(figures) or unknown


@check(
    name="Owners",
    question="Does every live range belong to a value with bytes, and each value have one at most?",
    subject="live ranges",
    skips=without_exact_ranges,
)
def owners(figures: Figures) -> Iterator[Finding]:
    """Report live ranges of unknown values, and the second range of a value; a sound dump needs no look at each."""
    ranges, values = figures.dump.live_ranges or LiveRanges(), figures.dump.number_of
    known = set(ranges.keys)
    if len(known) == len(ranges) and known <= values.keys():
        return
    seen: set[str] = set()
    for row, key in enumerate(ranges.keys):
        if key not in values:
            message = f"there is a live range for {key}, which has no bytes"
            yield finding("range-without-value", message, ranges.text_offsets[row])
        elif key in seen:
            yield finding("range-without-value", f"{key} has a second live range", ranges.text_offsets[row])
        seen.add(key)


@check(
    name="Ranges in the schedule",
    question="Does each live range start before it ends, both inside the schedule?",
    subject="live ranges",
    exceptions="What belongs to the result lives to one past the last instruction.",
    skips=without_exact_ranges,
)
def inside_schedule(figures: Figures) -> Iterator[Finding]:
    """Report live ranges that end before they start, or leave the schedule."""
    moments, ranges = figures.moments, figures.dump.live_ranges or LiveRanges()
    for row, (start, end) in enumerate(zip(ranges.starts, ranges.ends, strict=True)):
        if not 0 <= start <= end <= moments:
            key = ranges.keys[row]
            message = f"{key} lives from {start:,} to {end:,}; the schedule goes from 0 to {moments:,}"
            owner = figures.dump.number_of.get(key)
            values = () if owner is None else (owner,)
            yield finding("range-outside-schedule", message, ranges.text_offsets[row], values=values)


@check(
    name="Values with ranges",
    question="Does each scheduled value have a live range, and a thread-local one none?",
    subject="values",
    exceptions="Newer builds give constants that are used only inside reducers no live range.",
    skips=without_exact_ranges,
)
def missing_ranges(figures: Figures) -> Iterator[Finding]:
    """Report values that wrongly have a live range, or have none; a start below 0 means that there is none.

    The columns are compared first, because hardly any value needs a closer look.
    """
    moment_of, starts = figures.dump.moment_of, figures.facts.starts
    values, allocations = figures.dump.values, figures.dump.allocations
    thread_local = [allocation.is_thread_local for allocation in allocations]
    columns = zip(map(moment_of.__contains__, values.names), map((0).__le__, starts), values.allocations, strict=True)
    unusual = [
        number
        for number, (is_scheduled, is_live, allocation) in enumerate(columns)
        if is_live is not is_scheduled or is_live is thread_local[allocation]
    ]
    for number in unusual:
        start, is_thread_local = starts[number], thread_local[values.allocations[number]]
        if is_thread_local and start >= 0:
            message = f"{values.keys[number]} is thread-local and yet has a live range"
            yield finding("thread-local", message, values.text_offsets[number], values=(number,))
        elif start >= 0 and values.names[number] not in moment_of:
            message = f"{values.keys[number]} has a live range, but its instruction is not in the schedule"
            yield finding("schedule-damaged", message, values.text_offsets[number], values=(number,))
        elif start < 0 and values.names[number] in moment_of:
            message = f"{values.keys[number]} has no live range, although its instruction is scheduled"
            yield finding("range-missing", message, values.text_offsets[number], values=(number,))


@check(
    name="Arguments",
    question="Does each argument live from the start to the end unless it gives its bytes to the result?",
    subject="allocations",
    skips=without_exact_ranges,
)
def arguments(figures: Figures) -> Iterator[Finding]:
    """Look at the arguments: they live from 0, and to the end unless they give their bytes away."""
    facts, definitions = figures.facts, figures.definitions
    for place, number in figures.program.arguments.items():
        allocation, key = figures.dump.allocations[place], figures.dump.values.keys[number]
        definition = definitions.get(figures.dump.values.names[number])
        is_known = facts.starts[number] >= 0 and definition is not None and definition.parameter == allocation.parameter
        if allocation.is_maybe_live_out or not is_known:
            continue
        start, end = _stretch(figures, number)
        if (start, end) != (0, figures.moments):
            slug = "range-start" if start else "ends-early"
            message = f"{key} is an argument that is not donated, but lives from {start} to {end}"
            yield finding(slug, message, facts.live(number).text_offset, values=(number,))


def _stretch(figures: Figures, number: int) -> tuple[int, int]:
    """Return the moments of a value's life, or of its buffer's, which has a loop's state from the argument on."""
    starts, ends = figures.facts.starts, figures.facts.ends
    if (starts[number], ends[number]) == (0, figures.moments):
        return 0, figures.moments  # because the chains of a large dump take a hundredth of its check
    chain = figures.reuse.chains.get(number, (number,))
    return starts[chain[0]], ends[chain[-1]]


@check(
    name="Starts",
    question="Does each live range start where its value is defined?",
    subject="live ranges",
    exceptions="A parameter lives from the start of its computation. What an asynchronous operation makes may start"
    " where the operation hands it on.",
    skips=without_exact_ranges,
)
def starts_at_definition(figures: Figures) -> Iterator[Finding]:
    """Report live ranges that start at another moment than the instruction that defines the value."""
    names, starts = figures.dump.values.names, figures.facts.starts
    defined = list(map(figures.dump.moment_of.get, names))
    for number in compress(range(len(names)), map(ne, defined, starts)):
        moment, start = defined[number], starts[number]
        if start < 0 or moment is None or _is_parameter(figures, names[number]):
            continue
        if not _starts_where_handed_on(figures, number):
            live = figures.facts.live(number)
            message = f"{live.key} is defined at {moment} and lives from {start}"
            yield finding("range-start", message, live.text_offset, values=(number,))


def _starts_where_handed_on(figures: Figures, number: int) -> bool:
    """Return whether a value starts where a part of what its instruction makes is handed on, or where that is started.

    What an asynchronous operation runs is no part of the schedule around it (XLA `HloLiveRange`,
    `computations_in_async_context_`). Without HLO text nobody knows what an operation runs that starts there.
    """
    program, dump, start = figures.program, figures.dump, figures.facts.starts[number]
    name, starter = dump.values.names[number], figures.program.instruction_at(start)
    if program.module is None and program.opcode_or_name(starter).endswith("-start"):
        return True
    parts = map(dump.used, dump.made_by.get(name, ()))
    handed_on = {position.name for part in parts if part for position in part.positions}
    return starter in handed_on or (program.module is not None and starter in program.module.path_to_entry(name))


def _is_parameter(figures: Figures, name: str) -> bool:
    """Return whether an instruction is a parameter, which without its text is assumed."""
    if definition := figures.definitions.get(name):
        return definition.parameter is not None
    return name in figures.program.dialect.unread or not figures.program.text(name)


@check(
    name="Uses",
    question="Do the live ranges of a buffer end with the last need for its values, and that of a result with the"
    " schedule?",
    subject="live ranges",
    exceptions="Where values of one buffer overlap, XLA gives the later one the later end. A while, call or conditional"
    " is scheduled after the computation that it calls, which has taken over its operands by then.",
    skips=_without_uses,
)
def ends_with_last_need(figures: Figures) -> Iterator[Finding]:
    """Report ends that no rule of XLA explains, for the value or for another one of its buffer."""
    dump = figures.dump
    entries = dump.used_values or UsedValues()
    last_moments = _last_moments(entries, dump.moment_of_user)
    root = figures.program.returning.encode() or None
    for number, (row, end) in enumerate(zip(dump.used_rows, figures.facts.ends, strict=True)):
        if row < 0 or end < 0:
            continue
        is_at_root = root is not None and root in entries.positions[row] and _has_row(entries.positions[row], root)
        if last_moments[row] != end and not (is_at_root and end >= figures.moments > last_moments[row]):
            yield from _unexplained_end(figures, number)
        if is_at_root and end < figures.moments and _stretch(figures, number)[1] < figures.moments:
            message = f"{entries.keys[row]} is part of the result, but lives only to {end}"
            yield finding("ends-early", message, figures.facts.live(number).text_offset, values=(number,))


def _unexplained_end(figures: Figures, number: int) -> Iterator[Finding]:
    """Report the end of a live range that is not that of the last use, unless the dump shows the reason."""
    found, live = liveness(figures, number), figures.facts.live(number)
    if found.rule != "unknown":
        return
    if found.last_use is not None and found.last_use > live.end:
        slug = "use-after-end"
        message = f"{live.key} lives to {live.end:,} and is last used by {found.last_user} at {found.last_use:,}"
    else:
        slug, last = "ends-late", max(found.last_use or 0, live.start)
        message = f"{live.key} lives to {live.end:,}, but nothing needs it after {last:,}"
    yield finding(slug, message, live.text_offset, values=(number,))


def _last_moments(entries: UsedValues, moment_of: Mapping[bytes, int]) -> list[int]:
    """Return the moment of each entry's last reader in the schedule; -1 where none is scheduled."""
    moments = map(moment_of.get, users_in(b"".join(entries.uses)), repeat(-1))
    counts = [uses.count(b", operand ") for uses in entries.uses]
    # Most values have one reader, and `max` of one takes four times as long as the reader itself.
    return [next(moments) if count == 1 else max(islice(moments, count), default=-1) for count in counts]


def _has_row(positions: bytes, name: bytes) -> bool:
    """Return whether a row of positions names an instruction, with an index or without one."""
    return any(b"  " + name + end in positions for end in (b" ", b"\n"))


CHECKS = (
    owners,
    inside_schedule,
    missing_ranges,
    arguments,
    starts_at_definition,
    ends_with_last_need,
)
