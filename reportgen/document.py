"""Declare the documents for programs once: as records whose fields have a type and, below it, a sentence.

`encoded` writes a record as JSON and `read` reads it back; both follow from the types. The JSON Schema of a document
and the tables of its fields follow from the types and the sentences: tests/support/document_schema.py makes them.

JSON lets anything stand anywhere: a text in the place of a number, NaN, a size of a thousand digits, one name twice. A
figure that cannot be must not reach a verdict, so whatever is not as it is declared is refused, and the message names
the field: `modules[2].spaces.0.needed_bytes: -5 is not a number of bytes`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from functools import cache
from math import inf
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from reportgen.errors import quoted, shown
from reportgen.record import record

_Record = TypeVar("_Record")
_MOST_DIGITS = 30
_MORE_THAN_ANY = 1 << 100


class Number(NamedTuple):
    """What a number is, in words, and the least that it can be; None where it can be negative."""

    words: str = "a number"
    least: int | None = None


class Pattern(NamedTuple):
    """What a text is, in words, and the regular expression that all of it matches."""

    words: str
    regex: str


Count = Annotated[int, Number("a number", 0)]
"""A number of things, or a position in the schedule."""
SignedCount = Annotated[int, Number("a number")]
Positive = Annotated[int, Number("a number above 0", 1)]
Bytes = Annotated[int, Number("a number of bytes", 0)]
SignedBytes = Annotated[int, Number("a number of bytes")]


class Misstated(ValueError):
    """A document is not what it has to be; the text names the field."""


# Declaring


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def document(*, kw_only: bool = True, sparse: bool = False) -> Callable[[type[_Record]], type[_Record]]:
    """Make a class a record of a document.

    A key is the name of its field, without the underscore at the end of `class_`. A field with a default may be missing
    from what is read, because it was added later or the record is `sparse`: then a field that has its default is not
    written. A plain record that extends one of a document is written with the fields of that one only, so an analysis
    can keep more than it writes.
    """

    def made(cls: type[_Record]) -> type[_Record]:
        declared = record(kw_only=kw_only)(cls)
        # By name, because mypy knows no such attribute.
        setattr(declared, "__sparse__", sparse)  # noqa: B010
        return declared

    return made


class Scalar(NamedTuple):
    """A text, a number, true or false."""

    type: type
    rule: Number | Pattern | None = None


class OneOf(NamedTuple):
    """One of a list of words."""

    words: tuple[Any, ...]


class OrNull(NamedTuple):
    """A value of some shape, or null."""

    shape: "Shape"


class ArrayOf(NamedTuple):
    """An array of any length."""

    item: "Shape"


class ListOf(NamedTuple):
    """An array with one item of each of these shapes."""

    items: tuple["Shape", ...]


class ObjectOf(NamedTuple):
    """An object whose keys are no names of fields."""

    key: "Shape"
    item: "Shape"


class RecordOf(NamedTuple):
    """A record."""

    cls: Any


Shape = Scalar | OneOf | OrNull | ArrayOf | ListOf | ObjectOf | RecordOf


@cache
def shape(declared: Any) -> Shape:
    """Return the shape of a type in JSON."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Annotated:
        return Scalar(*arguments[:2])
    if origin is Literal:
        return OneOf(arguments)
    if origin in (Union, UnionType):
        (declared,) = (part for part in arguments if part is not NoneType)
        return OrNull(shape(declared))
    if origin is tuple:
        is_open = arguments[1:] == (...,)
        return ArrayOf(shape(arguments[0])) if is_open else ListOf(tuple(map(shape, arguments)))
    if origin is not None:
        return ObjectOf(shape(arguments[0]), shape(arguments[1]))
    return Scalar(declared) if declared in (bool, float, int, str, NoneType) else RecordOf(declared)


class Field(NamedTuple):
    """A field of a record; its default is only for one that is `later`, which may be missing from what is read."""

    name: str
    shape: Shape
    is_later: bool
    default: Any


@cache
def fields_of(cls: Any) -> Mapping[str, Field]:
    """Return the fields that a record is written with, by their keys. Raises TypeError for no record."""
    base = next((base for base in cls.__mro__ if "__sparse__" in vars(base)), None)
    if base is None:
        raise TypeError(f"{cls.__name__} is no record of a document")
    hints = get_type_hints(base, include_extras=True)
    found = {}
    for one in fields(base):
        is_later = one.default is not MISSING or one.default_factory is not MISSING
        found[one.name.removesuffix("_")] = Field(one.name, shape(hints[one.name]), is_later, one.default)
    return found


# Writing


def encoded(value: object) -> str:
    """Return records, and what has records in it, as JSON in one line."""
    return json.dumps(value, default=_as_dict, ensure_ascii=False)


