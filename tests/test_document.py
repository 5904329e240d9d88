"""A document is what its records declare: what is written is read again, and anything else is refused by its place."""

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from reportgen.document import Bytes, Count, Misstated, Number, Pattern, Positive, document, encoded, parsed, read
from reportgen.record import record
from tests.support.document_schema import document_schema, field_tables, word_lists

Color = Literal["red", "green"]
"""The color of a part."""
Space = Annotated[int, Number("the number of a space", 0)]


@document()
class Part:
    """A part.

    Of which nothing else is said.
    """

    size_bytes: Bytes
    """Its size."""
    color: Color | None
    """Its color; null without one."""


@document()
class LargePart(Part):
    """A part with a weight."""

    weight: float
    """Its weight."""
    parts: tuple[Part, ...] = ()
    """What it consists of."""


@record
class MeasuredPart(Part):
    """A part of which more is kept than is written."""

    numbers: tuple[int, ...]


@document()
class Whole:
    """A document."""

    schema: Literal[1]
    """The number."""
    name: Annotated[str, Pattern("a name", "[^ ]*")]
    """Its name."""
    spaces: Mapping[Space, tuple[Part, ...]]
    """Parts by space."""
    colors: Mapping[Color, Positive]
    """How many parts have a color."""
    main: LargePart | None
    """The main part; null without one."""
    class_: str
    """Its class."""
    is_new: bool
    """Whether it is new."""
    count: Count | None
    """A number."""
    difference: int
    """A difference."""


@document(sparse=True)
class Sparse:
    """A record of which only what is known is written."""

    place: tuple[Count, str]
    """Where it is."""
    name: str | None = None
    """Its name; absent without one."""


@document()
class Named:
    """A record of parts with any name."""

    parts: Mapping[str, Count]
    """The parts by their names."""


LISTS = word_lists([("color", sys.modules[__name__], "Color")])
SCHEMA = document_schema(Whole, "A document", "urn:example", LISTS)
COUNTS = st.integers(0, 10**30 - 1)
PARTS = st.builds(Part, size_bytes=COUNTS, color=st.sampled_from(["red", "green", None]))
LARGE = st.builds(
    LargePart,
    size_bytes=COUNTS,
    color=st.none(),
    weight=st.floats(allow_nan=False, allow_infinity=False, min_value=-1e20, max_value=1e20),
    parts=st.lists(PARTS, max_size=2).map(tuple),
)
WHOLES = st.builds(
    Whole,
    schema=st.just(1),
    name=st.text(st.characters(exclude_characters=" \n", exclude_categories=["Cs"])),
    spaces=st.dictionaries(st.integers(0, 99), st.lists(PARTS, max_size=2).map(tuple), max_size=2),
    colors=st.dictionaries(st.sampled_from(["red", "green"]), st.integers(1, 9)),
    main=LARGE | st.none(),
    class_=st.sampled_from(["a", "b"]),
    is_new=st.booleans(),
    count=COUNTS | st.none(),
    difference=st.integers(-(1 << 90), 1 << 90),
)
EXAMPLE = Whole(
    schema=1,
    name="a",
    spaces={0: (Part(size_bytes=3, color="red"),)},
    colors={"red": 1},
    main=LargePart(size_bytes=1, color=None, weight=0.5),
    class_="a",
    is_new=True,
    count=None,
    difference=-1,
)


def stated() -> Any:
    return json.loads(encoded(EXAMPLE))


@given(WHOLES)
def test_what_is_written_is_read_again_and_as_its_schema_says(whole: Whole) -> None:
    written = parsed(encoded(whole).encode())
    assert read(Whole, written) == whole
    assert list(Draft202012Validator(SCHEMA).iter_errors(written)) == []


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_a_field_that_is_not_known_is_ignored(more: dict[str, Any]) -> None:
    assert read(Part, {**more, "size_bytes": 1, "color": None}) == Part(size_bytes=1, color=None)


def test_a_key_is_the_name_of_its_field_which_can_be_a_word_of_python() -> None:
    keys = list(json.loads(encoded(LargePart(size_bytes=1, color=None, weight=1))))
    assert keys == ["size_bytes", "color", "weight", "parts"]
    assert json.loads(encoded(EXAMPLE))["class"] == "a"


def test_a_record_that_keeps_more_is_written_with_the_fields_of_the_document_only() -> None:
    part = MeasuredPart(size_bytes=1, color="red", numbers=(1, 2))
    assert encoded([part]) == '[{"size_bytes": 1, "color": "red"}]'


def test_a_class_that_is_no_record_of_a_document_is_not_written() -> None:
    with pytest.raises(TypeError, match="object is no record of a document"):
        encoded(object())


