"""Replay and explain the peak that XLA prints.

XLA chooses the moment of its peak by a running sum of dense sizes over births and deaths, and prints the values that
are live then. The procedure has five known faults; this module finds those that affect a dump, and reconciles the
printed sum exactly with the bytes that live values cover at that moment. Source of the procedure: XLA
`HloLiveRange::ComputePeakMemoryMoment` and `HloLiveRange::ToString`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress, repeat
from operator import add, ne, sub

from reportgen.analyse.records import Adjustment, Facts, Fault, Space, XlaPeak
from reportgen.analyse.sizes import dense_bytes
from reportgen.analyse.value_sizes import POINTER_BYTES
from reportgen.model import WHOLE, PrintedPeak
from reportgen.parse.shape_parser import ShapeError, parse_shape, tuple_arity
from reportgen.program.program import Program

LEAVES: Fault = "tuple-leaves"
PADDING: Fault = "tile-padding"
BIRTHS: Fault = "births-before-deaths"
ALIASES: Fault = "aliases-twice"
SPACES: Fault = "spaces-mixed"
UNEXPLAINED = "unexplained"
"""A printed row that states neither the bytes of its value nor those that XLA's procedure assumes."""


def xla_peak(program: Program, facts: Facts, spaces: Mapping[int, Space]) -> XlaPeak | None:
    """Return XLA's peak with its reconciliation, or None if the dump prints no peak."""
    printed = program.dump.printed_peak
    if printed is None:
        return None
    leaves = list(map(ne, facts.values.keys, map(add, facts.values.names, repeat(WHOLE))))
    sizes = _sizes_by_xla(program, leaves)
    ranges = zip(facts.starts, facts.ends, strict=True)
    live = [number for number, (start, end) in enumerate(ranges) if start <= printed.moment <= end]
    truth = sum(space.live.at(printed.moment) for space in spaces.values() if space.live)
    reconciliation = _reconciliation(printed, facts, leaves, sizes, live, truth)
    replay = _Replay(facts)
    chosen = replay.moment(sizes)
    reasons = (
        [] if _agrees(printed, spaces, truth) else _reasons(facts, leaves, sizes, live, reconciliation, replay, chosen)
    )
    return XlaPeak(
        moment=printed.moment,
        sum_bytes=printed.sum_bytes,
        replayed_moment=chosen,
        reasons=tuple(reasons),
        live_bytes=truth,
        reconciliation=reconciliation,
    )


def _agrees(printed: PrintedPeak, spaces: Mapping[int, Space], truth: int) -> bool:
    """Return whether XLA's sum is right, in one space, and at a moment of that space's peak."""
    live = [space.live for space in spaces.values() if space.live and space.live.peak.amount]
    at_peak = all(function.at(printed.moment) == function.peak.amount for function in live)
    return len(live) <= 1 and at_peak and printed.sum_bytes == truth


def _sizes_by_xla(program: Program, leaves: Sequence[bool]) -> list[int]:
    """Return the dense bytes of the whole defining instruction's shape; a tuple counts as its table of pointers."""
    names, shapes = program.dump.values.names, program.dump.values.shapes
    tables = {name: POINTER_BYTES * _arity(program, name) for name in set(compress(names, leaves))}
    whole = {shape: _whole_size(shape) for shape in set(shapes)}
    return [tables[name] if leaf else whole[shape] for name, shape, leaf in zip(names, shapes, leaves, strict=True)]


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


def _arity(program: Program, name: str) -> int:
    """Return the elements of the tuple that an instruction returns, from its table value or its own text."""
    dump = program.dump
    table = dump.number_of.get(name + WHOLE)
    if table is not None:
        return _table_arity(dump.values.shapes[table]) or 0
    definition = program.definitions.get(name)
    return (_table_arity(definition.shape) or 0) if definition else 0


