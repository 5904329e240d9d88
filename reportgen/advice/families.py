"""Group the temporaries at the peak by what made them: one operation of the program, over all its layers."""

from collections import defaultdict
from dataclasses import dataclass

from reportgen.advice.held import idle_over_peak
from reportgen.advice.memory import Memory, Outcome
from reportgen.advice.program import Program
from reportgen.program.scopes import pattern

MOST = 20
"""How many families are asked for: the largest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Values with one op_name, but for numbers, and one shape.

    `gone` is the peak if they were never held, `not_idle` if they were not held while nothing uses them around the
    peak.
    """

    op_name: str
    shape: str
    values: tuple[int, ...]
    held_bytes: int
    gone: Outcome
    not_idle: Outcome


def families(program: Program, memory: Memory) -> list[Family]:
    """Return the largest families at the peak, largest first. Bytes that two members share count once."""
    members: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number in memory.at_peak:
        if number >= 0 and not program.is_table(number):
            members[pattern(program.scope(number)), program.shape(number)].append(number)
    sizes = {key: _held_bytes(memory, numbers) for key, numbers in members.items()}
    largest = sorted(members, key=lambda key: (-sizes[key], key))[:MOST]
    return [_family(program, memory, key, members[key], sizes[key]) for key in largest]


def _held_bytes(memory: Memory, numbers: list[int]) -> int:
    """Return the bytes that values hold at the peak; members of one buffer hold the same."""
    return sum({(h.allocation, h.low, h.high): h.size_bytes for h in map(memory.temps.__getitem__, numbers)}.values())


def _family(program: Program, memory: Memory, key: tuple[str, str], numbers: list[int], held_bytes: int) -> Family:
    stretches = {number: idle_over_peak(program, memory, number) for number in numbers}
    return Family(
        op_name=key[0],
        shape=key[1],
        values=tuple(numbers),
        held_bytes=held_bytes,
        gone=memory.gone(numbers),
        not_idle=memory.without({number: [stretch] for number, stretch in stretches.items() if stretch}),
    )
