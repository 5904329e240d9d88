"""Parse the text of an HLO shape with its layout, as in `bf16[4096,3584]{1,0:T(8,128)(2,1)S(1)}`.

The grammar is that of XLA `ShapeUtil::HumanStringWithLayout` and `Layout::Print`; each rule is in the docstring of
the function that parses it. The records of `reportgen.model.shapes` print the same text again.

Shapes come from untrusted files. Parsing takes time linear in the length of the text, and nesting, rank and digits
are limited, so the worst result of a hostile text is a `ShapeError`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from reportgen.model.shapes import (
    COMMENT_EVERY,
    ArrayShape,
    BufferShape,
    Layout,
    OpaqueShape,
    Shape,
    SplitConfig,
    TupleShape,
    printing_rank,
)
from reportgen.patterns import repeated

MAX_DEPTH = 100
"""The deepest nesting of tuples that is parsed; real programs stay below ten."""

MAX_RANK = 64
"""The most dimensions of an array or a tile that are parsed, so that every product of them can be printed."""

_CACHED_LENGTH = 256  # because a longer leaf is not worth the memory of its key
_IN_PARENTHESES = ("(", "b(")
_OPAQUE_KINDS = frozenset({"token", "opaque"})


def _list_of(item: str) -> str:
    return rf"(?:{item})(?:,(?:{item})){{0,{MAX_RANK - 1}}}"


# At most 19 digits because XLA's numbers are int64, and no leading zeros because they must print back unchanged.
_COUNT = r"[1-9][0-9]{0,18}+"
_NUMBER = rf"(?:0|{_COUNT})"

_HEAD = re.compile(r"([a-z][a-z0-9_]*+)\[([^\[\](){}]*+)\]")
_DIMENSIONS = re.compile(rf"(?:{_list_of(rf'(?:<=)?{_NUMBER}|[?]')})?")
_MINOR_TO_MAJOR = re.compile(rf"(?:{_list_of(_NUMBER)})?")
_SIMPLE_LAYOUT = re.compile(r"\{[^{}]*+\}")
_ATTRIBUTE = re.compile(r"([A-Za-z_]++|[#*])(" + repeated(r"\([^()]*+\)") + r")")
_SEPARATOR = re.compile(r", (/\*index=[0-9]++\*/)?")

_KNOWN_ATTRIBUTES = {
    "T": (re.compile(rf"(?:\({_list_of(rf'{_COUNT}|[*]')}\)){{1,{MAX_RANK}}}"), "tile sizes, such as (8,128)"),
    "L": (re.compile(rf"\({_COUNT}\)"), "a number of elements, such as (128)"),
    "E": (re.compile(rf"\({_COUNT}\)"), "a number of bits, such as (4)"),
    "S": (re.compile(rf"\({_NUMBER}\)"), "a memory space, such as (1)"),
    "SC": (re.compile(rf"(?:\({_NUMBER}:{_list_of(_NUMBER)}\)){{1,{MAX_RANK}}}"), "split indices, such as (0:64)"),
}

_Brackets = tuple[str, str, re.Pattern[str]]
"""An opening and a closing bracket, and a pattern for runs of closing ones."""

_BRACES: _Brackets = "{", "}", re.compile(r"\}++")
_PARENTHESES: _Brackets = "(", ")", re.compile(r"\)++")
# The parenthesis that ends a tuple follows one of these characters, the one that ends a tile never does. Jumping from
# one to the next makes scanning a tuple ten times faster than visiting its leaves.
_TUPLE: _Brackets = "(", ")", re.compile(r"[\]}(]\)++")
_TUPLE_WITHIN = re.compile(r"[(\s/bP]\(")


class ShapeError(ValueError):
    """Raised for a text that is not a shape: `expected` names what is missing at `column` (in characters, from 0)."""

    def __init__(self, column: int, expected: str) -> None:
        super().__init__(column, expected)
        self.column = column
        self.expected = expected

    def __str__(self) -> str:
        return f"column {self.column}: expected {self.expected}"


def parse_shape(text: str) -> Shape:
    """Return the shape that the whole of `text` describes. Raises ShapeError.

    Leaves are cached because a dump repeats a few hundred of them a million times.
    """
    if len(text) <= _CACHED_LENGTH and not text.startswith(_IN_PARENTHESES):
        return _cached_leaf(text)
    shape, end = _read(text, 0, 0)
    if end != len(text):
        raise ShapeError(end, "the end of the shape")
    return shape


def scan_shape(text: str, start: int = 0) -> int:
    """Return the end of the shape that begins at `start`. Raises ShapeError only for unbalanced brackets."""
    if text.startswith(_IN_PARENTHESES, start):
        return _matching(text, start, _TUPLE)
    return _layout_end(text, _head(text, start).end())


@lru_cache(maxsize=64)
def shapes_by_index(shape: str) -> Mapping[str, str]:
    """Return the text of a shape and of all its parts, by index: `{}`, `{0}`, `{0,1}` and so on.

    Raises ShapeError.
    """
    return {"{" + index + "}": part for index, part in _parts(shape, "", 0)}


def _parts(shape: str, index: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the index and the text of a shape, then those of its parts, depth first. Raises ShapeError."""
    yield index, shape
    if not shape.startswith("("):
        return
    if depth == MAX_DEPTH:
        raise ShapeError(0, f"at most {MAX_DEPTH} levels of nesting")
    position, number = 1, 0
    while not shape.startswith(")", position):
        end = scan_shape(shape, position)
        yield from _parts(shape[position:end], f"{index},{number}" if index else str(number), depth + 1)
        separator = _SEPARATOR.match(shape, end)
        if separator is None and not shape.startswith(")", end):
            raise ShapeError(end, "', ' or ')'")
        position, number = separator.end() if separator else end, number + 1


