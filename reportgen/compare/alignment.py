"""The longest common subsequence of two lists, by the algorithm of Myers (An O(ND) Difference Algorithm, 1986).

`difflib` is no substitute: it takes the longest common block first, and where a layer was added to a list of equal
layers that block is in the wrong place.
"""

from collections.abc import Sequence

_MOST_DIFFERENCES = 1500
"""Beyond this the lists have so little in common that their common ends are all that is used."""

Gap = tuple[int, int, int, int]
"""[`low`, `high`) of one list in the place of [`start`, `end`) of the other."""


def common(one: Sequence[object], other: Sequence[object]) -> tuple[list[tuple[int, int]], list[Gap]]:
    """Return the pairs of indexes of a longest common subsequence, and the gaps between them."""
    prefix = 0
    while prefix < min(len(one), len(other)) and one[prefix] == other[prefix]:
        prefix += 1
    suffix = 0
    while suffix < min(len(one), len(other)) - prefix and one[-1 - suffix] == other[-1 - suffix]:
        suffix += 1
    ends = len(one) - suffix, len(other) - suffix
    middle = _myers(one[prefix : ends[0]], other[prefix : ends[1]])
    pairs = [(index, index) for index in range(prefix)]
    pairs += [(prefix + left, prefix + right) for left, right in middle]
    pairs += [(ends[0] + index, ends[1] + index) for index in range(suffix)]
    return pairs, _gaps(pairs, len(one), len(other))


def _gaps(pairs: Sequence[tuple[int, int]], length: int, other_length: int) -> list[Gap]:
    gaps = []
    low = start = 0
    for left, right in (*pairs, (length, other_length)):
        if low < left or start < right:
            gaps.append((low, left, start, right))
        low, start = left + 1, right + 1
    return gaps


def _myers(one: Sequence[object], other: Sequence[object]) -> list[tuple[int, int]]:
    """Return the common pairs on a shortest edit path, or none if it is too long."""
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for differences in range(min(len(one) + len(other), _MOST_DIFFERENCES) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-differences, differences + 1, 2):
            left = _step(furthest, diagonal, differences)
            while left < len(one) and left - diagonal < len(other) and one[left] == other[left - diagonal]:
                left += 1
            furthest[diagonal] = left
            if left >= len(one) and left - diagonal >= len(other):
                return _path(trace, len(one), len(other))
    return []


def _step(furthest: dict[int, int], diagonal: int, differences: int) -> int:
    """Return where a path enters a diagonal: from above, which inserts, or from the left, which deletes."""
    below, above = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
    if diagonal == -differences or (diagonal != differences and below < above):
        return above
    return below + 1


def _path(trace: Sequence[dict[int, int]], left: int, right: int) -> list[tuple[int, int]]:
    pairs = []
    for differences in range(len(trace) - 1, -1, -1):
        furthest, diagonal = trace[differences], left - right
        entered = _step(furthest, diagonal, differences)
        while left > entered and right > 0 and left > 0 and right > entered - diagonal:
            left, right = left - 1, right - 1
            pairs.append((left, right))
        came_from_above = entered == furthest.get(diagonal + 1, -1) and (
            diagonal == -differences
            or (diagonal != differences and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1))
        )
        if came_from_above:
            right -= 1
        else:
            left -= 1
    return pairs[::-1]
