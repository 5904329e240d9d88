"""Every grouping of a peak and its tree by call stack add up to it, and padding by shape to that of the space."""

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.decompose import GROUPINGS, element_type, groupings
from reportgen.analyse.padding import padded_shapes, padding_at_peak, values_of
from reportgen.analyse.peak_groups import peak_groups
from reportgen.analyse.peak_stacks import peak_stacks, walk
from reportgen.analyse.records import Analysis, Space
from reportgen.input.discover import discover
from reportgen.input.names import Backend
from reportgen.input.reading import load_text
from reportgen.model import Dump
from reportgen.parse.op_names import path_parts
from reportgen.parse.parser import parse_dump
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import Author
from tests.support.dumps import analysed
from tests.support.printer import Dialect, printed
from tests.support.samples import ROOT, sample_analysis, sample_labels
from tests.support.stacks import authored_analyses
from tests.support.strategies import consistent_dumps, dialects

DUMPS = ROOT.parent / "shared" / "dumps"


def assert_groupings_add_up(analysis: Analysis, space: Space, peak: int) -> None:
    groups = groupings(analysis, space)
    assert tuple(groups) == GROUPINGS
    for rows in groups.values():
        assert sum(row.size_bytes for row in rows) == peak
        assert all(sum(size for _, size in row.classes) == row.size_bytes for row in rows)
        assert [row.size_bytes for row in rows] == sorted((row.size_bytes for row in rows), reverse=True)


def assert_stacks_add_up(analysis: Analysis, space: Space, peak: int) -> None:
    stacks = peak_stacks(analysis, space)
    assert stacks.size_bytes == sum(root.size_bytes for root in stacks.roots) == peak
    for node in walk(stacks.roots):
        assert not node.children or node.size_bytes == sum(child.size_bytes for child in node.children)


def assert_padding_adds_up(analysis: Analysis, space: Space, peak: int) -> None:
    rows, at_peak = padded_shapes(analysis, space), padding_at_peak(analysis, space)
    assert sum(row.padding_bytes for row in rows) == space.padding_bytes
    assert sum(row.values for row in rows) == len(values_of(analysis, space))
    assert sum(row.at_peak_bytes for row in rows) == sum(at_peak.values())
    assert sum(at_peak.values()) <= peak
    assert all(size <= analysis.facts[number].padding_bytes for number, size in at_peak.items())


def assert_adds_up(analysis: Analysis) -> None:
    for space in analysis.spaces.values():
        peak = space.peak_resident.amount if space.peak_resident else 0
        assert_groupings_add_up(analysis, space, peak)
        assert_stacks_add_up(analysis, space, peak)
        assert_padding_adds_up(analysis, space, peak)


@pytest.mark.parametrize("label", sample_labels())
def test_samples_add_up(label: str) -> None:
    assert_adds_up(sample_analysis(label))


@pytest.mark.slow
@pytest.mark.skipif(not DUMPS.is_dir(), reason="the larger collection of dumps is not here")
@pytest.mark.parametrize("folder", ["seeds", "small"])
def test_real_dumps_add_up(folder: str) -> None:
    for files in discover([DUMPS / folder]).dumps:
        assert_adds_up(analyse(parse_dump(load_text(files)[0]), files.name.backend))


@given(consistent_dumps(), dialects)
def test_any_dump_adds_up(dump: Dump, dialect: Dialect) -> None:
    assert_adds_up(analysed(*printed(dump, dialect)))


@given(authored_analyses())
def test_any_stacks_add_up(analysis: Analysis) -> None:
    assert_adds_up(analysis)


# The parts of a path and of a shape by which a peak is grouped.


@pytest.mark.parametrize(
    ("scope", "parts"),
    [
        ("jit(f)/jit(main)/add", ["jit(f)", "jit(main)", "add"]),
        ("transpose(jvp(a/b))/mul", ["transpose(jvp(a/b))", "mul"]),
        ("f/gather[mode=x/y]", ["f", "gather[mode=x/y]"]),
        ("p['layer/0']['w']", ["p", "['layer/0']", "['w']"]),
        ("params['layer'].w[3]", ["params", "['layer'].w", "[3]"]),
        ("//", ["//"]),
        ("a)/b", ["a)", "b"]),
        ("x", ["x"]),
    ],
)
def test_parts_of_a_path(scope: str, parts: list[str]) -> None:
    assert path_parts(scope) == parts