def tuple_arity(text: str) -> int | None:
    """Return the number of top-level elements of the tuple that `text` begins with; None if there is no tuple."""
    if not text.startswith("("):
        return None
    try:
        end = scan_shape(text)
        if _TUPLE_WITHIN.search(text, 0, end) is None:
            # No element is a tuple, so each ", " separates two of them: commas within a leaf have no space after them.
            return text.count(", ", 0, end) + (end > len("()"))
        arity, position = 0, 1
        while position < end - 1:
            position = scan_shape(text, position)
            separator = _SEPARATOR.match(text, position)
            position = separator.end() if separator else position
            arity += 1
        return arity
    except ShapeError:
        return None


@lru_cache(maxsize=4096)
def plain_shape(shape: str) -> str:
    """Return a printed shape without its layout, as in `bf16[8,128]`; for a tuple just "tuple of N"."""
    arity = tuple_arity(shape)
    if arity is not None:
        return f"tuple of {arity}"
    return shape.removeprefix("b(").partition("{")[0].removesuffix(")")


def _read(text: str, position: int, depth: int) -> tuple[Shape, int]:
    """Return the shape at `position` and its end; a buffer is `b(S)`."""
    if depth > MAX_DEPTH:
        raise ShapeError(position, f"at most {MAX_DEPTH} levels of nesting")
    if text.startswith("(", position):
        return _read_tuple(text, position + 1, depth + 1)
    if text.startswith("b(", position):  # printed by XLA since 2025-05
        content, end = _read(text, position + 2, depth + 1)
        if not text.startswith(")", end):
            raise ShapeError(end, "')'")
        return BufferShape(content), end + 1
    end = scan_shape(text, position)
    leaf = text[position:end]
    try:
        return (_cached_leaf(leaf) if len(leaf) <= _CACHED_LENGTH else _leaf(leaf)), end
    except ShapeError as error:
        raise ShapeError(position + error.column, error.expected) from None


def _read_tuple(text: str, position: int, depth: int) -> tuple[TupleShape, int]:
    """Parse `(S, S, ...)` from after its opening parenthesis; return the tuple and its end."""
    elements: list[Shape] = []
    if text.startswith(")", position):
        return TupleShape(()), position + 1
    numbered = False
    while True:
        element, position = _read(text, position, depth)
        elements.append(element)
        if text.startswith(")", position):
            # A short tuple has no place for a comment, so it does not show whether the compiler prints them.
            return TupleShape(tuple(elements), numbered or len(elements) <= COMMENT_EVERY), position + 1
        separator = _SEPARATOR.match(text, position)
        if separator is None:
            raise ShapeError(position, "', ' or ')'")
        position = separator.end()
        numbered = numbered or separator[1] is not None


def _head(text: str, start: int) -> re.Match[str]:
    """Match `TYPE[DIMENSIONS]`."""
    head = _HEAD.match(text, start)
    if head is None:
        raise ShapeError(start, "a shape, such as f32[8,128]{1,0}")
    return head


