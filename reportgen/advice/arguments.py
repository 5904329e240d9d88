"""Find the program's arguments and results as the caller knows them: by name, each with its allocation."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile

from reportgen.advice.memory import Held, handovers, holdings
from reportgen.analyse.peak_groups import spoken_name
from reportgen.analyse.records import Analysis, Space
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.program.places import Leaf
from reportgen.record import record

_TOP = re.compile(r"[^\[.{]+")
_STEP = re.compile(r"^[^\[.{]++|\.[^\[.{]++|\[[^\]]*+\]?|(?s:.++)")

_IDS = ("s32[", "u32[", "s64[", "u64[")

_MOST_PARTS = 3
_NAMED_PART = 100
"""A part of an argument is not named where it has less than this part of the bytes."""


def top_name(path: str) -> str:
    """Return the argument that a part of it belongs to: `o` for `o['m']['w1']`."""
    match = _TOP.match(path)
    return match[0] if match else path


@record
class Argument:
    """An array that the caller passes in. `path` is `o['m']['w1']`, `name` the argument that it is part of, `o`.

    `last_read` is the moment of its last reader, -1 where nothing reads it.
    """

    number: int
    allocation: int
    parameter: int
    instruction: str
    path: str
    size_bytes: int
    shape: str
    is_donated: bool
    last_read: int

    @property
    def name(self) -> str:
        return top_name(self.path)

    @property
    def is_ids(self) -> bool:
        """Return whether it has a type of tokens and positions; weights have others, also quantized ones."""
        return self.shape.startswith(_IDS)


@record
class Result:
    """An array that the program returns in an allocation of its own.

    `held` are the values that take over the buffer from each other until it is the result, and `scratch` are others
    that use the same allocation. `reserved_bytes` is the size of the allocation. `leaf` is where the result is in what
    the program returns, `born` when its buffer is first written.
    """

    number: int
    allocation: int
    leaf: Leaf
    size_bytes: int
    reserved_bytes: int
    shape: str
    held: tuple[Held, ...]
    scratch: tuple[Held, ...]

    @property
    def born(self) -> int:
        return min(value.first for value in self.held)


def listed_names(names: Sequence[str]) -> str:
    """Return the names of several arguments, `params, opt`, or `arguments 1 and 2` where they have only numbers."""
    are_numbers = all(name.startswith(UNNAMED_ARGUMENT) for name in names)
    return spoken_name(names) if are_numbers and len(names) > 1 else ", ".join(names)


def named_parts(leaves: Collection[Argument], among: Iterable[Argument]) -> tuple[str, ...]:
    """Return what some leaves are of, as `opt[0].mu` and `opt[0].nu`, without what has few of their bytes.

    That is the longest path that the leaves of an argument have in common. Its fields are named if they repeat one tree
    of arrays, or if the argument has other leaves there, of those `among` which they are.
    """
    parts: list[str] = []
    for name in dict.fromkeys(leaf.name for leaf in leaves):
        own = [leaf for leaf in leaves if leaf.name == name]
        if _bytes(own) * _NAMED_PART >= _bytes(leaves):
            parts += _parts([_steps(leaf) for leaf in own], [_steps(leaf) for leaf in among if leaf.name == name])
    return tuple(parts)


def _bytes(leaves: Iterable[Argument]) -> int:
    return sum(leaf.size_bytes for leaf in leaves)


def _steps(leaf: Argument) -> list[str]:
    return _STEP.findall(leaf.path)


def _parts(paths: Sequence[list[str]], among: Sequence[list[str]]) -> list[str]:
    """Return what `paths` have in common, once for each field below it that is worth a name."""
    steps = zip(*paths, strict=False)
    common = [same[0] for same in takewhile(lambda step: len(set(step)) == 1, steps)]
    depth = len(common)
    below: defaultdict[str, set[str]] = defaultdict(set)  # the rest of each path, by its next step
    for path in paths:
        below["".join(path[depth : depth + 1])].add("".join(path[depth + 1 :]))
    is_repeated = len(set(map(frozenset, below.values()))) == 1 < len(below)
    is_all = sum(path[:depth] == common for path in among) == len(paths)
    are_few = len(below) <= _MOST_PARTS and not any(field.strip("[]").isdigit() for field in below)
    fields = sorted(below) if are_few and (is_repeated or not is_all) else [""]
    return ["".join(common) + field for field in fields]


def arguments(analysis: Analysis, space: Space) -> list[Argument]:
    """Return the arguments in a space, in the order in which the program takes them."""
    program, dump = analysis.program, analysis.dump
    listed = []
    for number in space.allocations:
        allocation, value = dump.allocations[number], program.arguments.get(number)
        if value is None or allocation.parameter is None or dump.starts[value] < 0:
            continue
        reads = program.reads(value)
        listed.append(
            Argument(
                number=value,
                allocation=number,
                parameter=allocation.parameter,
                instruction=dump.values.names[value],
                path=program.argument_name(value) or f"{UNNAMED_ARGUMENT}{allocation.parameter}",
                size_bytes=dump.values.sizes[value],
                shape=program.shape(value),
                is_donated=allocation.is_maybe_live_out,
                last_read=reads[-1] if reads else -1,
            )
        )
    return sorted(listed, key=lambda argument: (argument.parameter, argument.path, argument.number))


def results(analysis: Analysis, space: Space) -> list[Result]:
    """Return the arrays that a program returns in allocations of their own, in the order in which it returns them."""
    allocations, leaf_of = analysis.dump.allocations, {value: leaf for leaf, value in analysis.program.results.items()}
    listed = []
    for number in space.allocations:
        allocation = allocations[number]
        if allocation.is_maybe_live_out and allocation.parameter is None and not allocation.is_constant:
            listed += [result for result in (_result(analysis, number, leaf_of),) if result]
    return sorted(listed, key=lambda result: (result.leaf, result.number))


def _result(analysis: Analysis, allocation: int, leaf_of: Mapping[int, Leaf]) -> Result | None:
    """Return what an allocation returns; None for the table of pointers around the results."""
    held = holdings(analysis, allocation)
    value = max(
        (value for value in held if value.number in leaf_of),
        key=lambda value: (value.first, value.number),
        default=None,
    )
    if value is None or analysis.program.is_table(value.number):
        return None
    chain = next(part for part in handovers(held) if value in part)
    return Result(
        number=value.number,
        allocation=allocation,
        leaf=leaf_of[value.number],
        size_bytes=value.size_bytes,
        reserved_bytes=analysis.dump.allocations[allocation].size_bytes,
        shape=analysis.program.shape(value.number),
        held=tuple(chain),
        scratch=tuple(value for value in held if value not in chain),
    )
