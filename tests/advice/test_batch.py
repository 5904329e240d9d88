"""What the batch is: the leading dimension of the data, in all arguments that have it, and of no weight."""

from collections.abc import Set as AbstractSet
from dataclasses import replace

import pytest

from reportgen.advice.batch import Batch, data, examples
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import ALWAYS, Edit, Held, Memory
from reportgen.program.dimensions import Origin
from tests.advice.recompiled_programs import advice, program
from tests.support.dumps import analysed

GATHERED = """BufferAssignment:
allocation 0: size 1024, parameter 0, shape |f32[16,16]| at ShapeIndex {}:
 value: <1 weights @0> (size=1024,offset=0): f32[16,16]{1,0}
allocation 1: size 256, parameter 1, shape |f32[4,16]| at ShapeIndex {}:
 value: <2 x @0> (size=256,offset=0): f32[4,16]{1,0}
allocation 2: size 256, maybe-live-out:
 value: <4 y @0> (size=256,offset=0): f32[4,16]{1,0}
allocation 3: size 4096, preallocated-temp:
 value: <3 all @0> (size=4096,offset=0): f32[64,16]{1,0}
allocation 4: size 1024, parameter 2, shape |f32[16,16]| at ShapeIndex {}:
 value: <5 others @0> (size=1024,offset=0): f32[16,16]{1,0}

Total bytes used: 6656 (6.5KiB)

Used values:
<1 weights @0>
 positions:
  weights
 uses:
  all, operand 0
 from instruction: %weights = f32[16,16]{1,0} parameter(0)
<2 x @0>
 positions:
  x
 uses:
  y, operand 0
 from instruction: %x = f32[4,16]{1,0} parameter(1)
<3 all @0>
 positions:
  all
 uses:
  y, operand 1
 from instruction: %all = f32[64,16]{1,0} all-gather(f32[16,16]{1,0} %weights), dimensions={0}
<5 others @0>
 positions:
  others
 uses:
  y, operand 2
 from instruction: %others = f32[16,16]{1,0} parameter(2)
<4 y @0>
 positions:
  y
 uses:
 from instruction: %y = f32[4,16]{1,0} fusion(%x, %all, %others), kind=kLoop, calls=%fused


HloLiveRange (max 5):
  InstructionSequence:
    0:weights
    1:others
    2:x
    3:all
    4:y
  BufferLiveRange:
    weights{}:0-5
    others{}:1-5
    x{}:2-5
    all{}:3-4
    y{}:4-5
"""

GRADIENT = """BufferAssignment:
allocation 0: size 2048, parameter 0, shape |f32[16,32]| at ShapeIndex {}, maybe-live-out:
 value: <1 w @0> (size=2048,offset=0): f32[16,32]{1,0}
 value: <5 new @0> (size=2048,offset=0): f32[16,32]{1,0}
allocation 1: size 256, parameter 1, shape |f32[4,16]| at ShapeIndex {}:
 value: <2 x @0> (size=256,offset=0): f32[4,16]{1,0}
allocation 2: size 2560, preallocated-temp:
 value: <3 h @0> (size=512,offset=0): f32[4,32]{1,0}
 value: <4 gradient @0> (size=2048,offset=512): f32[16,32]{1,0}

Total bytes used: 4864 (4.8KiB)

Used values:
<1 w @0>
 positions:
  w
 uses:
  h, operand 1
  new, operand 0
 from instruction: %w = f32[16,32]{1,0} parameter(0)
<2 x @0>
 positions:
  x
 uses:
  h, operand 0
  gradient, operand 0
 from instruction: %x = f32[4,16]{1,0} parameter(1)
<3 h @0>
 positions:
  h
 uses:
  gradient, operand 1
 from instruction: %h = f32[4,32]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
<4 gradient @0>
 positions:
  gradient
 uses:
  new, operand 1
 from instruction: %gradient = f32[16,32]{1,0} dot(%x, %h), lhs_contracting_dims={0}, rhs_contracting_dims={0}
<5 new @0>
 positions:
  new
 uses:
 from instruction: %new = f32[16,32]{1,0} subtract(%w, %gradient)


HloLiveRange (max 5):
  InstructionSequence:
    0:w
    1:x
    2:h
    3:gradient
    4:new
  BufferLiveRange:
    w{}:0-4
    x{}:1-3
    h{}:2-3
    gradient{}:3-4
    new{}:4-5
"""

FOLLOWING = Memory(0, 2, {0: Held(0, 0, 0, 1, 0, 20), 1: Held(1, 0, 1, 1, 20, 40)}, parts_are_apart=True)


def context(name: str) -> AdviceContext:
    analysis = program(name)
    return AdviceContext(analysis, analysis.spaces[0])


