"""Explain why a value is still alive: find the rule by which XLA ended its live range.

A live range often outlasts the last use, and the dump does not say why. XLA has only a few reasons (`HloLiveRange`
in its source): the caller holds the value, it is part of a result, a loop carries it, or an async operation needs it.
Each reason leaves a mark in the dump; `liveness` looks for the marks in a fixed order.
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
        allocation = analysis.dump.allocations[analysis.facts[number].value.allocation]
        if allocation.parameter is not None and not allocation.is_maybe_live_out:
            return "parameter", None
    if last_use == live.end:
        return "last use", None
    if last_use is not None and last_use > live.end:
        return _ends_before_use(analysis, number, live, last_use, last_user)
    return _ends_after_use(analysis, number, live, used.positions, last_use)


def _ends_before_use(
    analysis: Figures, number: int, live: LiveRange, last_use: int, last_user: str | None
) -> tuple[Rule, str | None]:
    """Explain a range that ends before the last use.

    Either that use is a call, which is scheduled after the computation that it calls; or the build is older than
    2022-06-24, when XLA ended a value just before its alias starts.
    """
    if last_user is not None and analysis.program.runs_computations(last_user):
        return "caller", last_user
    successors = (analysis.facts[later] for later in analysis.reuse.successors[number])
    for later in successors:
        if later.live and live.end <= later.live.start <= last_use:
            return "alias", later.value.key.name
    return "unknown", None


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
    if name_at_end.partition(".")[0].endswith("-done"):
        return "async", name_at_end
    if analysis.facts[number].value.is_phi:
        return "carried", None
    return ("part of a result", holder) if last_position == live.end - 1 else ("unknown", None)
