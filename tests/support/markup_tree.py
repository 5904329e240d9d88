"""HTML as a tree of elements, for tests that read what a certain part of a page says."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_NEVER_CLOSED = frozenset(("br", "hr", "img", "input", "link", "meta", "wbr"))
_UNSEEN = frozenset(("script", "style", "title"))
_CELLS, _ITEMS = frozenset(("td", "th")), frozenset(("dd", "dt"))
_ENDED_BY = {
    "td": _CELLS,
    "th": _CELLS,
    "tr": _CELLS | {"tr"},
    "tbody": _CELLS | {"tr", "thead"},
    "tfoot": _CELLS | {"tr", "tbody"},
    "li": frozenset(("li",)),
    "dd": _ITEMS,
    "dt": _ITEMS,
    "option": frozenset(("option",)),
}
"""The elements without an end tag that end where another one begins."""


@dataclass
class Element:
    """An element with its attributes, and the texts and elements in it."""

    tag: str
    attributes: dict[str, str]
    children: "list[Element | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """What a reader sees of it, in one line."""
        parts = (one if isinstance(one, str) else one._words for one in self.children)
        return " ".join("".join(parts).split())

    @property
    def _words(self) -> str:
        if self.tag in _UNSEEN:
            return ""
        return "".join(one if isinstance(one, str) else one._words for one in self.children)

    def all(self, tag: str = "", **attributes: str) -> "Iterator[Element]":
        """Yield the elements in it, at any depth, that have a tag and these words in their attributes."""
        for one in self.children:
            if isinstance(one, Element):
                if tag in ("", one.tag) and all(
                    word in one.attributes.get(name.rstrip("_").replace("_", "-"), "").split()
                    for name, word in attributes.items()
                ):
                    yield one
                yield from one.all(tag, **attributes)

    def first(self, tag: str = "", **attributes: str) -> "Element":
        return next(self.all(tag, **attributes))


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self._open[-1].tag in _ENDED_BY.get(tag, ()):
            self._open.pop()
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _NEVER_CLOSED:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place].tag == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def tree_of(html: str) -> Element:
    """Return the root of a page; an element without an end tag ends with the one around it."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root
