"""The grammar of dumps, rule by rule, with the lines that real builds of XLA print; and what happens to other lines."""

from dataclasses import replace

import pytest

from reportgen.model import (
    Allocation,
    Dump,
    PeakRow,
    Position,
    PrintedPeak,
    StackFrame,
    StackTrace,
    Use,
    Value,
    ValueKey,
)
from reportgen.parse.scan import UNPARSED_KEPT
from tests.support.dumps import complaints, dump_text, instruction_text, parsed

ALLOCATIONS = """\
BufferAssignment:
allocation 0: size 8, constant:
 value: <0 c @0> (size=8,offset=0): f32[2]{0}
"""
USED = """\
Used values:
<0 c @0>
 positions:
  c
  tuple.1 {0}
 uses:
  add, operand 0
  copy-done.1, operand 1 {1}
"""
RANGES = """\
HloLiveRange (max 2):
  InstructionSequence:
    0:c
    1:tuple.1
  BufferLiveRange:
    c{}:0-2
    tuple.1{0}:1-2
"""


def allocation(line: str) -> Allocation:
    """Return the one allocation that `line` describes."""
    dump = understood(f"BufferAssignment:\n{line}\n")
    assert len(dump.allocations) == 1
    return dump.allocations[0]


def value(line: str) -> Value:
    dump = understood(f"BufferAssignment:\nallocation 0: size 8, constant:\n{line}\n")
    assert len(dump.values) == 1
    return dump.values[0]


def understood(*files: str) -> Dump:
    dump = parsed(*files)
    assert complaints(dump) == []
    return dump


ALLOCATION_LINES = {
    "allocation 19: size 0, color 1, preallocated-temp:": Allocation(
        index=19, size_bytes=0, color=1, is_preallocated_temp=True
    ),
    "allocation 0: 0x15c664b0, size 8192, parameter 3, shape |f32[64,32]| at ShapeIndex {}:": Allocation(
        index=0, size_bytes=8192, parameter=3, parameter_shape="f32[64,32]", parameter_shape_index="{}"
    ),
    "allocation 3: size 4, parameter 0 at ShapeIndex {1,0}:": Allocation(
        index=3, size_bytes=4, parameter=0, parameter_shape_index="{1,0}"
    ),
    "allocation 3: size 4, parameter 0, shape |<unknown shape>| at ShapeIndex {2}:": Allocation(
        index=3, size_bytes=4, parameter=0, parameter_shape="<unknown shape>", parameter_shape_index="{2}"
    ),
    "allocation 5: size 24, output shape is |(s32[], f32[32,32], /*index=5*/f32[16])|, maybe-live-out:": Allocation(
        index=5, size_bytes=24, output_shape="(s32[], f32[32,32], /*index=5*/f32[16])", is_maybe_live_out=True
    ),
    (
        "allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {},"
        " output shape is |f32[16]|, maybe-live-out:"
    ): Allocation(
        index=0,
        size_bytes=64,
        parameter=0,
        parameter_shape="f32[16]",
        parameter_shape_index="{}",
        output_shape="f32[16]",
        is_maybe_live_out=True,
    ),
    "allocation 7: size 4, constant:": Allocation(index=7, size_bytes=4, is_constant=True),
    "allocation 8: size 4, color 6, thread-local:": Allocation(index=8, size_bytes=4, color=6, is_thread_local=True),
    "allocation 4: size 262144, color 1, page 0, preallocated-temp:": Allocation(
        index=4, size_bytes=262144, color=1, page=0, is_preallocated_temp=True
    ),
    "allocation 4: size 9, reusable, note |a, b: c|, preallocated-temp:": Allocation(
        index=4, size_bytes=9, is_preallocated_temp=True, unknown_attributes=("reusable", "note |a, b: c|")
    ),
    "allocation 4: size 9, constant-folded, constant:": Allocation(
        index=4, size_bytes=9, is_constant=True, unknown_attributes=("constant-folded",)
    ),
    "allocation 4: size 9, color red:": Allocation(index=4, size_bytes=9, unknown_attributes=("color red",)),
}


@pytest.mark.parametrize("line", ALLOCATION_LINES)
def test_an_allocation_is_read_with_its_attributes(line: str) -> None:
    assert allocation(line) == ALLOCATION_LINES[line]


