"""Replace names in a text, all in one pass, however many there are."""

import re
from collections import defaultdict
from collections.abc import Mapping

_PART = re.compile(r"\w+|\W")


class Names:
    """Names, each with the token that stands for it."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._tokens = tokens
        counts: defaultdict[str, set[int]] = defaultdict(set)
        for name in tokens:
            if parts := _PART.findall(name):
                counts[parts[0]].add(len(parts))
        self._counts = {first: sorted(found, reverse=True) for first, found in counts.items()}
        """How many parts the names have that begin with a part, the most first: few, because names are short."""

    def replaced(self, text: str) -> str:
        """Return a text with a token for each name that no letter or digit is beside; the longest counts."""
        parts: list[str] = _PART.findall(text)
        replaced, place = [], 0
        while place < len(parts):
            end = self._end(parts, place)
            found = "".join(parts[place : end or place + 1])
            replaced.append(self._tokens[found] if end else found)
            place = end or place + 1
        return "".join(replaced)

    def _end(self, parts: list[str], start: int) -> int | None:
        """Return where the longest name ends that begins at a part, or None."""
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
