"""Render templates with Jinja: everything is escaped, and an undefined name is an error."""

from collections.abc import Iterable, Mapping
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import reportgen
from reportgen.advice.fitting import fitting_of, least_needed
from reportgen.options import Redaction
from reportgen.render import routes
from reportgen.render.drawings.life import life_strip
from reportgen.render.html.excerpts import excerpt_table
from reportgen.render.html.links import Links
from reportgen.render.html.marks import bar, chip, group_label, percent_of
from reportgen.render.html.markup import (
    bytes_markup,
    code_spans,
    count_markup,
    least_markup,
    slash_breaks,
    soft_breaks,
    unbroken,
)
from reportgen.render.site.assets import template_root
from reportgen.render.view import Module
from reportgen.reports import advice_words, formats
from reportgen.reports.source_words import short_words
from reportgen.work import Page

MODULE_VIEWS = (
    (routes.view("index"), "Summary"),
    (routes.view("suggestions"), "Suggestions"),
    (routes.view("lifetimes"), "Lifetimes"),
    (routes.view("explore"), "Explore"),
    (routes.view("findings"), "Findings"),
)
"""The views of a module, which `module_pages.py` makes: file name in its folder, and the label of its tab."""

_REDACTED_WORDS: Mapping[Redaction, str] = {
    "paths": "Redacted: only words of compilers and common programs are shown.",
    "names": "Redacted: only words of compilers are shown.",
}


@cache
def module_tabs(current: str) -> Markup:
    """Return links to a module's views, of which the reader is on `current`."""
    here = {current: ' aria-current="page"'}
    links = (f'<a href="{file}"{here.get(file, "")}>{name}</a>' for file, name in MODULE_VIEWS)
    return Markup("".join(links))


@cache
def environment() -> Environment:
    """Return the environment that renders every page; a template is compiled when it is first used."""
    jinja = Environment(
        loader=FileSystemLoader(template_root()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Templates do not change during a build, so no page has to look for a newer one.
        auto_reload=False,
    )
    jinja.filters |= {
        "breakable": soft_breaks,
        "breakable_path": lambda text: Markup(slash_breaks(text)),
        "unbroken": unbroken,
        "bytes": bytes_markup,
        "count": count_markup,
        "code_spans": code_spans,
        "capital": formats.capital,
        "counted": formats.counted,
        "end_of": formats.end_of,
        "flops": formats.human_flops,
        "least": least_markup,
        "range_words": formats.range_words,
        "exact": formats.exact_bytes,
        "human": formats.human_bytes,
        "logged": formats.logged_bytes,
        "capacity": formats.capacity_bytes,
        "short": formats.shortened,
        "signed": formats.signed_bytes,
        "signed_count": formats.signed_count,
        "to": formats.transition_words,
        "without_folders": short_words,
    }
    jinja.globals |= {
        "advice_words": advice_words,
        "bar": bar,
        "chip": chip,
        "excerpt_table": excerpt_table,
        "group_label": group_label,
        "factor": formats.factor,
        "fitting_of": fitting_of,
        "least_needed": least_needed,
        "life_strip": life_strip,
        "module_tabs": module_tabs,
        "percent": formats.percent,
        "redacted_words": _REDACTED_WORDS,
        "routes": routes,
        "version": reportgen.__version__,
        "width": percent_of,
    }
    return jinja


def render(template: str, path: str, **context: object) -> bytes:
    """Return the page at `path`, which decides the href of the site's root, `root`."""
    return _encoded(environment().get_template(template).generate(root=routes.root_from(path), **context))


def view_page(module: Module, site_title: str, kind: str, template: str, *, links: Links, **context: object) -> Page:
    """Return the page of the view `kind`; `links` and the links in `context` start from the module's folder."""
    path = module.routes.listing(kind)
    content = render(
        template,
        path,
        tab=routes.view(kind),
        kind=kind,
        site_title=site_title,
        module=module,
        links=links,
        **context,
    )
    return Page(path, content)


_PLAIN = bytes([ord("\n"), *range(ord(" "), ord("~") + 1)])


def _encoded(pieces: Iterable[str]) -> bytes:
    """Encode a text for the disk, with a visible sign for each character that shows nothing."""
    # Each piece on its own, because a whole page as text takes twice the memory of its bytes.
    encoded = b"".join(piece.encode("utf-8", "replace") for piece in pieces)
    # Deleting plain ASCII and checking the little that remains takes a third of the time of checking everything.
    rest = encoded.translate(None, _PLAIN).decode("utf-8")
    return encoded if rest.isprintable() else formats.visible(encoded.decode("utf-8")).encode("utf-8", "replace")