VALUE_LINES = {
    " value: <44 all-reduce.28{0} @0> (size=16777216,offset=0): f32[8,128,4096]{2,1,0:T(8,128)}": Value(
        id=44,
        key=ValueKey("all-reduce.28", "{0}"),
        color=0,
        allocation=0,
        size_bytes=16777216,
        offset_bytes=0,
        shape="f32[8,128,4096]{2,1,0:T(8,128)}",
    ),
    " value: <98 arg_tuple.5{1} (phi) @5> (size=16384,offset=64): f32[64,64]{1,0}": Value(
        id=98,
        key=ValueKey("arg_tuple.5", "{1}"),
        is_phi=True,
        color=5,
        allocation=0,
        size_bytes=16384,
        offset_bytes=64,
        shape="f32[64,64]{1,0}",
    ),
    " value: <13 debug_print.1{} @0> (size=0,offset=64): ()": Value(
        id=13, key=ValueKey("debug_print.1", "{}"), color=0, allocation=0, size_bytes=0, offset_bytes=64, shape="()"
    ),
    " value: <1 add> (size=4,offset=0): f32[]": Value(
        id=1, key=ValueKey("add", "{}"), color=None, allocation=0, size_bytes=4, offset_bytes=0, shape="f32[]"
    ),
}


@pytest.mark.parametrize("line", VALUE_LINES)
def test_a_value_is_read_with_its_slice(line: str) -> None:
    assert value(line) == VALUE_LINES[line]


def test_numbers_beyond_the_53_bits_of_a_float_stay_exact() -> None:
    number = 2**63 + 1
    dump = understood(
        f"BufferAssignment:\nallocation 0: size {number}, constant:\n"
        f" value: <0 c @0> (size={number},offset={number}): f32[2]{{0}}\n\nTotal bytes used: {number} (8.00EiB)\n"
    )
    assert (dump.allocations[0].size_bytes, dump.values[0].end_bytes, dump.total_bytes) == (number, 2 * number, number)


@pytest.mark.parametrize("words", ["", " (930B)", " (30.2KiB)", " (286.05MiB)"])
def test_the_total_is_read_with_and_without_words(words: str) -> None:
    assert understood(f"{ALLOCATIONS}\nTotal bytes used: 299944008{words}\n").total_bytes == 299944008


def test_positions_and_uses_are_read_with_their_indexes() -> None:
    [used] = understood(ALLOCATIONS, USED).used_values or []
    assert used.key == ValueKey("c", "{}")
    assert used.positions == (Position("c", "{}"), Position("tuple.1", "{0}"))
    assert used.uses == (Use("add", 0, "{}"), Use("copy-done.1", 1, "{1}"))


@pytest.mark.parametrize("uses", [" uses:\n", " uses:\n  (none)\n", " uses are not initialized yet.\n"])
def test_a_value_without_uses_has_none(uses: str) -> None:
    [used] = understood(ALLOCATIONS, f"Used values:\n<0 c @0>\n positions:\n  c\n{uses}").used_values or []
    assert used.uses == ()


GLUED = """\
Used values:
<23 sort.3 @0>
 positions:
  sort.3
 uses:
 from instruction: %sort.3 = f32[4]{0} sort(f32[4]{0} %a), metadata={op_name="sort[dimension=0 ]"}<24 Arg_0.68 @0>
 positions:
  Arg_0.68
 uses:
 from instruction: %Arg_0.68 = f32[4]{0} parameter(0)

HloLiveRange (max 0):
"""


def test_the_head_of_a_value_may_be_glued_to_the_instruction_before_it() -> None:
    dump = understood(GLUED)
    first, second = dump.used_values or []
    assert second.key == ValueKey("Arg_0.68", "{}")
    assert instruction_text(dump, first) == (
        '%sort.3 = f32[4]{0} sort(f32[4]{0} %a), metadata={op_name="sort[dimension=0 ]"}'
    )
    assert instruction_text(dump, second) == "%Arg_0.68 = f32[4]{0} parameter(0)"


@pytest.mark.parametrize("spelling", [" from instruction:%x", " from instruction: %x"])
def test_an_instruction_is_kept_as_the_offsets_of_its_text(spelling: str) -> None:
    text = " = f32[] add(%a, %b), sharding={replicated}, note=<1 x @0>"
    dump = understood(f"{USED}{spelling}{text}\n<1 d>\n positions:\n uses:\n")
    first, second = dump.used_values or []
    assert instruction_text(dump, first) == "%x" + text
    assert instruction_text(dump, second) is None


def test_an_empty_live_range_section_is_not_a_missing_one() -> None:
    assert understood("HloLiveRange (max 0):\n  InstructionSequence:\n  BufferLiveRange:\n").live_ranges == ()
    assert understood(ALLOCATIONS).live_ranges is None


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("    fusion.10: 136 bytes\n", PeakRow("fusion.10", None, 136, None)),
        ("    fusion.10{0}: 939524096 bytes\n", PeakRow("fusion.10", "{0}", 939524096, None)),
        ("    self.1{}: 20 bytes (cumulative: 25 bytes)\n", PeakRow("self.1", "{}", 20, 25)),
    ],
)
def test_a_peak_row_is_read_in_each_spelling(line: str, row: PeakRow) -> None:
    assert understood(f"{RANGES}  Live ranges at 1 (peak):\n{line}").printed_peak == PrintedPeak(moment=1, rows=(row,))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("HloLiveRange not available (finalized or constructed from proto)", None),
        ("Peak memory could not be determined due to unbounded dynamic shape.", RANGES + "  "),
    ],
)
def test_a_sentence_instead_of_numbers_is_kept(text: str, note: str | None) -> None:
    dump = understood(ALLOCATIONS, USED, f"{note or ''}{text}\n")
    assert dump.live_range_note == text
    assert (dump.live_ranges is None, dump.printed_peak) == (note is None, None)


