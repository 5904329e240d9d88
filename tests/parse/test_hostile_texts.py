"""Texts made to be slow: reading stays linear in their length, whatever they repeat."""

import pytest

from reportgen.oom.find_errors import find_out_of_memory
from reportgen.parse import parser
from reportgen.parse.scan import Scan
from tests.support.dumps import parsed
from tests.support.guards import finishes

LINES = 40_000
TREE = "  Stack trace breakdown for peak usage: 0 bytes\n"
TAIL = " (1%, total: 1 bytes, current: 1 bytes, remaining: 1 bytes)\n"

TEXTS = {
    "positions and noise": "<0 c @0>\n positions:\n" + f"  {'a' * 30}\n?\n" * LINES,
    "uses and noise": "<0 c @0>\n uses:\n" + f"  {'a' * 30}, operand 0\n?\n" * LINES,
    "heads that never close": "<0 c @0>\n from instruction: %x" + "<" * 10 * LINES + ">\n positions:\n",
    "instructions that end like heads": "<0 c @0>\n" + " from instruction: %x<1 a>\n" * LINES,
    "beginnings of tails": TREE + " (1%, total: " * LINES,
    "brackets in labels": TREE + " (" * 5 * LINES,
    "digits in labels": TREE + " (" + "1" * 10 * LINES,
    "branches in labels": TREE + "├── " * LINES + TAIL,
    "a name without end": "allocation 0: size 1:\n value: <0 " + "a" * 10 * LINES + "\n",
    "attributes without end": "allocation 0: size 1" + ", a" * LINES + "\n",
    "bars without end": "allocation 0: size 1, " + "|a" * LINES + "\n",
    "shapes without end": "allocation 0: size 1" + ", parameter 3, shape |" * LINES + "\n",
    "an index without end": "  BufferLiveRange:\n    a{" + "1," * 5 * LINES + "\n",
    "empty lines": "\n" * 100 * LINES,
    "spaces": " " * 10 * LINES,
    "rows of nothing": "    \n" * LINES,
    "no line at all": "x" * 20 * LINES,
    "carriage returns": "\r" * 10 * LINES,
}


ENTRY = "1. Size: 3.00G\n{}\nXLA label: a = fusion(\n"
ERRORS = {
    "a word without end": ENTRY.format("Operator: " + "a" * 10 * LINES),
    "a string without end": ENTRY.format('Operator: op_name="' + '\\"a' * 5 * LINES),
    "backslashes": ENTRY.format('Operator: op_name="' + "\\" * 10 * LINES),
    "a label without end": "XLA label: " + "a = " * 5 * LINES,
    "an opcode without end": "XLA label: a = " + "a" * 10 * LINES,
    "sentences without end": "Aborting compilation early because it's unlikely to have enough " * LINES,
    "a tag without end": "Allocation (size=3) would exceed memory (size=2) :: #allocation3 [shape = '" * LINES,
    "rows of brackets": ("Stats:\nprogram (" + ")[" * 400 + "\n") * (LINES // 100),
    "prefixes": "XLA label: a\n" + "> " * 5 * LINES,
    "digits": "Scoped allocation with size " + "1" * 10 * LINES,
    "events": "Ran out of memory in memory space hbm.\n" * LINES,
    "entries": "XLA label: a\n" * LINES,
    "signs and noise": ("XLA label: a\n" + "?\n" * 50) * (LINES // 20),
}


@pytest.mark.parametrize("name", TEXTS)
def test_reading_takes_linear_time(name: str) -> None:
    with finishes(20):
        parsed(TEXTS[name])


@pytest.mark.parametrize("name", ERRORS)
def test_reading_errors_takes_linear_time(name: str) -> None:
    with finishes(20):
        assert isinstance(find_out_of_memory([ERRORS[name].encode()]), tuple)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_empty_lines_take_one_step_however_many_there_are(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    blank = parser._READERS[ending.encode()]

    def counted(scan: Scan, position: int) -> int:
        looked.append(position)
        return blank(scan, position)

    monkeypatch.setitem(parser._READERS, ending.encode(), counted)
    dump = parsed("BufferAssignment:\n" + ending * LINES + "Total bytes used: 7 (7B)\n")
    assert (len(looked), dump.total_bytes, dump.unparsed_count) == (1, 7, 0)


def test_after_very_many_lines_that_mean_nothing_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "_MOST_UNPARSED", 50)
    dump = parsed("?\n" * 120 + "Total bytes used: 7 (7B)\n")
    assert (dump.unparsed_count, dump.total_bytes) == (121, None)
