"""Say what XLA has of a value: exact sizes, why it is live, what it comes from, its text, and who shares its bytes.

The rows are strings because 70,000 values have them; text from the dump is escaped where it is put in.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby, pairwise

from reportgen.analyse.classes import memory_class
from reportgen.analyse.liveness import Rule, liveness
from reportgen.analyse.records import ValueFacts
from reportgen.model import WHOLE
from reportgen.parse.module_text import ModuleText
from reportgen.program.author import Author
from reportgen.program.author import Rule as FoundBy
from reportgen.program.buffers import stretches
from reportgen.render.drawings.conflicts import conflicts_by_value
from reportgen.render.html.links import Links, listed
from reportgen.render.html.marks import percent_of
from reportgen.render.html.markup import whole_name
from reportgen.render.value.texts import ValueTexts
from reportgen.render.view import Module
from reportgen.reports.formats import LONGEST_NAME, counted, cut, exact_bytes, human_bytes
from reportgen.reports.source_words import line_words

LONG_TEXT = 300
"""Characters of an instruction or a shape that are repeated on the pages of all values of an instruction."""

WHY_ALIVE: Mapping[Rule, str] = {
    "no range": "The dump has no live range for it.",
    "thread-local": "None: it belongs to a computation outside the schedule, such as a reducer.",
    "no list of uses": "The dump does not list its uses.",
    "result": "It is part of the output, so it stays live past the last instruction.",
    "parameter": "An argument that is not donated stays to the end.",
    "last use": "Its range ends at its last use.",
    "caller": "Its last reader is a call; the called computation is scheduled first and takes over the bytes as a "
    "parameter.",
    "alias": "{} takes over its buffer before its last use.",
    "position": "{} passes it on at that instruction.",
    "async": "{} ends an asynchronous operation that needs it until then.",
    "carried": "A loop or branch carries it, so it lives as long as that computation.",
    "inherited": "{}, earlier in its buffer, is needed until then.",
    "part of a result": "It is part of the result of a computation that ends there.",
    "never used": "Nothing reads it, so it lives only at the instruction that writes it.",
    "unknown": "The dump does not show why.",
}
# The sentences of these rules say when the last use is, or that none is known.
_NEEDS_NO_LAST_USE = frozenset({"thread-local", "no range", "no list of uses", "last use", "never used"})

RULES: Mapping[FoundBy, str] = {
    "moved": "it moves or carries what this operation computed",
    "loop": "through the loop’s body",
    "update": "through the loop’s body, which collects it slice by slice",
    "fusion": "inside the fusion",
    "called": "through the called computation",
    "read": "it has no name in the dump",
    "in place": "it writes another value of this buffer",
    "new value": "through",
}
"""How an operation was found that is not the value's own instruction."""

_COPY = "copied from"
_MOST_ON_PATH, _MOST_INSIDE, _MOST_CALLERS, _LONGEST_LINE = 6, 60, 6, 160
_MOST_CONFLICTS, _BUFFERS_BEFORE_AND_AFTER, _MOST_NAMED, _MOST_STRETCHES = 20, 5, 5, 5
# They compute nothing, so they do not tell one fusion from another.
_NOT_COUNTED = frozenset({"parameter", "constant", "bitcast", "tuple", "get-tuple-element"})

_SCROLLED_TEXT = 600
"""Characters from which the text of an instruction may be longer than its box on a phone."""

# Dots and hyphens are part of a name, as in `%get-tuple-element.5`.
_NAME = re.compile(r"%([A-Za-z0-9_.\-]+)")


