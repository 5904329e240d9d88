"""Does each live range fit the schedule, its definition and its uses?"""

from collections.abc import Iterator

from reportgen.analyse.callers import calls_computations
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Analysis, Finding, ValueFacts, moments_of
from reportgen.model import LiveRange, UsedValue, ValueKey


def check_live_ranges(analysis: Analysis) -> Iterator[Finding]:
    if analysis.dump.live_ranges is None:
        return
    yield from _owners(analysis)
    yield from _inside_schedule(analysis)
    yield from _absent(analysis)
    for number, fact in enumerate(analysis.facts):
        if fact.live:
            yield from _start(analysis, number, fact, fact.live)
            yield from _end(analysis, number, fact, fact.live)


def _owners(analysis: Analysis) -> Iterator[Finding]:
    seen: set[ValueKey] = set()
    for live in analysis.dump.live_ranges or ():
        if live.key not in analysis.dump.value_by_key:
            message = f"there is a live range for {live.key}, which has no bytes"
            yield finding(analysis, "range-without-value", message, live.place)
        elif live.key in seen:
            yield finding(analysis, "range-without-value", f"{live.key} has a second live range", live.place)
        seen.add(live.key)


def _inside_schedule(analysis: Analysis) -> Iterator[Finding]:
    moments = moments_of(analysis.dump)
    for live in analysis.dump.live_ranges or ():
        if not 0 <= live.start <= live.end <= moments:
            message = f"{live.key} lives from {live.start} to {live.end}; the schedule goes from 0 to {moments}"
            yield finding(analysis, "range-outside-schedule", message, live.place)


def _absent(analysis: Analysis) -> Iterator[Finding]:
    for number, fact in enumerate(analysis.facts):
        is_thread_local = analysis.dump.allocations[fact.value.allocation].is_thread_local
        if is_thread_local and fact.live:
            message = f"{fact.value.key} is thread-local and yet has a live range"
            yield finding(analysis, "thread-local", message, fact.value.place, values=(number,))
        elif not is_thread_local and not fact.live:
            message = f"{fact.value.key} has no live range, so it is live at no moment"
            yield finding(analysis, "value-without-range", message, fact.value.place, values=(number,))


def _start(analysis: Analysis, number: int, fact: ValueFacts, live: LiveRange) -> Iterator[Finding]:
    defined = analysis.dump.moment_of.get(fact.value.key.name)
    if defined is None or defined == live.start or _is_parameter(analysis, fact):
        return
    message = f"{live.key} is defined at {defined} and lives from {live.start}"
    slug = "range-start"
    if live.start in _positioned_at(analysis, fact):
        slug, message = "async-start", f"{message}, where an async operation hands it on"
    yield finding(analysis, slug, message, live.place, values=(number,))


def _positioned_at(analysis: Analysis, fact: ValueFacts) -> set[int | None]:
    """The moments of the instructions that a value is positioned at."""
    used = analysis.dump.used_by_key.get(fact.value.key)
    return {analysis.dump.moment_of.get(position.name) for position in used.positions} if used else set()


def _is_parameter(analysis: Analysis, fact: ValueFacts) -> bool:
    """Parameters live from the start of their computation. Without instruction text that is assumed."""
    text = analysis.dump.instruction_text(fact.value.key.name)
    return text is None or b" parameter(" in text


def _end(analysis: Analysis, number: int, fact: ValueFacts, live: LiveRange) -> Iterator[Finding]:
    used = analysis.dump.used_by_key.get(fact.value.key)
    if used is None:
        return
    last_moment, last_use = _last_use(analysis, used)
    if last_moment > live.end:
        slug, why = _early_end(analysis, number, live, last_moment, last_use)
        message = f"{live.key} lives to {live.end} and is used by {last_use} at {last_moment}{why}"
        yield finding(analysis, slug, message, live.place, values=(number,))
    if live.end < moments_of(analysis.dump) and _is_at_root(analysis, used):
        message = f"{live.key} is part of the result and lives only to {live.end}"
        yield finding(analysis, "ends-early", message, live.place, values=(number,))


def _last_use(analysis: Analysis, used: UsedValue) -> tuple[int, str]:
    moment_of = analysis.dump.moment_of
    return max(((moment_of.get(use.name, -1), use.name) for use in used.uses), default=(-1, ""))


def _early_end(analysis: Analysis, number: int, live: LiveRange, last_moment: int, last_use: str) -> tuple[str, str]:
    """The kind of a use behind the end of a range, with the reason where the reason is known."""
    successors = [analysis.facts[n] for n in analysis.tenancy.after[number]]
    if calls_computations(analysis.dump, last_use):
        return "caller-handover", ", which calls a computation: that is scheduled before its caller"
    if last_moment == live.end + 1 and any(s.live and s.live.start == last_moment for s in successors):
        return "alias-gap", ": builds before 2022-06-24 end a value one moment before its alias starts"
    return "use-after-end", ""


def _is_at_root(analysis: Analysis, used: UsedValue) -> bool:
    if not analysis.dump.schedule:
        return False
    root = analysis.dump.schedule[-1].name.encode()
    return root in used.positions_text and any(position.name == root.decode() for position in used.positions)
