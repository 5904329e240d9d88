"""The work of a single product is what a count of its multiplications gives, for every window that XLA can write."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.parse.module_text import ModuleText
from reportgen.program.join import Join
from reportgen.program.matmuls import flops
from reportgen.program.program import Program
from tests.support.dumps import parsed

TEXT = """\
HloModule jit_f

ENTRY %main (l: f32[1], r: f32[1]) -> f32[1] {{
  %l = {left} parameter(0)
  %r = {right} parameter(1)
  ROOT %out = {result} {call}
}}
"""

CUBLAS = """\
custom-call(%l, %r), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":\
{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}}}"""


def of(left: str, right: str, result: str, call: str) -> int | None:
    text = TEXT.format(left=left, right=right, result=result, call=call)
    return flops(Program(parsed(""), Join(module=ModuleText(text.encode()))), "out")


@pytest.mark.parametrize(
    ("left", "right", "result", "call", "expected"),
    [
        (
            *("f32[8,3,5]{2,1,0}", "f32[8,5,7]{2,1,0}", "f32[8,3,7]{2,1,0}"),
            "dot(%l, %r), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
            2 * 8 * 3 * 7 * 5,
        ),
        ("f32[3]{0}", "f32[7]{0}", "f32[3,7]{1,0}", "dot(%l, %r)", 2 * 3 * 7),
        # Operands are printed with their shapes before 2025-03-11, and in some files without percent signs.
        (
            *("f32[3,5]", "f32[5,7]", "f32[3,7]"),
            "dot(f32[3,5]{1,0} %l, f32[5,7]{1,0} %r), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            210,
        ),
        ("f32[3,5]", "f32[5,7]", "f32[3,7]", "dot(l, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}", 210),
        (
            *("bf16[3,5]{1,0}", "bf16[5,7]{1,0}", "(bf16[3,7]{1,0}, s8[64]{0})"),
            CUBLAS,
            210,
        ),
        # A TPU multiplies with a window that reaches beyond the array on both sides.
        (
            *("bf16[16,64,8]{2,1,0}", "bf16[16,8,4]{2,1,0}", "bf16[1,64,4]{2,1,0}"),
            "convolution(%l, %r), window={size=16}, dim_labels=0bf_0io->0bf",
            2 * 16 * 64 * 8 * 4,
        ),
        # In groups each output feature sees only the kernel's share of the input features.
        (
            *("f32[2,9,9,6]{3,2,1,0}", "f32[3,3,2,12]{3,2,1,0}", "f32[2,7,7,12]{3,2,1,0}"),
            "convolution(%l, %r), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=3",
            2 * 2 * 7 * 7 * 12 * 3 * 3 * 2,
        ),
        ("f32[3,5]", "f32[5,7]", "f32[3,7]", "convolution(%l, %r), dim_labels=bf_io->bf", 210),
        ("f32[3,5]", "f32[5,7]", "f32[3,7]", "dot(%l, %r), lhs_contracting_dims={9}", None),
        ("f32[3,5]", "f32[5,7]", "f32[3,7]", "dot(%l), lhs_contracting_dims={1}", None),
        ("f32[3,5]", "f32[5,7]", "f32[3,7]", "convolution(%l, %r), window={size=x}, dim_labels=0f_0o->0f", None),
    ],
)
def test_products(left: str, right: str, result: str, call: str, expected: int | None) -> None:
    assert of(left, right, result, call) == expected


SMALL = st.integers(1, 6)


@given(SMALL, SMALL, SMALL, SMALL, st.integers(-3, 6), SMALL, SMALL)
def test_only_positions_that_meet_an_element_count(
    size: int, output: int, window: int, stride: int, padding: int, input_step: int, window_step: int
) -> None:
    """As `HloCostAnalysis` counts them, one by one."""
    last = (size - 1) * input_step
    met = sum(
        0 <= (at := x * stride + y * window_step - padding) <= last and at % input_step == 0
        for x, y in product(range(output), range(window))
    )
    how = f"size={window} stride={stride} pad={padding}_0 lhs_dilate={input_step} rhs_dilate={window_step}"
    call = f"convolution(%l, %r), window={{{how}}}, dim_labels=b0f_0io->b0f"
    assert of(f"f32[2,{size},3]", f"f32[{window},3,5]", f"f32[2,{output},5]", call) == 2 * met * 2 * 3 * 5
