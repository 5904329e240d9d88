"""Sound dumps of any size, to show how cost grows: what real ones show only at the sizes that somebody compiled.

A dump is that of a CPU module as jaxlib 0.10 prints it, in three files: parameters in an allocation each, a
preallocated temp in which values take turns, and an output. Every value is an array; there are no tuples, no
control flow and no stack-trace tree. The same seed and count give the same bytes.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import accumulate
from pathlib import Path
from random import Random

_DIMENSIONS = (4, 8, 12, 16, 32, 48, 64, 100, 128, 256)
_OPCODES = ("fusion", "fusion", "fusion", "dot", "copy", "transpose", "reduce", "convert", "broadcast", "add")
_LAYERS = 24
_COMPILATIONS_OF_ONE = 4

_ELEMENT_BYTES = 4
_ALIGNMENT = 64
_ARENA_BYTES = 1 << 60
_VALUES_PER_PARAMETER = 50
_SHARE_HELD_LONG = 0.02  # as activations are, from the forward pass to the backward pass
_SHARE_IN_PLACE = 0.15
_LONGEST_SHORT_LIFE = 24


@dataclass(slots=True)
class _Value:
    """An instruction and the one value it defines; its id is its moment in the schedule, counted from 0."""

    name: str
    shape: tuple[int, int]
    last: int
    offset_bytes: int = 0
    operands: list[int] = field(default_factory=list)
    uses: list[tuple[int, int]] = field(default_factory=list)  # moment, operand number

    @property
    def size_bytes(self) -> int:
        return self.shape[0] * self.shape[1] * _ELEMENT_BYTES

    @property
    def bare_shape(self) -> str:
        return f"f32[{self.shape[0]},{self.shape[1]}]"


@dataclass(frozen=True, slots=True)
class _Program:
    """A schedule: first the parameters, then what is computed, last the output."""

    values: Sequence[_Value]
    parameters: int

    @property
    def output(self) -> int:
        return len(self.values) - 1


class _Arena:
    """Blocks of powers of two, split and joined again in pairs; the lowest free one is taken first."""

    def __init__(self) -> None:
        self._free: defaultdict[int, set[int]] = defaultdict(set)
        self._lowest: defaultdict[int, list[int]] = defaultdict(list)  # heaps; may hold what is free no more
        self._put(_ARENA_BYTES, 0)

    def take(self, size: int) -> int:
        """Return the offset of a block of at least `size` bytes."""
        needed = block = _block_bytes(size)
        while (offset := self._pop(block)) is None:
            block *= 2
        while block > needed:
            block //= 2
            self._put(block, offset + block)
        return offset

    def give_back(self, offset: int, size: int) -> None:
        block = _block_bytes(size)
        while (partner := offset ^ block) in self._free[block]:
            self._free[block].remove(partner)
            offset, block = min(offset, partner), 2 * block
        self._put(block, offset)

    def _put(self, block: int, offset: int) -> None:
        self._free[block].add(offset)
        heappush(self._lowest[block], offset)

    def _pop(self, block: int) -> int | None:
        while self._lowest[block]:
            offset = heappop(self._lowest[block])
            if offset in self._free[block]:
                self._free[block].remove(offset)
                return offset
        return None


def _block_bytes(size: int) -> int:
    return max(_ALIGNMENT, 1 << (size - 1).bit_length())


def write_dump(directory: Path, values: int, seed: int = 0, *, number: int = 0) -> None:
    """Write a dump with `values` values, at least four, as module `number`."""
    program = _program(values, Random(f"{seed}/{number}/{values}"))
    name = f"jit_function_{number // _COMPILATIONS_OF_ONE}"
    stem = f"module_{number:04}.{name}.cpu_after_optimizations"
    directory.mkdir(parents=True, exist_ok=True)
    _write(directory / f"{stem}-buffer-assignment.txt", _allocation_lines(program))
    _write(directory / f"{stem}-buffer-assignment-values.txt", _used_value_lines(program))
    _write(directory / f"{stem}-live-range.txt", _live_range_lines(program))


def write_modules(directory: Path, count: int, seed: int = 0) -> None:
    """Write `count` small modules of different sizes into one directory; four at a time share a name."""
    sizes = Random(seed)
    for number in range(count):
        write_dump(directory, sizes.randint(4, 16), seed, number=number)


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


def _program(count: int, random: Random) -> _Program:
    parameters = max(2, count // _VALUES_PER_PARAMETER)
    values = [_value(moment, count, parameters, random) for moment in range(count)]
    _use(values, parameters, random)
    _place(values, parameters, random)
    return _Program(values, parameters)


def _value(moment: int, count: int, parameters: int, random: Random) -> _Value:
    shape = random.choice(_DIMENSIONS), random.choice(_DIMENSIONS)
    if moment < parameters:
        return _Value(f"param.{moment}", shape, count)
    name = f"{random.choice(_OPCODES)}.{moment}"
    if moment == count - 1:
        return _Value(name, shape, count)
    is_held_long = random.random() < _SHARE_HELD_LONG
    life = random.randint(1, max(count // 8, 2) if is_held_long else _LONGEST_SHORT_LIFE)
    last = moment + life
    return _Value(name, shape, last if last < count else random.randint(moment + 1, count - 1))


def _use(values: Sequence[_Value], parameters: int, random: Random) -> None:
    """Use each value last at its end, and most of them once before; each instruction has an operand."""
    root = len(values) - 1
    for moment, value in enumerate(values[:root]):
        first = max(moment, parameters - 1) + 1
        last = value.last if moment >= parameters else random.randint(first, root)
        for user in sorted({random.randint(first, last), last}):
            values[user].operands.append(moment)
    for user in range(parameters, root + 1):
        if not values[user].operands:
            values[user].operands.append(random.randrange(parameters))
        for number, operand in enumerate(values[user].operands):
            values[operand].uses.append((user, number))


def _place(values: Sequence[_Value], parameters: int, random: Random) -> None:
    """Place the values. The bytes of one are free in the moment after its last, unless a result took them over."""
    arena = _Arena()
    dying: list[_Value] = []
    for moment, value in enumerate(values[parameters:-1], start=parameters):
        for dead in dying:
            arena.give_back(dead.offset_bytes, dead.size_bytes)
        dying = [values[operand] for operand in value.operands if values[operand].last == moment]
        if dying and random.random() < _SHARE_IN_PLACE:
            taken_over = dying.pop()
            value.shape, value.offset_bytes = taken_over.shape, taken_over.offset_bytes
        else:
            value.offset_bytes = arena.take(value.size_bytes)


def _allocation_lines(program: _Program) -> Iterator[str]:
    yield "BufferAssignment:\n"
    for number, value in enumerate(program.values[: program.parameters]):
        yield f"allocation {number}: size {value.size_bytes}, parameter {number}, shape |{value.bare_shape}|"
        yield f" at ShapeIndex {{}}:\n{_value_line(number, value)}"
    output = program.values[program.output]
    yield f"allocation {program.parameters}: size {output.size_bytes}, output shape is |{output.bare_shape}|"
    yield f", maybe-live-out:\n{_value_line(program.output, output)}"
    yield f"allocation {program.parameters + 1}: size {_temp_bytes(program)}, preallocated-temp:\n"
    for number in range(program.parameters, program.output):
        yield _value_line(number, program.values[number])


def _value_line(number: int, value: _Value) -> str:
    place = f"(size={value.size_bytes},offset={value.offset_bytes})"
    return f" value: <{number} {value.name} @0> {place}: {value.bare_shape}{{1,0}}\n"


def _temp_bytes(program: _Program) -> int:
    temporary = program.values[program.parameters : program.output]
    return max(value.offset_bytes + value.size_bytes for value in temporary)


def _used_value_lines(program: _Program) -> Iterator[str]:
    held = sum(value.size_bytes for value in program.values[: program.parameters])
    total = held + program.values[program.output].size_bytes + _temp_bytes(program)
    yield f"\nTotal bytes used: {total}\n\nUsed values:\n"
    for number, value in enumerate(program.values):
        yield f"<{number} {value.name} @0>\n positions:\n  {value.name}\n uses:\n"
        yield from (f"  {program.values[user].name}, operand {operand}\n" for user, operand in value.uses)
        yield "" if value.uses else "  (none)\n"
        yield f" from instruction: %{value.name} = {value.bare_shape}{{1,0}} {_call(program, number, value)}\n"


def _call(program: _Program, number: int, value: _Value) -> str:
    layer = number * _LAYERS // len(program.values)
    if number < program.parameters:
        return f"parameter({number}), metadata={{op_name=\"params['layer_{layer}'].w{number}\"}}"
    opcode = value.name.partition(".")[0]
    operands = ", ".join(f"%{program.values[operand].name}" for operand in value.operands)
    called = f", kind=kLoop, calls=%fused_computation.{number}" if opcode == "fusion" else ""
    metadata = f'op_name="jit(synthetic)/layer_{layer}/{opcode}" source_file="synthetic.py" source_line={layer + 1}'
    return f"{opcode}({operands}){called}, metadata={{{metadata}}}"


def _live_range_lines(program: _Program) -> Iterator[str]:
    values, births = program.values, _births(program)
    yield f"HloLiveRange (max {len(values)}):\n  InstructionSequence:\n"
    yield from (f"    {moment}:{value.name}\n" for moment, value in enumerate(values))
    yield "  BufferLiveRange:\n"
    yield from (f"    {value.name}{{}}:{birth}-{value.last}\n" for birth, value in zip(births, values, strict=True))
    peak = _peak_moment(program)
    yield f"  Live ranges at {peak} (peak):\n"
    live = [value for birth, value in zip(births, values, strict=True) if birth <= peak <= value.last]
    live.sort(key=lambda value: (-value.size_bytes, value.name))
    for value, total in zip(live, accumulate(value.size_bytes for value in live), strict=True):
        yield f"    {value.name}{{}}: {value.size_bytes} bytes (cumulative: {total} bytes)\n"


def _births(program: _Program) -> list[int]:
    """Return the moment at which each value begins; parameters are live from the start of the program."""
    return [0 if moment < program.parameters else moment for moment in range(len(program.values))]


def _peak_moment(program: _Program) -> int:
    """Return the peak moment as XLA chooses it: the births of a moment are added before its deaths are taken off."""
    change_at_birth = [0] * len(program.values)
    change_at_death = [0] * (len(program.values) + 2)
    for birth, value in zip(_births(program), program.values, strict=True):
        change_at_birth[birth] += value.size_bytes
        change_at_death[value.last + 1] += value.size_bytes
    peak, most, running = 0, 0, 0
    for moment, born in enumerate(change_at_birth):
        running += born
        if running > most:
            peak, most = moment, running
        running -= change_at_death[moment]
    return peak


def main(arguments: Sequence[str] | None = None) -> int:
    """Write synthetic dumps: one with many values or, with --modules, many small ones."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.synthetic", description=main.__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    amount = parser.add_mutually_exclusive_group(required=True)
    amount.add_argument("--values", type=int, metavar="N", help="values of the one dump, at least four")
    amount.add_argument("--modules", type=int, metavar="N")
    options = parser.parse_args(arguments)
    if options.modules:
        write_modules(options.directory, options.modules, options.seed)
    else:
        write_dump(options.directory, options.values, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
