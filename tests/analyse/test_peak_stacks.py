"""The peak as a tree by call stack leaves out what splits nothing."""

import pytest

from reportgen.analyse.decompose import groupings
from reportgen.analyse.peak_stacks import PeakStacks, StackNode, peak_stacks
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.spaces import main_space
from reportgen.check import read_reports
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Author
from tests.support.samples import SAMPLES
from tests.support.stacks import stacks_of


def sample(name: str) -> PeakStacks:
    """Return the stacks of a sample with what is next to its dump, as its HLO text."""
    return peak_stacks(*space_of(name))


def space_of(name: str) -> tuple[Analysis, Space]:
    [report], _ = read_reports([SAMPLES / name], DEFAULT_MAX_DUMP_BYTES, None)
    space = main_space(report.analysis.spaces)
    assert space
    return report.analysis, space


def named(node: StackNode) -> tuple[str, int | None, str]:
    return node.name, node.frame and node.frame.line, node.operation


def test_a_program_is_divided_by_its_calls_and_arguments() -> None:
    stacks = sample("v5e-train-step")
    assert [frame.function for frame in stacks.above] == ["<module>", "main", "train_step"]
    loss = stacks.roots[0]
    assert named(loss) == ("loss", 66, "")
    assert [named(layer) for layer in loss.children[:2]] == [("layer", 59, ""), ("layer", 60, "")]
    attention = loss.children[0].children[0]
    assert named(attention) == ("attention", 41, "")
    assert [(operation.kind, operation.name) for operation in attention.children[:3]] == [
        ("operation", "div"),
        ("operation", "exp"),
        ("operation", "dot_general"),
    ]
    [arguments] = [root for root in stacks.roots if root.kind == "arguments"]
    assert {argument.name for argument in arguments.children} >= {"parameters", "momentum"}
    assert stacks.origins[0][0].endswith("train_step.py:41")
    assert stacks.has_lines


@pytest.mark.parametrize(("kind", "label"), [("arguments", "parameter"), ("outputs", "output")])
@pytest.mark.parametrize("name", ["v5e-train-step", "cpu-train-step"])
def test_arguments_and_outputs_are_parts_of_their_own_without_a_line(name: str, kind: str, label: str) -> None:
    held = [group.size_bytes for group in groupings(*space_of(name))["class"] if group.label == label]
    parts = [root for root in sample(name).roots if root.kind == kind]
    assert [part.size_bytes for part in parts] == held
    assert {part.origin for part in parts} <= {""}


OUTER, MIDDLE, INNER, OTHER = (
    Frame("/train.py", name, line) for line, name in enumerate(["step", "loss", "layer", "norm"])
)
HEAD = Frame("/train.py", "head", 4)
LIBRARY = Frame("/usr/site-packages/jax/x.py", "jit", 9)


def test_frames_of_libraries_and_frames_that_split_nothing_are_left_out() -> None:
    # As a stack has them, the innermost first.
    stack = (LIBRARY, INNER, LIBRARY, MIDDLE, OUTER)
    stacks = stacks_of(
        (10, Author(scope="jit(f)/exp", stack=stack)), (10, Author(scope="jit(f)/mul", stack=(OTHER, MIDDLE, OUTER)))
    )
    assert stacks.above == (OUTER, MIDDLE)
    assert [named(root) for root in stacks.roots] == [("layer", 2, "exp"), ("norm", 3, "mul")]


def test_a_frame_with_nearly_all_bytes_of_its_caller_gives_way_to_what_it_calls() -> None:
    stacks = stacks_of(
        (500, Author(scope="exp", stack=(INNER, MIDDLE, OUTER))),
        (480, Author(scope="mul", stack=(HEAD, MIDDLE, OUTER))),
        (20, Author(scope="add", stack=(OTHER, OUTER))),
        (300, Author(scope="dot", stack=(OTHER,))),
    )
    [outer, other] = stacks.roots
    assert (named(outer), outer.below) == (("step", 0, ""), (MIDDLE,))
    assert [named(child) for child in outer.children] == [("layer", 2, "exp"), ("head", 4, "mul"), ("norm", 3, "add")]
    assert named(other) == ("norm", 3, "dot")


def test_the_only_line_of_several_operations_stays() -> None:
    stacks = stacks_of(*((8, Author(scope=name, stack=(INNER, OUTER))) for name in ("exp", "mul")))
    assert (stacks.above, [named(root) for root in stacks.roots]) == ((), [("layer", 2, "")])
    assert stacks.roots[0].above == (OUTER,)
    assert stacks.has_lines


def test_without_source_lines_a_program_is_divided_by_its_scopes() -> None:
    stacks = stacks_of(
        *((4, Author(scope=f"jit(f)/jvp(layer_{n})/{part}/dot")) for n in range(12) for part in ("attn", "mlp"))
    )
    assert not stacks.has_lines
    [layer] = stacks.roots
    assert (layer.kind, layer.name, layer.size_bytes) == ("scope", "layer_#", 96)
    assert [(child.name, child.size_bytes) for child in layer.children] == [("attn/dot", 48), ("mlp/dot", 48)]
    assert stacks.origins == (("layer_#/attn/dot", 48), ("layer_#/mlp/dot", 48))


def test_what_has_no_line_stands_beside_what_has_one() -> None:
    stacks = stacks_of((8, Author(scope="exp", stack=(OUTER,))), (4, Author(scope="a/mul")), (4, Author(scope="b/mul")))
    assert [(root.kind, root.size_bytes) for root in stacks.roots] == [("frame", 8), ("no line", 8)]
    assert [child.name for child in stacks.roots[1].children] == ["a/mul", "b/mul"]


def test_arguments_are_divided_at_their_subscripts() -> None:
    paths = ["p['layer_0']['w']", "p['layer_1']['w']", "p['layer_1']['b']", "o['m']"]
    stacks = stacks_of(*((4, Author(argument=path, rule="argument")) for path in paths))
    [arguments] = stacks.roots
    assert (arguments.kind, arguments.size_bytes, stacks.origins) == ("arguments", 16, ())
    assert [(child.name, child.size_bytes) for child in arguments.children] == [("p['layer_#']", 12), ("o['m']", 4)]
    assert [child.name for child in arguments.children[0].children] == ["['w']", "['b']"]


@pytest.mark.parametrize("deep", [200, 3_000])
def test_a_stack_of_any_depth_is_arranged(deep: int) -> None:
    stack = tuple(Frame("/train.py", "recurse", line) for line in range(deep))
    stacks = stacks_of((8, Author(scope="exp", stack=stack)), (8, Author(scope="exp", stack=stack[1:])))
    assert sum(root.size_bytes for root in stacks.roots) == 16


def test_a_peak_without_names_tells_nothing() -> None:
    assert not stacks_of((8, Author()), (8, Author())).is_telling
    assert not stacks_of((8, Author(scope="exp", stack=(OUTER,)))).is_telling
