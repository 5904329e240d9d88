"""Edit lines of a dump: the changes that a corruption consists of, and the text that they make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from reportgen.input.dump_text import DumpText, TextOffset, TextPart
from reportgen.model import Dump


@dataclass(frozen=True)
class Edit:
    """Replace the line at `place` with another; None removes it. `lines` follow it and are replaced, too."""

    place: TextOffset
    line: str | None
    lines: int = 1


Edits = Sequence[Edit]
Corruption = Callable[[Dump, Random], Edits]


class NotPossible(Exception):
    """Nothing in a dump can be corrupted in this way."""


def corrupted(dump: Dump, edits: Edits) -> DumpText:
    """Return the text of a dump after the edits."""
    parts = []
    for part, base in dump.text.parts_with_bases():
        data = part.data
        inside = [edit for edit in edits if base <= edit.place < base + len(part.data)]
        for edit in sorted(inside, key=lambda edit: -edit.place):
            start = end = edit.place - base
            for _ in range(edit.lines):
                end = data.find(b"\n", end) + 1 or len(data)
            data = data[:start] + (b"" if edit.line is None else edit.line.encode() + b"\n") + data[end:]
        parts.append(TextPart(part.label, data))
    return DumpText(tuple(parts))


def chosen(items: Sequence[int], random: Random) -> int:
    """Return one of the items. Raises NotPossible if there is none."""
    if not items:
        raise NotPossible
    return random.choice(items)
