"""Say which part of a peak is padding, which arrays have most of it, and what would end it."""

from markupsafe import Markup, escape

from reportgen.advice.advise import Advice
from reportgen.analyse.padding import padded_shapes
from reportgen.analyse.records import Space
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.render.html.links import Links
from reportgen.render.html.markup import bytes_markup
from reportgen.render.value.layout import padded_words
from reportgen.render.view import Module
from reportgen.reports.advice_words import saving_words, title_words
from reportgen.reports.formats import cut, percent
from reportgen.reports.source_words import short_words

_LEAST = 100
"""Parts of a peak, of which padding has to be one to be said."""
_MOST_NAMED, _LONGEST_SHAPE = 2, 60


def peak_padding(module: Module, space: Space, links: Links) -> Markup:
    """Return a sentence on the padding at the peak of a space; empty where it is next to nothing."""
    peak = space.peak_resident.amount if space.peak_resident else 0
    shapes = sorted(padded_shapes(module.analysis, space), key=lambda shape: -shape.at_peak_bytes)
    total = sum(shape.at_peak_bytes for shape in shapes)
    if not peak or total * _LEAST < peak:
        return Markup("")
    named = Markup("; ").join(
        Markup("{} in <code>{}</code>{}").format(
            bytes_markup(shape.at_peak_bytes), cut(shape.shape, _LONGEST_SHAPE), _why(shape.shape)
        )
        for shape in shapes[:_MOST_NAMED]
        if shape.at_peak_bytes
    )
    words = Markup("<strong>{}</strong> of it is {} ({}): {}.").format(
        bytes_markup(total), links.term("padding", "padding"), percent(total, peak), named
    )
    found = module.advice.get(space.color, Advice()).best
    ends = next((suggestion for suggestion in found if suggestion.kind == "padding"), None)
    if ends is None:
        return words
    title, href = escape(short_words(title_words(ends))), links.listing("suggestions")
    return words + Markup(f' <a href="{href}">{title}</a>: {escape(saving_words(ends))}.')


def _why(shape: str) -> str:
    try:
        words = padded_words(parse_shape(shape))
    except ShapeError:
        return ""
    return f", where {words}" if words else ""
