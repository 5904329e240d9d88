"""What the caller holds loses its padding to the peak as a temporary does."""

import pytest

from reportgen.analyse.padding import padded_shapes
from reportgen.input.names import Backend
from tests.support.dumps import analysed

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
