"""The dumps that the repository brings along."""

from functools import cache
from pathlib import Path

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.input.discover import discover
from reportgen.input.dump_text import DumpText
from reportgen.input.reading import DumpFiles, load_text
from reportgen.parse.parser import parse_dump

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
SAMPLE_FOLDERS = sorted({path.parent.name for path in SAMPLES.glob("*/*-buffer-assignment.txt*")})


@cache
def samples() -> dict[str, DumpFiles]:
    """Return every sample by its label."""
    return {files.label: files for files in discover([SAMPLES]).dumps}


def sample_labels() -> list[str]:
    return sorted(samples())


def label_in(folder: str) -> str:
    """Return the label of the only dump in a folder of the samples."""
    [label] = [label for label in samples() if label.startswith(f"{folder}/")]
    return label


@cache
def sample_text(label: str) -> DumpText:
    text, problems = load_text(samples()[label])
    assert problems == ()
    return text


@cache
def sample_analysis(label: str) -> Analysis:
    return analyse(parse_dump(sample_text(label)), samples()[label].name.backend)


def sample_files(label: str) -> list[bytes]:
    """Return the bytes of each file of a sample."""
    return [part.data for part in sample_text(label).parts]
