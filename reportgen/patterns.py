"""Repeat a part of a regular expression without keeping anything for each round.

`re` keeps 120 bytes and more for each round of a group, unless the repeat is possessive: a few kilobytes that unpack to
a hundred million empty lines would take gigabytes.
"""

from typing import AnyStr


def repeated(part: AnyStr, least: int = 0) -> AnyStr:
    """Return a pattern for as many of `part` as follow, and at least `least` of them. No match gives any back."""
    if isinstance(part, bytes):
        return repeated(part.decode("latin-1"), least).encode("latin-1")
    # With an empty alternative, which never fails, because `re` of Python 3.11.0 to 3.11.4 goes on behind the beginning
    # of a round that fails (CPython issue 106052).
    return f"(?:{part}){{{least}}}(?:{part}|)*+" if least else f"(?:{part}|)*+"


STRING = '"' + repeated(r'[^"\\]++|\\.') + '"'
"""A string as XLA prints it."""

STRING_OR_REST = f"{STRING}?"
"""A string, or all that follows if it is not closed: otherwise each later quote would be tried as a beginning."""