def encoded_compactly(value: object) -> str:
    """Return the same JSON in ASCII, without blanks."""
    return json.dumps(value, default=_as_dict, separators=(",", ":"))


def _as_dict(value: Any) -> dict[str, Any]:
    cls: Any = type(value)
    own = fields_of(cls)
    written = {key: getattr(value, field.name) for key, field in own.items()}
    if not cls.__sparse__:
        return written
    return {key: part for key, part in written.items() if own[key].default is MISSING or part != own[key].default}


# Reading


def parsed(data: bytes) -> Any:
    """Return the parsed JSON. Raises Misstated for any other text, and for a name that is stated twice."""
    try:
        # A number of too many digits is no number of anything; it is refused where it is read.
        return json.loads(
            data, object_pairs_hook=_table, parse_int=lambda text: int(text) if len(text) <= _MOST_DIGITS else inf
        )
    except RecursionError as error:
        raise Misstated("it is nested too deeply") from error
    except ValueError as error:
        raise Misstated(str(error)) from error


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        raise Misstated(f"{quoted(next(name for name in names if names.count(name) > 1))} is stated twice")
    return table


def read(cls: type[_Record], stated: Any) -> _Record:
    """Return the record that JSON states, without fields that it does not know. Raises Misstated for anything else."""
    return cast(_Record, _record(cls, stated, ""))


def _wrong(needed: str, value: Any, place: str) -> Misstated:
    """Return the error for a value that is not what is needed at its place."""
    place = place.removeprefix(".")
    if value is MISSING:
        return Misstated(f"{place} is missing")
    return Misstated(f"{place}: {quoted(value)} is not {needed}" if place else f"it is not {needed}")


def _record(cls: Any, stated: Any, place: str) -> Any:
    if type(stated) is not dict:
        raise _wrong("a table of fields", stated, place)
    return cls(
        **{
            field.name: _read(field.shape, stated.get(key, MISSING), f"{place}.{key}")
            for key, field in fields_of(cls).items()
            if key in stated or not field.is_later
        }
    )


def _read(declared: Shape, stated: Any, place: str) -> Any:
    """Read a part of JSON as its declared shape. Raises Misstated if it does not fit."""
    match declared:
        case Scalar(kind, rule):
            if not _fits(kind, rule, stated):
                raise _wrong(rule.words if rule else _WORDS[kind], stated, place)
            # JSON may state halves of characters that no encoding has.
            return stated if kind is not str or stated.isascii() else stated.encode("utf-8", "replace").decode()
        case RecordOf(cls):
            return _record(cls, stated, place)
        case OneOf(words):
            if type(stated) not in (str, int) or stated not in words:
                raise _wrong(" or ".join(map(repr, words)), stated, place)
            return stated
        case ArrayOf() | ListOf():
            return _array(declared, stated, place)
        case ObjectOf(key, item):
            if type(stated) is not dict:
                raise _wrong("a table of fields", stated, place)
            parts = [(name, part, f"{place}.{shown(name)}") for name, part in stated.items()]
            return {_read(key, _key(key, name, at), at): _read(item, part, at) for name, part, at in parts}
        case OrNull(either):
            return None if stated is None else _read(either, stated, place)


def _array(declared: ArrayOf | ListOf, stated: Any, place: str) -> tuple[Any, ...]:
    if type(stated) is not list:
        raise _wrong("a list", stated, place)
    items = declared.items if isinstance(declared, ListOf) else [declared.item] * len(stated)
    if len(items) != len(stated):
        raise _wrong(f"a list of {len(items)}", stated, place)
    return tuple(_read(item, stated[number], f"{place}[{number}]") for number, item in enumerate(items))


def _fits(kind: type, rule: Number | Pattern | None, stated: Any) -> bool:
    """Return whether a value has a type and satisfies a rule; a whole number also counts as a float."""
    # By type(), because JSON's true is an int in Python.
    is_of_kind = type(stated) is kind or (kind is float and type(stated) is int)
    if not is_of_kind:
        return False
    if isinstance(rule, Pattern):
        return re.fullmatch(rule.regex, stated) is not None
    if kind in (int, float):
        least = rule.least if isinstance(rule, Number) else None
        low = -_MORE_THAN_ANY if least is None else least
        return bool(low <= stated < _MORE_THAN_ANY)  # which NaN is not
    return True


_WORDS = {bool: "true or false", float: "a number", int: "a number", str: "a text", NoneType: "null"}


def _key(declared: Shape, name: str, place: str) -> Any:
    """Return the name of a field as what is to be read: as a number, where that is its only form.

    A name with half of a character is refused, because two could be equal without it.
    """
    if not name.isascii() and name != name.encode("utf-8", "replace").decode():
        raise _wrong("a name that can be written", name, place)
    is_number = isinstance(declared, Scalar) and declared.type is int
    if is_number and name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS and name == str(int(name)):
        return int(name)
    return name
