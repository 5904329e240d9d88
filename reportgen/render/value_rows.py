"""The rows of tables of values. There are tens of thousands, so they are strings and no template's."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from markupsafe import Markup

from reportgen.analyse.records import ValueFacts
from reportgen.render.formats import bytes_markup
from reportgen.render.links import Links

_LONGEST_SHAPE = 60


def value_rows(rows: Iterable[tuple[int, ValueFacts]], links: Links) -> Markup:
    """Each value with its size, place, layout sizes, life and shape."""
    return Markup("".join(_row(number, fact, links) for number, fact in rows))


def _row(number: int, fact: ValueFacts, links: Links) -> str:
    value, offset = fact.value, fact.value.offset_bytes
    return (
        f"<tr{links.value_row_id(number)}><th scope=row>{links.value(number)}<td>{bytes_markup(value.size_bytes)}"
        f"<td class=left>{links.allocation(value.allocation)}<td><data value={offset}>{offset:,}</data>"
        f"{layout_life_shape(fact)}\n"
    )


def layout_life_shape(fact: ValueFacts) -> str:
    """The last cells of a row; moments are plain numbers, which sort as they are."""
    start, end = ("–", "–") if fact.live is None else (fact.live.start, fact.live.end)
    shape = fact.value.shape
    shown = _shape(shape if len(shape) <= _LONGEST_SHAPE else shape[: _LONGEST_SHAPE - 1] + "…")
    return f"<td>{bytes_markup(fact.dense_bytes)}<td>{bytes_markup(fact.padding_bytes)}<td>{start}<td>{end}{shown}"


@lru_cache(maxsize=4096)
def _shape(text: str) -> str:
    """Most values share their shape with many others."""
    return f"<td><code>{escape(text)}</code>"
