"""Padding by shape adds up to that of the space, and at the peak never to more than the peak has."""

from pathlib import Path

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.padding import padded_shapes, padding_at_peak, values_of
from reportgen.analyse.records import Analysis
from reportgen.input.discover import discover
from reportgen.input.names import Backend
from reportgen.input.reading import load_text
from reportgen.model import Dump
from reportgen.parse.parser import parse_dump
from tests.support.dumps import analysed
from tests.support.printer import Dialect, printed
from tests.support.strategies import consistent_dumps, dialects

SAMPLES = Path(__file__).parents[2] / "samples"

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


def assert_adds_up(analysis: Analysis) -> None:
    for space in analysis.spaces.values():
        rows, at_peak = padded_shapes(analysis, space), padding_at_peak(analysis, space)
        assert sum(row.padding_bytes for row in rows) == space.padding_bytes
        assert sum(row.values for row in rows) == len(values_of(analysis, space))
        assert sum(row.at_peak_bytes for row in rows) == sum(at_peak.values())
        assert sum(at_peak.values()) <= (space.peak_resident.amount if space.peak_resident else 0)
        assert all(size <= analysis.facts[number].padding_bytes for number, size in at_peak.items())


def test_samples_add_up() -> None:
    for files in discover([SAMPLES]).dumps:
        assert_adds_up(analyse(parse_dump(load_text(files)[0]), files.name.backend))


@given(consistent_dumps(), dialects)
def test_any_dump_adds_up(dump: Dump, dialect: Dialect) -> None:
    assert_adds_up(analysed(*printed(dump, dialect)))


@pytest.mark.parametrize("backend", ["tpu", "unknown"])
def test_what_the_caller_holds_loses_its_padding_at_the_peak_too(backend: Backend) -> None:
    analysis = analysed(DONATED, backend=backend)
    (lost, whole) = padded_shapes(analysis, analysis.spaces[0])
    assert (lost.shape, lost.values, lost.dense_bytes, lost.padded_bytes) == ("f32[8,1]{1,0:T(8,128)}", 2, 64, 8192)
    assert lost.padding_bytes == lost.at_peak_bytes == 2 * (4096 - 32)
    assert (whole.values, whole.padding_bytes, whole.at_peak_bytes) == (1, 0, 0)