class ValueAbout(ValueTexts):
    """What XLA says of one module's values, and the operations behind them."""

    def __init__(self, module: Module, links: Links) -> None:
        super().__init__(module, links)
        # The values of one instruction follow one another, and its text may be megabytes, so the last one is enough.
        self._linked = lru_cache(maxsize=1)(self._linked_text)

    def rows(self, number: int) -> str:
        """Return rows of facts that the rest of the section leaves out, in a fixed order."""
        fact, text = self.facts[number], self.dump.text
        location, name = text.locate(fact.value.text_offset), fact.value.key.name
        # Nearly all values are in the first file of a dump, which the module's page names.
        line = f"line {location.line}" if location.file == text.parts[0].label else escape(str(location))
        rows = [
            f"<dt>Name<dd>{whole_name(name)}" if len(name) > LONGEST_NAME else "",
            f"<dt>Size<dd>{self._sizes(fact)}",
            f"<dt>Live<dd>{self._live(number, fact)}",
            *self._program_rows(number),
            *self._positions(number),
            f"<dt>In the dump<dd>id {fact.value.id}, {line}",
        ]
        return "\n".join(filter(None, rows))

    def text(self, number: int) -> str:
        """Return the text of the instruction that defines a value, which its first value alone has."""
        name = self.values.names[number]
        if linked := self._linked(name):
            first = self.dump.made_by[name][0]
            return linked if number == first else f"<p>Full instruction text: see {self.value(first)}."
        if self.dump.used_values is None:
            return '<p class="missing">The dump has no “Used values” section, so the instruction is unknown.'
        return '<p class="missing">The dump has no text of the instruction; XLA prints it since 2021-09-23.'

    def source(self, number: int) -> str:
        """Return the line of the user's code that fills a value or reads it first, with its neighbours and callers."""
        found = self.author(number)
        stack = found.stack or (found.reader.stack if found.reader else ())
        if not stack:
            return ""
        # A stack of library code alone is shown from its innermost frame.
        own = next((frame for frame in stack if not frame.is_of_library), stack[0])
        sources, href = self.module.sources, self.links.source_page_href(str(own))
        callers = [frame for frame in stack if frame != own and not frame.is_of_library][:_MOST_CALLERS]
        words = ", ".join(escape(line_words(str(frame))) for frame in callers)
        called = f"<br><small>Called from {words}</small>" if words else ""
        first = "" if found.stack else "first read at "
        return f"<p>{first}{sources.place(own, href)}{called}{sources.excerpt(own, href)}"

    def _linked_text(self, name: str) -> str:
        """Return the text of an instruction, with every `%name` linked except the first, its own; empty without one.

        Quotes are kept, because they mean nothing in the text of an element and instructions are full of them.
        """
        text = self.module.instruction_text(name)
        if text is None:
            return ""
        # Escaping makes no character that can be part of a name, so the whole text is escaped before it is split.
        pieces = _NAME.split(escape(text, quote=False))
        pieces[1::2] = [f"%{own}" for own in pieces[1:2]] + [f"%{self.instruction(name)}" for name in pieces[3::2]]
        # What may be too long for its box can be scrolled with keys.
        focus = ' tabindex="0"' if len(text) > _SCROLLED_TEXT else ""
        return f'<code class="block"{focus}>{"".join(pieces)}</code>'

    def _sizes(self, fact: ValueFacts) -> str:
        """Return the exact size of a value, and the padding in it next to the sizes that it follows from."""
        dense, padded, size = fact.dense_bytes, fact.padded_bytes, fact.value.size_bytes
        # The values of a shared slice have the size of the largest.
        owner = "" if fact.owner is None else f", as needed by {self.value(fact.owner)}, which shares the slice"
        exact = f"{exact_bytes(size)}{owner}"
        if dense is None or padded is None:
            return f"{exact}; padding unknown"
        if dense == padded == size:
            return f"{exact}, no padding"
        reserved = f", {size:,} reserved by the compiler" if fact.owner is None and size > padded else ""
        return f"{exact}; {fact.padding_bytes:,} of padding: {dense:,} dense, {padded:,} padded{reserved}"

    def _live(self, number: int, fact: ValueFacts) -> str:
        """Return when a value is live and why, and whether control flow merges it."""
        moments = "" if fact.live is None else f"{fact.live.start:,} to {fact.live.end:,}. "
        phi = " Merged by control flow (phi)." if fact.value.is_phi else ""
        return f"{moments}{self._why_alive(number, fact)}{phi}"

    def _why_alive(self, number: int, fact: ValueFacts) -> str:
        """Return the rule that ends the live range and, unless the rule says so, the last use."""
        found = liveness(self.analysis, number)
        sentence = WHY_ALIVE[found.rule]
        if found.decider is not None:
            sentence = sentence.format(self.instruction(found.decider))
        if fact.live is None or found.rule in _NEEDS_NO_LAST_USE:
            return sentence
        if found.last_use is None or found.last_user is None:
            return f"{sentence} No scheduled instruction reads it."
        last_use = f"{sentence} Last used at {found.last_use:,} by {self.instruction(found.last_user)}"
        distance = fact.live.end - found.last_use
        direction = "earlier" if distance > 0 else "later"
        return f"{last_use}, {counted(abs(distance), 'instruction')} {direction}." if distance else f"{last_use}."

    def _positions(self, number: int) -> Iterator[str]:
        """Yield the other positions of a value."""
        used = self.dump.used(number)
        if used and not used.is_only_where_defined and len(used.positions) > 1:
            index = {WHOLE: ""}
            words = [
                f"{self.instruction(at.name)}{index.get(at.shape_index, f' {at.shape_index}')}"
                for at in used.positions[1:]
            ]
            yield f"<dt>Also at<dd>{listed(words, str)}"

    def _program_rows(self, number: int) -> Iterator[str]:
        """Yield the operation or argument and how it was found, what is inside a fusion, and the loops around it."""
        found, name = self.author(number), self.values.names[number]
        if found.argument and found.rule != "argument":
            yield f"<dt>Argument<dd>{self._argument(found)}"
        if found.scope:
            term = "First read by" if found.rule == "read" else "Operation"
            yield f"<dt>{term}<dd><code>{escape(found.scope)}</code>{self._how(found)}"
        if module := self.module.join.module:
            yield from self._inside(name, module)
            if path := module.path_to_entry(name):
                yield f"<dt>Runs in<dd>{listed(path, self.instruction)}"

    def _argument(self, found: Author) -> str:
        """Return the argument that the bytes are, are copied from, or have taken the memory of."""
        name = f"<code>{escape(found.argument)}</code>"
        if found.rule == "new value":
            return f"new data in the memory of {name}, which is donated"
        return name if found.scope or found.rule == "argument" else f"a copy of {name}{self._how(found, _COPY)}"

    def _how(self, found: Author, words: str = "") -> str:
        """Return how the operation or argument was found, and the instructions on the way to it."""
        words = words or RULES.get(found.rule, "")
        if not words or not found.path:
            return ""
        path = found.path if len(found.path) <= _MOST_ON_PATH else (*found.path[:3], "…", *found.path[-2:])
        return f"<br><small>{words}: {' → '.join(map(self.instruction, path))}</small>"

    def _inside(self, name: str, module: ModuleText) -> Iterator[str]:
        """Yield what a fusion is made of: how often each opcode occurs, and its instructions, folded."""
        instruction, called = module.instruction(name), module.called_by.get(name, ())
        if instruction is None or instruction.opcode != "fusion" or not called:
            return
        members = module.members(called[0])
        opcodes = Counter(one.opcode for one in map(module.instruction, members) if one).most_common()
        counts = ", ".join(f"{opcode} {times}" for opcode, times in opcodes if opcode not in _NOT_COUNTED)
        texts = ((module.text(member) or "").partition(", metadata=")[0] for member in members[:_MOST_INSIDE])
        lines = [cut(text, _LONGEST_LINE) for text in texts]
        if len(members) > _MOST_INSIDE:
            lines.append(f"… {len(members) - _MOST_INSIDE:,} more")
        body = '<code class="block">' + escape("\n".join(lines), quote=False) + "</code>"
        folded = f"<details><summary>{len(members):,} instructions, from the HLO text</summary>{body}</details>"
        yield f"<dt>Inside the fusion<dd>{escape(counts)}{folded}"


