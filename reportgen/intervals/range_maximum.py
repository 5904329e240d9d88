"""Find the maximum of any stretch of a list without looking at each of its items."""

from collections.abc import Sequence

_BLOCK = 256


class RangeMaximum:
    """The maxima of the stretches of some amounts, found from the maxima of blocks of them."""

    def __init__(self, amounts: Sequence[int]) -> None:
        self._amounts = amounts
        self._blocks = [max(amounts[start : start + _BLOCK]) for start in range(0, len(amounts), _BLOCK)]

    def of(self, start: int, end: int) -> tuple[int, int]:
        """Return the largest amount at or after position `start` and before `end`, and its first position."""
        amounts, first, last = self._amounts, -(-start // _BLOCK), end // _BLOCK
        if first >= last:
            most = max(amounts[start:end])
            return most, amounts.index(most, start)
        inside = max(self._blocks[first:last])
        # Without amounts before or after the blocks, none of them is the largest.
        before = max(amounts[start : first * _BLOCK], default=inside - 1)
        most = max(before, inside, max(amounts[last * _BLOCK : end], default=inside - 1))
        if most > before:
            start = self._blocks.index(most, first) * _BLOCK if most == inside else last * _BLOCK
        return most, amounts.index(most, start)
