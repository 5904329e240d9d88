"""Convert Markdown to HTML, for the help pages and for notes that users put beside their dumps.

Notes may be written by anyone: raw HTML is escaped, images are refused, and so are links to anything but web pages and
mail addresses. Only our own texts may draw: a code block that is marked as `svg` becomes a picture.
"""

import re
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markupsafe import Markup

_SCHEME = re.compile(r"^\s*([a-zA-Z][a-zA-Z0-9+.\-]*):")
_HEADING_ID = re.compile(r"(?<!\s)\s*\{#([a-z0-9-]+)\}\s*$")


@cache
def _markdown() -> MarkdownIt:
    def is_safe(url: str) -> bool:
        # An address without a scheme leads to a file beside the page, and runs nothing.
        scheme = _SCHEME.match(url)
        return scheme is None or scheme[1].lower() in ("http", "https", "mailto")

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    parser.validateLink = is_safe  # type: ignore[method-assign]
    return parser


def markdown(text: str) -> Markup:
    """Convert one of our texts; a heading that ends with `{#slug}` gets that id, and a block of `svg` is drawn."""
    markdown_it = _markdown()
    tokens = markdown_it.parse(text)
    for token in tokens:
        if token.type == "fence" and token.info == "svg":
            token.type = "html_block"
    for opening, inline in pairwise(tokens):
        named = _HEADING_ID.search(inline.content) if opening.type == "heading_open" else None
        if named and inline.children:
            opening.attrSet("id", named[1])
            inline.children[-1].content = _HEADING_ID.sub("", inline.children[-1].content)
    return Markup(markdown_it.renderer.render(tokens, markdown_it.options, {}))


def note_markup(text: str) -> Markup:
    """Convert a user's note: headings one level below the page's own, and no ids, which the page could have, too."""
    if not text.strip():
        return Markup("")
    tokens = _markdown().parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + 1)}"
    return Markup(_markdown().renderer.render(tokens, _markdown().options, {}))