def batches(name: str) -> AbstractSet[tuple[str, int]]:
    found = context(name)
    paths = {argument.instruction: argument.path for argument in found.arguments}
    return {(paths[origin.parameter], origin.dimension) for origin in found.data}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("qlora", {("tok", 0)}, id="frozen weights begin with layers"),
        pytest.param("flax_gpt+donate", {("tokens", 0)}, id="one argument has all data"),
    ],
)
def test_the_batch_is_found_in_the_data(name: str, expected: AbstractSet[tuple[str, int]]) -> None:
    assert batches(name) == expected


def test_data_is_told_from_weights_by_what_a_loop_saves_of_it() -> None:
    """The targets are read once, and the weights are state."""
    assert batches("targets") == {("x", 0)}


def test_weights_gathered_from_several_devices_are_no_data() -> None:
    analysis = analysed(GATHERED, backend="tpu")
    found = AdviceContext(analysis, analysis.spaces[0])
    (gathered,) = found.memory.at_peak
    assert [origin and origin.dimension for origin in found.dimensions.onward(gathered)] == [0, 1]
    assert [argument.path for argument in found.state] == ["argument 1"]
    assert found.data == frozenset()


def test_the_gradient_of_a_weight_begins_with_features_and_no_batch() -> None:
    """It is larger than the activations, which begin with the batch."""
    analysis = analysed(GRADIENT, backend="cpu")
    found = AdviceContext(analysis, analysis.spaces[0])
    gradient = found.program.dump.values.names.index("gradient")
    assert found.dimensions.of(gradient)[0] == Origin("x", (), 1)
    assert gradient in found.memory.at_peak
    assert found.data == {Origin("x", (), 0)}


def test_random_masks_follow_the_batch_and_data_does_too() -> None:
    found = context("dropout").batch
    assert found
    assert found.scaled_bytes == 3000 * 400 * 4
    masks = [one for one in found.values if context("dropout").program.shape(one).startswith("u32[")]
    assert masks


def test_the_only_array_that_is_passed_in_and_no_state_is_the_data() -> None:
    assert batches("blocks") == {("x0", 0)}


def test_zeros_follow_the_batch_of_what_is_written_into_their_copies() -> None:
    """At the peak four copies of zeros wait for loops that write into them, and the zeros themselves are live."""
    found = context("blocks")
    zeros = [one for one in found.memory.at_peak if found.program.shape(one) == "f32[50,3000,100]"]
    assert len(zeros) == 5
    assert found.batch
    assert set(zeros) <= set(found.batch.values)
    assert not any(found.dimensions.of(zeros[0]))
    assert [one and one.dimension for one in found.dimensions.onward(zeros[0])] == [None, 0, 1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("blocks", "half the batch (now 3,000, from x0)"),
        ("flax_gpt+donate", "half the batch (now 8, from tokens)"),
        ("fsdp_tp", "half the batch (now 2 per device, from tok)"),
    ],
)
def test_the_step_says_which_dimension_is_the_batch(name: str, words: str) -> None:
    assert [suggestion.what for suggestion in advice(name).suggestions if suggestion.kind == "batch"] == [words]


def test_of_each_array_one_dimension_is_the_batch() -> None:
    rows, columns = Origin("x", (), 0), Origin("x", (), 1)
    assert data({"x": {rows: 60, columns: 40}}) == {rows}
    assert data({"x": {rows: 60, Origin("y", (), 1): 40}}) == {rows, Origin("y", (), 1)}


def test_other_data_with_as_many_examples_follows_the_batch() -> None:
    gnn = context("gnn")
    own = {one.path: gnn.dimensions.own(one.number)[0] for one in gnn.arguments if one.path in "e receive v"}
    edges, receivers = own["e"], own["receive"]
    found = {"e": {edges: 100}, "receive": {receivers: 20}}
    assert examples(gnn.dimensions, found, frozenset({edges})) == {edges, receivers}
    rare = {"e": {edges: 100}, "receive": {receivers: 9}}
    assert examples(gnn.dimensions, rare, frozenset({edges})) == {edges}


def test_a_smaller_batch_scales_what_other_changes_leave() -> None:
    memory = replace(FOLLOWING, static_bytes=100)
    batch = Batch(100, 60, [0, 0], FOLLOWING, [0, 0], ())
    assert batch.peak_after(memory, [], 0.5).curve() == [100 - 30 + 10, 100 - 30 + 20]
    assert batch.peak_after(memory, [Edit({1: [ALWAYS]}, [(0, 8), (1, -8)])], 0.5).curve() == [
        100 - 30 + 14,
        100 - 30 + 10,
    ]


def test_state_with_an_entry_for_each_example_follows_the_batch() -> None:
    batch = Batch(100, 60, [10, 10], FOLLOWING, [0, 0], ())
    assert batch.peak(0.5).peak_bytes == 100 - 30 + 10 + 20
    assert batch.largest(150) == 1.0
    assert batch.largest(100) == 0.5
    assert batch.largest(49) is None
