"""The parts of a path and of a shape by which a peak is grouped."""

import pytest

from reportgen.analyse.decompose import element_type
from reportgen.parse.op_names import path_parts
from reportgen.parse.shape_parser import plain_shape


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
