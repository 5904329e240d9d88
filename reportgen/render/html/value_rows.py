"""Make the rows of tables of values as strings, because a page has a thousand of them and a site tens of thousands."""

from collections.abc import Iterable
from html import escape

from markupsafe import Markup

from reportgen.analyse.records import ValueFacts
from reportgen.render.html.links import Links
from reportgen.render.html.markup import bytes_markup

_LONGEST_SHAPE = 60


# HTML allows a cell without its end tag and a word without quotes, which a thousand rows would repeat.
def value_rows(rows: Iterable[tuple[int, ValueFacts]], links: Links) -> Markup:
    """Return a row for each value with its size, place, layout sizes, live range and shape."""
    return Markup(
        "".join(
            f'<tr{links.value_row_id(number)}><th scope="row">{links.value(number)}'
            f'<td>{bytes_markup(fact.value.size_bytes)}<td class="left">{links.allocation(fact.value.allocation)}'
            f'<td>{_offset(fact)}{_layout_life_shape(fact)}<td class="left">{links.origin(number)}\n'
            for number, fact in rows
        )
    )


def value_rows_in_allocation(rows: Iterable[tuple[int, ValueFacts]], links: Links) -> Markup:
    """Return the same rows for the table of one allocation: without the allocation, and the offset first."""
    return Markup(
        "".join(
            f'<tr><th scope="row">{links.value(number)}<td>{_offset(fact)}<td>{bytes_markup(fact.value.size_bytes)}'
            f'{_layout_life_shape(fact)}<td class="left">{links.origin(number)}\n'
            for number, fact in rows
        )
    )


def _offset(fact: ValueFacts) -> str:
    return f'<data value="{fact.value.offset_bytes}">{fact.value.offset_bytes:,}</data>'


def _layout_life_shape(fact: ValueFacts) -> str:
    """Return the last cells of a row."""
    start, end = ("–", "–") if fact.live is None else (f"{fact.live.start:,}", f"{fact.live.end:,}")
    shape = fact.value.shape
    shown = escape(shape if len(shape) <= _LONGEST_SHAPE else shape[: _LONGEST_SHAPE - 1] + "…")
    layout = f"<td>{bytes_markup(fact.dense_bytes)}<td>{bytes_markup(fact.padding_bytes)}"
    return f"{layout}<td>{start}<td>{end}<td><code>{shown}</code>"
