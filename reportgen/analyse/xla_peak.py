"""XLA's printed peak, replayed and explained.

XLA chooses the moment of its peak by a running sum of dense sizes over births and deaths, and prints the
values live there. The procedure has five known faults; this module tells which of them show in a dump
and leads, step by step and exactly, from the printed sum to the bytes under live values at that moment.
Source of the procedure: XLA `HloLiveRange::ComputePeakMemoryMoment` and `HloLiveRange::ToString`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from reportgen.analyse.records import BridgeStep, Space, ValueFacts, XlaPeak
from reportgen.analyse.sizes import dense_bytes
from reportgen.analyse.value_sizes import POINTER_BYTES
from reportgen.model import WHOLE, Dump, PrintedPeak, ValueKey
from reportgen.parse.shapes import ShapeError, parse_shape, tuple_arity

_BEGINNING = 2_000
"""Bytes of an instruction in which the shape mostly ends; all of it may be a hundred times as long."""

LEAVES = "tuple-leaves"
PADDING = "tile-padding"
BIRTHS = "births-before-deaths"
ALIASES = "aliases-twice"
SPACES = "spaces-mixed"
UNEXPLAINED = "unexplained"
"""A printed row that is neither the bytes of its value nor what XLA's procedure takes for it."""


def xla_peak(dump: Dump, facts: Sequence[ValueFacts], spaces: Mapping[int, Space]) -> XlaPeak | None:
    """None when the dump prints no peak."""
    printed = dump.printed_peak
    if printed is None:
        return None
    sizes = _sizes_by_xla(dump, facts)
    live = _live_at(facts, printed.moment)
    truth = sum(space.live.at(printed.moment) for space in spaces.values() if space.live)
    bridge = _bridge(printed, facts, sizes, live, truth)
    replay = _Replay(facts)
    chosen = replay.moment(sizes)
    reasons = [] if _agrees(printed, spaces, truth) else _reasons(facts, sizes, live, bridge, replay, chosen)
    return XlaPeak(
        moment=printed.moment,
        sum_bytes=printed.sum_bytes,
        replayed_moment=chosen,
        reasons=tuple(reasons),
        live_bytes=truth,
        bridge=bridge,
    )


def _agrees(printed: PrintedPeak, spaces: Mapping[int, Space], truth: int) -> bool:
    """Whether XLA's sum is right, in one space, and at a moment of that space's peak."""
    live = [space.live for space in spaces.values() if space.live and space.live.peak().amount]
    at_peak = all(function.at(printed.moment) == function.peak().amount for function in live)
    return len(live) <= 1 and at_peak and printed.sum_bytes == truth


def _live_at(facts: Sequence[ValueFacts], moment: int) -> list[int]:
    return [n for n, fact in enumerate(facts) if fact.live and fact.live.start <= moment <= fact.live.end]


def _sizes_by_xla(dump: Dump, facts: Sequence[ValueFacts]) -> list[int]:
    """Dense bytes of the whole defining instruction's shape; a tuple counts as its table of pointers."""
    leaf_names = {fact.value.key.name for fact in facts if _is_leaf(fact)}
    tables = {name: POINTER_BYTES * _arity(dump, name) for name in leaf_names}
    return [tables[fact.value.key.name] if _is_leaf(fact) else _whole_size(fact.value.shape) for fact in facts]


@lru_cache(maxsize=4096)
def _whole_size(shape_text: str) -> int:
    arity = tuple_arity(shape_text)
    if arity is not None:
        return POINTER_BYTES * arity
    try:
        return dense_bytes(parse_shape(shape_text), pointer_bytes=POINTER_BYTES) or 0
    except ShapeError:
        return 0


_table_arity = lru_cache(maxsize=4096)(tuple_arity)


def _arity(dump: Dump, name: str) -> int:
    """Elements of the tuple that an instruction returns, from its table value or its own text."""
    table = dump.value_by_key.get(ValueKey(name, WHOLE))
    if table is not None:
        return _table_arity(table.shape) or 0
    beginning = dump.instruction_text(name, _BEGINNING)
    return _arity_returned(beginning) or _arity_returned(dump.instruction_text(name)) or 0


