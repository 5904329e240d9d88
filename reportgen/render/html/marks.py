"""Marks that tables and cards show beside words: a chip, and a bar."""

from collections.abc import Iterable
from html import escape

from markupsafe import Markup


def width(part: int, whole: int) -> str:
    """Return the width of a bar for `part` of `whole`, as CSS writes it."""
    return f"{100 * part / whole:.2f}%"


def chip(look: str, text: str, identifier: str = "") -> Markup:
    """Return words with the color of their class of memory, as `class-temporary`, or with the line of a chart.

    One with an identifier is hidden until a script shows it.
    """
    hidden = f' id="{identifier}" hidden' if identifier else ""
    return Markup(f'<span class="chip {look}"{hidden}>{escape(text)}</span>')


def bar(parts: Iterable[tuple[str, int]], whole: int) -> Markup:
    """Return a bar of parts, pairs of a class of memory and bytes, in the scale of `whole`."""
    fills = "".join(f'<span class="fill-{name}" style="width:{width(size, whole)}"></span>' for name, size in parts)
    return Markup(f'<span class="bar" aria-hidden="true">{fills}</span>')
