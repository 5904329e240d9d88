"""What rendering yields: a file of the site, as a path and its bytes."""

from typing import NamedTuple


class Page(NamedTuple):
    """`path` is relative to the site's root, with forward slashes."""

    path: str
    content: bytes
