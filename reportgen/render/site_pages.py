"""The pages that belong to no module: the overview, help, assets and the figures for programs."""

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from reportgen.reading import Problem
from reportgen.render import routes
from reportgen.render.assets import asset_names, read_asset, template_root
from reportgen.render.charts import specifications_script
from reportgen.render.notes import markdown
from reportgen.render.page import Page
from reportgen.render.report_json import report_json
from reportgen.render.summary import Summary, biggest_first
from reportgen.render.templates import render


def site_pages(
    site_title: str, summaries: Sequence[Summary], problems: Sequence[Problem], readme: str
) -> Iterator[Page]:
    """Everything but the modules' own pages."""
    yield Page("assets/chart-specifications.js", specifications_script())
    for name in asset_names():
        yield Page(f"assets/{name}", read_asset(name))
    yield from _help(site_title)
    yield Page(routes.REPORT, report_json(entry.report for entry in summaries))
    yield Page(".nojekyll", b"")
    yield _overview(site_title, summaries, problems, readme)


def _overview(site_title: str, summaries: Sequence[Summary], problems: Sequence[Problem], readme: str) -> Page:
    content = render(
        "overview.html",
        routes.OVERVIEW,
        site_title=site_title,
        modules=sorted(summaries, key=biggest_first),
        problems=problems,
        readme=note_markup(readme),
    )
    return Page(routes.OVERVIEW, content)


def note_markup(text: str) -> Markup:
    """A user's note, its headings one level lower than the page's own."""
    return markdown(re.sub(r"^#", "##", text, flags=re.MULTILINE)) if text.strip() else Markup("")


def _help(site_title: str) -> Iterator[Page]:
    for path, heading in ((routes.GLOSSARY, "Glossary"), (routes.FINDINGS_HELP, "Findings")):
        source = template_root() / path.replace(".html", ".md")
        body = markdown(source.read_text(encoding="utf-8"))
        yield Page(path, render("help.html", path, site_title=site_title, heading=heading, body=body))
