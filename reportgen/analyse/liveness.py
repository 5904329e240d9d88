"""Explain why a value is still alive: find the rule by which XLA ended its live range.

A live range often outlasts the last use, and the dump does not say why. XLA has only a few reasons (`HloLiveRange`
in its source): the caller holds the value, it is part of a result, a loop carries it, or an async operation needs it.
Each reason leaves a mark in the dump; `liveness` looks for the marks in a fixed order.

XLA prints the ranges after `HloLiveRange::NormalizeAliasedBuffers`: where two values of one buffer overlap, the later
one gets the later end, and the earlier one ends where the later one starts. So only the union of the ranges of a buffer
says when its bytes are needed.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from reportgen.analyse.records import Figures, ValueFacts
from reportgen.model import LiveRange, Position, Use, UsedValue

Rule = Literal[
    "no range",
    "thread-local",
    "no list of uses",
    "result",
    "parameter",
    "last use",
    "caller",
    "alias",
    "position",
    "async",
    "carried",
    "inherited",
    "part of a result",
    "never used",
    "unknown",
]


class Liveness(NamedTuple):
    """The rule that ends a value's life, and its last reader.

    `last_use` is the moment of `last_user`; both are None where no scheduled instruction reads the value.
    `decider` is the instruction that the rule refers to, where that is another one.
    """

    rule: Rule
    last_use: int | None = None
    last_user: str | None = None
    decider: str | None = None


def liveness(analysis: Figures, number: int) -> Liveness:
    """Return why the value `number` lives to the end of its live range."""
    fact, used = analysis.facts[number], analysis.dump.used(number)
    if used is None:
        return Liveness(_without_range(analysis, fact) if fact.live is None else "no list of uses")
    last_use, last_user = _last(analysis, used.uses)
    if fact.live is None:
        return Liveness(_without_range(analysis, fact), last_use, last_user)
    rule, decider = _rule(analysis, number, fact.live, used, last_use, last_user)
    return Liveness(rule, last_use, last_user, decider)


def _without_range(analysis: Figures, fact: ValueFacts) -> Rule:
    return "thread-local" if analysis.dump.allocations[fact.value.allocation].is_thread_local else "no range"


def _last(analysis: Figures, touches: Iterable[Position | Use]) -> tuple[int | None, str | None]:
    """Return the last of the instructions that are scheduled, with its moment."""
    moment_of = analysis.dump.moment_of
    last: tuple[int | None, str | None] = (None, None)
    for touch in touches:
        moment = moment_of.get(touch.name)
        if moment is not None and (last[0] is None or moment > last[0]):
            last = moment, touch.name
    return last


def _rule(
    analysis: Figures,
    number: int,
    live: LiveRange,
    used: UsedValue,
    last_use: int | None,
    last_user: str | None,
) -> tuple[Rule, str | None]:
    """Return why a live range ends where it does, with the instruction that decides it, if any."""
    # Only results and arguments that the caller wants back unchanged live past the last moment.
    if live.end >= analysis.moments:
        if any(position.name == analysis.program.returning for position in used.positions):
            return "result", None
        if _is_kept(analysis, number):
            return "parameter", None
    if last_use == live.end:
        return "last use", None
    if last_use is not None and last_use > live.end:
        return _ends_before_use(analysis, number, live, used.uses, last_user)
    return _ends_after_use(analysis, number, live, used.positions, last_use)


def _is_kept(analysis: Figures, number: int) -> bool:
    """Return whether a value is in the memory of an argument that is not donated."""
    allocation = analysis.dump.allocations[analysis.dump.values.allocations[number]]
    return allocation.parameter is not None and not allocation.is_maybe_live_out


def _ends_before_use(
    analysis: Figures, number: int, live: LiveRange, uses: tuple[Use, ...], last_user: str | None
) -> tuple[Rule, str | None]:
    """Explain a range that ends before the last use.

    Either that use runs a computation, which is scheduled before it and has taken over the value by then; or other
    values of the buffer hold the bytes from there to the use.
    """
    moment_of = analysis.dump.moment_of
    late = [moment_of[use.name] for use in uses if moment_of.get(use.name, -1) > live.end and _reads(analysis, use)]
    if not late:
        return "caller", last_user
    heirs = [member for member in analysis.reuse.chains.get(number, ()) if analysis.facts.ends[member] > live.end]
    if max((analysis.facts.ends[heir] for heir in heirs), default=-1) < max(late):
        return "unknown", None
    return "alias", analysis.dump.values.names[heirs[0]]


def _reads(analysis: Figures, use: Use) -> bool:
    """Return whether a use reads a value, rather than run computations of the schedule, which read it before."""
    program, moment_of = analysis.program, analysis.dump.moment_of
    if program.runs_computations(use.name):
        return False
    bodies = (program.module.members(called) for called in program.called(use.name)) if program.module else ()
    return not any(member in moment_of for body in bodies for member in body)


def _ends_after_use(
    analysis: Figures, number: int, live: LiveRange, positions: tuple[Position, ...], last_use: int | None
) -> tuple[Rule, str | None]:
    """Explain a range that ends after the last use, or that has no use at all; the first reason that applies counts."""
    last_position, holder = _last(analysis, positions)
    name_at_end = analysis.dump.name_at.get(live.end, "")
    if last_use is None and live.start == live.end:
        return "never used", None
    if last_position == live.end:
        return "position", holder
    if analysis.program.opcode_or_name(name_at_end).endswith("-done"):
        return "async", name_at_end
    if root := _root_at_end(analysis, positions, live.end):
        return "part of a result", root
    if analysis.facts[number].value.is_phi:
        return "carried", None
    chain = analysis.reuse.chains.get(number, (number,))
    for before in chain[: chain.index(number)]:
        if _needed_to(analysis, before) >= live.end:
            return "inherited", analysis.dump.values.names[before]
    return "unknown", None


def _root_at_end(analysis: Figures, positions: tuple[Position, ...], end: int) -> str | None:
    """Return the root at which a value leaves a computation that ends at a moment.

    Without HLO text roots are unknown: then it is the last instruction, or whatever is followed by a caller.
    """
    program = analysis.program
    if program.module is None:
        last_position, holder = _last(analysis, positions)
        is_followed = program.runs_computations(analysis.dump.name_at.get(end, ""))
        return holder if is_followed or last_position == end - 1 else None
    return next((position.name for position in positions if program.span_ends.get(position.name) == end), None)


def _needed_to(analysis: Figures, number: int) -> int:
    """Return the moment to which a value is needed, before XLA cuts the ranges of a buffer against each other."""
    used = analysis.dump.used(number)
    if used is None:
        return -1
    if _is_kept(analysis, number):
        return analysis.moments
    at_roots = (analysis.program.span_ends.get(position.name, -1) for position in used.positions)
    last_moments = (_last(analysis, touches)[0] for touches in (used.uses, used.positions))
    return max(*at_roots, *(-1 if moment is None else moment for moment in last_moments))