def _layout_end(text: str, start: int) -> int:
    """Return the end of the layout at `start`, or `start` if there is none."""
    if not text.startswith("{", start):
        return start
    layout = _SIMPLE_LAYOUT.match(text, start)
    return layout.end() if layout else _matching(text, start, _BRACES)


def _matching(text: str, start: int, brackets: _Brackets) -> int:
    """Return the offset after the bracket that closes the one at `start`.

    Jump from one run of closing brackets to the next and count the brackets between them. This takes linear time and
    needs no stack.
    """
    opening, closing, ends = brackets
    depth = 0
    counted = start
    for run in ends.finditer(text, start):
        end = run.end()
        depth += text.count(opening, counted, end) - text.count(closing, counted, end)
        if depth <= 0:
            return end + depth  # a negative depth, because the rest of the run closes what is around the bracket
        counted = end
    raise ShapeError(len(text), f"'{closing}' for the '{opening}' at column {start}")


def _leaf(text: str) -> ArrayShape | OpaqueShape:
    """Parse `TYPE[DIMENSIONS]`, which a layout follows unless it is empty."""
    head = _head(text, 0)
    kind, sizes = head.groups()
    end = _layout_end(text, head.end())
    if end != len(text):
        raise ShapeError(end, "the end of the shape")
    if kind in _OPAQUE_KINDS:
        if end != len(kind) + len("[]"):
            raise ShapeError(len(kind), "'[]'")
        return OpaqueShape(kind)
    _check_list(_DIMENSIONS, text, head.span(2), f"up to {MAX_RANK} dimensions of up to 19 digits")
    # `8,128`, `<=8,128` (at most 8), `?` (unbounded), or nothing for a scalar.
    items = sizes.split(",") if sizes else []
    dimensions = tuple(None if item == "?" else int(item.removeprefix("<=")) for item in items)
    layout = _layout(text, head.end(), len(items)) if head.end() < end else None
    return ArrayShape(kind, dimensions, tuple(item[0] in "<?" for item in items), layout)


_cached_leaf = lru_cache(maxsize=4096)(_leaf)


def _layout(text: str, start: int, rank: int) -> Layout:
    """Parse `{MINOR_TO_MAJOR[:ATTRIBUTE...]}`."""
    order, colon, _ = text[start + 1 : -1].partition(":")
    colon_at = start + 1 + len(order)
    _check_list(_MINOR_TO_MAJOR, text, (start + 1, colon_at), "dimension numbers, fastest varying first")
    minor_to_major = tuple(map(int, order.split(","))) if order else ()
    if sorted(minor_to_major) != list(range(rank)):
        raise ShapeError(start + 1, f"each of the {rank} dimensions once, counted from 0")
    attributes = _attributes(text, colon_at + 1) if colon else {}
    return Layout(
        minor_to_major=minor_to_major,
        tiles=tuple(
            tuple(None if size == "*" else int(size) for size in tile.split(","))
            for tile in _groups(attributes.pop("T", ""))
        ),
        tail_padding=int(attributes.pop("L")[1:-1]) if "L" in attributes else None,
        element_bits=int(attributes.pop("E")[1:-1]) if "E" in attributes else None,
        memory_space=int(attributes.pop("S")[1:-1]) if "S" in attributes else 0,
        split_configs=tuple(
            SplitConfig(int(dimension), tuple(map(int, indices.split(","))))
            for dimension, _, indices in (split.partition(":") for split in _groups(attributes.pop("SC", "")))
        ),
        other_attributes=tuple(sorted(attributes.items(), key=printing_rank)) if attributes else (),
    )


def _attributes(text: str, position: int) -> dict[str, str]:
    """Split `T(8,128)(2,1)S(1)` into names and texts; some attributes have several pairs of parentheses."""
    end = len(text) - 1
    attributes: dict[str, str] = {}
    while position < end or not attributes:
        match = _ATTRIBUTE.match(text, position, end)
        if match is None or match[1] in attributes:
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
        attributes[name] = text[start:position]
    return attributes


def _groups(text: str) -> list[str]:
    """Return the contents of each pair of parentheses in `(8,128)(2,1)`."""
    return text[1:-1].split(")(") if text else []


def _check_list(pattern: re.Pattern[str], text: str, span: tuple[int, int], expected: str) -> None:
    match = pattern.match(text, *span)
    if match is None or match.end() != span[1]:
        raise ShapeError(match.end() if match else span[0], expected)
