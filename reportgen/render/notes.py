"""Markdown → HTML, for the help pages and for notes that users put beside their dumps.

Notes are somebody's text: raw HTML is escaped, and an image or a link that would leave the site for
anything but a web page is refused.
"""

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_SCHEME = re.compile(r"^\s*([a-zA-Z][a-zA-Z0-9+.\-]*):")
_HEADING_ID = re.compile(r"^(.*?)\s*\{#([a-z0-9\-]+)\}\s*$")


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # takes as long as some modules, and most have no notes

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    made.validateLink = _is_safe  # type: ignore[method-assign]
    return made


def _is_safe(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is None or scheme[1].lower() in ("http", "https", "mailto")


def markdown(text: str) -> Markup:
    """HTML of a text of ours; a heading that ends with `{#slug}` gets that id."""
    markdown_it = _markdown()
    tokens = markdown_it.parse(text)
    for opening, inline in pairwise(tokens):
        named = _HEADING_ID.match(inline.content) if opening.type == "heading_open" else None
        if named and inline.children:
            opening.attrSet("id", named[2])
            inline.children[-1].content = re.sub(r"\s*\{#[a-z0-9\-]+\}\s*$", "", inline.children[-1].content)
    return Markup(markdown_it.renderer.render(tokens, markdown_it.options, {}))


def note_markup(text: str) -> Markup:
    """A user's note, its headings one level lower than the page's own, and without ids, which could be the page's."""
    if not text.strip():
        return Markup("")
    tokens = _markdown().parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + 1)}"
    return Markup(_markdown().renderer.render(tokens, _markdown().options, {}))