@pytest.mark.parametrize(
    ("shape", "plain", "element"),
    [
        ("bf16[8,128]{1,0:T(8,128)(2,1)}", "bf16[8,128]", "bf16"),
        ("f32[]{:T(128)}", "f32[]", "f32"),
        ("(f32[2]{0}, s32[])", "tuple of 2", "tuple"),
        ("()", "tuple of 0", "tuple"),
        ("b(f32[4]{0})", "f32[4]", "f32"),
        ("token[]", "token[]", "token"),
    ],
)
def test_shapes_lose_their_layout(shape: str, plain: str, element: str) -> None:
    assert (plain_shape(shape), element_type(shape)) == (plain, element)


# The groups of a peak: arguments of one shape are one where most of their paths agree.


def groups_of(*names: str) -> list[tuple[str, int]]:
    dump = "".join(
        f"allocation {number}: size 8, parameter {number}, shape |f32[2]| at ShapeIndex {{}}:\n"
        f" value: <{number} p{number} @0> (size=8,offset=0): f32[2]{{0}}\n"
        for number in range(len(names))
    )
    ranges = "".join(f"    p{number}{{}}:0-1\n" for number in range(len(names)))
    analysis = analysed(
        f"BufferAssignment:\n{dump}",
        "Used values:\n",
        f"HloLiveRange (max 1):\n  InstructionSequence:\n    0:p0\n  BufferLiveRange:\n{ranges}",
    )
    authors = {number: Author(argument=name, rule="argument") for number, name in enumerate(names)}
    analysis.__dict__["authors"] = type("Given", (), {"of": staticmethod(authors.__getitem__)})()
    return [(group.name, len(group.buffers)) for group in peak_groups(analysis, analysis.spaces[0])]


def test_steps_that_differ_are_a_star() -> None:
    paths = [
        f"opt[0].{moment}['mlp']['{layer}']['kernel'].value" for moment in ("mu", "nu") for layer in ("up", "gate")
    ]
    assert groups_of(*paths) == [("opt[0].*['mlp'][*]['kernel'].value", 4)]
    assert groups_of("p['layers'][0]['a']", "p['layers'][1]['b']") == [("p['layers'][#][*]", 2)]


def test_names_of_which_little_agrees_are_apart() -> None:
    assert groups_of("p['embed']['scale']", "p['head']['bias']") == [
        ("p['embed']['scale']", 1),
        ("p['head']['bias']", 1),
    ]
    assert groups_of("p['w']", "o['w']") == [("p['w']", 1), ("o['w']", 1)]


# What the caller holds loses its padding to the peak as a temporary does.


DONATED = """BufferAssignment:
allocation 0: size 4096, parameter 0, shape |f32[8,1]| at ShapeIndex {}, maybe-live-out:
 value: <1 p @0> (size=4096,offset=0): f32[8,1]{1,0:T(8,128)}
allocation 1: size 8192, preallocated-temp:
 value: <2 a @0> (size=4096,offset=0): f32[8,1]{1,0:T(8,128)}
 value: <3 b @0> (size=4096,offset=4096): f32[8,128]{1,0:T(8,128)}

Total bytes used: 12288 (12.0KiB)

HloLiveRange (max 3):
  InstructionSequence:
    0:p
    1:a
    2:b
  BufferLiveRange:
    p{}:0-0
    a{}:1-2
    b{}:2-3
"""


@pytest.mark.parametrize("backend", ["tpu", "unknown"])
def test_what_the_caller_holds_loses_its_padding_at_the_peak_too(backend: Backend) -> None:
    analysis = analysed(DONATED, backend=backend)
    (lost, whole) = padded_shapes(analysis, analysis.spaces[0])
    assert (lost.shape, lost.values) == ("f32[8,1]{1,0:T(8,128)}", 2)
    assert lost.padding_bytes == lost.at_peak_bytes == 2 * (4096 - 32)
    assert (whole.values, whole.padding_bytes, whole.at_peak_bytes) == (1, 0, 0)


COVERED = """BufferAssignment:
allocation 0: size 8192, preallocated-temp:
 value: <1 a @0> (size=4096,offset=0): f32[8,1]{1,0:T(8,128)}
 value: <2 b @0> (size=4000,offset=0): f32[1000]{0}
 value: <3 c @0> (size=4096,offset=4096): f32[1024]{0}

Total bytes used: 8192 (8.0KiB)

HloLiveRange (max 3):
  InstructionSequence:
    0:a
    1:b
    2:c
  BufferLiveRange:
    a{}:0-2
    b{}:1-2
    c{}:2-2
"""


def test_a_value_loses_no_more_padding_than_it_has_bytes_at_the_peak() -> None:
    # At the peak, b has taken all but 96 of the bytes of a, of which 4,064 are padding.
    analysis = analysed(COVERED, backend="tpu")
    lost = padded_shapes(analysis, analysis.spaces[0])[0]
    assert (lost.padding_bytes, lost.at_peak_bytes) == (4064, 96)
