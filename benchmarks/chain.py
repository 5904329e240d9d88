"""A sound dump of any size, as three files: a chain of values that each read the one before, and a large result.

moment   0  1         2         …  n+1
runs     x  fusion.0  fusion.1  …  big
"""

from collections.abc import Iterator
from itertools import accumulate

from reportgen.analyse.sizes import rounded_by_xla

STEP_BYTES = 1024
_PARAMETER_BYTES = 256


def chain(values: int, elements: int) -> tuple[str, str, str]:
    """Return a dump with a chain of `values`, about 470 bytes of text each; `big` has `elements` times four bytes."""
    return "".join(_allocations(values, elements)), "".join(_used(values, elements)), "".join(_ranges(values, elements))


def peak(elements: int) -> int:
    """Return the peak in bytes: parameter and output throughout, and two values of the chain at once."""
    return _PARAMETER_BYTES + 4 * elements + 2 * STEP_BYTES


def _allocations(values: int, elements: int) -> Iterator[str]:
    size = 4 * elements
    yield "BufferAssignment:\nallocation 0: size 256, parameter 0, shape |f32[64]| at ShapeIndex {}:\n"
    yield " value: <0 x @0> (size=256,offset=0): f32[64]{0}\n"
    yield f"allocation 1: size {size}, output shape is |f32[{elements}]|, maybe-live-out:\n"
    yield f" value: <{values + 1} big @0> (size={size},offset=0): f32[{elements}]{{0}}\n"
    yield f"allocation 2: size {2 * STEP_BYTES}, preallocated-temp:\n"
    for number in range(values):
        offset = STEP_BYTES * (number % 2)
        yield f" value: <{number + 1} fusion.{number} @0> (size={STEP_BYTES},offset={offset}): f32[256]{{0}}\n"


def _used(values: int, elements: int) -> Iterator[str]:
    total = peak(elements)
    yield f"\nTotal bytes used: {total} ({rounded_by_xla(total)})\n\nUsed values:\n"
    yield "<0 x @0>\n positions:\n  x\n uses:\n  fusion.0, operand 0\n"
    yield " from instruction: %x = f32[64]{0} parameter(0)\n"
    for number in range(values):
        name, before = f"fusion.{number}", f"fusion.{number - 1}" if number else "x"
        reader = f"fusion.{number + 1}" if number + 1 < values else "big"
        yield f"<{number + 1} {name} @0>\n positions:\n  {name}\n uses:\n  {reader}, operand 0\n"
        yield f" from instruction: %{name} = f32[256]{{0}} fusion(%{before}), kind=kLoop, calls=%fused.{number},"
        yield f' metadata={{op_name="jit(step)/jit(main)/layer_{number}/mlp/dot_general" source_file="/src/layers.py"'
        yield f' source_line={number}}}, backend_config={{"outer_dimension_partitions":["2"]}}\n'
    yield f"<{values + 1} big @0>\n positions:\n  big\n uses:\n  (none)\n"
    yield f" from instruction: %big = f32[{elements}]{{0}} broadcast(%fusion.{values - 1})\n"


def _ranges(values: int, elements: int) -> Iterator[str]:
    end = values + 2
    yield f"HloLiveRange (max {end}):\n  InstructionSequence:\n    0:x\n"
    yield from (f"    {number + 1}:fusion.{number}\n" for number in range(values))
    yield f"    {values + 1}:big\n  BufferLiveRange:\n    x{{}}:0-{end}\n"
    yield from (f"    fusion.{number}{{}}:{number + 1}-{number + 2}\n" for number in range(values))
    yield f"    big{{}}:{values + 1}-{end}\n  Live ranges at {values + 1} (peak):\n"
    rows = [("big", 4 * elements), (f"fusion.{values - 1}", STEP_BYTES), ("x", _PARAMETER_BYTES)]
    for (name, size), so_far in zip(rows, accumulate(size for _, size in rows), strict=True):
        yield f"    {name}{{}}: {size} bytes (cumulative: {so_far} bytes)\n"