def _arity_returned(text: bytes | None) -> int | None:
    return None if text is None else tuple_arity(text.decode("utf-8", "replace").partition(" = ")[2])


class _Replay:
    """XLA's procedure: the births of a moment are added, then its deaths taken off; the first strict maximum wins."""

    def __init__(self, facts: Sequence[ValueFacts]) -> None:
        lives = [(n, fact.live.start, fact.live.end + 1) for n, fact in enumerate(facts) if fact.live]
        self._moments = sorted({start for _, start, _ in lives} | {behind for _, _, behind in lives})
        step = {moment: step for step, moment in enumerate(self._moments)}
        self._lives = [(n, step[start], step[behind]) for n, start, behind in lives]

    def moment(self, sizes: Sequence[int], *, deaths_first: bool = False) -> int:
        """The moment chosen where values count with `sizes`."""
        births = [0] * len(self._moments)
        deaths = births.copy()
        for number, start, behind in self._lives:
            size = sizes[number]
            births[start] += size
            deaths[behind] += size
        best_moment, best, running = 0, 0, 0
        for moment, born, dying in zip(self._moments, births, deaths, strict=True):
            running += born - (dying if deaths_first else 0)
            if running > best:
                best_moment, best = moment, running
            running -= 0 if deaths_first else dying
        return best_moment


def _reasons(
    facts: Sequence[ValueFacts],
    sizes: Sequence[int],
    live: Sequence[int],
    bridge: Sequence[BridgeStep],
    replay: _Replay,
    chosen: int,
) -> list[str]:
    """The faults that make a difference here: to the sum, or to the moment, which is chosen anew without each."""
    leaves = [fact.dense_bytes or 0 if _is_leaf(fact) else size for fact, size in zip(facts, sizes, strict=True)]
    padded = [size if _is_leaf(fact) else fact.value.size_bytes for fact, size in zip(facts, sizes, strict=True)]
    in_sum = {step.slug for step in bridge}
    shows = {
        LEAVES: LEAVES in in_sum or replay.moment(leaves) != chosen,
        PADDING: PADDING in in_sum or replay.moment(padded) != chosen,
        BIRTHS: replay.moment(sizes, deaths_first=True) != chosen,
        ALIASES: ALIASES in in_sum,
        SPACES: len({facts[n].value.color for n in live if sizes[n]}) > 1,
    }
    return [slug for slug, applies in shows.items() if applies]


def _is_leaf(fact: ValueFacts) -> bool:
    return fact.value.key.shape_index != WHOLE


def _bridge(
    printed: PrintedPeak, facts: Sequence[ValueFacts], sizes: Sequence[int], live: Sequence[int], truth: int
) -> tuple[BridgeStep, ...]:
    rows = _printed_bytes(printed, facts, live)
    if rows is None:
        return ()
    changes: defaultdict[str, int] = defaultdict(int)
    for number, size in rows.items():
        fact = facts[number]
        due = size if fact.dense_bytes is None else _whole_size(fact.value.shape)
        changes[LEAVES if _is_leaf(fact) and size == sizes[number] else UNEXPLAINED] += due - size
        changes[PADDING] += fact.value.size_bytes - due
    changes[ALIASES] = truth - sum(facts[n].value.size_bytes for n in live)
    order = (LEAVES, PADDING, ALIASES, UNEXPLAINED)
    return tuple(BridgeStep(slug, changes[slug]) for slug in order if changes[slug])


def _printed_bytes(printed: PrintedPeak, facts: Sequence[ValueFacts], live: Sequence[int]) -> dict[int, int] | None:
    """Printed bytes by value; rows without an index are matched by their order, which is that of ids."""
    if len(printed.rows) != len(live):
        return None
    if all(row.shape_index is None for row in printed.rows):
        ordered = sorted(live, key=lambda n: facts[n].value.id)
        if [facts[n].value.key.name for n in ordered] != [row.name for row in printed.rows]:
            return None
        return {n: row.size_bytes for n, row in zip(ordered, printed.rows, strict=True)}
    by_key = {facts[n].value.key: n for n in live}
    found = {by_key.get(ValueKey(row.name, row.shape_index or WHOLE)): row.size_bytes for row in printed.rows}
    return None if None in found or len(found) != len(live) else {n: size for n, size in found.items() if n is not None}
