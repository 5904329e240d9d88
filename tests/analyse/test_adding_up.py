"""Every grouping of a peak and its tree by call stack add up to it, and padding by shape to that of the space."""

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.decompose import GROUPINGS, groupings
from reportgen.analyse.padding import padded_shapes, padding_at_peak, values_of
from reportgen.analyse.peak_stacks import peak_stacks, walk
from reportgen.analyse.records import Analysis, Space
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.model import Dump
from reportgen.parse.parser import parse_dump
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
