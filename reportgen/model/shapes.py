"""Define the records of an HLO shape and its layout; each prints back to the text that it was parsed from.

Everything that a report says about padding and memory order comes from texts such as
`bf16[4096,3584]{1,0:T(8,128)(2,1)S(1)}`, so every part of them is kept: an attribute that no record knows, as text.
Printing follows XLA `ShapeUtil::HumanStringWithLayout` and `Layout::Print`; `reportgen.parse.shape_parser` reads the
same grammar.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import NamedTuple

from reportgen.record import record

COMMENT_EVERY = 5
"""XLA numbers every fifth element of a tuple in a comment."""

# The order of XLA `Layout::Print`, because a layout must print back to the text that it was parsed from.
_PRINTING_ORDER = ("D", "T", "L", "#", "*", "E", "S", "SC", "P", "M")

Tile = tuple[int | None, ...]
"""Tile sizes, most major first; None is `*`, which merges its dimension into the next more minor one."""


class SplitConfig(NamedTuple):
    """`SC(d:i,j)`: physical `dimension` (0 is the most major) is split at `indices` over several memories."""

    dimension: int
    indices: tuple[int, ...]


@record
class Layout:
    """The arrangement of an array in memory (XLA `Layout`).

    `minor_to_major` lists logical dimensions, fastest varying first. `tail_padding` is in elements,
    `element_bits` in bits; both are None if not printed. `other_attributes` (sparse level types `D`, index
    types `#` and `*`, physical shape `P`, metadata bytes `M`, and any new ones) are pairs of name and text,
    parentheses included.
    """

    minor_to_major: tuple[int, ...]
    tiles: tuple[Tile, ...] = ()
    tail_padding: int | None = None
    element_bits: int | None = None
    memory_space: int = 0
    split_configs: tuple[SplitConfig, ...] = ()
    other_attributes: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        texts = dict(self.other_attributes)
        texts["T"] = "".join(f"({_joined('*' if size is None else size for size in tile)})" for tile in self.tiles)
        texts["L"] = "" if self.tail_padding is None else f"({self.tail_padding})"
        texts["E"] = "" if self.element_bits is None else f"({self.element_bits})"
        texts["S"] = f"({self.memory_space})" if self.memory_space else ""  # XLA omits the default space, which is 0
        texts["SC"] = "".join(f"({split.dimension}:{_joined(split.indices)})" for split in self.split_configs)
        attributes = "".join(name + text for name, text in sorted(texts.items(), key=printing_rank) if text)
        return f"{{{_joined(self.minor_to_major)}{':' if attributes else ''}{attributes}}}"


@record(kw_only=False)
class ArrayShape:
    """`TYPE[DIMENSIONS]{LAYOUT}`.

    A dimension of None is unbounded (`?`). `dynamic` marks dimensions whose size is known only at run time:
    `?`, and `<=N`, which takes the memory of N elements.
    """

    element_type: str
    dimensions: tuple[int | None, ...]
    dynamic: tuple[bool, ...]
    layout: Layout | None = None

    def __str__(self) -> str:
        sizes = (
            "?" if size is None else f"<={size}" if dynamic else size
            for size, dynamic in zip(self.dimensions, self.dynamic, strict=True)
        )
        return f"{self.element_type}[{_joined(sizes)}]{'' if self.layout is None else self.layout}"


@record(kw_only=False)
class TupleShape:
    """`(SHAPE, SHAPE, ...)`; if `numbered`, `/*index=K*/` precedes every fifth element.

    TensorFlow 2.3 does not print these comments; later builds do. They do not affect equality.
    """

    elements: tuple["Shape", ...]
    numbered: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        texts = [str(element) for element in self.elements]
        if self.numbered:
            for index in range(COMMENT_EVERY, len(texts), COMMENT_EVERY):
                texts[index] = f"/*index={index}*/{texts[index]}"
        return f"({', '.join(texts)})"


@record(kw_only=False)
class BufferShape:
    """`b(SHAPE)`: a buffer of that shape, which is a distinct type (XLA since 2025-05)."""

    content: "Shape"

    def __str__(self) -> str:
        return f"b({self.content})"


@record(kw_only=False)
class OpaqueShape:
    """`token[]` or `opaque[]`: a value that has no elements."""

    kind: str

    def __str__(self) -> str:
        return f"{self.kind}[]"


Shape = ArrayShape | TupleShape | BufferShape | OpaqueShape


def printing_rank(attribute: tuple[str, str]) -> int:
    """Return the rank at which XLA prints a layout attribute, given as name and text; unknown ones come last."""
    name, _ = attribute
    return _PRINTING_ORDER.index(name) if name in _PRINTING_ORDER else len(_PRINTING_ORDER)


def _joined(items: Iterable[object]) -> str:
    return ",".join(map(str, items))
