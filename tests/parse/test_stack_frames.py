"""Stack frames: the tables of the text and of the proto lead to the same lines, each listed once."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from reportgen.parse.stack_frames import Frame, StackFrames, stack_frames_of_proto, stack_frames_of_text
from reportgen.protos.wire import WireError, fields
from tests.support.samples import ROOT, SAMPLES

TEXT = next((SAMPLES / "cpu-tiny").glob("*cpu_after_optimizations.txt")).read_bytes()
PROTO = (ROOT / "tests" / "siblings" / "cpu-tiny.hlo.pb").read_bytes()


def of_text(*edits: tuple[bytes, bytes]) -> StackFrames:
    """Return the tables of the text after the edits, each of something that is there."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    found = stack_frames_of_text(text)
    assert found
    return found


def test_a_stack_is_listed_from_the_innermost_frame_and_an_unknown_one_is_empty() -> None:
    assert of_text().stack(2) == (
        Frame("/home/u/corpus/scripts/progs.py", "tiny.<locals>.tiny_matmul_gelu", 11),
        Frame("/home/u/corpus/scripts/run.py", "<module>", 41),
    )
    assert [of_text().stack(number) for number in (0, 99)] == [(), ()]


def test_text_and_proto_agree_on_every_stack_and_on_where_expressions_are() -> None:
    text, proto = of_text(), stack_frames_of_proto(PROTO)
    assert proto
    assert proto.links.keys() == text.links.keys()
    assert all(proto.stack(number) == text.stack(number) for number in proto.links)
    inner, outer = text.stack(3)
    for found in (text, proto):
        assert found.columns_of(3, inner) == (27, 32)
        assert found.columns_of(2, inner) == (15, 33)
        assert found.columns_of(2, outer) == (9, 23)
        assert found.columns_of(2, Frame("elsewhere.py", "", 1)) is None
        assert found.columns_of(99, inner) is None


def test_an_expression_of_several_lines_has_no_columns() -> None:
    found = of_text((b"line=11 end_line=11", b"line=11 end_line=12"))
    assert found.stack(3) == of_text().stack(3)
    assert found.columns_of(3, found.stack(3)[0]) is None


def test_a_place_that_a_stack_repeats_is_listed_once() -> None:
    repeated = of_text(
        (b"2 {file_location_id=2 parent_frame_id=2}", b"2 {file_location_id=2 parent_frame_id=4}"),
        (b"3 {file_location_id=3 parent_frame_id=2}", b"3 {file_location_id=2 parent_frame_id=2}"),
    )
    assert [frame.line for frame in repeated.stack(2)] == [11, 41]


def test_frames_that_call_each_other_end() -> None:
    first, third = b"1 {file_location_id=1 parent_frame_id=1}", b"1 {file_location_id=1 parent_frame_id=3}"
    assert len(of_text((first, third)).stack(2)) == 2


def test_escapes_in_names_are_read() -> None:
    found = of_text((b"scripts/progs.py", rb"a \"b\" \316\273.py"))
    assert found.stack(2)[0].file == '/home/u/corpus/a "b" λ.py'


def test_without_tables_there_are_no_frames() -> None:
    assert stack_frames_of_text(b"HloModule m\n\nENTRY %main () -> () {\n}\n") is None
    assert stack_frames_of_proto(b"\x0a\x02\x08\x01") is None


@given(st.binary(max_size=200))
def test_bytes_that_are_no_proto_are_refused_or_read(raw: bytes) -> None:
    with suppress(WireError):
        assert sum(1 for _ in fields(raw)) <= len(raw)


@given(st.integers(0, len(PROTO)))
def test_a_proto_that_is_cut_off_raises_nothing_else(length: int) -> None:
    with suppress(WireError):
        stack_frames_of_proto(PROTO[:length])


@given(st.integers(0, len(TEXT)), st.binary(max_size=20))
def test_a_damaged_text_raises_nothing(place: int, damage: bytes) -> None:
    found = stack_frames_of_text(TEXT[:place] + damage + TEXT[place + len(damage) :])
    if found is not None:
        assert all(isinstance(found.stack(number), tuple) for number in found.links)
