"""Read the sizes that compilers and allocators print, most of which are rounded."""

import re

from reportgen.document import SignedBytes, document

_SIZE = re.compile(r"(-?\d{1,25})(?:\.(\d{1,9}))?(?: ?([KMGTPE])(?:i?B)?|( ?B| bytes| words))?|0x([0-9a-f]{1,16})")
_UNITS = {" words": 4} | {unit: 1024**power for power, unit in enumerate("KMGTPE", 1)}  # words of a TPU


@document(kw_only=False)
class SizeRange:
    """A printed size, which is rounded."""

    low_bytes: SignedBytes
    """The least that it stands for, in bytes."""
    high_bytes: SignedBytes
    """The most that it stands for, in bytes."""

    @property
    def is_exact(self) -> bool:
        return self.low_bytes == self.high_bytes

    @property
    def middle(self) -> int:
        return (self.low_bytes + self.high_bytes) // 2

    def __contains__(self, size: int) -> bool:
        return self.low_bytes <= size <= self.high_bytes

    def overlaps(self, other: "SizeRange") -> bool:
        return self.low_bytes <= other.high_bytes and other.low_bytes <= self.high_bytes

    def __add__(self, other: "SizeRange") -> "SizeRange":
        return SizeRange(self.low_bytes + other.low_bytes, self.high_bytes + other.high_bytes)

    def __sub__(self, other: "SizeRange") -> "SizeRange":
        return SizeRange(self.low_bytes - other.high_bytes, self.high_bytes - other.low_bytes)


def read_size(text: str, *, needs_unit: bool = True) -> SizeRange | None:
    """Return the bytes that `66.00G`, `384.0KiB` or `512B` stands for: units are binary, and a decimal means rounding.

    A number without a unit is None, because its end was cut off, unless `needs_unit` is False: XLA prints some so.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    whole, decimals, unit, exact, hexadecimal = match.groups()
    if decimals and unit:
        twice, scale, steps = 2 * int(whole + decimals), _UNITS[unit], 2 * 10 ** len(decimals)
        # Half of the last printed digit to both sides, rounded inwards.
        return SizeRange(-((1 - twice) * scale // steps), (twice + 1) * scale // steps)
    if decimals or (needs_unit and not (unit or exact)):
        return None
    # Without decimals it is a limit that somebody has set, not a rounded amount.
    size = int(hexadecimal, 16) if hexadecimal else int(whole) * _UNITS.get(unit or exact, 1)
    return SizeRange(size, size)
