"""Find out-of-memory errors in any text: a log, an issue, an exception, `.oom_top_memory_consuming_instructions`.

Texts come wrapped, cut anywhere, and once for each replica, retry and layer of exceptions. Whatever is there is read;
the rest stays unknown. `forms` has the sentences, `error_lines` the tables and lists that follow them.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, takewhile
from typing import Any, NamedTuple

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.error_lines import Line, read_line
from reportgen.oom.forms import FORMS, SIZES, Form
from reportgen.oom.passages import SIGNS, passages
from reportgen.oom.plain_text import PlainLine, plain_lines
from reportgen.oom.printed_size import read_size
from reportgen.oom.roles import figures_in
from reportgen.oom.same_failure import filled, told_once
from reportgen.patterns import repeated

_PATIENCE = 40  # unrelated lines in a row after which an event has ended, because loggers print some in between
_MOST_CONTINUED = 6  # lines that a sentence or a field may go on for, where a form or an editor has wrapped it
_MOST_QUOTED = 40  # lines of the message of an event without a sentence

_SIGN = re.compile("|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True))))
# With the forms of shorter signs that the same text begins with, which are tried after those of the longer one.
_BY_SIGN: Mapping[str, Sequence[Form]] = {
    sign: sorted((form for form in FORMS if sign.startswith(form.sign)), key=lambda form: -len(form.sign))
    for sign in SIGNS
}
_LONGEST_BEFORE, _LONGEST_CONTEXT = 300, 8_000
_MOST_SIGNS = 200  # on one line that are tried, because a longer line is no message
_CODE = re.compile(r"\b(?P<code>E\d{4}): ")
_MODULE = re.compile(
    r"(?:(?:XlaModule:#)?(?:(?i:hlo|xla)[ _]?(?i:module)(?:[ _]name)?|executable_name)\W{1,4}|Error loading program '"
    r"|\b[Mm]odule(?:[ _]name)?\W{1,4}(?=\w+\.\d)|\b(?:for|of|in|[Cc]ompil\w+) (?:the )?module [\"'`]?"
    r"|(?<![\w./-])(?=(?:p?jit|pmap)_))(?P<module>\w[\w.<>-]*[\w>])(?<!\.py)"
)
"""The name of a module, wherever a message has it: behind that word, or one as JAX gives them."""

_PARAMETER = re.compile(r"\w\[[^][]{0,200}$")
_OF_ENTRIES = frozenset({"Number", "Operator", "XLA label", "XLA Label", "Entry Parameter Subshape"})
_ATTRIBUTE = re.compile(r'\b(op_name|source_file|source_line)=(?:"(' + repeated(r'[^"\\]++|\\.') + r")|(\d{1,18})\b)")
_LABEL = re.compile(r"%?(\S+) = (.*)")
_ARRAY = re.compile(r"[a-z]\w{0,20}+\[[\d,]{0,200}+\](?:\{[\w,:()*.-]{0,200}+\})?(?= )")
_OPCODE = re.compile(r"(?:^| )([a-z][a-z0-9-]*)\(")
_OPERAND = re.compile(rf"({_ARRAY.pattern}) %([\w.-]{{1,200}}+)")

_Match = re.Match[str] | None
_NAMES = {"Summary of in-use Chunks by size": "state", "Stats": "state", "BufferAssignment stats": "statistics"}
"""Of events that begin with a table."""


class _Head(NamedTuple):
    """Where an error begins in a text, its form, and what that has matched before its sign and from there on."""

    begin: int
    form: Form
    before: re.Match[str]
    match: re.Match[str]


def find_out_of_memory(pieces: Iterable[bytes]) -> tuple[OutOfMemory, ...]:
    """Return every failure, warning and list of figures in a text that arrives in pieces, in the order of the text."""
    found: list[OutOfMemory] = []
    for first_line, data in passages(pieces):
        by_source, source = defaultdict[str, list[PlainLine]](list), ""
        for line in plain_lines(data.decode("utf-8", "replace").split("\n"), first_line):
            source = line.source or source  # because a line that a terminal has wrapped goes on without it
            by_source[source].append(line)
        found += chain.from_iterable(map(_events, by_source.values()))
    return told_once(found)


def _events(lines: Sequence[PlainLine]) -> Iterator[OutOfMemory]:
    """Yield each event in the lines of one process."""
    assembly, place = _Assembly(), 0
    skipped = 0  # lines in a row that are neither a sentence nor part of a table or list
    while place < len(lines):
        line, (errors, place) = lines[place], _errors(lines, place, lines[place - 1].text if skipped else "")
        is_told = bool(errors) or assembly.takes_rows(line.text)
        part = None if is_told else read_line(line.text)
        skipped = 0 if is_told or part else skipped + 1
        if (part and assembly.is_ended_by(part)) or skipped == _PATIENCE:
            yield from assembly.finished()
            assembly = _Assembly()
        for error in errors:
            if not assembly.absorbs(error):
                yield from assembly.finished()
                assembly = _Assembly(error)
        if part:
            assembly.add(part, line)
        elif 0 < skipped <= _MOST_CONTINUED:
            assembly.extend(line.text)
    yield from assembly.finished()


def _errors(lines: Sequence[PlainLine], start: int, before: str) -> tuple[Sequence[OutOfMemory], int]:
    """Return the errors that begin on line `start`, and the index of the line after the last of them.

    Chained exceptions and records of JSON have several on one line. Each may be wrapped, and goes on up to the next.
    """
    texts = [line.text for line in lines[start : start + 1 + _MOST_CONTINUED]]
    sign = _SIGN.search(" ".join(texts[:3]))
    if sign is None or sign.start() > len(texts[0]):
        return (), start + 1
    texts[1:] = takewhile(lambda text: not read_line(text), texts[1:])
    text, ends = " ".join(texts), [*accumulate(len(text) + 1 for text in texts)]
    heads, events, begin, last = _heads(text, ends[0]), list[OutOfMemory](), 0, 0
    for head, following in zip(heads, [*(head.begin for head in heads[1:]), ends[-1]], strict=False):
        if head.begin < ends[0]:
            own_ends = ends[:1] if head.form.row else [end for end in ends if end <= following]
            event, end = _event_of(head, begin, own_ends or [following])
            last = bisect(ends, end - 1)
            message, totals = (
                text[begin : min(following, ends[last])].strip(),
                _rows(head.form, f"{before}\n{texts[0]}"),
            )
            events.append(event._replace(message=message, totals=totals, lines=(lines[start].number,)))
        begin = following
    return events, start + last + 1


def _heads(text: str, end: int) -> Sequence[_Head]:
    """Return where each error before `end` begins, and the one after: of those that are one, the one that says most."""
    heads: list[_Head] = []
    for sign in islice(_SIGN.finditer(text), _MOST_SIGNS):
        place, last = sign.start(), heads[-1] if heads else None
        if place >= end and (last is None or last.begin >= end):
            break
        for form in _BY_SIGN[sign[0]]:
            behind, right_before, *_ = form.patterns
            match, before = behind.match(text, place), right_before.search(text, max(0, place - _LONGEST_BEFORE), place)
            if not match or not before or _is_mention(text, place):
                continue
            if last and _are_one(last.form, form):
                if last.form.gives_way_to(form) and not form.gives_way_to(last.form):
                    heads[-1] = _Head(last.begin, form, before, match)
            elif not last or place >= last.match.end():  # else it is a part of that
                heads.append(_Head(before.start(), form, before, match))
            break
    return heads


def _are_one(first: Form, second: Form) -> bool:
    """Return whether a sentence is a part of the one before it, or says more of the same."""
    is_same = first.name == second.name and (first.row or first.kind == "other")
    return bool(is_same) or second.gives_way_to(first) or first.gives_way_to(second)


def _is_mention(text: str, start: int) -> bool:
    """Return whether a sign is only named: in a quotation without a figure, or as a parameter of a test."""
    mark = next((mark for mark in '`"' if text.count(mark, 0, start) % 2), "")
    is_quoted = bool(mark) and not any(map(str.isdigit, text[start:].partition(mark)[0]))
    return is_quoted or bool(_PARAMETER.search(text, 0, start))


class _Assembly:
    """Assemble lines into an event: `heads` are those of its tables, and `entry` is the buffer that is being read."""

    def __init__(self, event: OutOfMemory | None = None) -> None:
        self.event = event or OutOfMemory("fragment", lines=())
        self.totals = [*self.event.totals]
        self.buffers = [*self.event.buffers]
        self.heads: list[str] = []
        self.entry: dict[str, str] = {}
        self.last_number = 0  # of an entry
        self.quoted: list[str] = []  # the lines of tables and lists

    def absorbs(self, new: OutOfMemory) -> bool:
        """Add what a sentence states to the event if it is about the same failure, and return whether it is."""
        own = self.event
        known = {row.name for row in self.totals} & {row.name for row in new.totals}
        if new.totals and own.form is new.form and not known:
            self.totals += new.totals
        elif own.form.gives_way_to(new.form) and own.form.yields_to != "*":  # what did not fit, before the reason
            self.event = filled(new, own)._replace(lines=own.lines)
        elif (own.kind, new.kind) == ("execution", "allocator"):
            self.event = own._replace(capacity=own.capacity or new.capacity)
        else:
            return False
        return True

    def takes_rows(self, text: str) -> bool:
        """Add the rows that the form of the event has in a line after it, and return whether there are any."""
        rows = _rows(self.event.form, text, known=self.totals)
        self.totals += rows
        return bool(rows)

    def is_ended_by(self, line: Line) -> bool:
        """Return whether the line cannot belong to the event: a table or a list begins a second time."""
        if line.role == "entry":
            return self.last_number >= int(line.name)
        is_unrelated = line.name == "Stats" and self.event.kind not in ("allocator", "execution")
        return line.role == "head" and (is_unrelated or line.name in self.heads)

    def add(self, line: Line, printed: PlainLine) -> None:
        """Add a line of a table or a list to the event."""
        if not self.event.lines:
            name = "state" if line.role == "chunks" else _NAMES.get(line.name, "fragment")
            self.event = OutOfMemory(name, lines=(printed.number,))
        self.quoted.append(printed.text)
        # A second field of one name belongs to the next entry, whose heading was lost.
        if line.role != "field" or self.entry.get(line.name):
            self._end_entry(is_cut=line.role != "separator")
        match line.role:
            case "field":
                self.entry[line.name] = line.detail
            case "entry":
                self.last_number = int(line.name)
                self.entry = {"Size": line.detail, "Number": line.name}
            case "chunks" | "counted" if line.role == "chunks" or "Histogram of current allocation" in self.heads[-1:]:
                self.totals.append(Total("Chunks in use, by size", line.name, line.size))
            case "map":
                words = (*self.event.words, ("pool_share", f"{100 - printed.text.count('_')} %"))
                self.event = self.event._replace(words=words)
            case "row" if self.heads:
                self.totals.append(Total(self.heads[-1], line.name, line.size, line.detail))
            case "head":
                self.heads.append(line.name)
                self.totals += [Total(line.name, "", line.size, line.detail)] if line.size else []

    def extend(self, text: str) -> None:
        """Add a line to the field before it, which was wrapped."""
        if (name := next(reversed(self.entry), "Number")) != "Number":
            self.entry[name] += f" {text}"
            self.quoted.append(text)

    def _end_entry(self, *, is_cut: bool = True) -> None:
        """Keep the entry if it is one: a lone `Shape:` or `Size:` may be anything."""
        if not _OF_ENTRIES.isdisjoint(self.entry):
            self.buffers.append(_buffer_of(self.entry, is_cut=is_cut))
        self.entry = {}

    def finished(self) -> Iterator[OutOfMemory]:
        """Yield the event, if enough of it was found, with sizes that its sentence leaves out taken from its tables."""
        self._end_entry()
        event, sizes = self.event, {total.name or total.head: total.size for total in self.totals}
        usage = next((size for name, size in sizes.items() if name.endswith(" usage >=")), None)
        if self.totals or self.buffers or not (event.kind == "fragment" or event.form.row):
            yield event._replace(
                message=event.message or "\n".join(self.quoted[:_MOST_QUOTED]),
                needed=event.needed or usage or sizes.get("Program hbm requirement"),
                capacity=event.capacity or sizes.get("HBM capacity") or sizes.get("Limit"),
                held=event.held or sizes.get("InUse") or sizes.get("Currently allocated"),
                totals=tuple(self.totals),
                buffers=tuple(self.buffers),
            )


def _event_of(head: _Head, begin: int, ends: Sequence[int]) -> tuple[OutOfMemory, int]:
    """Return the event of a text that begins before its sign and ends at one of `ends`, and where its last part is."""
    form, text, place = head.form, head.match.string, head.match.start()
    begin, ends = max(begin, place - _LONGEST_CONTEXT), [min(end, place + _LONGEST_CONTEXT) for end in ends]
    behind, _, *beside = form.patterns
    around = [_fullest(pattern.search, text, begin, ends) for pattern in (_CODE, _MODULE, *beside[::-1])]
    matches = [*filter(None, (*around, head.before, _fullest(behind.match, text, place, ends) or head.match))]
    parts = {"space": form.space}
    for match in matches:
        parts |= {name: value for name, value in match.groupdict().items() if value}
    last = max(match.end() for match in matches)
    if form.kind != "other" and not form.row and parts.keys().isdisjoint(SIZES):
        roles, figures = figures_in(text[begin : ends[-1]])
        parts |= roles
        last = max(last, *(text.rfind(size, begin, ends[-1]) + len(size) for size in roles.values()), 0)
        if form.kind == "memory" and len(figures) > len(roles):
            parts["figures"] = ", ".join(figures)
    sizes = {name: read_size(text, needs_unit=False) for name, text in parts.items() if name in SIZES}
    if cores := [*filter(None, (read_size(text) for name, text in parts.items() if name.endswith("_core_size")))]:
        sizes["needed"] = sum(cores[1:], cores[0])  # because they share the memory
    fields: dict[str, Any] = {name: text for name, text in parts.items() if name in OutOfMemory._fields} | sizes
    buffer = LoggedBuffer(
        size=sizes.get("needed"),
        shape=parts.get("shape", ""),
        instruction=parts.get("output") or parts.get("hlo", ""),
        kind=parts.get("tag", ""),
        is_cut="tag" not in parts,
    )
    words = tuple((name, text) for name, text in parts.items() if name not in fields)
    fields |= {"space": parts["space"].lower(), "buffers": (buffer,) if buffer.shape else ()}
    return OutOfMemory(form.name, words=words, **fields), last


def _fullest(find: Callable[[str, int, int], _Match], text: str, begin: int, ends: Sequence[int]) -> _Match:
    """Return the match that states most up to any of `ends`, so that a repeat takes no more lines than it needs."""
    found = filter(None, (find(text, begin, end) for end in ends))
    return max(found, key=lambda match: sum(map(bool, match.groups())), default=None)


def _rows(form: Form, text: str, known: Sequence[Total] = ()) -> tuple[Total, ...]:
    """Return the rows that a form has in lines, without those that are known."""
    rows = {row.name: row for row in known}
    for match in form.row.finditer(text) if form.row else ():
        row = match.groupdict()
        name, size = row.get("name") or f"slot {len(rows)}", read_size(row["size"], needs_unit=False)
        values = row.get("values") or ""
        taken = f"{values} value{'s' * (values != '1')} in turn: {row['shapes'].strip()}" if values else ""
        rows.setdefault(name, Total(form.name, name, size, taken))
    return tuple(rows.values())[len(known) :]


def _buffer_of(entry: Mapping[str, str], *, is_cut: bool) -> LoggedBuffer:
    """Return the buffer that an entry of a list describes; `entry` has its fields under the names that XLA prints."""
    label = _LABEL.match(entry.get("XLA label", ""))
    instruction, made = label.groups() if label else ("", "")
    opcode, array = _OPCODE.search(made), _ARRAY.match(made)
    found = _ATTRIBUTE.findall(entry.get("Operator", ""))
    attributes = {name: re.sub(r"\\(.)", r"\1", (text or line).replace(r"\n", " ")) for name, text, line in found}
    parameter = entry.get("Entry Parameter Subshape", "")
    return LoggedBuffer(
        number=int(entry["Number"]) if "Number" in entry else None,
        size=read_size(entry.get("Size", "")),
        unpadded=read_size(entry.get("Unpadded size", "")),
        shape=parameter or entry.get("Shape") or (array[0] if array else ""),
        instruction=instruction,
        opcode=opcode[1] if opcode else entry.get("XLA Label", ""),
        op_name=attributes.get("op_name", ""),
        source_file=attributes.get("source_file", ""),
        source_line=int(attributes["source_line"]) if "source_line" in attributes else None,
        kind=entry.get("Allocation type", ""),
        is_parameter=bool(parameter),
        is_cut=is_cut,
        made_from=tuple((name, shape) for shape, name in _OPERAND.findall(made)),
    )
