"""Read TOML, refuse a file that would take `tomllib` hours, and say where a key is set, which it does not."""

from collections.abc import Sequence
from itertools import chain
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
    lacking, having = 0, len(lines)
    if not _has(_parsed(lines), path):
        return None
    # The first `lacking` lines are complete and lack the key, the first `having` lines are complete and have it.
    while True:
        middle = (lacking + having) // 2
        for end in chain(range(middle, having), range(middle - 1, lacking, -1)):
            document = _parsed(lines[:end]) if end > lacking else None
            if document is not None:
                break
        else:
            return lacking + 1
        lacking, having = (lacking, end) if _has(document, path) else (end, having)


def _parsed(lines: Sequence[str]) -> dict[str, Any] | None:
    """Return the parsed lines; None if they end in the middle of a value."""
    try:
        return loaded("".join(lines))
    except ValueError:
        return None


def _has(document: Any, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
