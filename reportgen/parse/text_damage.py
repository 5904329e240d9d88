"""Tell whether an HLO text is whole: XLA prints by rules, so a line that was lost or changed breaks one of them.

A damaged text gives wrong names, places and lines without looking wrong. What a newer XLA writes in another form, as
opcodes and operands, breaks no rule.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping

from reportgen.parse.instruction_parser import end_of_instruction
from reportgen.parse.module_text import ModuleText
from reportgen.patterns import STRING_OR_REST

_CLOSED = re.compile(rb"\}(?!\})[^\n]*+\n?+\s*+")
_OF_A_COMPUTATION = re.compile(rb"^(?:[ }%]|ENTRY )", re.MULTILINE)
_FRAME_ID = re.compile(rb"stack_frame_id=(\d+)")
_TABLES = re.compile(rb"^(FileNames|FunctionNames|FileLocations|StackFrames)$", re.MULTILINE)
_TABLE_COUNT = 4
_PLAIN = re.compile(r"%?[\w.\-]+")
_TYPED_OPERAND = re.compile(rb"[\]})] %([\w.\-]++)(?=[,)])")
_STRING = re.compile(STRING_OR_REST.encode())


def damages(text: ModuleText) -> Iterator[str]:
    """Yield the damages of an HLO text in the order of its lines, each with what was expected there."""
    number, counted = 1, 0
    for offset, words in sorted(_damages(text)):
        number += text.data.count(b"\n", counted, offset)
        counted = offset
        yield f"its line {number} {words}"


def _damages(text: ModuleText) -> Iterator[tuple[int, str]]:
    yield from _lines(text)
    yield from _computations(text)
    yield from _calls(text)
    yield from _operands(text)
    yield from _frames(text)


def _lines(text: ModuleText) -> Iterator[tuple[int, str]]:
    """Yield lines that are neither instructions nor may stand around them."""
    first = _end_of_head(text)
    heads = {offset for _, offset in text.computations} | {len(text.data)}
    ends = {stop: _after_instruction(text, start) for start, stop in text.between}
    for stop in sorted(ends.keys() | heads):
        start = ends.get(stop, stop)
        if stop <= first:
            if match := _OF_A_COMPUTATION.search(text.data, start, stop):
                yield match.start(), "is of a computation, whose first line is missing"
        elif stop in heads:
            if not _CLOSED.fullmatch(text.data, start, stop):
                yield min(start, len(text.data) - 1), "is not the end of a computation, which was expected"
        elif _CLOSED.fullmatch(text.data, start, stop):
            yield stop, "is of a computation, whose first line is missing"
        elif start < stop:
            yield start, "is not an instruction, which was expected"
    for name in text.names:
        if name not in text.opcode_of and not _is_balanced(_STRING.sub(b"", text.line(name) or b"")):
            yield text.offset(name), "is not a whole instruction: its brackets do not match"


def _end_of_head(text: ModuleText) -> int:
    """Return where the first computation begins, before which the tables of source lines are."""
    return text.computations[0][1] if text.computations else len(text.data)


def _after_instruction(text: ModuleText, offset: int) -> int:
    """Return where an instruction that goes on over several lines ends, if it goes on at `offset`; or the offset."""
    before = bisect_right(text.starts, offset) - 1
    end = end_of_instruction(text.data, text.starts[before], len(text.data)) if before >= 0 else -1
    return max(offset, end + 1)


def _is_balanced(line: bytes) -> bool:
    return b"(" in line and all(line.count(left) == line.count(right) for left, right in (b"()", b"[]", b"{}"))


def _computations(text: ModuleText) -> Iterator[tuple[int, str]]:
    """Yield computations without a root or with another's name, and what is wrong with the entry computation."""
    seen: set[str] = set()
    for name, offset in text.computations:
        if name in seen:
            yield offset, f"begins a computation {name} again"
        elif name not in text.root_of:
            yield offset, f"begins the computation {name}, which has no ROOT"
        seen.add(name)
    if text.root_count > len(text.root_of):
        yield 0, "begins a module in which a computation has several ROOTs"
    if (count := text.data.count(b"\nENTRY ")) != 1:
        yield 0, f"begins a module with {count} ENTRY computations instead of one"


def _calls(text: ModuleText) -> Iterator[tuple[int, str]]:
    """Yield instructions that call a computation that the text does not have."""
    known = {name for name, _ in text.computations}
    for name, called in text.called_by.items():
        for missing in (callee for callee in called if callee not in known and _PLAIN.fullmatch(callee)):
            if missing.encode() in _STRING.sub(b"", text.line(name) or b""):
                yield text.offset(name), f"calls {missing}, which is not a computation of the text"


def _operands(text: ModuleText) -> Iterator[tuple[int, str]]:
    """Yield instructions with an operand that the text does not have, and those that it has twice."""
    if len(text.computation_of) < len(text.names):
        for name in (name for name, count in Counter(text.names).items() if count > 1):
            yield text.offset(name), f"states {name}, which another line does, too"
    missing = {
        name: plain
        for name, unread in text.unread_operands.items()
        if (plain := next(filter(_PLAIN.fullmatch, unread), None))
    }
    # Where most operands are unknown, a newer XLA writes them in another form.
    if len(missing) * 2 < len(text.names):
        for name, operand in missing.items():
            yield text.offset(name), f"has the operand {operand}, which is not an instruction of the text"
    for name, operand in text.foreign_operands.items():
        yield text.offset(name), f"has the operand %{operand}, which is an instruction of another computation"
    if not text.has_plain_operands:
        for match in _TYPED_OPERAND.finditer(text.data):
            if (operand := match[1].decode()) not in text:
                yield match.start(), f"has the operand %{operand}, which is not an instruction of the text"


def _frames(text: ModuleText) -> Iterator[tuple[int, str]]:
    """Yield rows of the tables of source lines that are missing."""
    head = 0, _end_of_head(text)
    tables = {match[1].decode(): match.start() for match in _TABLES.finditer(text.data, *head)}
    frames = text.frames
    if not tables:
        return
    if frames is None or len(tables) < _TABLE_COUNT:
        yield min(tables.values()), "begins tables of source lines, of which one is missing"
        return
    rows: Mapping[str, Mapping[int, object]] = {
        "FileNames": frames.files,
        "FunctionNames": frames.functions,
        "FileLocations": frames.locations,
        "StackFrames": frames.links,
    }
    used: dict[str, set[int]] = {
        "FileNames": {file for file, _, _ in frames.locations.values()},
        "FunctionNames": {function for _, function, _ in frames.locations.values()},
        "FileLocations": {link.location for link in frames.links.values()},
        "StackFrames": {link.parent for link in frames.links.values() if link.parent}
        | {int(number) for number in set(_FRAME_ID.findall(text.data))},
    }
    for table, own in rows.items():
        expected = used[table] | set(range(1, max(own, default=0)))
        if missing := min(expected - own.keys(), default=0):
            yield tables[table], f"begins the table {table}, of which row {missing} is missing"
