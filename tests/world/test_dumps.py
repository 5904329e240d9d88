"""Dumps of the newest compiler are read to the last line, make no false alarm, and say the same as text and as proto.

They are those of jax 0.12 in `jax-0.12`, so that the forms that it writes are read by every run of the tests.
`python tests/run.py --world` compiles the programs again with the JAX and the libtpu of the day.
"""

import json
import lzma
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reportgen.check import check
from reportgen.input.discover import discover
from tests.world.cases import CASES, Case
from tests.world.conftest import FolderOf

Report = Mapping[str, Any]

PROTO = ".hlo.pb.xz"
HLO_TEXT = "after_optimizations.txt.xz"
NEARLY = 0.002
"""The part of a peak by which that of a proto may differ."""


@dataclass(frozen=True)
class Compiled:
    """What `check --json` says of a program, from the text of its dump and from its proto alone."""

    case: Case
    hlo_text: bytes
    from_text: Report
    from_proto: Report

    @property
    def both(self) -> tuple[Report, Report]:
        return self.from_text, self.from_proto


def report_of(folder: Path) -> Report:
    checked = check(discover([folder]), 1, lambda done, count, label: None)
    assert checked.problems == ()
    [summary] = checked.summaries
    found: dict[str, Any] = json.loads(summary.report_line)
    return found


@pytest.fixture(scope="module", params=CASES)
def compiled(request: pytest.FixtureRequest, folder_of: FolderOf, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    folder, alone = folder_of(request.param), tmp_path_factory.mktemp("proto")
    [hlo_text], [proto] = folder.glob(f"*{HLO_TEXT}"), folder.glob(f"*{PROTO}")
    shutil.copy(proto, alone)
    return Compiled(CASES[request.param], lzma.decompress(hlo_text.read_bytes()), report_of(folder), report_of(alone))


def test_every_line_is_understood(compiled: Compiled) -> None:
    assert [report["unparsed_lines"] for report in compiled.both] == [0, 0]


def test_nothing_is_wrong_with_a_sound_dump(compiled: Compiled) -> None:
    for report in compiled.both:
        assert [finding for finding in report["findings"] if finding["severity"] != "note"] == []


def test_no_advice_is_withheld(compiled: Compiled) -> None:
    for report in compiled.both:
        assert report["spaces"]["0"]["advice_withheld"] is None


def test_the_loops_are_phases_with_their_lines(compiled: Compiled) -> None:
    for report in compiled.both:
        loops = [phase["source"] for phase in report["phases"] if phase["kind"] == "loop"]
        assert len(loops) == compiled.case.loops
        assert all(source.startswith("tests/world/programs.py:") for source in loops)


def test_an_embedding_is_looked_up_by_the_sparse_core_where_there_is_one(compiled: Compiled) -> None:
    assert (b'async_execution_thread="sparsecore"' in compiled.hlo_text) == compiled.case.is_offloaded


def test_the_devices_are_known_and_what_each_has_of_the_arguments(compiled: Compiled) -> None:
    for report in compiled.both:
        count = compiled.case.devices
        assert (report["devices"] or {"count": 1})["count"] == count
        assert bool((report["devices"] or {"arguments": ()})["arguments"]) == (count > 1)


def test_text_and_proto_agree(compiled: Compiled) -> None:
    text, proto = (report["spaces"] for report in compiled.both)
    assert text.keys() == proto.keys()
    for color, space in text.items():
        assert proto[color]["allocated_bytes"] == space["allocated_bytes"]
        assert proto[color]["peak_resident_bytes"] == pytest.approx(space["peak_resident_bytes"], rel=NEARLY)


def test_text_and_proto_name_the_same_lines(compiled: Compiled) -> None:
    text, proto = (
        {line["source"] for line in report["spaces"]["0"]["peak_resident_lines"]} for report in compiled.both
    )
    assert proto == text
