"""Show the author of a value's buffer: the argument or operation, its source lines, and what it is part of.

The names come from the dump and from the HLO text beside it; a row says how the operation was found where it is not
the value's own instruction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape

from reportgen.parse.module_text import ModuleText
from reportgen.program.author import Author, Rule
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module
from reportgen.reports.formats import cut
from reportgen.reports.source_words import line_words

RULES: Mapping[Rule, str] = {
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

_MOST_ON_PATH = 6
_MOST_INSIDE = 60
_MOST_CALLERS = 6
_LONGEST_LINE = 160
# They compute nothing, so they do not tell one fusion from another.
_NOT_COUNTED = frozenset({"parameter", "constant", "bitcast", "tuple", "get-tuple-element"})


class ProgramRows:
    """The rows about the operations behind one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links

    def rows(self, number: int) -> Iterator[str]:
        """Yield the operation or argument and how it was found, what is inside a fusion, and the loops around it."""
        found = self._module.attribution(number)
        name = self._module.analysis.facts[number].value.key.name
        if found.argument and found.rule != "argument":
            yield f"<dt>Argument<dd>{self._argument(found)}"
        if found.scope:
            term = "First read by" if found.rule == "read" else "Operation"
            yield f"<dt>{term}<dd><code>{escape(found.scope)}</code>{self._how(found)}"
        if module := self._module.join.module:
            yield from self._inside_row(name, module)
            if path := module.path_to_entry(name):
                yield f"<dt>Runs in<dd>{listed(path, self._links.instruction)}"

    def source(self, number: int) -> str:
        """Return the line of the user's code that fills a value or reads it first, with its neighbours and callers."""
        found = self._module.attribution(number)
        stack = found.stack or (found.reader.stack if found.reader else ())
        if not stack:
            return ""
        # A stack of library code alone is shown from its innermost frame.
        own = next((frame for frame in stack if not frame.is_of_library), stack[0])
        sources, href = self._module.sources, self._links.source_page_href(str(own))
        callers = [frame for frame in stack if frame != own and not frame.is_of_library][:_MOST_CALLERS]
        words = ", ".join(escape(line_words(str(frame))) for frame in callers)
        called = f"<br><small>Called from {words}</small>" if words else ""
        first = "" if found.stack else "first read at "
        return f"<p>{first}{sources.place(own, href)}{called}{sources.excerpt(own, href)}"

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
        return f"<br><small>{words}: {' → '.join(map(self._links.instruction, path))}</small>"

    def _inside_row(self, name: str, module: ModuleText) -> list[str]:
        """Return what a fusion is made of: how often each opcode occurs, and its instructions, folded."""
        instruction = module.instruction(name)
        called = module.called_by.get(name, ())
        if instruction is None or instruction.opcode != "fusion" or not called:
            return []
        members = module.members(called[0])
        opcodes = Counter(one.opcode for one in map(module.instruction, members) if one)
        counted = ", ".join(
            f"{opcode} {times}" for opcode, times in opcodes.most_common() if opcode not in _NOT_COUNTED
        )
        texts = ((module.text(member) or "").partition(", metadata=")[0] for member in members[:_MOST_INSIDE])
        lines = [cut(text, _LONGEST_LINE) for text in texts]
        if len(members) > _MOST_INSIDE:
            lines.append(f"… {len(members) - _MOST_INSIDE:,} more")
        body = '<code class="block">' + escape("\n".join(lines), quote=False) + "</code>"
        folded = f"<details><summary>{len(members):,} instructions, from the HLO text</summary>{body}</details>"
        return [f"<dt>Inside the fusion<dd>{escape(counted)}{folded}"]
