"""The pages that belong to no module: the overview, help, assets and the figures for programs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from markupsafe import Markup

from reportgen.options import Redaction
from reportgen.reading import Problem
from reportgen.render import routes
from reportgen.render.assets import asset_names, compiled_templates, read_asset, template_root
from reportgen.render.notes import markdown, note_markup
from reportgen.render.overview import overview_pages
from reportgen.render.page import Page
from reportgen.render.report_json import report_json
from reportgen.render.summary import Summary
from reportgen.render.templates import render

HELP: Mapping[str, str] = {routes.GLOSSARY: "Glossary", routes.FINDINGS_HELP: "Findings"}
"""The help pages, with their headings."""


def site_pages(
    site_title: str,
    summaries: Sequence[Summary],
    problems: Sequence[Problem],
    readme: str,
    redaction: Redaction | None = None,
) -> Iterator[Page]:
    """Everything but the modules' own pages."""
    yield from fixed_pages(site_title)
    yield from summary_pages(site_title, summaries, problems, readme, redaction)


def fixed_pages(site_title: str) -> Iterator[Page]:
    """What does not depend on the dumps."""
    for name in asset_names():
        yield Page(f"assets/{name}", read_asset(name))
    yield from _help(site_title)
    yield Page(".nojekyll", b"")
    yield Page(routes.NOT_FOUND, render("404.html", routes.NOT_FOUND, site_title=site_title))


def summary_pages(
    site_title: str,
    summaries: Sequence[Summary],
    problems: Sequence[Problem],
    readme: str,
    redaction: Redaction | None = None,
) -> Iterator[Page]:
    """What is said of all modules together."""
    yield Page(routes.REPORT, report_json(entry.report for entry in summaries))
    yield from overview_pages(site_title, summaries, problems, note_markup(readme), redaction)


def _help(site_title: str) -> Iterator[Page]:
    made = compiled_templates()
    for path, heading in HELP.items():
        body = Markup((made / help_file(path)).read_text(encoding="utf-8")) if made else help_text(path)
        yield Page(path, render("help.html", path, site_title=site_title, heading=heading, body=body))


def help_text(path: str) -> Markup:
    """What the help page at `path` says, from its Markdown."""
    return markdown((template_root() / path.replace(".html", ".md")).read_text(encoding="utf-8"))


def help_file(path: str) -> str:
    """The file that has that text as HTML since the installation; its name is that of no template."""
    return f"{PurePosixPath(path).stem}.text"
