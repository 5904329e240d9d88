"""Show the author of a value's buffer: the argument or operation, its source lines, and what it is part of.

The names come from the dump and from the HLO text beside it; a row says how the operation was found where it is not
the value's own instruction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape

from reportgen.parse.module_text import ModuleText
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Author, Rule
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module
from reportgen.reports.formats import cut

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
_LONGEST_LINE = 160
# They compute nothing, so they do not tell one fusion from another.
_NOT_COUNTED = frozenset({"parameter", "constant", "bitcast", "tuple", "get-tuple-element"})


class ProgramRows:
    """The rows about the operations behind one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links

    def rows(self, number: int, explained: dict[object, int]) -> Iterator[str]:
        """Yield the operation or argument, its source lines, what is inside a fusion, and the loops around it.

        A stack is shown whole only by the first value of a page, which `explained` says.
        """
        found = self._module.attribution(number)
        name = self._module.analysis.facts[number].value.key.name
        if found.argument:
            yield f"<dt>Argument<dd>{self._argument(found)}"
        if found.reader:
            yield f"<dt>First read by<dd><code>{escape(found.reader.name)}</code>"
            found = replace(found, stack=found.stack or found.reader.stack)
        if found.scope:
            term = "First read by" if found.rule == "read" else "Operation"
            yield f"<dt>{term}<dd><code>{escape(found.scope)}</code>{self._how(found)}"
        if found.stack:
            first = explained.setdefault(found.stack, number)
            whole = self._whole_stack(found.stack) if first == number else self._same_stack(first)
            yield self._source(found.stack) + (whole if len(found.stack) > 1 else "")
        if module := self._module.join.module:
            yield from self._inside_row(name, module)
            if path := module.path_to_entry(name):
                yield f"<dt>Runs in<dd>{listed(path, self._links.instruction)}"

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

    def _same_stack(self, first: int) -> str:
        return f"<br><small>same stack as {self._links.value(first)}</small>"

    def _source(self, stack: Sequence[Frame]) -> str:
        """Return the innermost frame of the user's own code, with its lines where they may be shown."""
        # A stack of library code alone is shown from its innermost frame.
        own = next((frame for frame in stack if not frame.is_of_library), stack[0])
        sources, href = self._module.sources, self._links.line_href(str(own))
        return f"<dt>Source<dd>{sources.place(own, href)}{sources.excerpt(own, href)}"

    def _whole_stack(self, stack: Sequence[Frame]) -> str:
        """Return all frames of a stack, folded."""
        places = (self._module.sources.place(frame, self._links.line_href(str(frame))) for frame in stack)
        rows = "".join(f"<li>{place}" for place in places)
        return f'<details><summary>Stack of {len(stack)}</summary><ol class="stack">{rows}</ol></details>'

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
