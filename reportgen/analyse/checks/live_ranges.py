"""Does each live range fit the schedule, its definition and its uses?"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import repeat

from reportgen.analyse.callers import calls_computations
from reportgen.analyse.checks.check import Check, without_live_ranges
from reportgen.analyse.findings import finding
from reportgen.analyse.judgements import Finding
from reportgen.analyse.records import Placement, moments_of
from reportgen.model import Dump, LiveRange, UsedValue, ValueKey


def _without_uses(placement: Placement) -> str:
    unknown = "the dump does not say who uses a value" if placement.dump.used_values is None else ""
    return without_live_ranges(placement) or unknown


def _owners(placement: Placement) -> Iterator[Finding]:
    dump = placement.dump
    if len(dump.range_by_key) == len(dump.live_ranges or ()) and dump.range_by_key.keys() <= dump.value_by_key.keys():
        return
    seen: set[ValueKey] = set()
    for live in dump.live_ranges or ():
        if live.key not in dump.value_by_key:
            message = f"there is a live range for {live.key}, which has no bytes"
            yield finding("range-without-value", message, live.place)
        elif live.key in seen:
            yield finding("range-without-value", f"{live.key} has a second live range", live.place)
        seen.add(live.key)


def _inside_schedule(placement: Placement) -> Iterator[Finding]:
    moments = moments_of(placement.dump)
    for live in placement.dump.live_ranges or ():
        if not 0 <= live.start <= live.end <= moments:
            message = f"{live.key} lives from {live.start} to {live.end}; the schedule goes from 0 to {moments}"
            yield finding("range-outside-schedule", message, live.place)


def _absent(placement: Placement) -> Iterator[Finding]:
    for number, fact in enumerate(placement.facts):
        is_thread_local = placement.dump.allocations[fact.value.allocation].is_thread_local
        if is_thread_local and fact.live:
            message = f"{fact.value.key} is thread-local and yet has a live range"
            yield finding("thread-local", message, fact.value.place, values=(number,))
        elif not is_thread_local and not fact.live:
            message = f"{fact.value.key} has no live range, so it is live at no moment"
            yield finding("value-without-range", message, fact.value.place, values=(number,))


def _starts(placement: Placement) -> Iterator[Finding]:
    moment_of, is_parameter = placement.dump.moment_of, cache(partial(_is_parameter, placement.dump))
    for number, fact in enumerate(placement.facts):
        if fact.live:
            defined = moment_of.get(fact.value.key.name)
            if defined is not None and defined != fact.live.start and not is_parameter(fact.value.key.name):
                yield _start(placement, number, fact.live, defined)


def _start(placement: Placement, number: int, live: LiveRange, defined: int) -> Finding:
    message = f"{live.key} is defined at {defined} and lives from {live.start}"
    slug = "range-start"
    if live.start in _positioned_at(placement, live.key):
        slug, message = "async-start", f"{message}, where an async operation hands it on"
    return finding(slug, message, live.place, values=(number,))


def _positioned_at(placement: Placement, key: ValueKey) -> set[int | None]:
    """The moments of the instructions that a value is positioned at."""
    used = placement.dump.used_by_key.get(key)
    return {placement.dump.moment_of.get(position.name) for position in used.positions} if used else set()


def _is_parameter(dump: Dump, name: str) -> bool:
    """Parameters live from the start of their computation. Without instruction text that is assumed."""
    return dump.instruction_contains(name, b" parameter(") is not False


def _ends(placement: Placement) -> Iterator[Finding]:
    dump, moments = placement.dump, moments_of(placement.dump)
    used_by_key, moment_of = dump.used_by_key, dump.moment_of_user
    root = dump.schedule[-1].name.encode() if dump.schedule else None
    for number, fact in enumerate(placement.facts):
        live, used = fact.live, used_by_key.get(fact.value.key)
        if live is None or used is None:
            continue
        last_moment = max(map(moment_of.get, used.users, repeat(-1)), default=-1)
        if last_moment > live.end:
            yield _early_end(placement, number, live, used, last_moment)
        if root is not None and live.end < moments and root in used.positions_text and _is_at(used, root):
            message = f"{live.key} is part of the result and lives only to {live.end}"
            yield finding("ends-early", message, live.place, values=(number,))


def _is_at(used: UsedValue, name: bytes) -> bool:
    return any(position.name == name.decode() for position in used.positions)


def _early_end(placement: Placement, number: int, live: LiveRange, used: UsedValue, last_moment: int) -> Finding:
    """What to say of a use behind the end of a range, with the reason where the reason is known."""
    moment_of = placement.dump.moment_of_user
    last_use = max(user for user in used.users if moment_of.get(user, -1) == last_moment).decode()
    slug, why = _why_early(placement, number, live, last_moment, last_use)
    message = f"{live.key} lives to {live.end} and is used by {last_use} at {last_moment}{why}"
    return finding(slug, message, live.place, values=(number,))


def _why_early(placement: Placement, number: int, live: LiveRange, last_moment: int, last_use: str) -> tuple[str, str]:
    successors = [placement.facts[n] for n in placement.tenancy.after[number]]
    if calls_computations(placement.dump, last_use):
        return "caller-handover", ", which calls a computation: that is scheduled before its caller"
    if last_moment == live.end + 1 and any(s.live and s.live.start == last_moment for s in successors):
        return "alias-gap", ": builds before 2022-06-24 end a value one moment before its alias starts"
    return "use-after-end", ""


CHECKS = (
    Check(
        name="Owners",
        question="Does every live range belong to a value with bytes, and each value have one at most?",
        subject="live ranges",
        run=_owners,
        exempts=without_live_ranges,
    ),
    Check(
        name="Ranges in the schedule",
        question="Does each live range start before it ends, both inside the schedule?",
        subject="live ranges",
        run=_inside_schedule,
        legal="What belongs to the result lives to one moment past the last instruction.",
        exempts=without_live_ranges,
    ),
    Check(
        name="Values with ranges",
        question="Has every value a live range, and a thread-local one none?",
        subject="values",
        run=_absent,
        legal="Newer builds give constants that are used only inside reducers no live range.",
        exempts=without_live_ranges,
    ),
    Check(
        name="Starts",
        question="Does each live range start where its value is defined?",
        subject="live ranges",
        run=_starts,
        legal=(
            "A parameter lives from the start of its computation. What an asynchronous operation makes may start"
            " where the operation hands it on."
        ),
        exempts=without_live_ranges,
    ),
    Check(
        name="Uses",
        question="Does each live range reach to the last use, and that of a result to the end of the schedule?",
        subject="live ranges",
        run=_ends,
        legal=(
            "A while, call or conditional stands behind the computation that it calls, so what it is given has been"
            " handed on by then. Builds before 2022-06-24 end a value one moment before its alias starts."
        ),
        exempts=_without_uses,
    ),
)
