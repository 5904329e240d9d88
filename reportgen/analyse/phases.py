"""Divide the schedule into phases: the forward pass, the backward pass, the update, and loops and scopes in them.

The op_names of a gradient say which pass an instruction belongs to: `jvp(…)` the forward pass, `transpose(jvp(…))` the
backward pass. The update makes the results whose authors belong to neither. XLA runs the three into each other where it
can, so each has a stretch of the schedule of its own:

* the backward pass has all transposed instructions but for 1 in 40 at either end;
* the forward pass ends where the votes of all instructions separate it best from the backward pass or, if more than a
  quarter of it comes later, after all but 1 in 40 of its instructions;
* the update begins after the backward pass or, if more than a quarter of the bytes of its results are made before, when
  1 in 40 of them are made.

Where the stretches of several overlap, there is a phase of its own, as "backward and update". A program without a
gradient is one phase.

The outermost named scopes of a pass are phases where XLA has kept the instructions of each together. Numbered siblings,
as the layers of a network, are one.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import main_space
from reportgen.document import Bytes, Count, document
from reportgen.program.author import Author
from reportgen.program.program import Program
from reportgen.program.scopes import Direction, direction, path, pattern

Kind = Literal["forward", "backward", "update", "program", "loop", "scope"]
"""A pass of a gradient, the update after it, the whole of a program without a gradient, a loop, or the outermost named
scope of a pass."""

_IS_NAME = re.compile(r"[A-Za-z_][\w.]*")

PASSES: Sequence[Kind] = ("forward", "backward", "update")
"""The phases of a gradient, which cover the schedule."""

_STRAGGLERS = 40
"""A pass begins and ends without this part of it at either end."""

_MUCH = 4
"""A pass runs beyond its border if more than this part of it does."""

_LEAST_PART = 100
"""A loop or scope is a phase if it takes more than this part of the schedule."""

_TOGETHER = 0.8
"""A scope is a phase if it has this part of the named instructions between its first and its last."""


@document()
class Phase:
    """A stretch of the schedule, with what is resident in the main memory space."""

    kind: Kind
    """What it is."""
    passes: tuple[Kind, ...]
    """The passes of a gradient that run in it, several where they overlap; empty for a loop, a scope and a program
    without a gradient. With several, kind is backward if that is one of them."""
    first: Count
    """Its first moment."""
    last: Count
    """Its last moment, inclusive."""
    begin_bytes: Bytes
    """Resident at its first moment."""
    end_bytes: Bytes
    """Resident at its last moment."""
    peak_bytes: Bytes
    """Resident at most."""
    peak_moment: Count
    """The first moment at which that is resident."""
    instruction: str
    """The instruction of a loop; empty for other phases."""
    scope: str
    """The op_name of a loop, or the name of a scope with # for its numbers; empty where it has none."""
    source: str
    """The user's line of a loop, as FILE:LINE; empty where it is not known."""

    @property
    def name(self) -> str:
        """The name that distinguishes a loop or a scope from others of its kind; empty for a pass."""
        return self.source or self.scope or self.instruction


_Weighed = tuple[int, int]
"""A moment of a pass, and how much it counts."""


class _Stretch(NamedTuple):
    """The moments of a phase, both inclusive; `what` is the instruction of a loop, or the name of a scope."""

    kind: Kind
    passes: Sequence[Kind]
    first: int
    last: int
    what: str = ""


def label(kind: str, passes: Sequence[str]) -> str:
    """Return the label of a phase: its kind or, where several passes run in it, all of them."""
    return f"{', '.join(passes[:-1])} and {passes[-1]}" if len(passes) > 1 else kind


def phases(analysis: Analysis) -> Sequence[Phase]:
    """Return the phases in the order of the schedule, a loop after the pass that it begins in.

    There are none without live ranges.
    """
    space = main_space(analysis.spaces)
    if space is None or space.temp is None or not analysis.dump.schedule.names:
        return ()
    curve = [space.static_bytes + amount for amount in space.temp.at_each(range(max(analysis.moments, 1)))]
    scopes = _outermost_scopes(analysis.program)
    program, stretches = analysis.program, list[_Stretch]()
    for first, last, passes in _passes(analysis, len(curve)):
        kind: Kind = "backward" if "backward" in passes else passes[0] if passes else "program"
        stretches.append(_Stretch(kind, passes, first, last))
        stretches += [_Stretch("scope", (), *span, scope) for scope, span in _together(scopes, first, last, len(curve))]
    stretches += [_Stretch("loop", (), first, last, loop) for loop, first, last in _loops(program, len(curve))]
    stretches.sort(key=lambda stretch: (stretch.first, -stretch.last, stretch.kind in ("loop", "scope"), stretch.what))
    return [_phase(program, curve, stretch) for stretch in stretches]


def pass_at(phases: Iterable[Phase], moment: int) -> Phase | None:
    """Return the pass of a gradient, or the several, that a moment is in; None outside of a gradient."""
    return next((phase for phase in phases if phase.kind in PASSES and phase.first <= moment <= phase.last), None)


def forward_end(program: Program, moments: int) -> int | None:
    """Return the moment that best separates the forward from the backward pass; None without a backward pass."""
    if not program.has_backward_pass:
        return None
    return _border(_votes(program, moments, {"forward": 1, "backward": -1}), 0)


