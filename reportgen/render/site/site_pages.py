"""The pages that belong to no module: overview, help and assets, and the figures for programs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from markupsafe import Markup

from reportgen.render import routes
from reportgen.render.html.markdown import markdown
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import shard
from reportgen.render.site.assets import asset_names, read_asset, template_root
from reportgen.render.site.out_of_memory import error_pages
from reportgen.render.site.overview import overview_pages
from reportgen.reports.module_figures import report_json
from reportgen.reports.summary import Summary
from reportgen.work import Front, Page

_HELP: Mapping[str, str] = {routes.GLOSSARY: "Glossary", routes.FINDINGS_HELP: "Findings"}
"""The help pages, with their headings."""
_SECTION = re.compile(r"^#+ (.+?) \{#([a-z0-9-]+)\}$", re.MULTILINE)


def site_pages(site_title: str, summaries: Sequence[Summary], front: Front) -> Iterator[Page]:
    """Yield everything but the modules' own pages; the overview leads to a trend that the site has."""
    yield from fixed_pages(site_title)
    yield from error_pages(site_title, front.errors)
    yield Page(routes.REPORT, report_json(summaries, front.errors))
    yield from overview_pages(site_title, summaries, front)


@cache
def fixed_pages(site_title: str) -> tuple[Page, ...]:
    """Return what does not depend on the dumps; kept, because `watch` writes a site again and again."""
    return (
        *(Page(routes.asset(name), read_asset(name)) for name in asset_names()),
        *(_help_page(site_title, path, heading, body) for path, heading, body in help_texts()),
        shard("terms", terms()),
        # Without this file GitHub Pages runs Jekyll, which leaves out files with names that it reserves.
        Page(".nojekyll", b""),
        Page(routes.NOT_FOUND, render("pages/404.html", routes.NOT_FOUND, site_title=site_title)),
    )


def _help_page(site_title: str, path: str, heading: str, body: Markup) -> Page:
    """Return a help text with its sections by name beside it, under the heading that it begins with."""
    sections = sorted(_SECTION.findall(_help_text(path)), key=lambda section: section[0].lower())
    text = body.partition("</h1>")[2]
    content = render("pages/help.html", path, site_title=site_title, heading=heading, sections=sections, body=text)
    return Page(path, content)


def help_texts() -> Iterator[tuple[str, str, Markup]]:
    """Yield each help text with its path and its heading."""
    for path, heading in _HELP.items():
        yield path, heading, markdown(_help_text(path))


def terms(href: Callable[[str, str], str] = "{}#{}".format) -> dict[str, Sequence[str]]:
    """Return the terms of the glossary and the kinds of findings for the search; `href` gets path and anchor."""
    found = [
        (name, href(path, anchor), heading)
        for path, heading in _HELP.items()
        for name, anchor in _SECTION.findall(_help_text(path))
    ]
    names, hrefs, headings = zip(*found, strict=True)
    return {"name": names, "href": hrefs, "page": headings}


def _help_text(path: str) -> str:
    return (template_root() / path).with_suffix(".md").read_text(encoding="utf-8")
