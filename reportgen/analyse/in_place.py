"""Name the operation that wrote a loop's result where no HLO text says what the loop's body returns.

XLA lets the body write into the buffer of the result. So the values that hold exactly those bytes right before the
loop ends form a chain, and the last of them whose scope lies inside the loop wrote them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from reportgen.analyse.attribution import Attribution
from reportgen.analyse.records import Facts


def written_in_place(
    facts: Facts,
    number: int,
    chains: Mapping[int, Sequence[int]],
    attribution_of: Callable[[int], Attribution],
    loop: Attribution,
) -> Attribution:
    """Return the operation inside `loop` that wrote a value's bytes in place, or `loop` where none is known."""
    chain = chains.get(number, (number,))
    place = chain.index(number)
    for other in (*reversed(chain[:place]), *chain[place + 1 :]):
        found = attribution_of(other)
        if found.is_named and found.scope.startswith(f"{loop.scope}/"):
            return replace(found, rule="in place", path=(facts[other].value.key.name, *found.path))
    return loop