TREE = """\
  Stack trace breakdown for peak usage: 41 943 072 bytes
    main.1 (100.0%, total: 41 943 072 bytes, current: 0 bytes, remaining: 41 943 072 bytes)
      ├── weird "quoted" [scope]/λ
 ├── newline (50.0%, total: 20 971 520 bytes, current: 0 bytes, remaining: 20 971 552 bytes)
      │   └── tuple (a) (50.0%, total: 20 971 520 bytes, current: 20 971 520 bytes, remaining: 20 971 552 bytes)
      │       └── deep (-nan%, total: 32 bytes, current: 32 bytes, remaining: 0 bytes)
"""


def test_the_stack_trace_is_a_tree_of_raw_labels() -> None:
    assert understood(RANGES + TREE).stack_trace == StackTrace(
        total_bytes=41_943_072,
        frames=(
            StackFrame(0, "main.1", 41_943_072, 0, 41_943_072, "100.0"),
            StackFrame(1, 'weird "quoted" [scope]/λ\n ├── newline', 20_971_520, 0, 20_971_552, "50.0"),
            StackFrame(2, "tuple (a)", 20_971_520, 20_971_520, 20_971_552, "50.0"),
            StackFrame(3, "deep", 32, 32, 0, "-nan"),
        ),
    )


def test_a_stack_trace_that_is_cut_off_keeps_what_is_whole() -> None:
    cut = TREE[: TREE.index("      │       └──") + 30]
    dump = parsed(RANGES + cut)
    assert [frame.depth for frame in dump.stack_trace.frames] == [0, 1, 2] if dump.stack_trace else False
    assert dump.unparsed_count == 1


# What is not understood


def test_an_empty_text_is_an_empty_dump() -> None:
    assert parsed("") == Dump(text=dump_text(""))
    assert parsed() == Dump(text=dump_text())


@pytest.mark.parametrize("text", ["hello\nworld\n", "{}", "\x00\x01\x7f", "<html>\n  <body>\n", "é" * 50])
def test_a_text_that_is_not_a_dump_gives_an_empty_dump_and_complaints(text: str) -> None:
    dump = parsed(text)
    assert dump == Dump(text=dump_text(text))
    assert dump.unparsed_count == len(text.splitlines())


A, V, L = "step-buffer-assignment.txt", "step-buffer-assignment-values.txt", "step-live-range.txt"
DAMAGED_LINES = {
    (0, "BufferAssignment:", "BufferAssignment"): f'{A}:1:1: expected "BufferAssignment:"',
    (0, "0: size", "0; size"): f'{A}:2:1: expected "allocation", its index and ": "',
    (0, "size 8", "size -8"): f'{A}:2:15: expected "size" and the bytes of the allocation',
    (0, ", constant:", ", constant"): f'{A}:2:31: expected ":" or "," and an attribute of the allocation',
    (0, "8, con", "8, color 9999999999, con"): f'{A}:2:38: expected ":" or "," and an attribute of the allocation',
    (0, "<0 c", "<zero c"): f'{A}:3:9: expected "<" and the id of a value',
    (0, "<0 c @0>", "<0 {c} @0>"): f"{A}:3:12: expected the name of the value",
    (0, "c @0>", "c @0"): f'{A}:3:16: expected ">" after the name of the value',
    (0, "(size=8", "(size=eight"): f'{A}:3:17: expected " (size=" and the bytes of the value',
    (0, ",offset=0", ";offset=0"): f'{A}:3:25: expected ",offset=" after the size of the value',
    (0, "): f32", ") f32"): f'{A}:3:34: expected "): " after the offset of the value',
    (0, "f32[2]{0}", ""): f"{A}:3:37: expected the shape of the value",
    (1, "Used values:", "Used values"): f'{V}:1:1: expected "Used values:"',
    (1, "c\n  t", "c\n  <t"): f"{V}:5:1: expected a row of the list above",
    (1, " positions:", " positions;"): f'{V}:3:1: expected " positions:"',
    (1, "add, operand 0", "add, operand x"): f"{V}:7:1: expected a row of the list above",
    (2, "(max 2)", "(max ?)"): f'{L}:1:1: expected "HloLiveRange (max " and a number',
    (2, "0:c", "0-c"): f'{L}:3:6: expected ":" and the name of an instruction',
    (2, "c{}:0-2", "c:0-2"): f"{L}:6:6: expected the index of the value, as in {{0}}",
    (2, "c{}:0-2", "c{}:0"): f'{L}:6:10: expected "-" and the last instruction number of the range',
    (2, "c{}:0-2", "c{}:0-2 "): f"{L}:6:12: expected the end of the line",
}


