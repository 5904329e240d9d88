"""Create links from one page to values, allocations, instructions and help, as escaped markup."""

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TypeVar
from urllib.parse import urlencode

from markupsafe import Markup

from reportgen.analyse.records import Share, Space
from reportgen.model import WHOLE
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import Author, common_relation, lines_of_authors
from reportgen.program.scopes import short_name
from reportgen.render import routes
from reportgen.render.html.markup import soft_breaks
from reportgen.render.view import Module
from reportgen.reports.formats import end_of, more_lines, shortened
from reportgen.reports.report import key_text
from reportgen.reports.source_words import line_words, short_words

Item = TypeVar("Item")
_LINE = re.compile(r"(?<![\w/.-])((?:[^\s:()]*/)?[\w.-]+):(\d+)\b")
"""A source line in words: a file, with its folders or without, and a number."""

MOST_LINKS = 10
_LONGEST = 56


def listed(items: Sequence[Item], link: Callable[[Item], str], most: int = MOST_LINKS) -> str:
    """Return the first `most` items as links, and how many more there are."""
    shown = ", ".join(map(link, items[:most]))
    more = len(items) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def filters(words: Mapping[str, str]) -> str:
    """Return the fragment that filters a table by these words, escaped for HTML."""
    # A second # would end the fragment for some readers of URLs. The filter takes anything for a blank.
    asked = {name: text.replace("#", " ").replace("*", " ").strip() for name, text in words.items()}
    return escape(urlencode({name: text for name, text in asked.items() if text}))


