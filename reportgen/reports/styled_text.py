"""Lines of text whose parts have a meaning, which a terminal shows by color and weight, and a file does not."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Tone = Literal["bad", "good", "open"]
"""Whether a program does not fit, fits, or nothing says so."""

Style = Literal["bad", "good", "open", "title", "bar", "quiet", ""]


class Span(NamedTuple):
    """A part of a line, and what it is."""

    text: str
    style: Style = ""


TextLine = tuple[Span, ...]


def plain(lines: Iterable[TextLine]) -> str:
    """Return lines as text without styles."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)
