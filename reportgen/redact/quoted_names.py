"""Tokens for what is hidden, and names in a text that are replaced in one pass, however many there are."""

import re
from collections import defaultdict
from collections.abc import Mapping

_PART = re.compile(r"\w+|\W")


class Tokens:
    """Give each text a token such as `path-3`, numbered per kind in the order in which the texts are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[bytes, int]] = {}

    def of(self, kind: str, text: bytes) -> bytes:
        """Return the token of a text, a new one if it has none yet."""
        numbers = self._numbers.setdefault(kind, {})
        return f"{kind}-{numbers.setdefault(text, len(numbers) + 1)}".encode()


class Names:
    """Names, each with the token that stands for it."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._tokens = tokens
        counts: defaultdict[str, set[int]] = defaultdict(set)
        for name in tokens:
            if parts := _PART.findall(name):
                counts[parts[0]].add(len(parts))
        self._counts = {first: sorted(lengths, reverse=True) for first, lengths in counts.items()}
        """The numbers of parts of the names, by their first part, largest first: few, because names are short."""

    def replaced(self, text: str) -> str:
        """Return a text with a token for each name that is not part of a longer word; the longest name counts."""
        parts: list[str] = _PART.findall(text)
        replaced, place = [], 0
        while place < len(parts):
            end = self._end(parts, place)
            name = "".join(parts[place : end or place + 1])
            replaced.append(self._tokens[name] if end else name)
            place = end or place + 1
        return "".join(replaced)

    def _end(self, parts: list[str], start: int) -> int | None:
        """Return the end of the longest name that begins at the part `start`, or None."""
        if start and _is_word(parts[start - 1]):
            return None
        for count in self._counts.get(parts[start], ()):
            end = start + count
            is_whole = end == len(parts) or (end < len(parts) and not _is_word(parts[end]))
            if is_whole and "".join(parts[start:end]) in self._tokens:
                return end
        return None


def _is_word(part: str) -> bool:
    return part[0].isalnum() or part[0] == "_"
