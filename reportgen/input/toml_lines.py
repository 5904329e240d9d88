"""Read TOML, refuse a file that would take `tomllib` hours, and say where a key is set, which it does not."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import Any

from reportgen.input.line_ends import lines_of

MOST_CHARACTERS = 1_000_000
_LONGEST_LINE = 10_000
"""The characters of a line: `tomllib` takes the square of the parts of a key."""


def why_refused(text: str, file: str) -> str | None:
    """Return why a text is too large to be parsed, beginning with `file` and the line; None if it is not."""
    if len(text) > MOST_CHARACTERS:
        return f"{file}: it has more than {MOST_CHARACTERS:,} characters"
    for number, line in enumerate(lines_of(text), start=1):
        if len(line) > _LONGEST_LINE:
            return f"{file}:{number}: the line has more than {_LONGEST_LINE:,} characters"
    return None


def loaded(text: str) -> dict[str, Any]:
    """Return the parsed text of a TOML file. Raises ValueError or RecursionError."""
    # Imported here, because its patterns take a tenth of `--version` to compile, and most directories have no settings.
    import tomllib

    return tomllib.loads(text)


def line_of_key(text: str, path: Sequence[str]) -> int | None:
    """Return the line, from 1, at which valid TOML sets the key, such as `("tool", "xla-reportgen", "title")`.

    The key is set by what follows the last line at which the text so far is complete and still lacks it. That line is
    found by halves, because each try parses all lines before it.
    """
    lines = [f"{line}\n" for line in lines_of(text)]

    @cache
    def has(end: int) -> bool | None:
        """Return whether the first lines, up to `end`, set the key; None if they end in the middle of a value."""
        try:
            document: Any = loaded("".join(lines[:end]))
        except ValueError:
            return None
        for key in path:
            document = document.get(key) if isinstance(document, dict) else None
        return document is not None

    def is_set(end: int) -> bool:
        """Return whether the first complete lines, from `end` on, set the key."""
        return next(known for after in range(end, len(lines) + 1) if (known := has(after)) is not None)

    return bisect_left(range(len(lines)), True, key=is_set) if has(len(lines)) else None
