"""Tell how often a loop runs its body.

CPUs and GPUs state it. The text of a TPU has only the comparison that ends the loop, so the counter is followed from
the constant where it starts to the constant that each pass adds:

    condition:  compare(%counter, constant(12)), direction=LT
    body:       add(%counter, constant(1))
    operand:    tuple(constant(0), ...)
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from reportgen.program.opcodes import RENAMES
from reportgen.program.places import Place
from reportgen.program.program import Program

_STATED = re.compile(r'known_trip_count"?[:=]\{"?n"?[:=]"?(\d{1,19})\b')
_CONSTANT = re.compile(r" constant\((-?\d{1,19})\)")
_DIRECTION = re.compile(r", direction=(\w\w)")
_MIRRORED = {"GT": "LT", "GE": "LE", "LT": "GT", "LE": "GE", "NE": "NE"}
_HOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge, "NE": operator.ne,
}  # fmt: skip
_MOST_STEPS = 100  # because a damaged text may form a cycle


class _Comparison(NamedTuple):
    """What a loop goes on by: an element of what it carries `direction` a constant, as `LT`."""

    counter: Place
    direction: str
    limit: int


def trip_count(program: Program, loop: str) -> int | None:
    """Return how often a loop runs its body; None where neither file says so or data decides."""
    if stated := _STATED.search(program.text(loop)):
        return int(stated[1])
    instruction, bodies, comparison = program.instruction(loop), program.roots(loop), _comparison(program, loop)
    if not instruction or not instruction.operands or len(bodies) != 1 or comparison is None:
        return None
    leaf = comparison.counter.leaf
    start, step = _constant(program, Place(instruction.operands[0], leaf)), _step(program, loop, Place(bodies[0], leaf))
    return None if start is None or not step else _passes(comparison, start, step)


def _passes(comparison: _Comparison, start: int, step: int) -> int | None:
    """Return how often a counter is stepped until the comparison fails; None if it never does."""
    limit, goes_on = comparison.limit, _HOLDS.get(comparison.direction)
    if goes_on is None:
        return None
    if not goes_on(start, limit):
        return 0
    if comparison.direction == "NE" and (limit - start) % step:
        return None
    end = limit + (comparison.direction == "LE") - (comparison.direction == "GE")
    passes = -(-(end - start) // step)
    return passes if passes > 0 else None


def _comparison(program: Program, loop: str) -> _Comparison | None:
    """Return what a loop goes on by; None for anything else than a counter and a constant."""
    root = program.module.root_of.get(program.condition(loop)) if program.module else None
    compare = _followed(program, Place(root)).name if root else ""
    direction, ends = _DIRECTION.search(program.text(compare)), _operands(program, compare)
    if program.opcode(compare) != "compare" or direction is None or len(ends) != 2:
        return None
    for (counter, bound), stated in zip(
        (ends, ends[::-1]), (direction[1], _MIRRORED.get(direction[1], "")), strict=True
    ):
        limit = _constant(program, bound)
        if limit is not None and program.caller(counter.name) == loop:
            return _Comparison(counter, stated, limit)
    return None


def _step(program: Program, loop: str, returned: Place) -> int | None:
    """Return what each pass of a loop adds to an element; None for anything else than adding a constant."""
    stepping = _followed(program, returned).name
    ends, opcode = _operands(program, stepping), program.opcode(stepping)
    if opcode not in ("add", "subtract") or len(ends) != 2:
        return None
    for counter, other in (ends, ends[::-1]) if opcode == "add" else (ends,):
        step = _constant(program, other)
        if step is not None and program.caller(counter.name) == loop and counter.leaf == returned.leaf:
            return step if opcode == "add" else -step
    return None


def _operands(program: Program, name: str) -> list[Place]:
    """Return where the operands of an instruction come from."""
    instruction = program.instruction(name)
    return [_followed(program, Place(operand)) for operand in (instruction.operands if instruction else ())]


def _constant(program: Program, place: Place) -> int | None:
    """Return the integer that a place is; None for no constant."""
    match = _CONSTANT.search(program.text(_followed(program, place).name))
    return int(match[1]) if match else None


def _followed(program: Program, place: Place) -> Place:
    """Return where an element comes from, behind what only renames, copies or passes it on."""
    for _ in range(_MOST_STEPS):
        before = _before(program, place)
        if before is None:
            break
        place = before
    return place


def _before(program: Program, place: Place) -> Place | None:
    instruction = program.instruction(place.name)
    if instruction is None:
        return None
    match instruction.opcode:
        case "parameter":
            outside = program.outside(place)
            caller = program.caller(place.name) or ""
            is_kept = program.opcode(caller) != "while" or program.writers.passes_on(caller, place.leaf)
            return outside[0] if outside and is_kept else None
        case "fusion":
            return next((Place(root, place.leaf) for root in program.roots(place.name)), None)
        case "copy":
            return Place(instruction.operands[0], place.leaf) if instruction.operands else None
        case opcode if opcode in RENAMES:
            return next(program.storage.renamed(instruction, place.leaf), None)
        case opcode if opcode.endswith("-done"):
            return next(iter(program.storage.same(place)), None)
        case "copy-start":
            return Place(instruction.operands[0]) if instruction.operands else None
    return None
