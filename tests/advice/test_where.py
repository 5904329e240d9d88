"""Where a suggestion is: its array, its line or argument, the sizes that a layout pads, and the orders of a copy."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import advise
from reportgen.advice.where import largest_of, order_words, padded_words, where
from reportgen.analyse.records import Analysis
from reportgen.analyse.sizes import dense_bytes, padded_bytes
from reportgen.parse.shape_parser import parse_shape
from tests.advice.recompiled_programs import names, program
from tests.advice.test_suggestions import compiled
from tests.support.samples import sample_analysis, sample_labels

SHAPE = re.compile(r"\w+\[[\d,]*\]")


@cache
def analyses() -> tuple[Analysis, ...]:
    """Return those of the samples, of compiled programs and of pairs."""
    return (
        *map(sample_analysis, sample_labels()),
        *map(program, names()),
        *(one.analysis for one in compiled().values()),
    )


def suggestions(*kinds: str) -> Iterator[tuple[Analysis, Suggestion]]:
    for analysis in analyses():
        for advice in advise(analysis).values():
            yield from ((analysis, suggestion) for suggestion in advice.suggestions if suggestion.kind in kinds)


def test_the_sizes_that_are_told_multiply_to_the_bytes_of_the_array() -> None:
    told = 0
    for analysis in analyses():
        for number, shape in enumerate(analysis.dump.values.shapes):
            words = padded_words(analysis, number)
            if words and not shape.startswith("("):
                before, after = (sizes(side) for side in words.partition(";")[0].split(" lies as "))
                assert math.prod(after) * dense(shape) == math.prod(before) * padded(shape)
                told += 1
    assert told > 100


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("bf16[1024,20,64]{2,1,0:T(8,128)(2,1)}", "20 × 64 lies as 24 × 128"),
        ("f32[2048,10]{0,1:T(8,128)}", "10 × 2,048 lies as 16 × 2,048"),
        ("f32[16,4,64]{2,0,1:T(8,128)}", "16 × 64 lies as 16 × 128"),
        ("f32[5]{0:T(1024)}", "5 lies as 1,024"),
        ("f32[8,128]{1,0:T(8,128)}", ""),
        ("f32[20,64]{1,0}", ""),
        ("f32[]", ""),
    ],
)
def test_padding_is_told_by_the_sizes_under_the_tile(shape: str, words: str) -> None:
    assert padded_words(with_shapes(shape), 0) == words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("f32[2,3]{1,0}", "f32[2,3]{0,1:T(8,128)}", "{1,0} → {0,1}"),
        ("f32[2,3]{1,0:T(8,128)}", "f32[2,3]{1,0}", ""),
        ("f32[6]{0}", "f32[2,3]{1,0}", ""),
        ("f32[2,3]", "f32[2,3]{0,1}", ""),
    ],
)
def test_a_copy_is_told_by_the_orders_of_its_dimensions(before: str, after: str, words: str) -> None:
    assert order_words(with_shapes(before, after), 0, 1) == words


def test_padding_and_copies_name_an_array() -> None:
    found = list(suggestions("padding", "copy"))
    assert len(found) > 10
    for _, suggestion in found:
        assert SHAPE.search(suggestion.what), suggestion.what
        assert suggestion.kind == "copy" or " lies as " in suggestion.what, suggestion.what


def test_an_array_without_a_line_is_told_by_its_argument() -> None:
    (suggestion,) = (
        suggestion for suggestion in compiled()["tpu/kvcarry/donate"].advice.suggestions if suggestion.kind == "copy"
    )
    assert suggestion.what == (
        "avoid redundant copies, mainly of cache['k'], bf16[8,16,4096,16,64]: {2,4,3,1,0} → {4,1,3,2,0}"
    )


def test_what_is_named_has_most_of_the_bytes() -> None:
    analysis = program("gnn")
    numbers = list(range(40))
    number, is_all = largest_of(analysis, dict.fromkeys(numbers, 1))
    keys = [(analysis.dump.values.shapes[one], where(analysis, one)) for one in numbers]
    assert keys.count(keys[number]) == max(map(keys.count, keys))
    assert is_all == (len(set(keys)) == 1)


def with_shapes(*shapes: str) -> Analysis:
    """Return an analysis whose first values have other shapes."""
    analysis = program("gnn")
    values = analysis.dump.values
    own = [*shapes, *values.shapes[len(shapes) :]]
    return replace(analysis, dump=replace(analysis.dump, values=replace(values, shapes=own)))


def sizes(text: str) -> list[int]:
    return [int(size.replace(",", "")) for size in text.split(" × ")]


def dense(text: str) -> int:
    return dense_bytes(parse_shape(text), pointer_bytes=8) or 0


def padded(text: str) -> int:
    return padded_bytes(parse_shape(text), pointer_bytes=8) or 0
