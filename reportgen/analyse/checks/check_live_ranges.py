"""Check that each live range fits the schedule, its definition and its uses."""

from collections.abc import Iterator, Mapping
from itertools import compress, islice, repeat
from operator import ne

from reportgen.analyse.checks.declaration import check, without_live_ranges
from reportgen.analyse.findings import finding
from reportgen.analyse.liveness import liveness
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding
from reportgen.model import LiveRange, LiveRanges, UsedValues, users_in
from reportgen.program.buffers import stretches

_ASYNC = (b"async", b"-start", b"-done", b"-update")
"""What the names of asynchronous instructions contain."""


def _without_uses(figures: Figures) -> str:
    unknown = "the dump does not say who uses a value" if figures.dump.used_values is None else ""
    return without_live_ranges(figures) or unknown


@check(
    name="Owners",
    question="Does every live range belong to a value with bytes, and each value have one at most?",
    subject="live ranges",
    skips=without_live_ranges,
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
    skips=without_live_ranges,
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
    skips=without_live_ranges,
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
        elif not is_thread_local and start < 0:
            message = f"{values.keys[number]} has no live range, so it is never live"
            yield finding("value-without-range", message, values.text_offsets[number], values=(number,))


@check(
    name="Arguments",
    question="Does each argument live from the start to the end unless it gives its bytes to the result?",
    subject="allocations",
    skips=without_live_ranges,
)
def arguments(figures: Figures) -> Iterator[Finding]:
    """Look at the arguments: they live from 0, and to the end unless they give their bytes away."""
    facts, definitions = figures.facts, figures.definitions
    for place, number in figures.program.arguments.items():
        allocation = figures.dump.allocations[place]
        start, end = _first_stretch(figures, number)
        definition = definitions.get(figures.dump.values.names[number])
        if start < 0 or definition is None or definition.parameter != allocation.parameter:
            continue
        if not allocation.is_maybe_live_out and (start, end) != (0, figures.moments):
            slug = "range-start" if start else "ends-early"
            key = figures.dump.values.keys[number]
            message = f"{key} is an argument that is not donated, but lives from {start} to {end}"
            yield finding(slug, message, facts.live(number).text_offset, values=(number,))


def _first_stretch(figures: Figures, number: int) -> tuple[int, int]:
    """Return the first stretch in which an argument is live, also as the state of a loop; (-1, -1) without one."""
    lives = stretches(figures.program.buffers.members(number), figures.facts.starts, figures.facts.ends)
    return (lives[0][0], lives[0][1]) if lives else (-1, -1)


def _late_end(figures: Figures, number: int, last_moment: int) -> Iterator[Finding]:
    """Report the end of a range that comes after the last use, unless the dump shows the reason."""
    known, end = liveness(figures, number), figures.facts.ends[number]
    is_held_by_caller = end < figures.moments or known.rule in ("result", "parameter")
    if known.rule != "unknown" and is_held_by_caller:
        return
    entries, row = figures.dump.used_values or UsedValues(), figures.dump.used_rows[number]
    moment = max(last_moment, figures.facts.starts[number])
    message = f"{entries.keys[row]} lives to {end:,}, but nothing needs it after {moment:,}"
    touched = entries.positions[row] + entries.uses[row]
    is_async = any(mark in touched for mark in _ASYNC) or _is_done(figures, figures.dump.name_at.get(end, ""))
    slug = "async-end" if is_async else "ends-late"
    yield finding(slug, message, figures.facts.live(number).text_offset, values=(number,))


@check(
    name="Starts",
    question="Does each live range start where its value is defined?",
    subject="live ranges",
    exceptions="A parameter lives from the start of its computation. What an asynchronous operation makes may start"
    " where the operation hands it on.",
    skips=without_live_ranges,
)
def starts_at_definition(figures: Figures) -> Iterator[Finding]:
    """Report live ranges that start at another moment than the instruction that defines the value."""
    names, starts = figures.dump.values.names, figures.facts.starts
    defined = list(map(figures.dump.moment_of.get, names))
    for number in compress(range(len(names)), map(ne, defined, starts)):
        moment = defined[number]
        if starts[number] >= 0 and moment is not None and not _is_parameter(figures, names[number]):
            yield _start(figures, number, moment)


def _start(figures: Figures, number: int, defined: int) -> Finding:
    live = figures.facts.live(number)
    message = f"{live.key} is defined at {defined} and lives from {live.start}"
    slug = "range-start"
    used = figures.dump.used(number)
    if used and live.start in {figures.dump.moment_of.get(position.name) for position in used.positions}:
        slug, message = "async-start", f"{message}, where an async operation hands it on"
    return finding(slug, message, live.text_offset, values=(number,))


def _is_parameter(figures: Figures, name: str) -> bool:
    """Return whether an instruction is a parameter, which without its text is assumed."""
    if definition := figures.definitions.get(name):
        return definition.parameter is not None
    return name in figures.program.dialect.unread or not figures.program.text(name)


@check(
    name="Uses",
    question="Does each live range end with the last need for its value, and that of a result with the schedule?",
    subject="live ranges",
    exceptions="A while, call or conditional is scheduled after the computation that it calls, which has taken over its"
    " operands by then. Builds before 2022-06-24 end a value one instruction before its alias starts."
    " An asynchronous operation may hold its operands until it is done.",
    skips=_without_uses,
)
def ends_with_last_need(figures: Figures) -> Iterator[Finding]:
    """Compare the end of each live range with the last use, and with the end of the schedule for a result."""
    dump, moments = figures.dump, figures.moments
    entries, allocations = dump.used_values or UsedValues(), dump.values.allocations
    last_moments = _last_moments(entries, dump.moment_of_user)
    root = figures.program.returning.encode() or None
    kept = [allocation.parameter is not None and not allocation.is_maybe_live_out for allocation in dump.allocations]
    for number, (row, end) in enumerate(zip(dump.used_rows, figures.facts.ends, strict=True)):
        if row < 0 or end < 0:
            continue
        is_at_root = root is not None and root in entries.positions[row] and _has_row(entries.positions[row], root)
        is_kept_to_end = end >= moments and (is_at_root or kept[allocations[number]])
        if last_moments[row] > end:
            yield _early_end(figures, number, last_moments[row])
        elif last_moments[row] < end and not is_kept_to_end:
            yield from _late_end(figures, number, last_moments[row])
        if is_at_root and end < moments:
            message = f"{entries.keys[row]} is part of the result, but lives only to {end}"
            yield finding("ends-early", message, figures.facts.live(number).text_offset, values=(number,))


def _last_moments(entries: UsedValues, moment_of: Mapping[bytes, int]) -> list[int]:
    """Return the moment of each entry's last reader in the schedule; -1 where none is scheduled."""
    moments = map(moment_of.get, users_in(b"".join(entries.uses)), repeat(-1))
    counts = [uses.count(b", operand ") for uses in entries.uses]
    # Most values have one reader, and `max` of one takes four times as long as the reader itself.
    return [next(moments) if count == 1 else max(islice(moments, count), default=-1) for count in counts]


def _has_row(positions: bytes, name: bytes) -> bool:
    """Return whether a row of positions names an instruction, with an index or without one."""
    return any(b"  " + name + end in positions for end in (b" ", b"\n"))


def _early_end(figures: Figures, number: int, last_moment: int) -> Finding:
    """Report a use after the end of a range, with the reason where the reason is known."""
    live = figures.facts.live(number)
    moment_of = figures.dump.moment_of_user
    last_use = max(user for user in figures.dump.users(number) if moment_of.get(user, -1) == last_moment).decode()
    slug, why = _why_early(figures, number, live, last_moment, last_use)
    last = f"last used by {last_use} at instruction {last_moment:,}"
    message = f"{live.key} lives to instruction {live.end:,} and is {last}{why}"
    return finding(slug, message, live.text_offset, values=(number,))


def _why_early(figures: Figures, number: int, live: LiveRange, last_moment: int, last_use: str) -> tuple[str, str]:
    successor_starts = [figures.facts.starts[n] for n in figures.reuse.successors[number]]
    if _is_only_handed_on(figures, number, live.end):
        return "async-end", f"; its uses after instruction {live.end:,} only pass it on. Expected"
    if figures.program.runs_computations(last_use):
        return "caller-handover", "; the computation that this calls is scheduled before it. Expected"
    if figures.dump.has_addresses and last_moment == live.end + 1 and last_moment in successor_starts:
        return "alias-gap", ": builds before 2022-06-24 end a value one instruction before its alias starts"
    return "use-after-end", ""


def _is_only_handed_on(figures: Figures, number: int, end: int) -> bool:
    """Return whether none of the uses after the end of a range reads the value then.

    What an instruction runs is scheduled before it, and has taken over the operands by then. The end of an asynchronous
    operation names the operands, which are the first element of what its start makes, and reads none of them.
    """
    moment_of, used = figures.dump.moment_of, figures.dump.used(number)
    late = (use for use in (used.uses if used else ()) if moment_of.get(use.name, -1) > end)
    return all(
        (use.shape_index.startswith("{0") and _is_done(figures, use.name)) or _runs_scheduled(figures, use.name)
        for use in late
    )


def _is_done(figures: Figures, name: str) -> bool:
    """Return whether an instruction ends an asynchronous operation; without its text, whether its name says so."""
    opcode = figures.program.opcode(name)
    return opcode.endswith("-done") if opcode else "done" in name


def _runs_scheduled(figures: Figures, name: str) -> bool:
    """Return whether an instruction runs a computation that the schedule lists, which that of a fusion is not."""
    program, moment_of = figures.program, figures.dump.moment_of
    bodies = (program.module.members(computation) for computation in program.called(name)) if program.module else ()
    return any(member in moment_of for body in bodies for member in body)


CHECKS = (
    owners,
    inside_schedule,
    missing_ranges,
    arguments,
    starts_at_definition,
    ends_with_last_need,
)
