"""How many things of each size there are, and what they come to: whether few large ones matter or many small."""

from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.render.formats import human_bytes

_BITS_PER_BIN = 2


@dataclass(frozen=True, slots=True)
class Bin:
    """What is at least `low` and less than `high` bytes large; sizes of 0 have a bin of their own."""

    low: int
    high: int
    count: int
    size_bytes: int

    @property
    def label(self) -> str:
        """`4.00 KiB` would look as if it were measured, so limits have no decimals."""
        return "empty" if self.high == 1 else f"{_limit(self.low)} – {_limit(self.high)}"


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bins from the largest to the smallest, without gaps between them; they add up to the totals."""

    noun: str
    bins: tuple[Bin, ...]
    count: int
    size_bytes: int

    @property
    def most_count(self) -> int:
        return max(one.count for one in self.bins)

    @property
    def most_bytes(self) -> int:
        return max(one.size_bytes for one in self.bins)


def histogram(noun: str, sizes: Iterable[int]) -> Histogram | None:
    """Bins that grow by a factor of four; None when there is nothing to count."""
    counts: dict[int, int] = {}
    totals: dict[int, int] = {}
    for size in sizes:
        key = _key(size)
        counts[key] = counts.get(key, 0) + 1
        totals[key] = totals.get(key, 0) + size
    if not counts:
        return None
    lowest = min((key for key in counts if key >= 0), default=0)
    keys = [*range(max(counts), lowest - 1, -1), *([-1] if -1 in counts else [])]
    bins = tuple(Bin(*_limits(key), counts.get(key, 0), totals.get(key, 0)) for key in keys)
    return Histogram(noun, bins, sum(counts.values()), sum(totals.values()))


def _key(size: int) -> int:
    return (size.bit_length() - 1) // _BITS_PER_BIN if size else -1


def _limits(key: int) -> tuple[int, int]:
    return (0, 1) if key < 0 else (1 << _BITS_PER_BIN * key, 1 << _BITS_PER_BIN * (key + 1))


def _limit(size: int) -> str:
    return human_bytes(size).replace(".00", "")
