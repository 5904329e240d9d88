"""Where a moment of one build lies in the program of the other.

Matched instructions that run in the same order on both sides anchor the two schedules to each other. One that the
scheduler moved would map a place to the wrong half of the program, so only the longest chain that keeps its order
is used.
"""

from bisect import bisect_left
from collections.abc import Sequence

from reportgen.compare.graph import Graph


def longest_chain(before: Graph, after: Graph, partner: Sequence[int]) -> list[tuple[int, int]]:
    """Return the moments of matched instructions that grow strictly on both sides, as many of them as possible.

    `partner` has the partner of each value of `before`, -1 for none.
    """
    moments: dict[int, int] = {}
    for value, other in enumerate(partner):
        if other >= 0 and (moment := before.moment(value)) >= 0 and (image := after.moment(other)) >= 0:
            moments.setdefault(moment, image)  # of several values of an instruction, the first decides
    # Patience sorting: the end of the best chain of each length, and the point before each.
    points = sorted(moments.items())
    ends: list[int] = []
    at: list[int] = []
    previous = [-1] * len(points)
    for number, (_, image) in enumerate(points):
        place = bisect_left(ends, image)
        previous[number] = at[place - 1] if place else -1
        # A point ends a longer chain than any before it, or a chain of that length at a lower image.
        ends[place : place + 1], at[place : place + 1] = [image], [number]
    chain: list[tuple[int, int]] = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(points[number])
        number = previous[number]
    return chain[::-1]
