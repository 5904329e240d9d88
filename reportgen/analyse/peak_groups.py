"""Group the bytes of a peak as a person would: numbered siblings of one shape, made at one place.

`layer_0/w1 … layer_11/w1` are one group, as are six results that a loop saves in arrays of one shape.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import shares
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.record import record

_NUMBER = re.compile(r"\d+")
_MOST_LISTED = 3


@record
class PeakGroup:
    """Bytes of a peak; the `shares` are the largest first.

    `pattern` is the name that all authors share, with `#` for numbers that differ, and `name` the same in words.
    Both are empty for bytes without a buffer. `buffers` has a value of each buffer. The bytes that `is_held` are
    reserved for buffers of which no value is live.
    """

    name: str
    pattern: str
    shape: str
    memory_class: MemoryClass
    size_bytes: int
    shares: tuple[Share, ...]
    buffers: tuple[int, ...]
    is_held: bool = False


class _Member(NamedTuple):
    """A share of a peak with the buffer that it counts for, None for no buffer, and the name of that buffer."""

    share: Share
    number: int | None
    name: str


def peak_groups(analysis: Analysis, space: Space) -> list[PeakGroup]:
    """Return the groups of a space's peak, the largest first; they add up to it."""
    by_key: defaultdict[tuple[str, str, MemoryClass, bool], list[_Member]] = defaultdict(list)
    for share in shares(space):
        kind = memory_class(analysis.dump.allocations[share.allocation])
        number = held_for(analysis, share)
        name = "" if number is None else analysis.authors.of(number).name
        shape = "" if number is None else plain_shape(analysis.facts[number].value.shape)
        by_key[sibling_name(name), shape, kind, share.value is None].append(_Member(share, number, name))
    groups = []
    for (_, shape, kind, is_held), members in by_key.items():
        names = [member.name for member in members]
        pattern = _joined_name(names)
        group = PeakGroup(
            name=_spoken(pattern, names),
            pattern=pattern,
            shape=shape,
            memory_class=kind,
            size_bytes=sum(member.share.size_bytes for member in members),
            shares=tuple(member.share for member in members),
            buffers=analysis.program.buffers.one_of_each(
                member.number for member in members if member.number is not None
            ),
            is_held=is_held,
        )
        groups.append(group)
    return sorted(groups, key=lambda group: (-group.size_bytes, group.shares[0].allocation, group.name))


@lru_cache(maxsize=4096)
def sibling_name(name: str) -> str:
    """Return the name that numbered siblings share: `name` with `#` for its numbers."""
    return _NUMBER.sub("#", name)


def spoken_name(names: Sequence[str]) -> str:
    """Return the name of several siblings: `layer_#/w1`, or `arguments 3 to 14` where they have only numbers."""
    return _spoken(_joined_name(names), names)


def _spoken(pattern: str, names: Sequence[str]) -> str:
    """Return the name, in words, of siblings whose names follow a pattern."""
    if not pattern.startswith(UNNAMED_ARGUMENT) or "#" not in pattern:
        return pattern
    numbers = sorted({name.removeprefix(UNNAMED_ARGUMENT) for name in names}, key=_in_order)
    if len(numbers) <= _MOST_LISTED:
        return f"arguments {', '.join(numbers[:-1])} and {numbers[-1]}"
    if all(number.isdecimal() for number in numbers) and int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1:
        return f"arguments {numbers[0]} to {numbers[-1]}"
    return f"{len(numbers):,} arguments from {numbers[0]} to {numbers[-1]}"


def _in_order(text: str) -> tuple[int, ...]:
    return tuple(map(int, _NUMBER.findall(text)))


def _joined_name(names: Sequence[str]) -> str:
    """Return the name that siblings share which differ in numbers only: each number that differs becomes a `#`."""
    first = names[0]
    if all(name == first for name in names):
        return first
    numbers = zip(*(_NUMBER.findall(name) for name in names), strict=True)
    shown = iter([column[0] if len(set(column)) == 1 else "#" for column in numbers])
    return _NUMBER.sub(lambda _: next(shown), first)
