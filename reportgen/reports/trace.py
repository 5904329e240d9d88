"""Write the memory of modules over program order as a Chrome trace, which Perfetto and `chrome://tracing` open.

Time in a trace is microseconds; here a microsecond is a moment of the schedule. Format: "Trace Event Format", the JSON
object with `traceEvents`, of the Chromium project.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from reportgen.analyse.records import Space
from reportgen.intervals.step_function import StepFunction
from reportgen.reports.formats import visible
from reportgen.reports.json_lines import escape_unprintable
from reportgen.reports.report import Report, key_text

MOST_VALUES = 200
"""Values of each memory space that get a bar: each is a track, and more tracks cannot be read."""

_INSTRUCTIONS = 1

Event = dict[str, Any]


def trace_json(reports: Iterable[Report]) -> bytes:
    """Return a trace with a process for each module: its instructions, the bytes of each space, its largest values."""
    events = chain.from_iterable(_module_events(number, report) for number, report in enumerate(reports, start=1))
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
    unit = json.dumps({"time": "1 microsecond is 1 instruction of the schedule"})
    return escape_unprintable(f'{{"displayTimeUnit":"ns","otherData":{unit},"traceEvents":[\n{lines}\n]}}\n')


def _module_events(process: int, report: Report) -> Iterator[Event]:
    """Yield the names of a module's process, its instructions, and the bytes and the largest values of each space."""
    yield _event("M", "process_name", process, args={"name": visible(report.title)})
    yield _event("M", "process_labels", process, args={"labels": visible(report.label)})
    yield _event("M", "thread_name", process, tid=_INSTRUCTIONS, args={"name": "instructions"})
    for moment, name in sorted(report.analysis.dump.name_at.items()):
        yield _event("X", visible(name), process, ts=moment, dur=1, tid=_INSTRUCTIONS)
    facts = report.analysis.facts
    by_size = sorted(range(len(facts)), key=lambda number: (-facts[number].value.size_bytes, facts[number].value.id))
    for space in report.analysis.spaces.values():
        yield from _counters(process, report, space)
        yield from _largest_values(process, report, space, by_size)


def _counters(process: int, report: Report, space: Space) -> Iterator[Event]:
    """Yield the bytes of a space wherever they change: what is resident, in its two parts, and what is live."""
    if space.temp is None or space.live is None:
        return
    name = _space_name(space)
    for moment, amount in _steps(space.temp, report):
        args = {"static": space.static_bytes, "temporary": amount}
        yield _event("C", f"resident in {name} (bytes)", process, ts=moment, args=args)
    for moment, amount in _steps(space.live, report):
        yield _event("C", f"live in {name} (bytes)", process, ts=moment, args={"live": amount})


def _steps(function: StepFunction, report: Report) -> Iterator[tuple[int, int]]:
    """Yield each step, and the last one again at the end of the schedule, where a viewer would stop drawing it."""
    yield from zip(function.moments, function.amounts, strict=True)
    if function.moments[-1] < report.analysis.moments:
        yield report.analysis.moments, function.amounts[-1]


def _largest_values(process: int, report: Report, space: Space, by_size: Sequence[int]) -> Iterator[Event]:
    """Yield a beginning and an end for each of the largest values of a space that have a live range."""
    analysis, shown = report.analysis, 0
    for number in by_size:
        fact = analysis.facts[number]
        if fact.live is None or analysis.dump.allocations[fact.value.allocation].color != space.color:
            continue
        name, category = visible(key_text(fact.value.key)), f"values in {_space_name(space)}"
        args = {
            "bytes": fact.value.size_bytes,
            "allocation": analysis.dump.allocations[fact.value.allocation].index,
            "offset": fact.value.offset_bytes,
            "shape": visible(fact.value.shape),
            "scope": visible(report.attribution(number).scope_name),
        }
        yield _event("b", name, process, cat=category, id=number, ts=fact.live.start, args=args)
        # A value is live at its last moment too, and a bar ends where the next moment begins.
        yield _event("e", name, process, cat=category, id=number, ts=fact.live.end + 1)
        shown += 1
        if shown == MOST_VALUES:
            return


def _space_name(space: Space) -> str:
    return f"space {space.color} · {space.name}"


def _event(phase: str, name: str, process: int, **fields: int | str | Mapping[str, Any]) -> Event:
    return {"ph": phase, "name": name, "pid": process, "tid": 0, "ts": 0} | fields
