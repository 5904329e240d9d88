"""Every grouping of a peak adds up to it exactly, whatever the dump leaves unsaid."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.decompose import GROUPINGS, element_type, groupings
from reportgen.analyse.records import Analysis
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.model import Dump
from reportgen.parse.op_names import path_parts
from reportgen.parse.parser import parse_dump
from reportgen.parse.shape_parser import plain_shape
from tests.support.dumps import analysed
from tests.support.printer import Dialect, printed
from tests.support.strategies import consistent_dumps, dialects

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
DUMPS = ROOT.parent / "shared" / "dumps"


def analyses(directory: Path) -> Iterator[Analysis]:
    for files in discover([directory]).dumps:
        text, _ = load_text(files)
        yield analyse(parse_dump(text), files.name.backend)


def assert_adds_up(analysis: Analysis) -> None:
    for space in analysis.spaces.values():
        peak = space.peak_resident.amount if space.peak_resident else 0
        groups = groupings(analysis, space)
        assert tuple(groups) == GROUPINGS
        for rows in groups.values():
            assert sum(row.size_bytes for row in rows) == peak
            assert all(sum(size for _, size in row.classes) == row.size_bytes for row in rows)
            assert [row.size_bytes for row in rows] == sorted((row.size_bytes for row in rows), reverse=True)


def test_samples_add_up() -> None:
    for analysis in analyses(SAMPLES):
        assert_adds_up(analysis)


@pytest.mark.slow
@pytest.mark.skipif(not DUMPS.is_dir(), reason="the larger collection of dumps is not here")
@pytest.mark.parametrize("folder", ["seeds", "small"])
def test_real_dumps_add_up(folder: str) -> None:
    for analysis in analyses(DUMPS / folder):
        assert_adds_up(analysis)


@given(consistent_dumps(), dialects)
def test_any_dump_adds_up(dump: Dump, dialect: Dialect) -> None:
    assert_adds_up(analysed(*printed(dump, dialect)))


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
