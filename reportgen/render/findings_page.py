"""All findings of a module, what was looked at, and the dump's own lines at each place."""

from dataclasses import dataclass

from reportgen.analyse.judgements import Finding
from reportgen.render.excerpts import ExcerptLine, excerpt
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.summing_up import badge_of, finding_counts
from reportgen.render.templates import render
from reportgen.source import Place

SHOWN_EXCERPTS = 200


@dataclass(frozen=True, slots=True)
class Quoted:
    """A finding with the lines of the dump around its places, each with the file they are in."""

    finding: Finding
    excerpts: list[tuple[list[ExcerptLine], str]]


def findings_page(module: Module, site_title: str) -> Page:
    links, path, analysis = Links(module, 0), module.routes.listing("findings"), module.analysis
    placed = [finding for finding in analysis.findings if finding.location]
    content = render(
        "findings.html",
        path,
        tab="findings.html",
        site_title=site_title,
        module=module,
        links=links,
        findings=analysis.findings,
        finding_counts=finding_counts(analysis),
        badge=badge_of(analysis),
        evidence=analysis.evidence,
        quotes=[_quoted(module, finding) for finding in placed[:SHOWN_EXCERPTS]],
        more_quotes=max(0, len(placed) - SHOWN_EXCERPTS),
    )
    return Page(path, content)


def _quoted(module: Module, finding: Finding) -> Quoted:
    text = module.analysis.dump.text
    return Quoted(finding, [(excerpt(module, place), text.locate(place).file) for place in _places(module, finding)])


def _places(module: Module, finding: Finding) -> list[Place]:
    """Where it was found; for what is between two values their bytes and their live ranges, both of each."""
    places = [] if finding.place is None else [finding.place]
    if len(finding.values) > 1:
        facts = [module.analysis.facts[number] for number in finding.values]
        places = [
            place for fact in facts for place in (fact.value.place, fact.live.place if fact.live else None) if place
        ]
    return places
