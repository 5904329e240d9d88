"""The text of an HLO shape with its layout, as records that print back to the same text.

All that a report says about padding and memory order rests on texts such as
`bf16[4096,3584]{1,0:T(8,128)(2,1)S(1)}`. So nothing in them is guessed or dropped: an attribute that no
record knows is kept as text. The grammar is what XLA `ShapeUtil::HumanStringWithLayout` and
`Layout::Print` write; each rule stands in the docstring of the function that reads it.

Shapes come from files that anyone may hand in. Reading is linear in the length of the text, and nesting,
rank and digits are limited, so that a hostile text ends in a `ShapeError` and in nothing worse.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

MAX_DEPTH = 100
"""Levels of tuples that are read; real programs stay below ten."""

MAX_RANK = 64
"""Dimensions of an array or a tile that are read; keeps every product of them printable."""

_CACHED_LENGTH = 256  # a longer leaf is not worth the memory that its key would hold
_COMMENT_EVERY = 5
_IN_PARENTHESES = ("(", "b(")
_OPAQUE_KINDS = frozenset({"token", "opaque"})
_PRINTING_ORDER = ("D", "T", "L", "#", "*", "E", "S", "SC", "P", "M")


def _list_of(item: str) -> str:
    return rf"(?:{item})(?:,(?:{item})){{0,{MAX_RANK - 1}}}+"


# Numbers are XLA's int64, so 19 digits, without leading zeros, because they must print back the same.
_COUNT = r"[1-9][0-9]{0,18}+"
_NUMBER = rf"(?:0|{_COUNT})"

_HEAD = re.compile(r"([a-z][a-z0-9_]*+)\[([^\[\](){}]*+)\]")
_DIMENSIONS = re.compile(rf"(?:{_list_of(rf'(?:<=)?{_NUMBER}|[?]')})?")
_MINOR_TO_MAJOR = re.compile(rf"(?:{_list_of(_NUMBER)})?")
_SIMPLE_LAYOUT = re.compile(r"\{[^{}]*+\}")
_ATTRIBUTE = re.compile(r"([A-Za-z_]++|[#*])((?:\([^()]*+\))*+)")
_SEPARATOR = re.compile(r", (/\*index=[0-9]++\*/)?+")

_KNOWN_ATTRIBUTES = {
    "T": (re.compile(rf"(?:\({_list_of(rf'{_COUNT}|[*]')}\)){{1,{MAX_RANK}}}+"), "tile sizes, such as (8,128)"),
    "L": (re.compile(rf"\({_COUNT}\)"), "a number of elements, such as (128)"),
    "E": (re.compile(rf"\({_COUNT}\)"), "a number of bits, such as (4)"),
    "S": (re.compile(rf"\({_NUMBER}\)"), "a memory space, such as (1)"),
    "SC": (re.compile(rf"(?:\({_NUMBER}:{_list_of(_NUMBER)}\)){{1,{MAX_RANK}}}+"), "split indices, such as (0:64)"),
}

_Brackets = tuple[str, str, re.Pattern[str]]
"""A pair of brackets, and what finds the runs of closing ones."""

_BRACES: _Brackets = "{", "}", re.compile(r"\}++")
_PARENTHESES: _Brackets = "(", ")", re.compile(r"\)++")
# The parenthesis that ends a tuple follows one of these, the one that ends a tile never does. Jumping from
# one to the next makes scanning a tuple ten times faster than visiting its leaves.
_TUPLE: _Brackets = "(", ")", re.compile(r"[\]}(]\)++")
_TUPLE_WITHIN = re.compile(r"[(\s/bP]\(")


class ShapeError(ValueError):
    """A text that is not a shape: `column` (characters, from 0) is where, `expected` what should be there."""

    def __init__(self, column: int, expected: str) -> None:
        super().__init__(column, expected)
        self.column = column
        self.expected = expected

    def __str__(self) -> str:
        return f"column {self.column}: expected {self.expected}"


Tile = tuple[int | None, ...]
"""Tile sizes, most major first; None is `*`: this dimension is merged into the next more minor one."""


class SplitConfig(NamedTuple):
    """`SC(d:i,j)`: physical `dimension` (0 is the most major) is cut at `indices` over several memories."""

    dimension: int
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How an array lies in memory (XLA `Layout`).

    `minor_to_major` names logical dimensions, fastest varying first. `tail_padding` is in elements,
    `element_bits` in bits; None where not printed. `other` holds the remaining attributes (sparse level
    types `D`, index types `#` and `*`, physical shape `P`, metadata bytes `M`, and any that are new) as
    pairs of name and text, parentheses included.
    """

    minor_to_major: tuple[int, ...]
    tiles: tuple[Tile, ...] = ()
    tail_padding: int | None = None
    element_bits: int | None = None
    memory_space: int = 0
    split_configs: tuple[SplitConfig, ...] = ()
    other: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        texts = dict(self.other)
        texts["T"] = "".join(f"({_joined('*' if size is None else size for size in tile)})" for tile in self.tiles)
        texts["L"] = "" if self.tail_padding is None else f"({self.tail_padding})"
        texts["E"] = "" if self.element_bits is None else f"({self.element_bits})"
        texts["S"] = f"({self.memory_space})" if self.memory_space else ""
        texts["SC"] = "".join(f"({split.dimension}:{_joined(split.indices)})" for split in self.split_configs)
        attributes = "".join(name + text for name, text in sorted(texts.items(), key=_printing_rank) if text)
        return f"{{{_joined(self.minor_to_major)}{':' if attributes else ''}{attributes}}}"


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """`TYPE[DIMENSIONS]{LAYOUT}`.

    A dimension of None is unbounded (`?`). `dynamic` marks those whose size is known only at run time:
    `?`, and `<=N`, which is stored as N elements.
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


@dataclass(frozen=True, slots=True)
class TupleShape:
    """`(SHAPE, SHAPE, ...)`; where `numbered`, `/*index=K*/` stands before every fifth element.

    TensorFlow 2.3 prints no such comments, later builds do. They do not make a tuple another one.
    """

    elements: tuple["Shape", ...]
    numbered: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        texts = [str(element) for element in self.elements]
        if self.numbered:
            for index in range(_COMMENT_EVERY, len(texts), _COMMENT_EVERY):
                texts[index] = f"/*index={index}*/{texts[index]}"
        return f"({', '.join(texts)})"


@dataclass(frozen=True, slots=True)
class BufferShape:
    """`b(SHAPE)`: a buffer of that shape, as a type of its own (XLA since 2025-05)."""

    content: "Shape"

    def __str__(self) -> str:
        return f"b({self.content})"


@dataclass(frozen=True, slots=True)
class OpaqueShape:
    """`token[]` or `opaque[]`: a value that has no elements."""

    kind: str

    def __str__(self) -> str:
        return f"{self.kind}[]"


Shape = ArrayShape | TupleShape | BufferShape | OpaqueShape


def parse_shape(text: str) -> Shape:
    """The shape that `text`, all of it, describes; `ShapeError` where it is none.

    Leaves are remembered: a dump repeats a few hundred of them a million times.
    """
    if len(text) <= _CACHED_LENGTH and not text.startswith(_IN_PARENTHESES):
        return _remembered_leaf(text)
    shape, end = _read(text, 0, 0)
    if end != len(text):
        raise ShapeError(end, "the end of the shape")
    return shape


def scan_shape(text: str, start: int = 0) -> int:
    """Where the shape that begins at `start` ends. Only brackets are checked; `ShapeError` where they do not match."""
    if text.startswith(_IN_PARENTHESES, start):
        return _matching(text, start, _TUPLE)
    return _layout_end(text, _head(text, start).end())


def tuple_arity(text: str) -> int | None:
    """How many elements the tuple that `text` begins with has at its top level; None when it begins with none."""
    if not text.startswith("("):
        return None
    try:
        end = scan_shape(text)
        if _TUPLE_WITHIN.search(text, 0, end) is None:
            return text.count(", ", 0, end) + (end > len("()"))
        return _nested_arity(text, end)
    except ShapeError:
        return None


def _nested_arity(text: str, end: int) -> int:
    arity, position = 0, 1
    while position < end - 1:
        position = scan_shape(text, position)
        separator = _SEPARATOR.match(text, position)
        position = separator.end() if separator else position
        arity += 1
    return arity


def _read(text: str, position: int, depth: int) -> tuple[Shape, int]:
    """The shape at `position`, and where it ends."""
    if depth > MAX_DEPTH:
        raise ShapeError(position, f"at most {MAX_DEPTH} levels of nesting")
    if text.startswith("(", position):
        return _read_tuple(text, position + 1, depth + 1)
    if text.startswith("b(", position):
        return _read_buffer(text, position + 2, depth + 1)
    end = scan_shape(text, position)
    leaf = text[position:end]
    try:
        return (_remembered_leaf(leaf) if len(leaf) <= _CACHED_LENGTH else _leaf(leaf)), end
    except ShapeError as error:
        raise ShapeError(position + error.column, error.expected) from None


def _read_tuple(text: str, position: int, depth: int) -> tuple[TupleShape, int]:
    """`(S, S, ...)`; `position` is behind the parenthesis."""
    elements: list[Shape] = []
    if text.startswith(")", position):
        return TupleShape(()), position + 1
    numbered = False
    while True:
        element, position = _read(text, position, depth)
        elements.append(element)
        if text.startswith(")", position):
            return TupleShape(tuple(elements), numbered or len(elements) <= _COMMENT_EVERY), position + 1
        separator = _SEPARATOR.match(text, position)
        if separator is None:
            raise ShapeError(position, "', ' or ')'")
        position = separator.end()
        numbered = numbered or separator[1] is not None


def _read_buffer(text: str, position: int, depth: int) -> tuple[BufferShape, int]:
    """`b(S)`; `position` is behind the parenthesis."""
    content, end = _read(text, position, depth)
    if not text.startswith(")", end):
        raise ShapeError(end, "')'")
    return BufferShape(content), end + 1


def _head(text: str, start: int) -> re.Match[str]:
    """`TYPE[DIMENSIONS]`."""
    head = _HEAD.match(text, start)
    if head is None:
        raise ShapeError(start, "a shape, such as f32[8,128]{1,0}")
    return head


def _layout_end(text: str, start: int) -> int:
    """Where the layout at `start` ends; `start` where there is none."""
    if not text.startswith("{", start):
        return start
    layout = _SIMPLE_LAYOUT.match(text, start)
    return layout.end() if layout else _matching(text, start, _BRACES)


def _matching(text: str, start: int, brackets: _Brackets) -> int:
    """Where the bracket at `start` is closed.

    It may be in any run of closing brackets. The stretch before each run is counted once, so this is
    linear in the text and needs no stack.
    """
    opening, closing, ends = brackets
    depth = 0
    counted = start
    for run in ends.finditer(text, start):
        end = run.end()
        depth += text.count(opening, counted, end) - text.count(closing, counted, end)
        if depth <= 0:
            return end + depth
        counted = end
    raise ShapeError(len(text), f"'{closing}' for the '{opening}' at column {start}")


def _leaf(text: str) -> ArrayShape | OpaqueShape:
    """`TYPE[DIMENSIONS]`, then the layout unless it is empty."""
    head = _head(text, 0)
    kind, sizes = head.groups()
    end = _layout_end(text, head.end())
    if end != len(text):
        raise ShapeError(end, "the end of the shape")
    if kind in _OPAQUE_KINDS:
        if end != len(kind) + 2:
            raise ShapeError(len(kind), "'[]'")
        return OpaqueShape(kind)
    _check_list(_DIMENSIONS, text, head.span(2), f"up to {MAX_RANK} dimensions of up to 19 digits")
    dimensions, dynamic = _dimensions(sizes)
    return ArrayShape(kind, dimensions, dynamic, _layout(text, head.end(), len(dynamic)) if head.end() < end else None)


_remembered_leaf = lru_cache(maxsize=4096)(_leaf)


def _dimensions(text: str) -> tuple[tuple[int | None, ...], tuple[bool, ...]]:
    """`8,128`, `<=8,128` (at most 8), `?` (unbounded), or nothing for a scalar."""
    items = text.split(",") if text else []
    if "<" not in text and "?" not in text:
        return tuple(map(int, items)), (False,) * len(items)
    sizes = tuple(None if item == "?" else int(item.removeprefix("<=")) for item in items)
    return sizes, tuple(item[0] in "<?" for item in items)


def _layout(text: str, start: int, rank: int) -> Layout:
    """`{MINOR_TO_MAJOR[:ATTRIBUTE...]}`."""
    order, colon, _ = text[start + 1 : -1].partition(":")
    colon_at = start + 1 + len(order)
    _check_list(_MINOR_TO_MAJOR, text, (start + 1, colon_at), "dimension numbers, fastest varying first")
    minor_to_major = tuple(map(int, order.split(","))) if order else ()
    if sorted(minor_to_major) != list(range(rank)):
        raise ShapeError(start + 1, f"each of the {rank} dimensions once, counted from 0")
    found = _attributes(text, colon_at + 1) if colon else {}
    return Layout(
        minor_to_major=minor_to_major,
        tiles=tuple(map(_tile, _groups(found.pop("T", "")))),
        tail_padding=int(found.pop("L")[1:-1]) if "L" in found else None,
        element_bits=int(found.pop("E")[1:-1]) if "E" in found else None,
        memory_space=int(found.pop("S")[1:-1]) if "S" in found else 0,
        split_configs=tuple(map(_split_config, _groups(found.pop("SC", "")))),
        other=tuple(sorted(found.items(), key=_printing_rank)) if found else (),
    )


def _attributes(text: str, position: int) -> dict[str, str]:
    """`T(8,128)(2,1)S(1)`: the attributes stand side by side; some have several pairs of parentheses."""
    end = len(text) - 1
    found: dict[str, str] = {}
    while position < end or not found:
        match = _ATTRIBUTE.match(text, position, end)
        if match is None or match[1] in found:
            raise ShapeError(position, "a further layout attribute, such as T(8,128)")
        name = match[1]
        start, position = match.span(2)
        while text.startswith("(", position):
            position = _matching(text, position, _PARENTHESES)
        if not start < position <= end:
            raise ShapeError(start, "a pair of parentheses")
        if name in _KNOWN_ATTRIBUTES:
            pattern, expected = _KNOWN_ATTRIBUTES[name]
            _check_list(pattern, text, (start, position), expected)
        found[name] = text[start:position]
    return found


def _tile(text: str) -> Tile:
    sizes = text.split(",")
    return tuple(None if size == "*" else int(size) for size in sizes) if "*" in sizes else tuple(map(int, sizes))


def _split_config(text: str) -> SplitConfig:
    dimension, _, indices = text.partition(":")
    return SplitConfig(int(dimension), tuple(map(int, indices.split(","))))


def _groups(text: str) -> list[str]:
    """What is between the parentheses of `(8,128)(2,1)`."""
    return text[1:-1].split(")(") if text else []


def _check_list(pattern: re.Pattern[str], text: str, span: tuple[int, int], expected: str) -> None:
    match = pattern.match(text, *span)
    if match is None or match.end() != span[1]:
        raise ShapeError(match.end() if match else span[0], expected)


def _printing_rank(attribute: tuple[str, str]) -> int:
    name, _ = attribute
    return _PRINTING_ORDER.index(name) if name in _PRINTING_ORDER else len(_PRINTING_ORDER)


def _joined(items: Iterable[object]) -> str:
    return ",".join(map(str, items))
