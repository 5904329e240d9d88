"""The advice for a memory space in `report.json`.

It has a schema number of its own, so that a change to it leaves the reports of earlier builds usable as baselines.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reportgen.advice.advice_records import Advice, Move
from reportgen.advice.families import Family
from reportgen.analyse.devices import Origin
from reportgen.analyse.records import Analysis
from reportgen.model import Dump
from reportgen.reports.annotated_source import lines_of

SCHEMA = 6
_MOST_VALUES = 500


def advice_json(analysis: Analysis, advice: Advice, origin: Origin | None = None) -> dict[str, Any]:
    """Return the advice of one space; where it is withheld, only the reason. `origin` is that of the capacity."""
    if advice.withheld or advice.peak is None or advice.ladder is None:
        return {"schema": SCHEMA, "withheld": advice.withheld, "moves": []}
    dump, capacity, ladder = analysis.dump, advice.capacity, advice.ladder
    return {
        "schema": SCHEMA,
        "withheld": None,
        "contested_bytes": advice.contested_bytes,
        "capacity_bytes": capacity and capacity.size_bytes,
        "capacity_source": capacity and origin,
        "verdict": capacity and capacity.verdict,
        "excess_bytes": capacity and capacity.excess_bytes,
        "ladder": {
            "needed": ladder.needed_bytes,
            "peak": ladder.peak_bytes,
            "donated": ladder.donated_bytes,
            "floor": ladder.floor_bytes,
            "floor_moment": ladder.floor_moment,
            "held": ladder.held_bytes,
        },
        "batch": None
        if advice.half_batch_bytes is None
        else {"fits_factor": capacity and capacity.fits_factor, "half_bytes": advice.half_batch_bytes},
        "moves": [_move(analysis, move) for move in advice.moves],
        "steps": [advice.moves.index(move) for move in advice.steps],
        "sequence": [_step(move) for move in advice.sequence],
        "steps_to_fit": capacity.steps if capacity and capacity.excess_bytes else None,
        "families": [_family(dump, family) for family in advice.families],
        "arguments": [
            {
                "name": group.name,
                "bytes": group.size_bytes,
                "leaves": group.leaves,
                "state": group.state,
                "near_miss_bytes": group.near_miss_bytes,
            }
            for group in advice.arguments
        ],
        "fewest_devices": capacity and capacity.devices,
        "more_devices": [asdict(found) for found in advice.more_devices],
    }


def _move(analysis: Analysis, move: Move) -> dict[str, Any]:
    return {
        "kind": move.kind,
        "claim": move.claim,
        "what": move.what,
        "argument_names": list(move.argument_names),
        "values": _values(analysis.dump, move.buffers),
        "value_count": len(move.buffers),
        "lines": list(lines_of(analysis, move.buffers)),
        "naive_bytes": move.naive_bytes,
        "saving_bytes": move.saving_bytes,
        "saving_high_bytes": move.saving_high_bytes,
        "new_peak_bytes": move.outcome.peak_bytes,
        "needed_bytes": move.needed_bytes,
        "next_moment": move.outcome.moment,
        "scratch_bytes": move.scratch_bytes,
        "conflict_bytes": move.conflict_bytes,
        "conflicts": [
            {
                "argument": conflict.argument,
                "result": conflict.result,
                "read_at": conflict.read_at,
                "read_by": conflict.reader,
                "born_at": conflict.born_at,
            }
            for conflict in move.conflicts
        ],
        "next_largest": move.next_largest or None,
        "after": list(move.after),
        "reason": move.reason or None,
        "caveat": move.caveat,
        "code": move.code or None,
    }


def _values(dump: Dump, numbers: Sequence[int]) -> list[str]:
    return [dump.values.keys[number] for number in numbers[:_MOST_VALUES]]


def _step(move: Move) -> dict[str, Any]:
    """Return the peaks after a move and all before it: after the least that a range saves, and after the most.

    What is needed then is stated after the least.
    """
    return {
        "move": move.kind,
        "claim": move.claim,
        "what": move.what,
        "next_largest": move.next_largest or None,
        "after": list(move.after),
        "peak_after_bytes": move.outcome.peak_bytes,
        "needed_after_bytes": move.needed_bytes,
        "peak_after_high_bytes": None if move.saving_high_bytes is None else move.peak_high_saving,
    }


def _family(dump: Dump, family: Family) -> dict[str, Any]:
    element_type, _, dimensions = family.shape.partition("[")
    return {
        "op": family.op_name,
        "type": element_type,
        "dims": dimensions.rstrip("]"),
        "values": _values(dump, family.buffers),
        "value_count": len(family.buffers),
        "held_bytes": family.held_bytes,
        "gone_bytes": family.gone.peak_bytes,
        "idle_bytes": family.not_idle.peak_bytes,
        "next_moment": family.gone.moment,
    }
