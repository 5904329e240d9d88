"""Every page and data shard of one module, each made when it is asked for; the short pages are here."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from reportgen.analyse.results import Finding
from reportgen.analyse.spaces import main_space
from reportgen.input.dump_text import TextOffset
from reportgen.render.explore.explore_page import explore_page
from reportgen.render.html.excerpts import ExcerptLine, excerpt
from reportgen.render.html.links import Links
from reportgen.render.html.templates import view_page
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.data_shards import module_shard
from reportgen.render.module.index import REASONS, index_page
from reportgen.render.module.lifetimes_page import lifetimes_page
from reportgen.render.module.source_page import source_page
from reportgen.render.module.verdict import verdict
from reportgen.render.routes import source
from reportgen.render.view import Module
from reportgen.reports.summary_of_report import badge_of, finding_counts
from reportgen.work import Page

PageMaker = Callable[[], Page]
_SHOWN_EXCERPTS = 200
_MOST_KINDS = 3


def module_pages(module: Module, site_title: str) -> Iterator[Page]:
    """Yield every page of a module."""
    for make in page_makers(module, site_title).values():
        yield make()


def page_makers(module: Module, site_title: str) -> dict[str, PageMaker]:
    """Return what makes each page of a module, by its path; in any order, and in different processes."""
    routes = module.routes
    makers: dict[str, PageMaker] = {
        routes.index: partial(index_page, module, site_title),
        **{routes.shard(name): partial(module_shard, module, name) for name in ("values", "timeline", "instructions")},
        routes.listing("suggestions"): partial(suggestions_page, module, site_title),
        routes.listing("lifetimes"): partial(lifetimes_page, module, site_title),
        routes.listing("findings"): partial(findings_page, module, site_title),
        routes.listing("explore"): partial(explore_page, module, site_title),
    }
    for number in range(len(module.annotated_files)):
        makers[routes.listing(source(number))] = partial(source_page, module, number, site_title)
    if any(advice.suggestions for advice in module.advice.values()):
        makers[routes.shard("advice")] = partial(module_shard, module, "advice")
    return makers


def suggestions_page(module: Module, site_title: str) -> Page:
    """Return the page of the suggestions for a module."""
    return view_page(
        module,
        site_title,
        "suggestions",
        "pages/suggestions.html",
        links=Links(module),
        box=advice_box(module),
        verdict=verdict(module),
    )


def findings_page(module: Module, site_title: str) -> Page:
    """Return the page of findings and checks."""
    analysis = module.analysis
    found = (kind for check in analysis.evidence for kind in check.found)
    notes = Counter({kind.slug: kind.times for kind in found if kind.severity == "note"})
    located = [finding for finding in analysis.findings if finding.location]
    return view_page(
        module,
        site_title,
        "findings",
        "pages/findings.html",
        links=Links(module),
        findings=analysis.findings,
        finding_counts=finding_counts(analysis),
        problems=[finding for finding in analysis.findings if finding.severity != "note"],
        badge=badge_of(analysis),
        frequent_notes=", ".join(f"{times:,} {slug}" for slug, times in notes.most_common(_MOST_KINDS)),
        xla=analysis.xla_peak,
        reason=next((REASONS[slug] for slug in analysis.xla_peak.reasons), "") if analysis.xla_peak else "",
        main=main_space(analysis.spaces),
        checks=analysis.evidence,
        quotes=[(finding, _excerpts(module, finding)) for finding in located[:_SHOWN_EXCERPTS]],
        unquoted=max(0, len(located) - _SHOWN_EXCERPTS),
    )


def _excerpts(module: Module, finding: Finding) -> Sequence[tuple[Sequence[ExcerptLine], str]]:
    """Return the lines at the place of a finding with their file; of two values, the line and live range of both."""
    offsets: list[TextOffset | None] = [finding.text_offset]
    if len(finding.values) > 1:
        facts = [module.analysis.facts[number] for number in finding.values]
        offsets = [
            offset
            for fact in facts
            for offset in (fact.value.text_offset, fact.live.text_offset if fact.live else None)
        ]
    text = module.analysis.dump.text
    return [(excerpt(module, offset), text.locate(offset).file) for offset in offsets if offset is not None]
