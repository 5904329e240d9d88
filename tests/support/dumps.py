"""From a text in a test to its records, in one call."""

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.input.dump_text import DumpText, TextPart
from reportgen.input.names import Backend
from reportgen.model import Dump, UsedValue
from reportgen.parse.parser import parse_dump

LABELS = (
    "step-buffer-assignment.txt",
    "step-buffer-assignment-values.txt",
    "step-live-range.txt",
)


def dump_text(*files: str | bytes) -> DumpText:
    """Return one to three files, by the names that XLA gives them."""
    contents = [file if isinstance(file, bytes) else file.encode() for file in files]
    return DumpText(tuple(TextPart(label, data) for label, data in zip(LABELS, contents, strict=False)))


def nowhere() -> DumpText:
    """Return the text of a dump that was never printed: an empty file."""
    return dump_text("")


def parsed(*files: str | bytes) -> Dump:
    return parse_dump(dump_text(*files))


def analysed(*files: str | bytes, backend: Backend = "unknown") -> Analysis:
    return analyse(parsed(*files), backend)


def slugs(analysis: Analysis) -> set[str]:
    return {finding.slug for finding in analysis.findings}


def complaints(dump: Dump) -> list[str]:
    """Return what the parser did not understand, as a report says it."""
    return [f"{dump.text.locate(line.text_offset)}: expected {line.expected}" for line in dump.unparsed]


def instruction_text(dump: Dump, used: UsedValue) -> str | None:
    if used.instruction_start is None or used.instruction_end is None:
        return None
    return dump.text.slice(used.instruction_start, used.instruction_end).decode("utf-8", "replace")


def edited(text: str, *edits: tuple[str, str]) -> str:
    """Return `text` with the first member of each pair replaced by the second, everywhere; it must be there."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text