class Links:
    """Links for the pages of one module, which are in one folder; those of the view `here` lead to places on it."""

    def __init__(self, module: Module, here: str = "") -> None:
        self._module = module
        self._skip = len(module.routes.folder)
        self._here = routes.view(here) if here else ""
        self.root = "../../"

    def path(self, path: str) -> str:
        """Return the href of a path that is given from the site's root and is in this module's folder."""
        return self._inside(path[self._skip :])

    def _inside(self, path: str) -> str:
        """Return the href of a path that is given from the module's folder."""
        return path.removeprefix(self._here) if "#" in path else path

    def value_href(self, number: int) -> str:
        """Return the href of a value's view."""
        return self.path(self._module.routes.value(number))

    def value(self, number: int) -> Markup:
        """Return a value's name as a link to it."""
        values = self._module.analysis.dump.values
        shape_index = values.shape_index(number)
        index = "" if shape_index == WHOLE else f'<span class="index">{shape_index}</span>'
        return Markup(f'<a href="{self.value_href(number)}">{soft_breaks(shortened(values.names[number]))}{index}</a>')

    def value_as(self, number: int, words: str) -> Markup:
        """Return words as a link to a value, which the tooltip names."""
        name = escape(shortened(self._module.analysis.dump.values.names[number]))
        return Markup(f'<a href="{self.value_href(number)}" title="{name}">{escape(words)}</a>')

    def origin(self, number: int) -> Markup:
        """Return the argument or operation behind a value, with its source line."""
        return self.origin_of([self._module.attribution(number)])

    def origin_of(self, authors: Sequence[Author], name: str = "") -> Markup:
        """Return the argument or operation behind several values that are called `name`, with the first one's line."""
        return origin_cell(authors, name, self.line_href(authors[0].source or authors[0].read_first))

    def short_origin(self, number: int) -> Markup:
        """Return the same as a link to the value, with its name as rows of groups have it, without what JAX adds."""
        author = self._module.attribution(number)
        return origin_cell(
            [author], author.name, self.line_href(author.source or author.read_first), self.value_href(number)
        )

    def named(self, number: int, name: str) -> Markup:
        """Return a link to a value by the name of its operation, as `attention/exp`, or of its argument."""
        author = self._module.attribution(number)
        relation = f"{author.relation} " if author.relation else ""
        words = soft_breaks(shortened(short_name(name)))
        return Markup(f'{relation}<a href="{self.value_href(number)}">{words}</a>')

    def line(self, line: str) -> Markup:
        """Return a source line without its directories, as a link if its file has a page; empty for no line."""
        words, href = escape(shortened(line_words(line))), self.line_href(line)
        return Markup(f'<a href="{href}" title="{escape(line)}">{words}</a>' if href else words)

    def source_page_href(self, line: str) -> str:
        """Return the href of a line, `FILE:LINE`, on the page of its file; empty where there is none."""
        page = self._module.source_pages.get(line)
        if page is None:
            return ""
        return f"{self.listing(routes.source(page))}#{routes.source_line(line.rpartition(':')[2])}"

    def line_href(self, line: str) -> str:
        """Return the href of a line, `FILE:LINE`, on the page of its file or else on the web; empty without both."""
        return self.source_page_href(line) or self._module.sources.url_of(line)

    def with_lines(self, text: str) -> Markup:
        """Return words in which source lines are links, and are named without the folders of their files."""
        pieces, end = [], 0
        for found in _LINE.finditer(shortened(text)):
            if href := self.line_href(self._module.whole_line(found[1], found[2])):
                name = f"{found[1].rpartition('/')[2]}:{found[2]}"
                words = escape(short_words(text[end : found.start()]))
                pieces.append(f'{words}<a href="{escape(href)}">{escape(name)}</a>')
                end = found.end()
        return Markup("".join([*pieces, escape(short_words(shortened(text)[end:]))]))

    def shape(self, number: int) -> Markup:
        """Return a value's shape without its layout, which may break after a comma and nowhere else."""
        shape = escape(shortened(plain_shape(self._module.analysis.facts[number].value.shape)))
        breakable = shape.replace(",", ",<wbr>")
        return Markup(f'<code class="shape">{breakable}</code>')

    def sharing(self, share: Share) -> Markup:
        """Return a small sign on a value that shares its bytes with others; its tooltip names them."""
        if not share.sharers:
            return Markup("")
        facts = self._module.analysis.facts
        names = ", ".join(shortened(key_text(facts[sharer].value.key)) for sharer in share.sharers)
        more = " and more" if share.has_more_sharers else ""
        return Markup(f' <span class="sharing" title="Shares these bytes with {escape(names)}{more}">shared</span>')

    def allocation_href(self, number: int) -> str:
        """Return the href of an allocation's view."""
        return self.path(self._module.routes.allocation(number))

    def allocation(self, number: int) -> Markup:
        """Return an allocation's index as a link to it."""
        index = self._module.analysis.dump.allocations[number].index
        return Markup(f'<a href="{self.allocation_href(number)}">allocation {index}</a>')

    def space(self, space: Space) -> Markup:
        """Return a memory space's name as a link to its section on the module's page."""
        place = f"{self.listing('index')}#{routes.space_section(space.color)}"
        return Markup(f'<a href="{place}">{self.space_name(space)}</a>')

    def space_name(self, space: Space) -> Markup:
        """Return a memory space's number and name."""
        return Markup(f"{space.color} · {escape(space.name)}")

    def listing(self, kind: str) -> str:
        """Return the href of a view."""
        return self.path(self._module.routes.listing(kind))

    def explore(self, part: str, **asked: object) -> str:
        """Return the href of a table of the page of all `values`, `allocations` and `instructions`."""
        return self._inside(routes.explore(part, **asked))

    def filtered_values(self, **words: str) -> Markup:
        """Return the href of the values that have these words; `#` and `*` stand for what differs."""
        return Markup(f"{escape(self.explore('values'))}&amp;{filters(words)}")

    def checks(self) -> str:
        """Return the href of the table of checks."""
        return f"{self.listing('findings')}#checked"

    def instruction(self, name: str) -> str:
        """Return an instruction's name, linked to the largest value that it defines, if any."""
        dump = self._module.analysis.dump
        text, made = soft_breaks(shortened(name)), dump.made_by.get(name, ())
        return f'<a href="{self.value_href(max(made, key=dump.values.sizes.__getitem__))}">{text}</a>' if made else text

    def moment_href(self, moment: int) -> str | None:
        """Return the href of an instruction's row or view; None where no instruction runs at the moment."""
        has = moment in self._module.analysis.dump.name_at
        return self._inside(routes.place(routes.instruction_id(moment))) if has else None

    def term(self, anchor: str, text: str) -> Markup:
        """Return a link to a term of the glossary."""
        return Markup(f'<a class="term" href="{self.root}help/glossary.html#{anchor}">{escape(text)}</a>')

    def moment(self, moment: int | None) -> Markup:
        """Return a moment with the instruction that runs at it; a dash for None."""
        if moment is None:
            return Markup("–")
        name = self._module.analysis.program.instruction_at(moment)
        return Markup(f'{moment:,} <span class="at">{self.instruction(name)}</span>') if name else Markup(f"{moment:,}")


def origin_cell(authors: Sequence[Author], name: str = "", line_href: str = "", href: str = "") -> Markup:
    """Return the argument or the end of the scope, which says most, and file and line; the tooltips have the whole.

    `name` is that of a group of values where they have several authors, and is shown without what JAX adds to it; the
    line is that of the first, with the number of the others. An argument has none, so the line that reads it first is
    named as that. `line_href` leads to the line, if it has a page, and `href` to what the name stands for.
    """
    first, relation = authors[0], common_relation(authors)
    related = f"{relation} " if relation else ""
    named = _named(name, short_name(name)) if name else _named(first.name)
    operation = f'{related}<a href="{href}">{named}</a>' if href else f"{related}{named}"
    line = escape(shortened(first.source or first.read_first))
    if not line:
        return Markup(operation)
    before, more = "" if first.source else "read first at ", more_lines(len(lines_of_authors(authors)))
    short = line.rpartition("/")[2]
    if line_href:
        short = f'<a href="{escape(line_href)}">{short}</a>'
    look = "source" if first.source else "source first-read"
    return Markup(f'{operation} <span class="{look}" title="{before}{line}">{before}{short}{more}</span>')


def _named(name: str, short: str = "") -> str:
    """Return a name of the program, or a `short` form of it, as code, cut at its beginning if it is long."""
    shown = end_of(short or name, _LONGEST)
    title = f' title="{escape(shortened(name))}"' if shown != name else ""
    return f"<code{title}>{soft_breaks(shown)}</code>"
