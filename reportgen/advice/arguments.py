"""Find the program's arguments and results as the caller knows them: by name, each with its allocation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.advice.memory import Held, buffers, holdings
from reportgen.advice.program import Program
from reportgen.analyse.records import Space

_TOP = re.compile(r"[^\[.]+")
_POSITION = re.compile(r"(\S+) \{([\d,]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An array that the caller passes in. `path` is `o['m']['w1']`, `name` the argument that it is part of, `o`.

    `last_read` is the moment of its last reader, -1 where nothing reads it.
    """

    number: int
    allocation: int
    parameter: int
    path: str
    size_bytes: int
    shape: str
    is_donated: bool
    last_read: int

    @property
    def name(self) -> str:
        found = _TOP.match(self.path)
        return found[0] if found else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An array that the program returns in an allocation of its own.

    `held` are the values that take over the buffer from each other until it is the result, and `scratch` are others
    that use the same allocation. `reserved_bytes` is the size of the allocation. `leaf` is where the result is in what
    the program returns, `born` when its buffer is first written.
    """

    number: int
    allocation: int
    leaf: tuple[int, ...]
    size_bytes: int
    reserved_bytes: int
    shape: str
    held: tuple[Held, ...]
    scratch: tuple[Held, ...]

    @property
    def born(self) -> int:
        return min(one.first for one in self.held)


def arguments(program: Program, space: Space) -> list[Argument]:
    """Return the arguments in a space, in the order in which the program takes them."""
    found = []
    for number in space.allocations:
        allocation = program.dump.allocations[number]
        if allocation.parameter is None or allocation.is_thread_local:
            continue
        value = _parameter(program, number)
        if value is None:
            continue
        reads = program.reads(value)
        found.append(
            Argument(
                number=value,
                allocation=number,
                parameter=allocation.parameter,
                path=program.op_name(program.dump.values.names[value]) or f"argument {allocation.parameter}",
                size_bytes=program.dump.values.sizes[value],
                shape=program.shape(value),
                is_donated=allocation.is_maybe_live_out,
                last_read=reads[-1] if reads else -1,
            )
        )
    return sorted(found, key=lambda argument: (argument.parameter, argument.path, argument.number))


def _parameter(program: Program, allocation: int) -> int | None:
    """Return the value that the caller's array is: a parameter, or what is there first."""
    tenants = [n for n in program.analysis.occupants[allocation] if program.analysis.facts.starts[n] >= 0]
    names = program.dump.values.names
    parameters = [n for n in tenants if program.opcode(names[n]) == "parameter"]
    first = min(tenants, key=lambda n: (program.analysis.facts.starts[n], n), default=None)
    return parameters[0] if parameters else first


def results(program: Program, space: Space) -> list[Result]:
    """Return the arrays that a program returns in allocations of their own, in the order in which it returns them."""
    found = []
    for number in space.allocations:
        allocation = program.dump.allocations[number]
        if allocation.is_maybe_live_out and allocation.parameter is None and not allocation.is_constant:
            found += [result for result in (_result(program, number),) if result]
    return sorted(found, key=lambda result: (result.leaf, result.number))


def _result(program: Program, allocation: int) -> Result | None:
    """Return what an allocation returns; None for the table of pointers around the results."""
    held = holdings(program.analysis, allocation)
    root = program.dump.schedule.names[-1] if len(program.dump.schedule) else ""
    returned = [(one, leaf) for one in held if (leaf := _leaf(program.positions(one.number), root)) is not None]
    if not returned:
        return None
    one, leaf = max(returned, key=lambda pair: (pair[0].first, pair[0].number))
    chain = next(part for part in buffers(held) if one in part)
    shape = program.shape(one.number)
    if shape.startswith("tuple"):
        return None
    return Result(
        number=one.number,
        allocation=allocation,
        leaf=leaf,
        size_bytes=one.size_bytes,
        reserved_bytes=program.dump.allocations[allocation].size_bytes,
        shape=shape,
        held=tuple(chain),
        scratch=tuple(other for other in held if other not in chain),
    )


def _leaf(positions: Sequence[str], root: str) -> tuple[int, ...] | None:
    """Return where a value is in what the root instruction returns; None where it is not in it."""
    for position in positions:
        if position == root:
            return ()
        found = _POSITION.fullmatch(position)
        if found and found[1] == root:
            return tuple(int(part) for part in found[2].split(",") if part)
    return None