class _Replay:
    """XLA's procedure: add what is born at a moment, then subtract what dies; the first strict maximum wins."""

    def __init__(self, facts: Facts) -> None:
        self._moments = sorted({0, *facts.starts, *(end + 1 for end in facts.ends)} - {-1})
        step = {moment: number for number, moment in enumerate(self._moments)}
        never = len(self._moments)
        self._births = [step[start] if start >= 0 else never for start in facts.starts]
        self._deaths = [step[end + 1] if end >= 0 else never for end in facts.ends]

    def moment(self, sizes: Sequence[int], *, deaths_first: bool = False) -> int:
        """Return the moment chosen where values count with `sizes`."""
        births = [0] * (len(self._moments) + 1)
        deaths = births.copy()
        for born, died, size in zip(self._births, self._deaths, sizes, strict=True):
            births[born] += size
            deaths[died] += size
        births[-1] = deaths[-1] = 0
        running = list(accumulate(map(sub, births, deaths if deaths_first else [0, *deaths])))
        return self._moments[running.index(max(running))] if max(running) > 0 else 0


def _reasons(
    facts: Facts,
    are_leaves: Sequence[bool],
    sizes: Sequence[int],
    live: Sequence[int],
    reconciliation: Sequence[Adjustment],
    replay: _Replay,
    chosen: int,
) -> list[Fault]:
    """Return the faults that change the sum, or the moment, which is chosen again without each of them."""
    leaves = [d or 0 if leaf else size for d, leaf, size in zip(facts.dense, are_leaves, sizes, strict=True)]
    padded = [size if leaf else own for own, leaf, size in zip(facts.values.sizes, are_leaves, sizes, strict=True)]
    in_sum = {step.slug for step in reconciliation}
    shows: Mapping[Fault, bool] = {
        LEAVES: LEAVES in in_sum or replay.moment(leaves) != chosen,
        PADDING: PADDING in in_sum or replay.moment(padded) != chosen,
        BIRTHS: replay.moment(sizes, deaths_first=True) != chosen,
        ALIASES: ALIASES in in_sum,
        SPACES: len({facts.values.colors[n] for n in live if sizes[n]}) > 1,
    }
    return [slug for slug, applies in shows.items() if applies]


def _reconciliation(
    printed: PrintedPeak,
    facts: Facts,
    are_leaves: Sequence[bool],
    sizes: Sequence[int],
    live: Sequence[int],
    truth: int,
) -> tuple[Adjustment, ...]:
    """Return the steps that lead from XLA's sum to the bytes under live values (`truth`), without steps of 0 bytes.

    There are none where the printed rows cannot be matched with the live values.
    """
    rows = _printed_bytes(printed, facts, live)
    if rows is None:
        return ()
    changes: defaultdict[str, int] = defaultdict(int)
    for number, size in rows.items():
        due = size if facts.dense[number] is None else _whole_size(facts.values.shapes[number])
        has_size_of_tuple = are_leaves[number] and size == sizes[number]
        changes[LEAVES if has_size_of_tuple else UNEXPLAINED] += due - size
        changes[PADDING] += facts.values.sizes[number] - due
    changes[ALIASES] = truth - sum(facts.values.sizes[n] for n in live)
    order = (LEAVES, PADDING, ALIASES, UNEXPLAINED)
    return tuple(Adjustment(slug, changes[slug]) for slug in order if changes[slug])


def _printed_bytes(printed: PrintedPeak, facts: Facts, live: Sequence[int]) -> dict[int, int] | None:
    """Return the printed bytes by value; rows without an index are matched by their order, which is that of ids."""
    if len(printed.rows) != len(live):
        return None
    if all(row.shape_index is None for row in printed.rows):
        ordered = sorted(live, key=facts.values.ids.__getitem__)
        if [facts.values.names[n] for n in ordered] != [row.name for row in printed.rows]:
            return None
        return {n: row.size_bytes for n, row in zip(ordered, printed.rows, strict=True)}
    by_key = {facts.values.keys[n]: n for n in live}
    sizes: dict[int, int] = {}
    for row in printed.rows:
        number = by_key.get(row.name + (row.shape_index or WHOLE))
        if number is None or number in sizes:
            return None
        sizes[number] = row.size_bytes
    return sizes
