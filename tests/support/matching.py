"""Match as `re` does, by backtracking, and count the steps: they are the same on every machine, as a time is not."""

from collections import deque
from collections.abc import Iterator, Sequence
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Items = Sequence[tuple[Any, Any]]
"""What `re` parses a pattern into: each item is a code and its arguments."""

CHARACTERS = frozenset({codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY})
MOST = 16
"""The rounds of a repeat that has a limit: a short text then shows that the limit makes its time linear."""
MOST_STEPS = 3_000_000
"""Steps after which nothing matches any more: many more than a pattern that is not slow takes."""


class Matching:
    """A pattern, with what matches each of its characters compiled."""

    def __init__(self, pattern: Any) -> None:
        self._is_bytes = isinstance(pattern.pattern, bytes)
        self._items = parser.parse(pattern.pattern, pattern.flags)
        self._flags = pattern.flags
        self._compiled: dict[int, Any] = {}
        self._text: Any = ""
        self._groups: dict[int, Any] = {}
        self._steps = 0

    def steps(self, text: str, *, is_searched: bool) -> int:
        """Return how many steps a search for all matches takes, or a match at the beginning."""
        self._steps = 0
        deque(self.spans(text, range(len(text) + 1 if is_searched else 1)), maxlen=0)
        return self._steps

    def spans(self, text: str, places: range) -> Iterator[tuple[int, int]]:
        """Yield where each match begins, which is at one of these places, and ends."""
        self._text = text.encode("latin-1") if self._is_bytes else text
        at = places.start
        is_empty = False
        while at < places.stop:
            ends = self._sequence(self._items, 0, at, self._flags)
            end = next((end for end in ends if end > at or not is_empty), None)
            if end is not None:
                yield at, end
            is_empty = end == at  # after an empty match `re` looks for a longer one at the same place
            at = at + 1 if end is None else end

    def _real(self, key: object, item: Any, flags: int) -> Any:
        if id(key) not in self._compiled:
            part = parser.SubPattern(self._items.state, [item])
            self._compiled[id(key)] = compiler.compile(part, flags).match
        return self._compiled[id(key)]

    def _sequence(self, items: Items, number: int, at: int, flags: int) -> Iterator[int]:
        """Yield where the items from a number on may end, in the order in which `re` tries them."""
        if self._steps >= MOST_STEPS:
            return
        if number == len(items):
            yield at
            return
        for end in self._item(items[number], at, flags):
            if number + 1 == len(items):
                yield end
            else:
                yield from self._sequence(items, number + 1, end, flags)

    def _item(self, item: Any, at: int, flags: int) -> Iterator[int]:
        self._steps += 1
        code, arguments = item
        match code:
            case codes.SUBPATTERN:
                yield from self._group(arguments, at, flags)
            case codes.BRANCH:
                for alternative in arguments[1]:
                    yield from self._sequence(alternative, 0, at, flags)
            case codes.GROUPREF:
                if self._text.startswith(self._groups[arguments], at):
                    yield at + len(self._groups[arguments])
            case codes.ASSERT | codes.ASSERT_NOT if arguments[0] > 0:
                if any(True for _ in self._sequence(arguments[1], 0, at, flags)) is (code is codes.ASSERT):
                    yield at
            case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
                least, most, body = arguments
                most = most if most is codes.MAXREPEAT else max(least, min(most, MOST))
                is_run = len(body) == 1 and body[0][0] in CHARACTERS
                yield from (self._run if is_run else self._rounds)(code, least, most, body, at, flags)
            case _:  # a character, or what looks at no more than a few
                if found := self._real(item, item, flags)(self._text, at):
                    yield found.end()

    def _group(self, arguments: Any, at: int, flags: int) -> Iterator[int]:
        group, added, removed, body = arguments
        for end in self._sequence(body, 0, at, (flags | added) & ~removed):
            self._groups[group] = self._text[at:end]
            yield end

    def _run(self, code: Any, least: int, most: Any, body: Items, at: int, flags: int) -> Iterator[int]:
        """Yield where a repeat of one character may end; `re` itself says how far it can go."""
        longest = self._real(body, (codes.POSSESSIVE_REPEAT, (0, most, body)), flags)(self._text, at).end()
        ends = range(at + least, longest + 1)
        if code is not codes.MIN_REPEAT:
            self._steps += longest - at
            ends = ends[::-1]
        for end in ends[:1] if code is codes.POSSESSIVE_REPEAT else ends:
            self._steps += 1
            yield end

    def _rounds(self, code: Any, least: int, most: Any, body: Items, at: int, flags: int) -> Iterator[int]:
        """Yield where a repeat of a group may end: before its next round if it takes few, else after the last."""
        is_lazy = code is codes.MIN_REPEAT
        rounds = [(at, self._sequence(body, 0, at, flags))]
        if is_lazy and not least:
            yield at
        while rounds:
            start, more = rounds[-1]
            end = next(more, None) if len(rounds) <= most else None
            if end is None:
                if not is_lazy and len(rounds) > least:
                    yield start
                if code is codes.POSSESSIVE_REPEAT:
                    return
                rounds.pop()
            elif end != start or len(rounds) <= least:
                rounds.append((end, self._sequence(body, 0, end, flags)))
                if is_lazy and len(rounds) > least:
                    yield end
