"""Synthetic dumps are sound, as large as they are asked to be, and the same for the same seed."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.cli import main
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.parse.parser import parse_dump
from tests.support.site import tree
from tests.support.synthetic import write_dump, write_modules

pytestmark = pytest.mark.slow


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
