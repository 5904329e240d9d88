"""The longest common subsequence of two lists, by the algorithm of Myers (An O(ND) Difference Algorithm, 1986).

`difflib` is no substitute: it takes the longest common block first, and where a layer was added to a list of equal
layers that block is in the wrong place.
"""

from collections.abc import Sequence
from typing import NamedTuple

_MOST_DIFFERENCES = 1500
"""Beyond this the lists have so little in common that their common ends are all that is used."""


class Gap(NamedTuple):
    """[`low`, `high`) of the list before in the place of [`start`, `end`) of the list after."""

    low: int
    high: int
    start: int
    end: int


def longest_common_subsequence(
    before: Sequence[object], after: Sequence[object]
) -> tuple[list[tuple[int, int]], list[Gap]]:
    """Return the pairs of indexes of a longest common subsequence, and the gaps between them."""
    # The equal ends first, because most of a program is the same and Myers takes (length × differences) steps.
    prefix = 0
    while prefix < min(len(before), len(after)) and before[prefix] == after[prefix]:
        prefix += 1
    suffix = 0
    while suffix < min(len(before), len(after)) - prefix and before[-1 - suffix] == after[-1 - suffix]:
        suffix += 1
    ends = len(before) - suffix, len(after) - suffix
    middle = _myers(before[prefix : ends[0]], after[prefix : ends[1]])
    pairs = [(index, index) for index in range(prefix)]
    pairs += [(prefix + left, prefix + right) for left, right in middle]
    pairs += [(ends[0] + index, ends[1] + index) for index in range(suffix)]
    gaps = []
    low = start = 0
    for left, right in (*pairs, (len(before), len(after))):
        if low < left or start < right:
            gaps.append(Gap(low, left, start, right))
        low, start = left + 1, right + 1
    return pairs, gaps


def _myers(before: Sequence[object], after: Sequence[object]) -> list[tuple[int, int]]:
    """Return the common pairs on a shortest edit path, or none if it is too long."""
    # For each diagonal, how many elements of `before` a path with so many differences can pass; it then has passed that
    # number minus the diagonal of `after`. It begins as if a step from above entered diagonal 0 at its beginning.
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for differences in range(min(len(before) + len(after), _MOST_DIFFERENCES) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-differences, differences + 1, 2):
            left, _ = _step(furthest, diagonal, differences)
            while left < len(before) and left - diagonal < len(after) and before[left] == after[left - diagonal]:
                left += 1
            furthest[diagonal] = left
            if left >= len(before) and left - diagonal >= len(after):
                return _path(trace, len(before), len(after))
    return []


def _step(furthest: dict[int, int], diagonal: int, differences: int) -> tuple[int, bool]:
    """Return where a path enters a diagonal, and whether from above, which inserts; from the left, it deletes."""
    below, above = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
    inserts = diagonal == -differences or (diagonal != differences and below < above)
    return above if inserts else below + 1, inserts


def _path(trace: Sequence[dict[int, int]], left: int, right: int) -> list[tuple[int, int]]:
    """Return the common pairs on the way that `trace` recorded, from its end back to its beginning."""
    pairs = []
    for differences in range(len(trace) - 1, -1, -1):
        furthest, diagonal = trace[differences], left - right
        entered, inserts = _step(furthest, diagonal, differences)
        while left > entered and right > 0 and left > 0 and right > entered - diagonal:
            left, right = left - 1, right - 1
            pairs.append((left, right))
        if inserts:
            right -= 1
        else:
            left -= 1
    return pairs[::-1]
