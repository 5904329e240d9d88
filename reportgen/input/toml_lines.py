"""Where a key of a TOML file is set, which `tomllib` does not say."""

import tomllib
from collections.abc import Sequence
from typing import Any


def line_of_key(text: str, path: Sequence[str]) -> int | None:
    """Return the line, from 1, at which valid TOML sets the key, such as `("tool", "xla-reportgen", "title")`.

    Whatever stands after the last line up to which the text is complete and without the key begins to set it.
    """
    lines = text.splitlines(keepends=True)
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
