"""Count the floating-point operations of matrix products, two for each pair of elements that is multiplied and added.

The rules are those of XLA `HloCostAnalysis::GetDotFlops` and `GetConvolutionFlops`: TPUs run most matrix products as
convolutions whose window reaches beyond the array, so only positions that meet an element count.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import gcd, prod
from typing import NamedTuple

from reportgen.program.computations import Computations
from reportgen.program.strides import strides_of

_MATMULS = frozenset(("dot", "convolution"))
_UNSTATED = frozenset(("ragged-dot", "scaled-dot"))

_CONTRACTED = re.compile(r'lhs_contracting_dim(?:s|ensions)"?[=:][\[{]"?([\d",]*)')
"""The dimensions of the first operand that are summed over; a call of cuBLAS states them in its backend_config."""

_LABELS = re.compile(r", dim_labels=([^\W_]+)_([^\W_]+)->([^\W_]+)")
_MULTIPLIES_NOTHING = re.compile(
    r'custom_call_target="(?:AllocateBuffer|Assume|AsyncCollective|ConcatBitcast|GatherScatterIndices|MoveTo|Partial'
    r"|PrepareAsyncCall|SPMD|Sharding|TODO|TopK|X64|__onednn\$(?:layernorm|softmax)|annotate_device_placement)"
)
"""Custom calls of XLA that move, sort or split data."""

_WINDOW = re.compile(r", window=\{([^{}]*+)\}")


_MOST_POSITIONS = 1 << 14
"""More than any compiler writes of both; a damaged text may state any number."""


class _Positions(NamedTuple):
    """One spatial dimension of a convolution: how far it and its window reach, and by what steps."""

    input: int
    output: int
    size: int
    stride: int = 1
    padding: int = 0
    input_step: int = 1
    window_step: int = 1


def multiplies(program: Computations, name: str, opcode: str) -> bool:
    """Return whether an instruction multiplies matrices and states their dimensions, as a call of cuBLAS does."""
    return opcode in _MATMULS or (opcode == "custom-call" and bool(_CONTRACTED.search(program.text(name))))


def may_multiply(program: Computations, name: str, opcode: str) -> bool:
    """Return whether an instruction may multiply matrices without stating their dimensions."""
    if opcode != "custom-call":
        return opcode in _UNSTATED
    text = program.text(name)
    return not program.called(name) and not _CONTRACTED.search(text) and not _MULTIPLIES_NOTHING.search(text)


def flops(program: Computations, name: str) -> int | None:
    """Return the FLOPs of one run of a `dot`, a `convolution` or a call that states a product; None if unreadable."""
    instruction = program.instruction(name)
    if instruction is None or not instruction.operands:
        return None
    text, result = program.text(name), strides_of(instruction.shape.removeprefix("(")).sizes
    operands = [program.instruction(operand) for operand in instruction.operands[:2]]
    if len(operands) < 2 or operands[0] is None or operands[1] is None:
        return None
    left, right = (strides_of(operand.shape).sizes for operand in operands if operand)
    try:
        if instruction.opcode != "convolution":
            contracted = _CONTRACTED.search(text)
            return 2 * prod(result) * prod(left[at] for at in _numbers(contracted[1] if contracted else ""))
        return _of_convolution(text, left, right, result)
    except (ArithmeticError, IndexError, ValueError):
        return None


def _numbers(text: str) -> Sequence[int]:
    return [int(number) for number in text.replace('"', "").split(",") if number]


def _of_convolution(text: str, left: Sequence[int], right: Sequence[int], result: Sequence[int]) -> int | None:
    """Return the FLOPs of a convolution. Raises ArithmeticError, IndexError or ValueError for one that cannot be."""
    labels, window = _LABELS.search(text), _WINDOW.search(text)
    if labels is None:
        return None
    of_input, of_kernel, of_output = labels.groups()
    sizes = dict(field.partition("=")[::2] for field in window[1].split()) if window else {}
    pairs = result[of_output.index("b")] * result[of_output.index("f")] * right[of_kernel.index("i")]

    def each(name: str) -> Sequence[str]:
        return sizes[name].split("x") if name in sizes else ()

    for at, size in enumerate(each("size")):
        given = {field: int(each(name)[at].partition("_")[0]) for field, name in _FIELDS.items() if name in sizes}
        position = _Positions(left[of_input.index(str(at))], result[of_output.index(str(at))], int(size), **given)
        pairs *= _meeting(position)
    return 2 * pairs


_FIELDS = {"stride": "stride", "padding": "pad", "input_step": "lhs_dilate", "window_step": "rhs_dilate"}
"""What a window states, by the field that it is kept in; of a padding `low_high` the first number."""


@lru_cache(maxsize=1024)
def _meeting(positions: _Positions) -> int:
    """Return how many pairs of an output and a window position meet an element of the input.

    Raises ValueError for more positions than are counted.
    """
    # Both move over the input alike, so the fewer of them are counted one by one.
    if positions.output < positions.size:
        positions = positions._replace(
            output=positions.size, size=positions.output, stride=positions.window_step, window_step=positions.stride
        )
    if positions.size > _MOST_POSITIONS:
        raise ValueError
    stride, step = positions.stride, positions.input_step
    last = (positions.input - 1) * step
    shared = gcd(stride, step)
    count = 0
    for at in range(positions.size):
        # Output x meets the element at (x * stride + start) / step, where that is whole and not beyond the last.
        start = at * positions.window_step - positions.padding
        first, end = max(0, -(start // stride)), min(positions.output - 1, (last - start) // stride)
        if start % shared or first > end:
            continue
        period = step // shared
        whole = -start // shared * pow(stride // shared, -1, period) % period if period > 1 else 0
        first += (whole - first) % period
        count += max(0, (end - first) // period + 1)
    return count
