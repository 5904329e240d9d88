"""Marks that tables and cards show beside words or in their place: a chip, a bar, why a group has no name."""

from collections.abc import Iterable

from markupsafe import Markup, escape

from reportgen.analyse.decompose import GroupKind


def percent_of(part: int, whole: int) -> str:
    """Return a part of a whole as CSS writes it: `12.5%`."""
    return f"{100 * part / whole:.2f}".rstrip("0").rstrip(".") + "%"


def chip(look: str, text: str, identifier: str = "") -> Markup:
    """Return words with the color of their class of memory, as `class-temporary`, or with the line of a chart.

    One with an identifier is hidden until a script shows it.
    """
    hidden = f' id="{identifier}" hidden' if identifier else ""
    return Markup(f'<span class="chip {look}"{hidden}>{escape(text)}</span>')


def bar(parts: Iterable[tuple[str, int]], whole: int) -> Markup:
    """Return a bar of parts, pairs of a class of memory and bytes, in the scale of `whole`."""
    fills = "".join(
        f'<span class="fill-{name}" style="width:{percent_of(size, whole)}"></span>' for name, size in parts
    )
    return Markup(f'<span class="bar" aria-hidden="true">{fills}</span>')


def group_label(kind: GroupKind, noun: str, name: str) -> Markup:
    """Return what a group of bytes is called: its name or, where it has none, why."""
    if kind == "held":
        return Markup("<em>reserved, with no live value</em>")
    return Markup("<em>no {} in the dump</em>").format(noun) if kind == "missing" else escape(name)
