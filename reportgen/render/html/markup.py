"""Mark up numbers and names for pages, with the exact number always at hand.

Filters return f-string `Markup`, because that is twice as fast as a macro for each table cell; text that goes into one
is escaped right beside it.
"""

import re
from html import escape

from markupsafe import Markup

from reportgen.analyse.contested import Certainty
from reportgen.reports.formats import QUALIFIERS, STEP, human_bytes

_CODE = re.compile(r"`([^`]*)`")
_BREAKABLE = re.compile(r"(?<=[./_])(?=[^./_])(?!\d+(?:\{|\Z))")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[KMGTPE]i)?B\b|%)")


def bytes_markup(size: int | None) -> Markup:
    """Return an amount for people, with the exact one in the data and, if rounded, in the tooltip; a dash for None."""
    if size is None:
        return Markup('<span class="none" title="unknown">–</span>')
    if -STEP < size < STEP:
        return Markup(f'<data value="{size:d}">{size:,} B</data>')
    return Markup(f'<data value="{size:d}" title="{size:,} bytes">{human_bytes(size)}</data>')


def least_markup(size: int | None, known: Certainty | bool) -> Markup:
    """Return an amount as `bytes_markup` does, as far as it is known."""
    return Markup("" if size is None else QUALIFIERS.get(known, "")) + bytes_markup(size)


def count_markup(count: int | None) -> Markup:
    """Return `66,703`, sortable."""
    if count is None:
        return Markup('<span class="none" title="unknown">–</span>')
    return Markup(f'<data value="{count:d}">{count:,}</data>')


def whole_name(name: str) -> Markup:
    """Return a name that is shortened elsewhere, folded."""
    return Markup("<details><summary>{:,} characters</summary><code>{}</code></details>").format(len(name), name)


def unbroken(words: str) -> str:
    """Return words in which no line breaks between a number and its unit."""
    return _BEFORE_UNIT.sub("\u00a0", words)


def soft_breaks(text: str) -> Markup:
    """Return a name that may break after dots, slashes and underscores, but not before the number at its end."""
    return Markup(_BREAKABLE.sub("<wbr>", escape(text)))


def slash_breaks(text: str) -> str:
    """Return a name that may break after slashes, in less than half the bytes of `soft_breaks`."""
    return escape(text).replace("/", "/<wbr>")


def code_spans(sentence: str) -> Markup:
    """Return a sentence with what stands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", escape(sentence)))
