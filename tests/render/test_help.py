"""Help can be found: every link into the help pages has a heading to land on, and every finding its section."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from reportgen.analyse.findings import SEVERITIES
from reportgen.render.html.markdown import markdown
from reportgen.render.module.index import REASONS
from reportgen.render.site.assets import template_root
from reportgen.render.site.site_pages import fixed_pages

ROOT = Path(__file__).parents[2]
PAGES = ("glossary", "findings")
_TERM = re.compile(r"""\bterm\(\s*["']([a-z0-9-]+)["']""")
_HREF = re.compile(r"""(glossary|findings)(?:\.html#|\(["'])([a-z0-9-]+)""")
_OWN_HREF = re.compile(r"\]\(#([a-z0-9-]+)\)")


class Headings(HTMLParser):
    """The headings of a page as (level, id), in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch("h[1-6]", tag):
            self.found.append((int(tag[1]), dict(attrs).get("id")))


def source(page: str) -> str:
    return (template_root() / "help" / f"{page}.md").read_text(encoding="utf-8")


def headings(page: str) -> list[tuple[int, str | None]]:
    parser = Headings()
    parser.feed(str(markdown(source(page))))
    return parser.found


def anchors(page: str) -> set[str]:
    return {anchor for _, anchor in headings(page) if anchor}


def section(page: str, anchor: str) -> str:
    """Return the Markdown from a heading to the next one."""
    return re.split(r"^#", source(page).partition(f"{{#{anchor}}}")[2], maxsplit=1, flags=re.MULTILINE)[0]


def linked() -> list[tuple[str, str]]:
    """Return (page, anchor) of every link into the help, in templates, code and the help pages themselves."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(template_root().rglob("*.html"))]
    texts += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "reportgen").rglob("*.py"))]
    texts += map(source, PAGES)
    links = {link for text in texts for link in _HREF.findall(text)}
    links |= {("glossary", anchor) for text in texts for anchor in _TERM.findall(text)}
    links |= {(page, anchor) for page in PAGES for anchor in _OWN_HREF.findall(source(page))}
    return sorted(links)


@pytest.mark.parametrize("slug", SEVERITIES)
def test_every_finding_has_a_section_that_states_its_severity(slug: str) -> None:
    assert section("findings", slug).strip().startswith(f"**{SEVERITIES[slug].capitalize()}.** ")


def test_no_section_is_about_a_finding_that_does_not_exist() -> None:
    assert {anchor for level, anchor in headings("findings") if level == 3} == set(SEVERITIES)


def test_findings_are_in_alphabetical_order_within_their_severity() -> None:
    order = sorted(SEVERITIES, key=lambda slug: (["error", "warning", "note"].index(SEVERITIES[slug]), slug))
    assert [anchor for level, anchor in headings("findings") if level == 3] == order


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_of_a_wrong_peak_is_in_the_glossary(reason: str) -> None:
    assert reason in anchors("glossary")


@pytest.mark.parametrize(("page", "anchor"), linked())
def test_every_link_into_the_help_has_a_heading_to_land_on(page: str, anchor: str) -> None:
    assert anchor in anchors(page)


def test_links_into_the_help_are_found_at_all() -> None:
    assert {("glossary", "peak-resident"), ("glossary", "phi"), ("findings", "unknown-attribute")} <= set(linked())


@pytest.mark.parametrize("page", PAGES)
def test_headings_are_well_nested_and_lead_somewhere_else_each(page: str) -> None:
    levels = [level for level, _ in headings(page)]
    named = [anchor for _, anchor in headings(page)[1:]]
    assert levels[0] == 1
    assert all(1 < level <= before + 1 for before, level in pairwise(levels))
    assert None not in named
    assert len(named) == len(set(named))


@pytest.mark.parametrize("page", PAGES)
def test_no_section_is_empty(page: str) -> None:
    assert all(section(page, anchor).strip() for anchor in anchors(page) - {"errors", "warnings", "notes"})


def test_a_picture_is_drawn_and_said_in_words() -> None:
    assert re.search(r'<svg [^>]*role="img" aria-label="[^"]{100,}"', str(markdown(source("glossary"))))


def test_a_help_page_lists_its_sections_by_name() -> None:
    texts = {page.path: page.content.decode() for page in fixed_pages("Memory") if page.path.startswith("help/")}
    assert len(texts) == len(PAGES)
    for page in PAGES:
        text = texts[f"help/{page}.html"]
        listed = text.partition('class="sections-by-name"')[2].partition("</nav>")[0]
        assert set(re.findall(r'href="#([a-z0-9-]+)"', listed)) == anchors(page)
        assert text.count("<h1>") == 1
