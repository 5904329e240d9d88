"""Find where a key of a TOML file is set, because `tomllib` does not say."""

import tomllib
from collections.abc import Sequence
from typing import Any

from reportgen.input.line_ends import lines_of


def line_of_key(text: str, path: Sequence[str]) -> int | None:
    """Return the line, from 1, at which valid TOML sets the key, such as `("tool", "xla-reportgen", "title")`.

    The text is read one line further at a time. The key is set by what follows the last line at which the text so far
    was complete and still lacked it.
    """
    lines = [f"{line}\n" for line in lines_of(text)]
    begun = 0
    for number in range(1, len(lines) + 1):
        try:
            document = tomllib.loads("".join(lines[:number]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a value
        if _has(document, path):
            return begun + 1
        begun = number
    return None


def _has(document: Any, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
