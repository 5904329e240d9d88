"""Find out-of-memory errors in any text: a log, an issue, an exception, `.oom_top_memory_consuming_instructions`.

Texts come wrapped, cut anywhere, and once for each replica, retry and layer of exceptions. Whatever is there is read;
the rest stays unknown. `forms` has the sentences, `error_lines` the tables and lists that follow them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import Any, NamedTuple

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.error_lines import Line, read_line
from reportgen.oom.forms import FORMS, FRAGMENT, SIZES, STATE, STATISTICS, Form
from reportgen.oom.passages import SIGNS, passages
from reportgen.oom.plain_text import PlainLine, plain_lines
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.oom.roles import figures_in
from reportgen.oom.same_failure import told_once
from reportgen.patterns import repeated

_PATIENCE = 40
"""Unrelated lines in a row after which an event has ended: loggers print lines of their own in between."""

_MOST_CONTINUED = 6
"""Lines that a sentence may go on for, where a form or an editor has wrapped it."""

_MOST_QUOTED = 40
"""Lines that the message of an event without a sentence has."""

_MOST_WRAPPED = 3
"""Lines that a field of an entry may go on for."""

_SIGN = re.compile("|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True))))
# With the forms of shorter signs that the same text begins with, which are tried after those of the longer one.
_BY_SIGN: Mapping[str, Sequence[Form]] = {
    sign: sorted((form for form in FORMS if sign.startswith(form.sign)), key=lambda form: -len(form.sign))
    for sign in SIGNS
}
_BEGINNINGS = ("RESOURCE_EXHAUSTED", "Resource exhausted", ". ", "; ")
"""What the words before the second error on a line begin with."""
_LONGEST_BEFORE, _LONGEST_CONTEXT = 300, 8_000
_MOST_SIGNS = 200
"""Signs on one line that are tried: a longer line is no message."""
_CODE = re.compile(r"\b(E\d{4}): ")
_MODULE = re.compile(
    r"(?:(?:(?i:hlo|xla)[ _]?(?i:module)(?:[ _]name)?|executable_name)\W{1,4}|Error loading program '"
    r"|\b[Mm]odule(?:[ _]name)?\W{1,4}(?=\w+\.\d)"
    r"|\b(?:for|of|in|[Cc]ompil\w+) (?:the )?module [\"'`]?)(?P<of>\w[\w.<>-]*[\w>])"
    r"|(?<![\w./-])(?P<jax>(?:p?jit|pmap)_[\w<>]+)(?!\.py)"
)
"""The name of a module, wherever a message has it: behind that word, or one as JAX gives them."""

_PARAMETER = re.compile(r"\w\[[^][]{0,200}$")
_DIGIT = re.compile(r"\d")
_OF_ENTRIES = frozenset({"Number", "Operator", "XLA label", "XLA Label", "Entry Parameter Subshape"})
# A word without a value matches too, because otherwise each of its letters would be tried as the beginning of a name.
_ATTRIBUTE = re.compile(r'(\w+)(?:=(?:"(' + repeated(r'[^"\\]++|\\.') + r')"?|(\S+)))?')
_LABEL = re.compile(r"%?(\S+) = (.*)")
_ARRAY = re.compile(r"[a-z]\w{0,20}+\[[\d,]{0,200}+\](?:\{[\w,:()*.-]{0,200}+\})?(?= )")
_OPCODE = re.compile(r"(?:^| )([a-z][a-z0-9-]*)\(")
_OPERAND = re.compile(rf"({_ARRAY.pattern}) %([\w.-]{{1,200}}+)")
_OUTPUT_OF = re.compile(r"output of ([^@]+)(?:@.*)?")

_CORES = ("tensor_core_size", "sparse_core_size")
_STATISTICS, _HISTOGRAM = "BufferAssignment stats", "Histogram of current allocation"
_MAY_HAVE_STATE = frozenset({"allocator", "execution"})
_PARTS_WITH_A_FIELD = frozenset({"code", "space", "module", "device", *SIZES})
"""The parts of a sentence that `OutOfMemory` has fields for; it keeps any other in `words`."""


class Sentence(NamedTuple):
    """A sentence of an error: its form, and what it states by name."""

    form: Form
    text: str
    parts: Mapping[str, str]
    totals: tuple[Total, ...] = ()


def find_out_of_memory(pieces: Iterable[bytes]) -> tuple[OutOfMemory, ...]:
    """Return every failure, warning and list of figures in a text that arrives in pieces, in the order of the text."""
    found: list[OutOfMemory] = []
    for passage in passages(pieces):
        by_source: defaultdict[str, list[PlainLine]] = defaultdict(list)
        for line in plain_lines(passage.data.decode("utf-8", "replace").split("\n"), passage.first_line):
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
        line = lines[place]
        place += 1
        if not line.text:
            continue
        sentence, after = _sentence(lines, place - 1)
        part = None if sentence else assembly.part(line)
        skipped = 0 if sentence or part else skipped + 1
        if sentence:
            place = after
            if not assembly.absorbs(sentence):
                yield from assembly.finished()
                assembly.begin(sentence, line.number)
        elif part:
            if assembly.is_ended_by(part):
                yield from assembly.finished()
            assembly.add(part, line)
        elif skipped == _PATIENCE:
            yield from assembly.finished()
        elif skipped <= _MOST_WRAPPED:
            assembly.extend(line)
    yield from assembly.finished()


def _sentence(lines: Sequence[PlainLine], start: int) -> tuple[Sentence | None, int]:
    """Return the sentence that begins on line `start`, and the index of the line after its last."""
    text, after = lines[start].text, start + 1
    best = _read(text)
    if best is None and (read_line(text) or not _begins(lines, start)):
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
        outer = best or read
        if (inner and not (outer and _are_one(outer.form, inner.form))) or (not inner and read_line(piece)):
            break
        if read and _is_better(read, best):
            best, after = read, place
    return _with_rows(best, lines, start, after) if best and best.form.rows else (best, after)


def _are_one(first: Form, second: Form) -> bool:
    """Return whether a sentence is a part of the one before it, or says more of the same."""
    if (first.rows and first is second) or (first.kind == "other" and first.says == second.says):
        return True
    return second.name in first.holds or second.gives_way_to(first) or first.gives_way_to(second)


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
            match = form.pattern.match(text, sign.start())
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
    right_before = form.pattern_before.search(before[-_LONGEST_BEFORE:]) if form.before else None
    is_missing = (form.before and right_before is None) or not form.pattern_needed.search(text)
    if is_missing or _is_mention(match.string, match.start()):
        return None
    beside = (pattern.search(text) for pattern in form.patterns_beside)
    parts: dict[str, str] = {}
    for part in filter(None, (match, right_before, *beside)):
        parts = {name: value for name, value in part.groupdict().items() if value} | parts
    code = _CODE.search(before)
    return Sentence(form, text.strip(), {"code": code[1] if code else "", "module": _module_in(text), **parts})


def _is_mention(text: str, start: int) -> bool:
    """Return whether a sign is only named: in a quotation without a figure, or as a parameter of a test."""
    if _PARAMETER.search(text, 0, start):
        return True
    mark = next((mark for mark in '`"' if text.count(mark, 0, start) % 2), "")
    return bool(mark) and not _DIGIT.search(text[start:].partition(mark)[0])


def _module_in(text: str) -> str:
    """Return the module that a text names; empty where it names none."""
    hit = _MODULE.search(text)
    return hit["of"] or hit["jax"] if hit else ""


def _with_rows(sentence: Sentence, lines: Sequence[PlainLine], start: int, after: int) -> tuple[Sentence | None, int]:
    """Return a sentence with the rows that follow it, and the index of the line after them; None if there are none."""
    totals: dict[str, Total] = {}
    # The row before that with the sign may be one, too.
    first = start - bool(start and sentence.form.pattern_of_rows.search(lines[start - 1].text))
    own = takewhile(
        lambda place: place <= start or not (sentence.form.rest and sentence.form.sign in lines[place].text),
        range(first, min(start + sentence.form.lines, len(lines))),
    )
    rows = ((at, row.groupdict()) for at in own for row in sentence.form.pattern_of_rows.finditer(lines[at].text))
    for place, row in rows:
        if row.get("name") in totals:  # those of the next sentence of the same kind
            break
        name = row.get("name") or f"slot {len(totals)}"
        size = read_size(row.get("size") or row.get("slot") or "", needs_unit=False)
        taken = f"{row['values']} values take turns: {row['shapes'].strip()}" if row.get("slot") else ""
        totals[name] = Total(sentence.form.name, name, size, taken)
        after = max(after, place + 1)
    return (sentence._replace(totals=tuple(totals.values())), after) if totals else (None, start + 1)


@dataclass(slots=True)
class _Assembly:
    """Assemble lines into events: `event`, which starts at line `number`, is being read, and `entry` is its buffer."""

    event: OutOfMemory | None = None
    number: int = 0
    head: str = ""  # of the table that is being read
    heads: set[str] = field(default_factory=set)
    last_number: int = 0  # of an entry
    totals: list[Total] = field(default_factory=list)
    buffers: list[LoggedBuffer] = field(default_factory=list)
    entry: dict[str, Any] | None = None
    last_field: str = ""
    quoted: list[str] = field(default_factory=list)  # the first lines of tables and lists

    def absorbs(self, sentence: Sentence) -> bool:
        """Add a sentence to the event if it is about the same failure, and return whether it is."""
        if self.event and self.event.name in sentence.form.holds:  # what did not fit is said before the reason
            needed = self.event.needed
            self.event = _event_of(sentence)
            self.event = self.event._replace(needed=self.event.needed or needed)
            return True
        if sentence.form.kind != "allocator" or self.event is None or self.event.kind != "execution":
            return False
        sizes = _sizes(sentence)
        self.event = self.event._replace(capacity=sizes.get("capacity"))
        return True

    def begin(self, sentence: Sentence, number: int) -> None:
        """Begin the event of a sentence."""
        self.event, self.number = _event_of(sentence), number
        self.totals, self.buffers = list(sentence.totals), _named_buffer(sentence)
        self.quoted = []

    def is_ended_by(self, line: Line) -> bool:
        """Return whether the line cannot belong to the event: a table or a list begins a second time."""
        if line.role == "head":
            name = line.parts["name"]
            is_unrelated = name == "Stats" and self.event is not None and self.event.kind not in _MAY_HAVE_STATE
            return is_unrelated or name in self.heads
        return line.role == "entry" and bool(self.last_number >= line.parts["number"])

    def part(self, line: PlainLine) -> Line | None:
        """Return a line of a table or a list, if it can be one here."""
        part = read_line(line.text)
        is_there = part is None or {"map": self.event is not None, "counted": self.head == _HISTOGRAM}.get(
            part.role, True
        )
        return part if is_there else None

    def add(self, line: Line, printed: PlainLine) -> None:
        """Add a line of a table or a list to the event."""
        if self.event is None:
            self.event, self.number, self.quoted = OutOfMemory(_form_of(line).name), printed.number, []
        self._quote(printed)
        match line.role:
            case "field":
                self._add_field(line.parts["name"], line.parts["value"])
            case "separator":
                self._end_entry(is_cut=False)
            case "entry":
                self._end_entry(is_cut=True)
                self.last_number = line.parts["number"]
                self.last_field = ""
                self.entry = {"Number": line.parts["number"], "Size": line.parts["size"]}
            case "chunks" | "counted":
                self.totals.append(Total("Chunks in use, by size", line.parts["name"], line.parts["size"]))
            case "map":
                self.event = self.event._replace(words=(*self.event.words, ("pool_share", line.parts["share"])))
            case "row" if self.head:
                self._end_entry(is_cut=True)
                self.totals.append(Total(self.head, line.parts["name"], line.parts["size"], line.parts["detail"]))
            case "head":
                self._end_entry(is_cut=True)
                self.head = line.parts["name"]
                self.heads.add(self.head)
                if line.parts["size"]:
                    self.totals.append(Total(self.head, "", read_size(line.parts["size"]), line.parts["detail"]))

    def finished(self) -> Iterator[OutOfMemory]:
        """Yield the event, if enough of it was found, and reset the assembly."""
        self._end_entry(is_cut=True)
        if self.event and (self.event.kind != "fragment" or self.totals or self.buffers):
            message = self.event.message or "\n".join(self.quoted)
            totals, buffers = tuple(self.totals), tuple(self.buffers)
            event = self.event._replace(message=message, totals=totals, buffers=buffers, lines=(self.number,))
            yield _with_totals(event)
        self.event, self.head, self.heads, self.last_number, self.totals, self.buffers = None, "", set(), 0, [], []

    def extend(self, line: PlainLine) -> None:
        """Add a line to the field before it, which was wrapped, or else the module that it names to the event."""
        if self.event and not (self.event.module or self.buffers or self.entry):
            self.event = self.event._replace(module=_module_in(line.text))
        if self.entry is not None and self.last_field:
            self.entry[self.last_field] += f" {line.text}"
            self._quote(line)

    def _quote(self, line: PlainLine) -> None:
        if len(self.quoted) <= _MOST_QUOTED:
            self.quoted.append(line.text if len(self.quoted) < _MOST_QUOTED else "…")

    def _add_field(self, name: str, value: str) -> None:
        # A second field of one name belongs to the next entry, whose heading was lost.
        if self.entry is None or self.entry.get(name):
            self._end_entry(is_cut=True)
            self.entry = {}
        self.entry[name], self.last_field = value, name

    def _end_entry(self, *, is_cut: bool) -> None:
        """Keep the entry if it is one: a lone `Shape:` or `Size:` may be anything."""
        if self.entry is not None and not _OF_ENTRIES.isdisjoint(self.entry):
            self.buffers.append(_buffer_of(self.entry, is_cut=is_cut))
        self.entry = None


def _form_of(line: Line) -> Form:
    """Return the form of an event that begins with a line of a table instead of a sentence."""
    name = line.parts["name"] if line.role == "head" else ""
    if line.role == "chunks" or name == "Stats":
        return STATE
    return STATISTICS if name == _STATISTICS else FRAGMENT


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


def _event_of(sentence: Sentence) -> OutOfMemory:
    """Return the event that a sentence states, without the tables and lists that may follow."""
    parts, sizes = dict(sentence.parts), _sizes(sentence)
    printed = figures_in(sentence.text).printed if sentence.form.kind == "memory" else ()
    if len(printed) > len(sizes):
        parts["figures"] = ", ".join(printed)
    return OutOfMemory(
        name=sentence.form.name,
        message=sentence.text,
        code=parts.get("code", ""),
        space=parts.get("space", sentence.form.space).lower(),
        module=parts.get("module", ""),
        device=parts.get("device", ""),
        words=tuple((name, value) for name, value in parts.items() if name not in _PARTS_WITH_A_FIELD),
        needed=sizes.get("needed"),
        capacity=sizes.get("capacity"),
        excess=sizes.get("excess"),
        free=sizes.get("free"),
        reservable=sizes.get("reservable"),
        held=sizes.get("held"),
    )


def _sizes(sentence: Sentence) -> dict[str, SizeRange | None]:
    """Return the sizes of a sentence by name; in each form that prints numbers without a unit these are bytes."""
    sizes = {name: _size(sentence.parts[name], sentence.form) for name in SIZES if name in sentence.parts}
    if "tensor_core_size" in sentence.parts:  # both kinds of core share the memory
        tensor, sparse = (_size(sentence.parts[name], sentence.form) for name in _CORES)
        sizes["needed"] = tensor + sparse if tensor and sparse else None
    if not any(sizes.values()) and sentence.form.kind != "other":
        return {**figures_in(sentence.text).roles}
    return sizes


def _size(printed: str, form: Form) -> SizeRange | None:
    if printed.startswith("0x"):
        printed = str(int(printed, 16))
    size, unit = read_size(printed, needs_unit=False), form.bytes_per_unit
    return SizeRange(size.low_bytes * unit, size.high_bytes * unit) if size else None


def _named_buffer(sentence: Sentence) -> list[LoggedBuffer]:
    """Return the buffer that alone is larger than the memory, if the text names it."""
    parts = sentence.parts
    if "shape" not in parts:
        return []
    tag, hlo = parts.get("tag", ""), parts.get("hlo", "")
    output = _OUTPUT_OF.fullmatch(tag)
    named = "" if hlo.startswith("<") else hlo  # which may be <no-hlo-instruction>
    instruction = output[1] if output else named
    size = _sizes(sentence)["needed"]
    return [LoggedBuffer(size=size, shape=parts["shape"], instruction=instruction, kind=tag, is_cut="tag" not in parts)]


def _buffer_of(entry: dict[str, Any], *, is_cut: bool) -> LoggedBuffer:
    """Return the buffer that an entry of a list describes; `entry` has its fields under the names that XLA prints."""
    label = _LABEL.match(entry.get("XLA label", ""))
    opcode = _OPCODE.search(label[2]) if label else None
    matches = _ATTRIBUTE.findall(entry.get("Operator", ""))
    attributes = {name: _unescaped(text) if text else word for name, text, word in matches if text or word}
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
        source_line=_number(attributes.get("source_line")),
        stack_frame_id=_number(attributes.get("stack_frame_id")),
        kind=entry.get("Allocation type", ""),
        is_parameter=bool(parameter),
        is_cut=is_cut,
        made_from=tuple((name, shape) for shape, name in _OPERAND.findall(label[2])) if label else (),
    )


def _number(text: str | None) -> int | None:
    # isdigit() alone would accept the digits of every script.
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _unescaped(text: str) -> str:
    """Return the text without the escapes that XLA prints in quotes."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)
