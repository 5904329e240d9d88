"""Find out-of-memory errors in any text: a log, an issue, an exception, `.oom_top_memory_consuming_instructions`.

Texts come wrapped, cut anywhere, and once for each replica, retry and layer of exceptions. Whatever is there is read;
the rest stays unknown. `forms` has the sentences, `error_lines` the tables and lists that follow them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any, NamedTuple

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.error_lines import Line, read_line
from reportgen.oom.forms import FORMS, SIZES, Form
from reportgen.oom.passages import SIGNS, passages
from reportgen.oom.plain_text import PlainLine, plain_lines
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.oom.roles import figures_in
from reportgen.oom.same_failure import filled, told_once
from reportgen.patterns import repeated

_PATIENCE = 40  # unrelated lines in a row after which an event has ended, because loggers print some in between
_MOST_CONTINUED = 6  # lines that a sentence may go on for, where a form or an editor has wrapped it
_MOST_WRAPPED = 3  # lines that a field of an entry may go on for
_MOST_QUOTED = 40  # lines of the message of an event without a sentence

_SIGN = re.compile("|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True))))
# With the forms of shorter signs that the same text begins with, which are tried after those of the longer one.
_BY_SIGN: Mapping[str, Sequence[Form]] = {
    sign: sorted((form for form in FORMS if sign.startswith(form.sign)), key=lambda form: -len(form.sign))
    for sign in SIGNS
}
_BEGINNINGS = ("RESOURCE_EXHAUSTED", "Resource exhausted", ". ", "; ")  # of the second error on a line
_LONGEST_BEFORE, _LONGEST_CONTEXT = 300, 8_000
_MOST_SIGNS = 200  # on one line that are tried, because a longer line is no message
_CODE = re.compile(r"\b(?P<code>E\d{4}): ")
_MODULE = re.compile(
    r"(?:(?:(?i:hlo|xla)[ _]?(?i:module)(?:[ _]name)?|executable_name)\W{1,4}|Error loading program '"
    r"|\b[Mm]odule(?:[ _]name)?\W{1,4}(?=\w+\.\d)|\b(?:for|of|in|[Cc]ompil\w+) (?:the )?module [\"'`]?"
    r"|(?<![\w./-])(?=(?:p?jit|pmap)_))(?P<module>\w[\w.<>-]*[\w>])(?<!\.py)"
)
"""The name of a module, wherever a message has it: behind that word, or one as JAX gives them."""

_PARAMETER = re.compile(r"\w\[[^][]{0,200}$")
_DIGIT = re.compile(r"\d")
_OF_ENTRIES = frozenset({"Number", "Operator", "XLA label", "XLA Label", "Entry Parameter Subshape"})
_ATTRIBUTE = re.compile(r'\b(op_name|source_file)="(' + repeated(r'[^"\\]++|\\.') + ")")
_SOURCE_LINE = re.compile(r"\bsource_line=([0-9]{1,18})\b")
_LABEL = re.compile(r"%?(\S+) = (.*)")
_ARRAY = re.compile(r"[a-z]\w{0,20}+\[[\d,]{0,200}+\](?:\{[\w,:()*.-]{0,200}+\})?(?= )")
_OPCODE = re.compile(r"(?:^| )([a-z][a-z0-9-]*)\(")
_OPERAND = re.compile(rf"({_ARRAY.pattern}) %([\w.-]{{1,200}}+)")

_NAMES = {"Stats": "state", "BufferAssignment stats": "statistics"}  # of events that begin with a table


class Sentence(NamedTuple):
    """A sentence of an error: its form, and what it states by name."""

    form: Form
    text: str
    parts: Mapping[str, str]
    totals: Sequence[Total] = ()


def find_out_of_memory(pieces: Iterable[bytes]) -> tuple[OutOfMemory, ...]:
    """Return every failure, warning and list of figures in a text that arrives in pieces, in the order of the text."""
    found: list[OutOfMemory] = []
    for first_line, data in passages(pieces):
        by_source: defaultdict[str, list[PlainLine]] = defaultdict(list)
        for line in plain_lines(data.decode("utf-8", "replace").split("\n"), first_line):
            by_source[line.source] += _split(line)
        for lines in by_source.values():
            found += _events(lines)
    return told_once(found)


def _split(line: PlainLine) -> Iterator[PlainLine]:
    """Yield a line once for each error on it: chained exceptions and records of JSON have several on one."""
    heads, start = _heads(line.text), 0
    for (before, _), (place, _) in pairwise(heads):
        begin = max(line.text.rfind(words, before, place) for words in _BEGINNINGS)
        yield line._replace(text=line.text[start : (begin if begin > before else place)].rstrip())
        start = begin if begin > before else place
    yield line._replace(text=line.text[start:])


def _events(lines: Sequence[PlainLine]) -> Iterator[OutOfMemory]:
    """Yield each event in the lines of one process."""
    assembly, place = _Assembly(), 0
    skipped = 0  # lines in a row that are neither a sentence nor part of a table or list
    while place < len(lines):
        line, (sentence, place) = lines[place], _sentence(lines, place)
        part = None if sentence else assembly.part(line.text)
        skipped = 0 if sentence or part else skipped + bool(line.text)
        event = _event_of(sentence, line.number) if sentence else None
        if event and assembly.absorbs(event):
            continue
        if event or (part and assembly.is_ended_by(part)) or skipped == _PATIENCE:
            yield from assembly.finished()
            assembly = _Assembly(event)
        if part:
            assembly.add(part, line)
        elif line.text and 0 < skipped <= _MOST_WRAPPED:
            assembly.extend(line.text)
    yield from assembly.finished()


def _sentence(lines: Sequence[PlainLine], start: int) -> tuple[Sentence | None, int]:
    """Return the sentence that begins on line `start`, and the index of the line after its last."""
    text, after = lines[start].text, start + 1
    best = _read(text)
    if not text or (best is None and (read_line(text) or not _begins(lines, start))):
        return None, after
    # A sentence may be wrapped, so join the lines up to the next row or sentence, and keep the reading that says most.
    joined, continued, place = text, 0, start + 1
    while continued < _MOST_CONTINUED and place < len(lines):
        piece = lines[place].text
        place += 1
        if not piece:
            continue
        continued += 1
        inner, joined = _read(piece), f"{joined} {piece}"
        read = _read(joined)
        outer = best or (read if read and _is_better(read, inner) else None)
        if (inner and not (outer and _are_one(outer.form, inner.form))) or (not inner and read_line(piece)):
            break
        if read and _is_better(read, best):
            best, after = read, place
    return _with_rows(best, best.form.row, lines, start) if best and best.form.row else (best, after)


def _are_one(first: Form, second: Form) -> bool:
    """Return whether a sentence is a part of the one before it, or says more of the same."""
    is_same = first.name == second.name and (first.row or first.kind == "other")
    return bool(is_same) or second.gives_way_to(first) or first.gives_way_to(second)


def _is_better(candidate: Sentence, best: Sentence | None) -> bool:
    """Return whether a sentence that was read from more lines says more than the best so far."""
    if best is None:
        return candidate.form.yields_to != "*"  # which says nothing of what follows
    return len(candidate.parts) > len(best.parts) or best.form.gives_way_to(candidate.form)


def _begins(lines: Sequence[PlainLine], start: int) -> bool:
    """Return whether a sign begins on a line; it may end on one of the next two."""
    text = lines[start].text
    match = _SIGN.search(" ".join(line.text for line in lines[start : start + 3] if line.text))
    return match is not None and match.start() < len(text)


def _read(text: str) -> Sentence | None:
    """Return the first sentence in a text; None if there is none."""
    heads = _heads(text)
    return heads[0][1] if heads else None


@lru_cache(maxsize=256)  # because a line is read alone, and again with those that follow it
def _heads(text: str) -> Sequence[tuple[int, Sentence]]:
    """Return where each error in a text begins, with its sentence: of those that are one, the one that says most."""
    heads: list[tuple[int, Sentence]] = []
    for sign in islice(_SIGN.finditer(text), _MOST_SIGNS):
        for form in _BY_SIGN[sign[0]]:
            match = form.patterns[0].match(text, sign.start())
            sentence = _sentence_of(form, match, text) if match else None
            if sentence is None:
                continue
            if not heads or not _are_one(heads[-1][1].form, form):
                heads.append((sign.start(), sentence))
            elif heads[-1][1].form.gives_way_to(form) and not form.gives_way_to(heads[-1][1].form):
                heads[-1] = (heads[-1][0], sentence)
            break
    return heads


def _sentence_of(form: Form, match: re.Match[str], text: str) -> Sentence | None:
    """Return the sentence that a form has matched in a text; None if what it needs beside that is missing."""
    begin = max(0, match.start() - _LONGEST_CONTEXT)
    before, text = text[begin : match.start()], text[begin : match.start() + _LONGEST_CONTEXT]
    _, expected, *beside = form.patterns
    right_before = expected.search(before[-_LONGEST_BEFORE:])
    if right_before is None or _is_mention(match.string, match.start()):
        return None
    parts: dict[str, str] = {}
    around = (pattern.search(text) for pattern in (_CODE, _MODULE, *beside[::-1]))
    for part in filter(None, (*around, right_before, match)):
        parts |= {name: value for name, value in part.groupdict().items() if value}
    if form.kind != "other" and not form.row and parts.keys().isdisjoint(SIZES):
        roles, printed = figures_in(text)
        parts |= roles
        if form.kind == "memory" and len(printed) > len(roles):
            parts["figures"] = ", ".join(printed)
    return Sentence(form, text.strip(), parts)


def _is_mention(text: str, start: int) -> bool:
    """Return whether a sign is only named: in a quotation without a figure, or as a parameter of a test."""
    if _PARAMETER.search(text, 0, start):
        return True
    mark = next((mark for mark in '`"' if text.count(mark, 0, start) % 2), "")
    return bool(mark) and not _DIGIT.search(text[start:].partition(mark)[0])


def _with_rows(
    sentence: Sentence, pattern: re.Pattern[str], lines: Sequence[PlainLine], start: int
) -> tuple[Sentence | None, int]:
    """Return a sentence with its rows, and the index of the line after the last; None if there are none."""
    rows: dict[str, Total] = {}
    place = start - bool(start and pattern.search(lines[start - 1].text))  # because that may be a row, too
    after = start
    while place < min(after + _MOST_CONTINUED + 1, len(lines)):
        text = lines[place].text
        found = [match.groupdict() for match in pattern.finditer(text)]
        is_next = place > start and sentence.form.rows and sentence.form.sign in text
        if is_next or any(row.get("name") in rows for row in found):  # those of another sentence
            break
        place += 1
        for row in found:
            name, size = row.get("name") or f"slot {len(rows)}", read_size(row["size"], needs_unit=False)
            taken = f"{row['values']} values take turns: {row['shapes'].strip()}" if row.get("values") else ""
            rows[name] = Total(sentence.form.name, name, size, taken)
            after = place
    return (sentence._replace(totals=tuple(rows.values())), after) if rows else (None, start + 1)


@dataclass(slots=True)
class _Assembly:
    """Assemble lines into an event: `heads` are those of its tables, and `entry` is the buffer that is being read."""

    event: OutOfMemory | None = None
    heads: list[str] = field(default_factory=list)
    last_number: int = 0  # of an entry
    totals: list[Total] = field(default_factory=list)
    buffers: list[LoggedBuffer] = field(default_factory=list)
    entry: dict[str, Any] | None = None
    quoted: list[str] = field(default_factory=list)  # the lines of tables and lists

    def absorbs(self, new: OutOfMemory) -> bool:
        """Add what a sentence states to the event if it is about the same failure, and return whether it is."""
        own = self.event
        if own and own.form.gives_way_to(new.form) and own.form.yields_to != "*":  # what did not fit, before the reason
            self.event = filled(new, own)._replace(lines=own.lines)
        elif own and (own.kind, new.kind) == ("execution", "allocator"):
            self.event = own._replace(capacity=own.capacity or new.capacity)
        else:
            return False
        return True

    def is_ended_by(self, line: Line) -> bool:
        """Return whether the line cannot belong to the event: a table or a list begins a second time."""
        if line.role == "entry":
            return self.last_number >= line.number
        is_unrelated = line.name == "Stats" and self.event and self.event.kind not in ("allocator", "execution")
        return line.role == "head" and bool(is_unrelated or line.name in self.heads)

    def part(self, text: str) -> Line | None:
        """Return a line of a table or a list, if it can be one here."""
        line = read_line(text)
        is_there = {"map": self.event, "counted": self.heads[-1:] == ["Histogram of current allocation"]}
        return line if line and is_there.get(line.role, True) else None

    def add(self, line: Line, printed: PlainLine) -> None:
        """Add a line of a table or a list to the event."""
        if self.event is None:
            name = "state" if line.role == "chunks" else _NAMES.get(line.name, "fragment")
            self.event = OutOfMemory(name, lines=(printed.number,))
        self.quoted.append(printed.text)
        match line.role:
            case "field":
                # A second field of one name belongs to the next entry, whose heading was lost.
                if self.entry is None or self.entry.get(line.name):
                    self._end_entry()
                    self.entry = {}
                self.entry[line.name] = line.detail
            case "separator":
                self._end_entry(is_cut=False)
            case "entry":
                self._end_entry()
                self.last_number = line.number
                self.entry = {"Size": line.detail, "Number": line.number}
            case "chunks" | "counted":
                self.totals.append(Total("Chunks in use, by size", line.name, line.size))
            case "map":
                self.event = self.event._replace(words=(*self.event.words, ("pool_share", line.detail)))
            case "row" if self.heads:
                self._end_entry()
                self.totals.append(Total(self.heads[-1], line.name, line.size, line.detail))
            case "head":
                self._end_entry()
                self.heads.append(line.name)
                self.totals += [Total(line.name, "", line.size, line.detail)] if line.size else []

    def extend(self, text: str) -> None:
        """Add a line to the field before it, which was wrapped, or else the module that it names to the event."""
        module = _MODULE.search(text)
        if module and self.event and not (self.event.module or self.buffers or self.entry):
            self.event = self.event._replace(module=module["module"])
        if self.entry and (name := next(reversed(self.entry))) != "Number":
            self.entry[name] += f" {text}"
            self.quoted.append(text)

    def _end_entry(self, *, is_cut: bool = True) -> None:
        """Keep the entry if it is one: a lone `Shape:` or `Size:` may be anything."""
        if self.entry is not None and not _OF_ENTRIES.isdisjoint(self.entry):
            self.buffers.append(_buffer_of(self.entry, is_cut=is_cut))
        self.entry = None

    def finished(self) -> Iterator[OutOfMemory]:
        """Yield the event, if enough of it was found."""
        self._end_entry()
        if self.event and (self.event.kind != "fragment" or self.totals or self.buffers):
            totals, buffers = (*self.event.totals, *self.totals), (*self.event.buffers, *self.buffers)
            message = self.event.message or "\n".join(self.quoted[:_MOST_QUOTED])
            yield _with_totals(self.event._replace(message=message, totals=totals, buffers=buffers))


def _with_totals(event: OutOfMemory) -> OutOfMemory:
    """Return the event, with sizes that its sentence leaves out filled in from its tables."""
    sizes = {total.name or total.head: total.size for total in event.totals}
    usage = next((size for name, size in sizes.items() if name.endswith(" usage >=")), None)
    needed = event.needed or usage or sizes.get("Program hbm requirement")
    return event._replace(
        needed=needed,
        capacity=event.capacity or sizes.get("HBM capacity") or sizes.get("Limit"),
        held=event.held or sizes.get("InUse") or sizes.get("Currently allocated"),
    )


def _event_of(sentence: Sentence, number: int) -> OutOfMemory:
    """Return the event that a sentence states, without the tables and lists that may follow."""
    parts = {"space": sentence.form.space, **sentence.parts}
    sizes = {name: _size(text) for name, text in parts.items() if name in SIZES}
    if cores := [size for name, text in parts.items() if name.endswith("_core_size") and (size := _size(text))]:
        sizes["needed"] = sum(cores[1:], cores[0])  # because they share the memory
    fields: dict[str, Any] = {name: text for name, text in parts.items() if name in OutOfMemory._fields} | sizes
    buffer = LoggedBuffer(
        size=sizes.get("needed"),
        shape=parts.get("shape", ""),
        instruction=parts.get("output") or parts.get("hlo", ""),
        kind=parts.get("tag", ""),
        is_cut="tag" not in parts,
    )
    return OutOfMemory(
        name=sentence.form.name,
        message=sentence.text,
        words=tuple((name, text) for name, text in parts.items() if name not in fields),
        totals=tuple(sentence.totals),
        buffers=(buffer,) if buffer.shape else (),
        lines=(number,),
        **fields | {"space": parts["space"].lower()},
    )


def _size(printed: str) -> SizeRange | None:
    """Return a size, of which one without a unit is in bytes."""
    return read_size(str(int(printed, 16)) if printed.startswith("0x") else printed, needs_unit=False)


def _buffer_of(entry: dict[str, Any], *, is_cut: bool) -> LoggedBuffer:
    """Return the buffer that an entry of a list describes; `entry` has its fields under the names that XLA prints."""
    label = _LABEL.match(entry.get("XLA label", ""))
    opcode = _OPCODE.search(label[2]) if label else None
    operator = entry.get("Operator", "")
    found = _ATTRIBUTE.findall(operator)
    attributes = {name: re.sub(r"\\(.)", r"\1", text.replace(r"\n", " ")) for name, text in found}
    source_line = _SOURCE_LINE.search(operator)
    parameter = entry.get("Entry Parameter Subshape", "")
    of_label = _ARRAY.match(label[2]) if label else None
    return LoggedBuffer(
        number=entry.get("Number"),
        size=read_size(entry.get("Size") or ""),
        unpadded=read_size(entry.get("Unpadded size", "")),
        shape=parameter or entry.get("Shape") or (of_label[0] if of_label else ""),
        instruction=label[1] if label else "",
        opcode=opcode[1] if opcode else entry.get("XLA Label", ""),
        op_name=attributes.get("op_name", ""),
        source_file=attributes.get("source_file", ""),
        source_line=int(source_line[1]) if source_line else None,
        kind=entry.get("Allocation type", ""),
        is_parameter=bool(parameter),
        is_cut=is_cut,
        made_from=tuple((name, shape) for shape, name in _OPERAND.findall(label[2])) if label else (),
    )
