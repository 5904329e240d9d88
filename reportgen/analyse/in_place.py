"""Name the operation that wrote what a loop carries, where no HLO text says what the loop's body returns.

XLA lets the body write into the buffer of the loop's result. So the values that hold exactly those bytes until the loop
ends form a chain: what starts the loop, the parameter of its body, what the body writes, and the result. The last of
them whose scope lies inside the loop wrote the bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reportgen.analyse.records import Facts
from reportgen.program.author import Attribution


def written_in_place(
    facts: Facts, number: int, chain: Sequence[int], attribution_of: Callable[[int], Attribution]
) -> Attribution | None:
    """Return the operation inside the loop that wrote the bytes of a loop's result or of its body's parameter.

    `chain` are the values that hold these bytes one after the other, in time order. None where no loop ends in the
    chain after the value, or no operation inside the loop is known to write the bytes.
    """
    place = chain.index(number)
    end = next((at for at in range(place, len(chain)) if attribution_of(chain[at]).is_of_loop), None)
    if end is None:
        return None
    inside = f"{attribution_of(chain[end]).scope}/"
    for other in (*reversed(chain[:end]), *chain[end + 1 :]):
        found = attribution_of(other)
        if found.is_named and found.scope.startswith(inside):
            return replace(found, rule="in place", path=(facts.values.names[other], *found.path))
    return None
