"""A text without its repeats says the same as the whole text, at the same locations."""

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.identity import digests
from reportgen.analyse.records import Analysis
from reportgen.input.dump_text import DumpText, Location, TextPart
from reportgen.input.line_ends import with_newlines
from reportgen.input.names import Backend
from reportgen.input.repeats import CUT, WithoutRepeats
from reportgen.model import Dump, UsedValues
from reportgen.parse.parser import parse_dump
from tests.support.dumps import LABELS, dump_text, parsed
from tests.support.mutations import mutated
from tests.support.printer import Dialect, printed
from tests.support.samples import sample_files, sample_labels, samples
from tests.support.strategies import dumps

LINE = b' from instruction: %%tuple.1 = (f32[4]) fusion(), metadata={op_name="%s"}\n'
LONG = LINE % (b"x" * 3_000)
_INSTRUCTION = re.compile(rb"( from instruction: ?%[^\r\n]*+)(\r?\n|$)")


def read(data: bytes, piece_bytes: int = 1 << 20) -> WithoutRepeats:
    text = WithoutRepeats()
    for start in range(0, len(data), piece_bytes):
        text.write(data[start : start + piece_bytes])
    return text


def without_repeats(data: bytes, piece_bytes: int = 1 << 20) -> bytes:
    return read(data, piece_bytes).getvalue()


def with_long_lines(files: Sequence[bytes]) -> list[bytes]:
    """Return the files with an instruction text of thousands of bytes, printed twice for each value."""
    padding = b", note=" + b"y" * 2_500
    return [_INSTRUCTION.sub(lambda found: (found[1] + padding + (found[2] or b"\n")) * 2, data) for data in files]


def said(analysis: Analysis) -> list[object]:
    """Return all findings, and all values and live ranges with the lines they are on."""
    dump, locate = analysis.dump, analysis.dump.text.locate
    used = dump.used_values or UsedValues()
    return [
        [replace(found, text_offset=None) for found in analysis.findings],
        list(analysis.facts),
        [(value, locate(value.text_offset)) for value in dump.values],
        [(replace(one, instruction_start=None, instruction_end=None), locate(one.text_offset)) for one in used],
        [(live, locate(live.text_offset)) for live in dump.live_ranges or ()],
        [(line.expected, line.text, locate(line.text_offset)) for line in dump.unparsed],
        [dump.instruction_text(one.key.name) for one in used],
        list(dump.allocations),
        analysis.evidence,
    ]


def assert_same(files: Sequence[bytes], backend: Backend = "unknown") -> None:
    parts = zip(LABELS, map(read, files), strict=False)
    text = DumpText(tuple(TextPart(label, one.getvalue(), one.whole_lines) for label, one in parts))
    assert said(analyse(parse_dump(text), backend)) == said(analyse(parsed(*map(with_newlines, files)), backend))


@pytest.mark.parametrize("label", sample_labels())
def test_a_damaged_dump_has_the_same_findings_at_the_same_places(label: str) -> None:
    files = with_long_lines(sample_files(label))
    has_instructions = any(b" from instruction:" in data for data in files)
    assert any(CUT in without_repeats(data) for data in files) == has_instructions
    for number in range(20):
        assert_same(mutated(files, Random(f"{label} {number}")), samples()[label].name.backend)


@given(dumps(), st.sampled_from([Dialect(), Dialect(instructions="glued"), Dialect(files=1)]))
def test_a_random_dump_says_the_same(dump: Dump, dialect: Dialect) -> None:
    assert_same(with_long_lines([file.encode() for file in printed(dump, dialect)]))


@pytest.mark.parametrize(
    "data", [b"", b"\n", LONG, LONG * 3, LONG[:-1], LONG + LONG[:-1], LONG.replace(b"\n", b"\r\n") * 2]
)
def test_the_number_and_the_beginnings_of_lines_stay(data: bytes) -> None:
    shorter = without_repeats(data)
    assert shorter.count(b"\n") == data.count(b"\n")
    assert [line[:1_500] for line in shorter.split(b"\n")] == [line[:1_500] for line in data.split(b"\n")]


def test_only_the_exact_repeat_of_a_long_line_is_cut() -> None:
    other = LINE % (b"x" * 2_999 + b"y")
    short = LINE % b"x"
    assert without_repeats(LONG + other + LONG) == LONG + other + LONG
    assert without_repeats(short * 3) == short * 3
    assert without_repeats(LONG + short + LONG) == LONG + short + LONG[:1_500] + CUT + b"\n"


@given(st.integers(1, 5_000))
def test_the_size_of_the_pieces_does_not_matter(piece_bytes: int) -> None:
    data = b"<1 a>\n" + LONG * 3 + LINE % b"short" + LONG + b"tail"
    assert without_repeats(data, piece_bytes) == without_repeats(data)


def test_a_place_in_a_cut_line_is_where_it_is_in_the_file() -> None:
    text = dump_text(without_repeats(LONG * 3 + b"last\n"))
    (part,) = text.parts
    assert text.locate(part.data.index(b"last")) == Location(part.label, 4, 1)
    assert text.locate(part.data.rindex(b"fusion")) == Location(part.label, 3, LONG.index(b"fusion") + 1)


def test_dumps_that_differ_inside_a_repeated_text_are_not_equal() -> None:
    changed = LONG[:2_500] + b"y" + LONG[2_501:]
    contents = [LONG * 2, LONG + changed, changed * 2, LONG, LONG + LONG[:1_500] + b"\n"]
    found = {digests(dump_text(without_repeats(content))).exact for content in contents}
    assert len(found) == len(contents)
