"""What the benchmarks stand on: synthetic dumps that are sound, and one command that prints its tables."""

import lzma
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.commands import NotMeasured, peak_bytes, python, seconds
from benchmarks.setting import Setting
from benchmarks.table import held, reached, write_results
from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.cli import main
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.parse.parser import parse_dump
from tests.program.attribution import peaks
from tests.support.site import SAMPLES, tree
from tests.support.synthetic import write_dump, write_modules

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def analyses(dumps: Path) -> Sequence[Analysis]:
    found = discover([dumps])
    assert not found.problems
    return [analyse(parse_dump(load_text(files)[0]), files.name.backend) for files in found.dumps]


@settings(max_examples=30)
@given(values=st.integers(4, 300), seed=st.integers(0, 99))
def test_a_synthetic_dump_has_the_values_asked_for_and_nothing_is_wrong_with_it(values: int, seed: int) -> None:
    with TemporaryDirectory() as folder:
        write_dump(Path(folder), values, seed)
        (analysis,) = analyses(Path(folder))
    assert len(analysis.dump.values) == values
    assert not analysis.findings


def test_values_of_a_synthetic_dump_take_turns(tmp_path: Path) -> None:
    write_dump(tmp_path, 2_000)
    (analysis,) = analyses(tmp_path)
    temp = max(range(len(analysis.dump.allocations)), key=lambda number: len(analysis.occupants[number]))
    needed = sum(analysis.facts[value].value.size_bytes for value in analysis.occupants[temp])
    assert needed > 5 * analysis.dump.allocations[temp].size_bytes
    assert any(analysis.reuse.predecessors)


def test_synthetic_modules_are_many_and_sound(tmp_path: Path) -> None:
    write_modules(tmp_path, 5)
    assert len(analyses(tmp_path)) == 5
    assert main(["check", "--strict", "--jobs", "1", str(tmp_path)]) == 0


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        write_dump(tmp_path / name, 50, seed)
    assert tree(tmp_path / "one") == tree(tmp_path / "same")
    assert set(tree(tmp_path / "one").values()).isdisjoint(tree(tmp_path / "other").values())


def test_a_bar_is_met_or_missed() -> None:
    assert held("time", 1.0, 1.0, "s") == ("time", "1.00 s", "at most 1.00 s", "met")
    assert held("time", 1.01, 1.0, "s")[-1] == "**missed**"
    assert reached("faster", 1.6, 1.6, "×")[-1] == "met"
    assert reached("faster", 1.5, 1.6, "×")[-1] == "**missed**"


def test_a_table_takes_the_place_of_its_last(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- results:start -->\nNot measured yet.\n<!-- results:end -->\nbehind\n", encoding="utf-8"
    )
    write_results(page, ["### One\n\n1\n", "### Two\n\n2\n"])
    write_results(page, ["### One\n\nnew \\1\n", "### Three\n\n3\n"])
    assert page.read_text(encoding="utf-8") == (
        "before\n<!-- results:start -->\n"
        "### One\n\nnew \\1\n\n### Two\n\n2\n\n### Three\n\n3\n"
        "<!-- results:end -->\nbehind\n"
    )


def test_the_page_has_marks_for_the_results() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert page.count("<!-- results:start -->\n") == page.count("<!-- results:end -->\n") == 1


def test_lines_are_counted_where_frames_can_be_resolved() -> None:
    found = {peak.label.partition("/")[0]: peak for peak in peaks(SAMPLES) if peak.label.endswith("space 0")}
    assert found["cpu-train-step"].has_frames
    assert found["cpu-train-step"].share == 1
    assert found["gpu-train-step"].framed_bytes  # of which nothing beside the dump tells the lines
    assert not found["gpu-train-step"].has_frames
    assert all(peak.own_name_bytes <= peak.named_bytes <= peak.peak_bytes for peak in found.values())


def test_a_command_that_fails_is_not_measured() -> None:
    with pytest.raises(NotMeasured, match="ended with 3: why"):
        seconds(python("-c", "import sys; print('why', file=sys.stderr); sys.exit(3)"))


def test_the_memory_of_children_counts() -> None:
    held_bytes = 60_000_000
    hold = f"import time; held = bytearray({held_bytes}); time.sleep(0.4)"
    two = f"import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', {hold!r}]); {hold}; child.wait()"
    assert peak_bytes(python("-c", two)) > 2 * held_bytes


def test_compressed_dumps_are_unpacked(tmp_path: Path) -> None:
    folder = tmp_path / "dumps" / "somewhere" / "step"
    folder.mkdir(parents=True)
    (folder / "step-buffer-assignment.txt.xz").write_bytes(lzma.compress(b"BufferAssignment:\n"))
    setting = Setting(dumps=tmp_path / "dumps", work=tmp_path / "work", rounds=1, is_quick=True, xprof=None)
    assert tree(setting.folder("step")) == {"step-buffer-assignment.txt": b"BufferAssignment:\n"}
    with pytest.raises(NotMeasured, match="no folder elsewhere"):
        setting.folder("elsewhere")


def test_one_command_prints_the_tables_and_says_what_it_could_not_measure(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "cpu-tiny", tmp_path / "eager_session")
    options = ["--quick", "--dumps", str(tmp_path), "--only", "jobs", "synthetic", "large"]
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", *options], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "### Two processes" in finished.stdout
    assert "| faster with two |" in finished.stdout
    assert "| synthetic, 200 |" in finished.stdout
    assert "large was not measured: no folder v5e_unroll96_bf16 among the dumps" in finished.stdout