def _passes(analysis: Analysis, moments: int) -> Iterator[tuple[int, int, Sequence[Kind]]]:
    """Yield the first and the last moment of stretches that cover the schedule, with the passes that run in each."""
    program = analysis.program
    border = forward_end(program, moments)
    passes = [_moments(program, moments, "forward"), _moments(program, moments, "backward")]
    if border is None or not all(passes):
        yield 0, moments - 1, ()
        return
    spans = _spans(analysis, moments, border, *passes)
    firsts = {0, *(edge for first, last in spans.values() for edge in (first, last + 1) if edge < moments)}
    for first, end in pairwise((*sorted(firsts), moments)):
        yield first, end - 1, [kind for kind, (begin, last) in spans.items() if begin <= first <= last]


def _spans(
    analysis: Analysis, moments: int, border: int, forward: Sequence[_Weighed], backward: Sequence[_Weighed]
) -> Mapping[Kind, tuple[int, int]]:
    """Return the first and the last moment of each pass, which leave no gap; `border` separates the first two best."""
    first, last = _without_stragglers(backward)
    first_forward, _ = forward[0]
    if first_forward >= first:
        first = 0
    votes = _votes(analysis.program, moments, {"backward": 1, "": -1})
    last = _border(votes, last)
    if -1 not in votes[last + 1 :]:
        last = moments - 1
    end = _without_stragglers(forward)[1] if _are_many(forward, lambda moment: moment > border) else border
    results = _updated(analysis, moments)
    update = _without_stragglers(results)[0] if _are_many(results, lambda moment: moment <= last) else last + 1
    spans: Mapping[Kind, tuple[int, int]] = {
        "forward": (0, end),
        "backward": (min(first, border + 1), last),
        "update": (update, moments - 1),
    }
    return spans


def _moments(program: Program, moments: int, wanted: Direction) -> Sequence[_Weighed]:
    """Return (moment, 1) for each instruction of a pass, in the order of the schedule."""
    rows = zip(program.dump.schedule.moments, program.directions, strict=True)
    return sorted((moment, 1) for moment, towards in rows if towards == wanted and moment < moments)


def _updated(analysis: Analysis, moments: int) -> Sequence[_Weighed]:
    """Return (moment, bytes) for each result whose author is in no pass of a gradient, in the order of the schedule."""
    values, moment_of = analysis.dump.values, analysis.dump.moment_of
    results = (
        (result, moment_of.get(values.names[result], moments)) for result in set(analysis.program.results.values())
    )
    return sorted(
        (moment, values.sizes[number])
        for number, moment in results
        if moment < moments and not analysis.program.is_table(number) and _is_update(analysis.authors.of(number))
    )


def _is_update(author: Author) -> bool:
    """Return whether an author is an operation outside both passes of a gradient."""
    return author.rule != "argument" and "/" in author.scope and not direction(author.scope)


def _without_stragglers(rows: Sequence[_Weighed]) -> tuple[int, int]:
    """Return the first and the last moment of a pass of (moment, weight) rows without its stragglers at either end."""
    most = sum(weight for _, weight in rows) // _STRAGGLERS
    return _moment_after(most, rows), _moment_after(most, rows[::-1])


def _moment_after(most: int, rows: Sequence[_Weighed]) -> int:
    """Return the first moment up to which (moment, weight) rows have more than some weight."""
    sums = accumulate(weight for _, weight in rows)
    return next(moment for (moment, _), weight in zip(rows, sums, strict=True) if weight > most)


def _are_many(rows: Sequence[_Weighed], chosen: Callable[[int], bool]) -> bool:
    """Return whether the moments chosen have much of the weight of (moment, weight) rows."""
    return sum(weight for moment, weight in rows if chosen(moment)) * _MUCH > sum(weight for _, weight in rows)


def _votes(program: Program, moments: int, weights: Mapping[str, int]) -> Sequence[int]:
    """Return the vote of the instruction at each moment: the weight of its direction, 0 without a name."""
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
    """Return the outermost loops, each with the first and the last moment of its instructions."""
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
    return ((loop, first, last) for loop, (first, last) in spans.items() if (last - first + 1) * _LEAST_PART >= moments)


def _outermost_scopes(program: Program) -> Sequence[tuple[int, str]]:
    """Return (moment, outermost scope) of each instruction in a named scope."""
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
    by_scope: defaultdict[str, list[int]] = defaultdict(list)
    for moment, scope in scopes:
        if first <= moment <= last:
            by_scope[scope].append(moment)
    named = sorted(moment for own in by_scope.values() for moment in own)
    for scope, own in by_scope.items() if len(by_scope) > 1 else ():
        begin, end = own[0], own[-1]
        inside = bisect_right(named, end) - bisect_left(named, begin)
        if (end - begin + 1) * _LEAST_PART >= moments and len(own) >= _TOGETHER * inside:
            yield scope, (begin, end)


def _phase(program: Program, curve: Sequence[int], stretch: _Stretch) -> Phase:
    """Return a phase with the resident bytes of its moments, of which `curve` has all."""
    first, last = stretch.first, stretch.last
    amounts = curve[first : last + 1]
    most = max(amounts)
    loop = stretch.what if stretch.kind == "loop" else ""
    frame = program.user_frame(loop) if loop else None
    return Phase(
        kind=stretch.kind,
        passes=tuple(stretch.passes),
        first=first,
        last=last,
        begin_bytes=amounts[0],
        end_bytes=amounts[-1],
        peak_bytes=most,
        peak_moment=first + amounts.index(most),
        instruction=loop,
        scope=program.op_name(loop) if loop else stretch.what,
        source=str(frame) if frame else "",
    )