@pytest.mark.parametrize("damage", DAMAGED_LINES)
def test_a_damaged_line_is_reported_with_its_location_and_the_expectation(damage: tuple[int, str, str]) -> None:
    number, old, new = damage
    files = [ALLOCATIONS, USED, RANGES]
    files[number] = files[number].replace(old, new, 1)
    assert complaints(parsed(*files))[0] == DAMAGED_LINES[damage]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (" value: <0 c @0> (size=8,offset=0): f32[2]{0}\n", 'an "allocation" line that can be read before this value'),
        (" positions:\n", 'a value, as in "<12 name @0>", before this line'),
        (" from instruction: %x = f32[] parameter(0)\n", 'a value, as in "<12 name @0>", before this line'),
        ("    0:c\n", "a list heading before this row"),
        ("  c\n", "a line of a buffer assignment"),
    ],
)
def test_a_line_in_the_wrong_place_is_reported(line: str, expected: str) -> None:
    assert complaints(parsed(line)) == [f"{A}:1:1: expected {expected}"]


def test_rows_after_a_damaged_one_still_belong_to_their_list() -> None:
    damaged = RANGES.replace("    0:c\n", "    0:c\n    ?\n").replace("    c{}:0-2\n", "    c{}:0-\n    c{}:0-2\n")
    dump = parsed(ALLOCATIONS, USED, damaged)
    assert dump == understood(ALLOCATIONS, USED, RANGES)
    assert dump.unparsed_count == 2


def test_positions_and_uses_after_a_damaged_row_still_belong_to_their_value() -> None:
    damaged = USED.replace("  c\n", "  c\n  {}\n").replace("  add, operand 0\n", "  add, operand 0\n?\n")
    dump = parsed(ALLOCATIONS, damaged)
    assert dump == understood(ALLOCATIONS, USED)
    assert dump.unparsed_count == 2


def test_an_entry_after_a_damaged_one_is_read() -> None:
    damaged = USED + " from instruction: broken\n<1 d @0>\n positions:\n  d\n uses:\n"
    dump = parsed(damaged)
    assert [used.key.name for used in dump.used_values or ()] == ["c", "d"]
    assert complaints(dump) == [f'{A}:9:1: expected " from instruction:" and "%"']


def test_every_line_is_counted_and_the_first_are_kept() -> None:
    dump = parsed("?\n" * (UNPARSED_KEPT + 5))
    assert (dump.unparsed_count, len(dump.unparsed)) == (UNPARSED_KEPT + 5, UNPARSED_KEPT)


def test_the_beginning_of_a_long_unparsed_line_is_kept() -> None:
    [line] = parsed("?" * 10_000).unparsed
    assert line.text == "?" * 200


def test_lines_may_end_with_carriage_returns() -> None:
    texts = [ALLOCATIONS, GLUED.partition("\n\nHlo")[0], RANGES + TREE.replace("/λ\n", "/λ ")]
    here, there = parsed(*texts), parsed(*(text.replace("\n", "\r\n") for text in texts))
    assert complaints(there) == []
    assert replace(there, used_values=None) == replace(here, used_values=None)
    assert _spelled_out(there) == _spelled_out(here)


def _spelled_out(dump: Dump) -> list[tuple[object, ...]]:
    return [(used.key, used.positions, used.uses, instruction_text(dump, used)) for used in dump.used_values or ()]


def test_bytes_that_are_not_text_are_replaced_consistently() -> None:
    allocations, used = (text.encode().replace(b" c @", b" \xff @") for text in (ALLOCATIONS, USED))
    dump = parsed(allocations, used.replace(b"  c\n", b"  \xff\n"))
    assert dump.values[0].key == ValueKey("�", "{}")
    assert dump.used_values is not None
    assert dump.used_values[0].positions[0] == Position("�", "{}")


def test_values_of_an_unreadable_allocation_are_assigned_to_no_other() -> None:
    text = (
        "BufferAssignment:\n"
        "allocation 0: size 8, constant:\n value: <0 a @0> (size=8,offset=0): f32[2]{0}\n"
        "allocation 1: syze 8, constant:\n value: <1 b @0> (size=8,offset=0): f32[2]{0}\n"
        "allocation 2: size 8, constant:\n value: <2 c @0> (size=8,offset=0): f32[2]{0}\n"
    )
    dump = parsed(text)
    assert [(value.id, dump.allocations[value.allocation].index) for value in dump.values] == [(0, 0), (2, 2)]
    assert dump.unparsed_count == 2
