"""Refused programs: what the banner says is in the dump to the byte, and in XLA's text as far as that prints it."""

import re
from collections import Counter
from pathlib import Path

import pytest

from reportgen.analyse.fit import DeviceFit, Refusal
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.oom.printed_size import SizeRange
from reportgen.reports.formats import human_bytes
from tests.analyse.test_fit import REFUSED, beginning, fit_in, peak_of, program

_ALLOCATION = re.compile(r"^allocation \d+: size (\d+), (.*):$", re.MULTILINE)
_VALUE = re.compile(r"^ value: <\d+ (\S+) @\d+> \(size=(\d+),", re.MULTILINE)


class Text:
    """The dump as text, read by two regular expressions and nothing of the program."""

    def __init__(self, folder: Path) -> None:
        self.text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*-assignment*.txt")))
        self.held = Counter[str]()
        for size, words in _ALLOCATION.findall(self.text):
            if "color" not in words and "thread-local" not in words:
                self.held["temporaries" if "preallocated-temp" in words else "static"] += int(size)

    def sizes_of(self, instruction: str) -> set[int]:
        return {int(size) for name, size in _VALUE.findall(self.text) if name.rstrip("{}") == instruction}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "dumps"


def refused(name: str, folder: Path) -> tuple[DeviceFit, Refusal, Text]:
    found = fit_in(program(name, folder))
    assert found.refused
    return found, found.refused, Text(folder)


@pytest.mark.parametrize("name", [path.name for path in sorted(REFUSED.iterdir()) if "vmem" not in path.name])
def test_what_is_resident_is_what_the_dump_holds(folder: Path, name: str) -> None:
    found, _, text = refused(name, folder)
    resident = peak_of(folder)
    temporaries = resident - text.held["static"]  # at the peak, where some of their allocation may be free
    assert 0 <= text.held["temporaries"] - temporaries < 0.001 * resident
    shown = beginning(folder)
    assert f"It peaks at {human_bytes(resident)}" in shown
    assert found.fits[0].needed_bytes == text.held.total()


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("out-oom", "all"),
        ("out-oom_args", "all"),
        ("out-oom_pad", "all"),
        ("out0.7.2-oom", "temporaries"),
        ("out0.9.2-oom_args", "all"),
    ],
)
def test_xlas_figure_is_a_sum_of_the_dump(folder: Path, name: str, counted: str) -> None:
    _, found, text = refused(name, folder)
    assert found.needed is not None
    held = text.held["temporaries"] if counted == "temporaries" else text.held.total()
    assert held in found.needed
    meaning = "counts temporaries alone" if counted == "temporaries" else "is the whole assignment"
    assert f"XLA’s figure {meaning}" in beginning(folder)


def test_one_buffer_that_is_too_large_is_a_value_of_the_dump_to_the_byte(folder: Path) -> None:
    _, found, text = refused("out0.7.2-oom_pad", folder)
    assert found.needed == SizeRange(34_359_738_368, 34_359_738_368)
    assert text.sizes_of("reshape.2") == {34_359_738_368}


@pytest.mark.parametrize("name", ["out-oom_vmem", "out0.7.2-oom_vmem"])
def test_scratch_inside_a_kernel_is_only_in_the_text(folder: Path, name: str) -> None:
    _, found, _ = refused(name, folder)
    [event] = find_out_of_memory([(folder / "out-of-memory.txt").read_bytes()])
    assert found.space == "vmem"
    assert (event.needed, found.needed) == (SizeRange(268_435_456, 268_435_456),) * 2
    assert found.missing == SizeRange(134_217_728, 134_217_728)
    assert "That is 128.00 MiB over capacity." in beginning(folder)