class ValuePlace(ValueTexts):
    """Where one module's values lie, and who else holds their bytes before, during and after their lives.

    What follows in the same slice is either more of the same buffer, or another buffer that the allocator hands the
    slice to. The words keep the two apart.
    """

    def __init__(self, module: Module, links: Links) -> None:
        super().__init__(module, links)
        self._places = {number: place for members in self.buffers for place, number in enumerate(members)}
        self._held = lru_cache(maxsize=256)(self._held_words)
        self._handovers = _handovers(module)
        self._conflicts = conflicts_by_value(self.analysis)
        self._during: defaultdict[int, list[int]] = defaultdict(list)
        # In two passes, so that each list has the values that come later before those that came earlier.
        for conflict in self.analysis.reuse.conflicts:
            self._during[conflict.earlier].append(conflict.later)
        for conflict in self.analysis.reuse.conflicts:
            self._during[conflict.later].append(conflict.earlier)

    def section(self, number: int) -> str:
        """Return the place of a value in its allocation, and the list of those that share its bytes."""
        rows = "\n".join(self._rows(number))
        return f'{self._place(number)}\n<dl class="about">\n{rows}\n</dl>' if rows else self._place(number)

    def _place(self, number: int) -> str:
        """Return a bar of the allocation with the value on it, and its bytes; only words where it is all of it."""
        value = self.facts[number].value
        allocation = self.dump.allocations[value.allocation]
        space = escape(self.analysis.spaces[allocation.color].name)
        size, link = human_bytes(allocation.size_bytes), self.links.allocation(value.allocation)
        where = f"{link}, {memory_class(allocation)}, {size} of {space}"
        if value.size_bytes == allocation.size_bytes:
            return f"<p>All of {where}{', alone' if len(self.analysis.occupants[value.allocation]) == 1 else ''}."
        edges = value.offset_bytes, value.end_bytes
        exact = "bytes {:,} to {:,}".format(*edges)
        words = f'<p><span title="{exact}">{" to ".join(map(human_bytes, edges))}</span> of {where}.'
        if not allocation.size_bytes:
            return words
        left, width = (percent_of(part, allocation.size_bytes) for part in (value.offset_bytes, value.size_bytes))
        bar = f'<i style="left:{left};width:{width}"></i>'
        return f'<div class="place {self.module.color(number)}" aria-hidden="true">{bar}</div>{words}'

    def _rows(self, number: int) -> Iterator[str]:
        """Yield who held the bytes before, at the same time and after, and the buffers that hand the slice on."""
        reuse, own = self.analysis.reuse, self.buffers.members(number)

        def others(numbers: Sequence[int]) -> str:
            return listed([other for other in numbers if other not in own], neighbour, _MOST_NAMED)

        def neighbour(other: int) -> str:
            chains = self.module.analysis.reuse.chains
            is_handed_over = number in chains and other in chains and chains[number][0] == chains[other][0]
            return f"{self.value(other)}{' (handed over)' if is_handed_over else ''}"

        if len(own) > 1:
            steps = " → ".join(self._steps(own, self._places[number]))
            same = f"{steps}, {len(own):,} values that XLA keeps in the same bytes.{self._held(own[0])}"
            yield f"<dt>Same buffer<dd>{same}"
        if before := others(reuse.predecessors[number]):
            yield f"<dt>Before<dd>{before}"
        if during := self._during.get(number):
            yield f"<dt>Meanwhile<dd>{listed(during, self.value)}"
        if conflicts := self._conflicts.get(number):
            words = [
                f"{self.value(conflict.earlier if conflict.later == number else conflict.later)}: bytes"
                f" {conflict.low:,} to {conflict.high:,}, instructions {conflict.first:,} to {conflict.last:,}"
                for conflict in conflicts[:_MOST_CONFLICTS]
            ]
            more = len(conflicts) - _MOST_CONFLICTS
            listing = "<br>".join([*words, *([f"and {more:,} more"] if more > 0 else [])])
            yield f"<dt><span class='severity error'>Conflict</span><dd>{listing}"
        if after := others(reuse.successors[number]):
            yield f"<dt>After<dd>{after}"
        if number in self._handovers:
            yield f"<dt>Hand-over<dd>{self._handover_words(*self._handovers[number])}"

    def _steps(self, members: Sequence[int], place: int) -> Iterator[str]:
        """Yield links to the first value, the one before, the one after and the last; an ellipsis where some lack."""
        last = len(members) - 1
        shown = sorted({0, max(place - 1, 0), place, min(place + 1, last), last})
        for before, here in pairwise([-1, *shown]):
            if here > before + 1:
                yield "…"
            yield "<b>this</b>" if here == place else self.value(members[here])

    def _held_words(self, first: int) -> str:
        """Return when the buffer that begins with a value is held; empty where the dump has no live ranges for it."""
        held = stretches(self.buffers.members(first), self.dump.starts, self.dump.ends)
        words = listed(held, lambda stretch: f"{stretch[0]} to {stretch[1]}", _MOST_STRETCHES)
        return f" Live from {words}." if held else ""

    def _handover_words(self, buffers: Sequence[int], place: int) -> str:
        """Return the nearest buffers in a chain of hand-overs, each by the first of its values there."""
        start, end = max(0, place - _BUFFERS_BEFORE_AND_AFTER), place + _BUFFERS_BEFORE_AND_AFTER + 1
        links = [
            "<b>this buffer</b>" if other == place else self.value(buffers[other])
            for other in range(start, min(end, len(buffers)))
        ]
        earlier = [f"{start:,} earlier"] if start else []
        later = [f"{len(buffers) - end:,} later"] if end < len(buffers) else []
        return " → ".join([*earlier, *links, *later])


def _handovers(module: Module) -> Mapping[int, tuple[Sequence[int], int]]:
    """Return for each value the buffers that hand its slice on to one another, and the place of its own among them.

    Each stands for itself by its first value there. Of two values, the rows of neighbours say all.
    """
    members, found = module.analysis.program.buffers.members, {}
    chains = module.analysis.reuse.chains.items()
    for chain in (chain for number, chain in chains if chain[0] == number and len(chain) > 2):
        runs = [list(run) for _, run in groupby(chain, lambda number: members(number)[0])]
        firsts = tuple(run[0] for run in runs)
        if len(runs) > 1:
            found.update({number: (firsts, place) for place, run in enumerate(runs) for number in run})
    return found
