"""Source lines in words: without the directories of their files, which are too long to read."""

import re

_DIRECTORIES = re.compile(r"(?<![^\s(])/?(?:[^\s/:]+/)+(?=[^\s/:]+:\d)")


def line_words(source: str) -> str:
    """Return a source line without its directories: `train.py:41`."""
    return source.rpartition("/")[2]


def short_words(text: str) -> str:
    """Return words without the directories of the source lines in them."""
    return _DIRECTORIES.sub("", text)
