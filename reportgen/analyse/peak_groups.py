"""Group the bytes of a peak as a person would: numbered siblings of one shape, made at one place.

`layer_0/w1 … layer_11/w1` are one group, as are six results that a loop saves in arrays of one shape, and the arguments
`opt[0].mu['mlp']['up']` and `opt[0].nu['mlp']['gate']` if they have one shape.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
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
_STEP = re.compile(r"\[[^\[\]]*\]|\.?[^.\[]+")
"""A step of the path of an argument: `['w']`, `[0]`, `.value`."""
_MOST_LISTED = 3


@record
class PeakGroup:
    """Bytes of a peak; the `shares` are the largest first.

    `pattern` is the name that all authors share, with `#` for numbers and `*` for steps of an argument's path that
    differ, and `name` the same in words. Both are empty for bytes without a buffer. `buffers` has a value of each
    buffer. The bytes that `is_held` are reserved for buffers of which no value is live.
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
    by_key: defaultdict[tuple[str, int, str, MemoryClass, bool], list[_Member]] = defaultdict(list)
    for share in shares(space):
        kind = memory_class(analysis.dump.allocations[share.allocation])
        number = held_for(analysis, share)
        name = "" if number is None else analysis.authors.of(number).name
        shape = "" if number is None else plain_shape(analysis.facts[number].value.shape)
        first, steps = _family(name) if kind == "parameter" else (sibling_name(name), 1)
        by_key[first, steps, shape, kind, share.value is None].append(_Member(share, number, name))
    groups = []
    for (_, _, shape, kind, is_held), family in by_key.items():
        for members in _siblings(family):
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


def _family(argument: str) -> tuple[str, int]:
    """Return what the paths of arguments have in common that can be told apart by a few steps."""
    steps = _STEP.findall(argument)
    return (steps[0], len(steps)) if "".join(steps) == argument and len(steps) > 1 else (sibling_name(argument), 1)


def _siblings(family: Sequence[_Member]) -> Iterator[Sequence[_Member]]:
    """Yield a family of arguments as one where most steps of their paths agree, else those that differ in numbers."""
    steps = [_STEP.findall(sibling_name(member.name)) for member in family]
    if 2 * sum(len(set(column)) > 1 for column in zip(*steps, strict=True)) < len(steps[0]):
        yield family
        return
    by_name: defaultdict[str, list[_Member]] = defaultdict(list)
    for member in family:
        by_name[sibling_name(member.name)].append(member)
    yield from by_name.values()


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
    """Return the name that siblings share: each number that differs becomes a `#`, and each other step a `*`."""
    if len(set(map(sibling_name, names))) > 1:
        return "".join(map(_joined_step, zip(*map(_STEP.findall, names), strict=True)))
    first = names[0]
    if all(name == first for name in names):
        return first
    numbers = zip(*(_NUMBER.findall(name) for name in names), strict=True)
    shown = iter([column[0] if len(set(column)) == 1 else "#" for column in numbers])
    return _NUMBER.sub(lambda _: next(shown), first)


def _joined_step(steps: Sequence[str]) -> str:
    if len(set(map(sibling_name, steps))) == 1:
        return _joined_name(steps)
    return "[*]" if steps[0].startswith("[") else ".*"
