"""Group the arguments of a program by name and shape, so that two builds can be told apart by their inputs.

`params['layers'][0]['w']` to `params['layers'][7]['w']` are one group of eight arrays.
"""

from collections import defaultdict
from collections.abc import Sequence

from reportgen.analyse.peak_groups import sibling_name
from reportgen.document import Bytes, Positive, document
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.program import Program


@document(kw_only=False)
class SiblingArguments:
    """Arguments of one shape whose names differ in numbers only."""

    name: str
    """Their name, with `#` for numbers."""
    shape: str
    """The shape of each of them."""
    arrays: Positive
    """How many there are."""
    size_bytes: Bytes
    """Their size together, in bytes."""
    donated_bytes: Bytes
    """The bytes of those that are donated."""


def sibling_arguments(program: Program) -> Sequence[SiblingArguments]:
    """Return the arguments of a program, in the order of names and shapes."""
    dump = program.dump
    members: defaultdict[tuple[str, str], list[tuple[int, bool]]] = defaultdict(list)
    for number, value in program.arguments.items():
        key = sibling_name(program.argument_name(value)), plain_shape(dump.values.shapes[value])
        members[key].append((dump.values.sizes[value], dump.allocations[number].is_maybe_live_out))
    return [
        SiblingArguments(
            name=name,
            shape=shape,
            arrays=len(arrays),
            size_bytes=sum(size for size, _ in arrays),
            donated_bytes=sum(size for size, is_donated in arrays if is_donated),
        )
        for (name, shape), arrays in sorted(members.items())
    ]
