"""Say which buffer a value is part of: its neighbours there, and when the buffer is held.

A buffer may have thousands of values, each with a page, so a page names only the nearest.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from reportgen.program.buffers import stretches
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module

_MOST_STRETCHES = 5


class BufferRow:
    """The row about the buffer of each of one module's values; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links = module, links
        self._buffers = module.analysis.program.buffers
        self._places = {number: place for members in self._buffers for place, number in enumerate(members)}
        self._held = lru_cache(maxsize=256)(self._held_words)

    def row(self, number: int) -> str:
        """Return whether a value is alone in its buffer or, if not, the values around it there.

        It is empty for one that is alone: the head of the page says what that means.
        """
        members = self._buffers.members(number)
        if len(members) == 1:
            return ""
        steps = " → ".join(self._steps(members, self._places[number]))
        return (
            f"<dt>Same buffer<dd>{steps}, {len(members):,} values that XLA keeps in the same bytes."
            f"{self._held(members[0])}"
        )

    def _steps(self, members: Sequence[int], place: int) -> Iterator[str]:
        """Yield links to the first value, the one before, the one after and the last; an ellipsis where some lack."""
        last = len(members) - 1
        shown = sorted({0, max(place - 1, 0), place, min(place + 1, last), last})
        for before, here in pairwise([-1, *shown]):
            if here > before + 1:
                yield "…"
            yield "<b>this</b>" if here == place else self._links.value(members[here])

    def _held_words(self, first: int) -> str:
        """Return when the buffer that begins with a value is held; empty where the dump has no live ranges for it."""
        dump = self._module.analysis.dump
        held = stretches(self._buffers.members(first), dump.starts, dump.ends)
        words = listed(held, lambda stretch: f"{stretch[0]} to {stretch[1]}", _MOST_STRETCHES)
        return f" Live from {words}." if held else ""
