"""Divide the schedule into phases: the forward pass, the backward pass, the update, and loops and scopes in them.

The op_names of a gradient say which pass an instruction belongs to: `jvp(…)` the forward pass, `transpose(jvp(…))` the
backward pass. XLA moves single instructions across the border, so the border is where the votes of all instructions
separate the two best. What comes after the backward pass is the update. A program without a gradient is one phase.

The outermost named scopes of a pass are phases where XLA has kept the instructions of each together. Numbered siblings,
as the layers of a network, are one.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal

from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import main_space
from reportgen.program.program import Program
from reportgen.program.scopes import path, pattern
from reportgen.record import record

Kind = Literal["forward", "backward", "update", "program", "loop", "scope"]

_IS_NAME = re.compile(r"[A-Za-z_][\w.]*")

PASSES: Sequence[Kind] = ("forward", "backward", "update")
"""The phases of a gradient, which cover the schedule."""

_LEAST_PART = 100
"""A loop or scope is a phase if it takes more than this part of the schedule."""

_TOGETHER = 0.8
"""A scope is a phase if it has this part of the named instructions between its first and its last."""


@record
class Phase:
    """A stretch of the schedule, from moment `first` to `last`, with what is resident in the main memory space.

    `begin_bytes` and `end_bytes` are resident at its first and its last moment, `peak_bytes` at most, first at
    `peak_moment`. A loop may run through several passes; `instruction`, `scope` and `source` say which it is.
    """

    kind: Kind
    first: int
    last: int
    begin_bytes: int
    end_bytes: int
    peak_bytes: int
    peak_moment: int
    instruction: str = ""
    scope: str = ""
    source: str = ""


def phases(analysis: Analysis) -> Sequence[Phase]:
    """Return the phases in the order of the schedule, a loop after the pass that it begins in.

    There are none without live ranges.
    """
    space = main_space(analysis.spaces)
    if space is None or space.temp is None or not analysis.dump.schedule.names:
        return ()
    curve = [space.static_bytes + amount for amount in space.temp.at_each(range(max(analysis.moments, 1)))]
    scopes = _outermost_scopes(analysis.program)
    found: list[tuple[Kind, int, int, str]] = []
    for kind, first, last in _passes(analysis.program, len(curve)):
        found.append((kind, first, last, ""))
        found += [("scope", *span, scope) for scope, span in _together(scopes, first, last, len(curve))]
    found += [("loop", first, last, loop) for loop, first, last in _loops(analysis.program, len(curve))]
    order = sorted(found, key=lambda one: (one[1], -one[2], one[0] in ("loop", "scope"), one[3]))
    return [_phase(analysis.program, curve, *one) for one in order]


def forward_end(program: Program, moments: int) -> int | None:
    """Return the moment that best separates the forward from the backward pass; None without a backward pass."""
    if not program.has_backward_pass:
        return None
    return _border(_votes(program, moments, {"forward": 1, "backward": -1}), 0)


def _passes(program: Program, moments: int) -> Iterator[tuple[Kind, int, int]]:
    """Yield the passes, which cover the schedule and do not overlap."""
    middle = forward_end(program, moments)
    if middle is None:
        yield "program", 0, moments - 1
        return
    last = _border(_votes(program, moments, {"backward": 1, "": -1}), middle + 1)
    yield "forward", 0, middle
    if middle + 1 < moments:
        yield "backward", middle + 1, last
    if last + 1 < moments:
        yield "update", last + 1, moments - 1


def _votes(program: Program, moments: int, weights: Mapping[str, int]) -> Sequence[int]:
    """Return what the instruction at each moment says; one without a name says nothing."""
    votes = [0] * moments
    for moment, op_name, towards in zip(
        program.dump.schedule.moments, program.op_names, program.directions, strict=True
    ):
        if moment < moments and op_name:
            votes[moment] = weights.get(towards, 0)
    return votes


def _border(votes: Sequence[int], start: int) -> int:
    """Return the last moment of the stretch from `start` on that most votes are for."""
    score = list(accumulate(votes[start:])) or [0]
    return min(start + score.index(max(score)), len(votes) - 1)


def _loops(program: Program, moments: int) -> Iterable[tuple[str, int, int]]:
    """Return the loops that run in no other loop, each with the first and the last moment of what it runs."""
    loops = frozenset(program.loops)
    if not loops:
        return ()
    spans: dict[str, tuple[int, int]] = {}
    schedule = program.dump.schedule
    for moment, name in zip(schedule.moments, schedule.names, strict=True):
        around = program.loops_around(name)
        loop = around[-1] if around else name if name in loops else ""
        if loop and moment < moments:
            first, last = spans.get(loop, (moment, moment))
            spans[loop] = min(first, moment), max(last, moment)
    return ((loop, *span) for loop, span in spans.items() if (span[1] - span[0] + 1) * _LEAST_PART >= moments)


def _outermost_scopes(program: Program) -> Sequence[tuple[int, str]]:
    """Return each moment whose instruction is in a named scope, with the outermost of them."""
    known = {op_name: _outermost(op_name) for op_name in set(program.op_names)}
    rows = zip(program.dump.schedule.moments, map(known.__getitem__, program.op_names), strict=True)
    return [(moment, scope) for moment, scope in rows if scope]


def _outermost(op_name: str) -> str:
    """Return the outermost scope of an op_name; empty for an argument, which has none."""
    parts = path(op_name) if "/" in op_name else ()
    # An einsum calls itself by its subscripts.
    return pattern(parts[0]) if parts and _IS_NAME.fullmatch(parts[0]) else ""


def _together(
    scopes: Iterable[tuple[int, str]], first: int, last: int, moments: int
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the scopes of a pass whose instructions lie together; none where there is only one scope."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for moment, scope in scopes:
        if first <= moment <= last:
            found[scope].append(moment)
    named = sorted(moment for held in found.values() for moment in held)
    for scope, held in found.items() if len(found) > 1 else ():
        span = held[0], held[-1]
        inside = bisect_right(named, span[1]) - bisect_left(named, span[0])
        if (span[1] - span[0] + 1) * _LEAST_PART >= moments and len(held) >= _TOGETHER * inside:
            yield scope, span


def _phase(program: Program, curve: Sequence[int], kind: Kind, first: int, last: int, what: str) -> Phase:
    """Return a phase; `what` is the instruction of a loop, or the name of a scope."""
    amounts = curve[first : last + 1]
    most = max(amounts)
    loop = what if kind == "loop" else ""
    frame = next((frame for frame in program.stack(loop) if not frame.is_of_library), None) if loop else None
    return Phase(
        kind=kind,
        first=first,
        last=last,
        begin_bytes=amounts[0],
        end_bytes=amounts[-1],
        peak_bytes=most,
        peak_moment=first + amounts.index(most),
        instruction=loop,
        scope=program.op_name(loop) if loop else what,
        source=str(frame) if frame else "",
    )