def test_a_field_with_a_default_may_be_missing() -> None:
    whole = stated()
    del whole["main"]["parts"]
    assert read(Whole, whole) == EXAMPLE
    assert list(Draft202012Validator(SCHEMA).iter_errors(whole)) == []


def test_a_sparse_record_is_written_without_what_has_its_default() -> None:
    assert encoded(Sparse(place=(1, "a"))) == '{"place": [1, "a"]}'
    for sparse in (Sparse(place=(1, "a")), Sparse(place=(1, "a"), name="b")):
        assert read(Sparse, parsed(encoded(sparse).encode())) == sparse
    places: tuple[object, ...] = ([1], [1, "a", 2], [1, 2], {})
    for place in places:
        with pytest.raises(Misstated, match="place"):
            read(Sparse, {"place": place})


def put(*path: str | int, value: object) -> Any:
    """Return the example with a value at a place."""
    whole = place = stated()
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return whole


@pytest.mark.parametrize(
    ("whole", "words"),
    [
        ([], "it is not a table of fields"),
        ({}, "schema is missing"),
        (put("schema", value=2), "schema: 2 is not 1"),
        (put("schema", value=True), "schema: True is not 1"),
        (put("name", value=None), "name: None is not a name"),
        (put("name", value="a b"), "name: 'a b' is not a name"),
        (put("count", value=True), "count: True is not a number"),
        (put("count", value=-1), "count: -1 is not a number"),
        (put("count", value=1 << 100), f"count: {1 << 100} is not a number"),
        (put("difference", value=1.0), "difference: 1.0 is not a number"),
        (put("is_new", value=1), "is_new: 1 is not true or false"),
        (put("colors", "red", value=0), "colors.red: 0 is not a number above 0"),
        (put("colors", "blue", value=1), "colors.blue: 'blue' is not 'red' or 'green'"),
        (put("spaces", value=[]), "spaces: [] is not a table of fields"),
        (put("spaces", "00", value=[]), "spaces.00: '00' is not the number of a space"),
        (put("spaces", "0", value={}), "spaces.0: {} is not a list"),
        (put("spaces", "0", value=[7]), "spaces.0[0]: 7 is not a table of fields"),
        (put("spaces", "0", 0, "size_bytes", value=-5), "spaces.0[0].size_bytes: -5 is not a number of bytes"),
        (put("spaces", "0", 0, "color", value=[]), "spaces.0[0].color: [] is not 'red' or 'green'"),
        (put("main", "weight", value=float("nan")), "main.weight: nan is not a number"),
        (put("main", value={"parts": [1]}), "main.size_bytes is missing"),
    ],
)
def test_what_is_not_as_declared_is_refused_by_its_place(whole: Any, words: str) -> None:
    with pytest.raises(Misstated) as refused:
        read(Whole, whole)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "Expecting"), ("[" * 100_000, "nested too deeply"), ('{"a": 1, "a": 2}', "'a' is stated twice")],
)
def test_what_is_no_json_is_refused(text: str, words: str) -> None:
    with pytest.raises(Misstated, match=words):
        parsed(text.encode())


def test_numbers_and_texts_that_cannot_be_written_are_refused_or_replaced() -> None:
    whole = parsed(encoded(EXAMPLE).replace('"difference": -1', f'"difference": {"9" * 5_000}').encode())
    with pytest.raises(Misstated, match="difference: inf is not a number"):
        read(Whole, whole)
    with pytest.raises(Misstated, match="is not a name that can be written"):
        read(Named, {"parts": {"\ud800": 1}})
    assert read(Whole, put("name", value="\ud800")).name == "?"


def test_a_schema_has_a_sentence_for_each_field() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["part"] == {
        "description": "A part.",
        "type": "object",
        "required": ["size_bytes", "color"],
        "properties": {
            "size_bytes": {"description": "Its size.", "type": "integer", "minimum": 0},
            "color": {
                "description": "Its color; null without one.",
                "anyOf": [{"$ref": "#/$defs/color"}, {"type": "null"}],
            },
        },
    }
    assert SCHEMA["$defs"]["color"] == {"description": "The color of a part.", "enum": ["red", "green"]}


def test_the_tables_have_each_record_once() -> None:
    lines = list(field_tables(Whole, LISTS))
    assert [line for line in lines if line.startswith("#")] == [
        "### whole",
        "### part",
        "### large_part",
        "### color",
    ]
    assert "| `size_bytes` | bytes | Its size. |" in lines
    assert "| `spaces` | table of list of [part](#part), by integer | Parts by space. |" in lines
