"""What the batch is: the leading dimension of the data, in all arguments that have it, and of no weight."""

from collections.abc import Set as AbstractSet

import pytest

from reportgen.advice.batch import Batch, examples
from reportgen.advice.situation import Situation
from tests.advice.recompiled_programs import program


def batches(name: str) -> AbstractSet[tuple[str, int]]:
    analysis = program(name)
    situation = Situation(analysis, analysis.spaces[0])
    paths = {argument.instruction: argument.path for argument in situation.arguments}
    return {(paths[origin.parameter], origin.dimension) for origin in situation.data}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("qlora", {("tok", 0)}, id="frozen weights begin with layers"),
        pytest.param("flax_gpt+donate", {("tokens", 0)}, id="one argument has all data"),
    ],
)
def test_the_batch_is_found_in_the_data(name: str, expected: AbstractSet[tuple[str, int]]) -> None:
    assert batches(name) == expected


def test_other_data_with_as_many_examples_follows_the_batch() -> None:
    analysis = program("gnn")
    situation = Situation(analysis, analysis.spaces[0])
    own = {
        one.path: situation.dimensions.own(one.number)[0] for one in situation.arguments if one.path in "e receive v"
    }
    edges, receivers = own["e"], own["receive"]
    found = {"e": {edges: 100}, "receive": {receivers: 20}}
    assert examples(situation.dimensions, found, frozenset({edges})) == {edges, receivers}
    rare = {"e": {edges: 100}, "receive": {receivers: 9}}
    assert examples(situation.dimensions, rare, frozenset({edges})) == {edges}


def test_state_with_an_entry_for_each_example_follows_the_batch() -> None:
    batch = Batch(100, 60, [10, 10], [20, 40], [0, 0], ())
    assert batch.peak(0.5).peak_bytes == 100 - 30 + 10 + 20
    assert batch.largest(150) == 1.0
    assert batch.largest(100) == 0.5
    assert batch.largest(49) is None
