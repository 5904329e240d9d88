"""The page of a module itself: its figures, its charts, and the largest of everything."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from reportgen.analyse.classes import HELD_CLASSES
from reportgen.analyse.contested import certainty
from reportgen.analyse.divided import DividedArgument, replicated_bytes
from reportgen.analyse.fit import Fit
from reportgen.analyse.records import Space, XlaPeak
from reportgen.analyse.spaces import main_space
from reportgen.analyse.temporary_parts import TemporaryParts
from reportgen.analyse.xla_peak import ALIASES, BIRTHS, LEAVES, PADDING, SPACES, UNEXPLAINED
from reportgen.intervals.step_function import Peak
from reportgen.record import record
from reportgen.render.drawings.chart_data import memory_over_time
from reportgen.render.drawings.icicle import Icicle, icicle_of_space
from reportgen.render.drawings.memory_chart import memory_chart
from reportgen.render.drawings.packing import picture_of_space
from reportgen.render.html.hints import naming_hint
from reportgen.render.html.links import Links
from reportgen.render.html.markdown import note_markup
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.first_suggestions import first_suggestions
from reportgen.render.module.fit_banner import fit_banner
from reportgen.render.module.need import need
from reportgen.render.module.peak_padding import peak_padding
from reportgen.render.module.peak_rows import PeakTable, groupings_of, peak_tables, table_in_scripts
from reportgen.render.module.recomputed import recomputed
from reportgen.render.module.verdict import verdict
from reportgen.render.module.view_page import view_page
from reportgen.render.module.where_it_fits import where_it_fits
from reportgen.render.view import Module
from reportgen.reports.division_words import unknown_division
from reportgen.reports.formats import cut
from reportgen.reports.origin_words import ORIGIN_WORDS
from reportgen.reports.summary_of_report import badge_of, finding_counts
from reportgen.work import Page

_SHOWN = 20
_WORTH_A_HINT = 100
_LONGEST_LEAD = 120

REASONS = {
    LEAVES: (
        "When XLA picks the instruction of its peak, it counts a tuple as its table of pointers, 8 bytes for each"
        " element, and not as the buffers inside. Builds before 2025-04-14 also print that size."
    ),
    PADDING: "XLA ignores padding: it prints dense sizes, although tiled layouts and rounding take more.",
    BIRTHS: "XLA adds what is born at an instruction before it subtracts what has just died, so it counts both.",
    ALIASES: "When one value reuses another’s bytes in place, XLA counts both at the instruction where they meet.",
    SPACES: "XLA adds all memory spaces together, although each has its own peak.",
}
"""Why XLA's printed peak differs, by the slug of the reason."""

ADJUSTMENTS = {
    LEAVES: "values inside tuples, at their own size",
    PADDING: "padding of layouts, and slices larger than their value",
    ALIASES: "bytes of several live values, counted once",
    UNEXPLAINED: "rows printed differently from XLA’s own rule",
}
"""The steps from XLA's sum to the live bytes, by their slug."""

MISSING_SECTIONS = ("allocations-missing", "no-live-ranges", "no-used-values", "no-instructions", "no-allocations")
"""Findings that explain why parts of the page are missing."""

_BACKEND_EVIDENCE = {
    "the file's name": "from the file name",
    "no tiled layouts, and nothing in the file's name": "neither file name nor layouts give a hint",
}


@record
class SpaceSummary:
    """A memory space on the summary; peaks are None without live ranges, moments also where nothing is live.

    `tables` are the resident peak in every grouping, and the program has no
    name for `unnamed_bytes` of it. `padding` is a sentence, empty where there is next to none.
    """

    space: Space
    padding: Markup
    resident: Peak | None
    resident_moment: int | None
    live: Peak | None
    live_moment: int | None
    temp: Peak | None
    chart: dict[str, Any] | None
    drawn: Markup | None
    fit: Fit | None
    icicle: Icicle | None
    tables: Sequence[PeakTable]
    unnamed_bytes: int

    @property
    def lacks_names(self) -> bool:
        """Whether enough of the peak has no name to say how to get some."""
        return self.resident is not None and self.unnamed_bytes * _WORTH_A_HINT >= max(self.resident.amount, 1)


@record
class Divided:
    """What each device holds of the arguments: the largest, how many others, and the bytes that all devices hold.

    `unknown` says why it is not known, as a sentence; empty where it is.
    """

    devices: int
    unknown: str
    replicated_bytes: int
    arguments: Sequence[DividedArgument]
    others: int


def index_page(module: Module, site_title: str) -> Page:
    """Return the module's own page."""
    links = Links(module)
    context = index_context(module, links)
    return view_page(module, site_title, "index", "pages/module.html", links=links, **context)


def index_context(module: Module, links: Links) -> dict[str, Any]:
    """Return what the template of the module's own page needs to know."""
    analysis, evidence = module.analysis, module.analysis.backend_evidence
    main = main_space(analysis.spaces)
    # The main memory first, whatever its color is.
    ordered = sorted(analysis.spaces.values(), key=lambda space: (space is not main, space.color))
    spaces = [_space_summary(module, space, links) for space in ordered]
    charts = [part for part in spaces if part.chart and part.space.color not in module.small_spaces]
    answer = verdict(module)
    return {
        "analysis": analysis,
        "backend_evidence": _BACKEND_EVIDENCE.get(evidence, f"inferred from {evidence}"),
        "notes": note_markup(module.notes),
        "notes_begin": cut(" ".join(module.notes.split()).lstrip("# "), _LONGEST_LEAD),
        "badge": badge_of(analysis),
        "finding_counts": finding_counts(analysis),
        "verdict": answer,
        "fit": fit_banner(module.device_fit, analysis, answer.fit if answer else None),
        "need": need(analysis, main, module.fits.get(main.color), module.temporary_parts[main.color])
        if main and answer
        else None,
        "first": first_suggestions(module),
        "where": where_it_fits(module, main) if main else None,
        "box": advice_box(module),
        "spaces": spaces,
        "groupings": groupings_of([part.tables for part in spaces]),
        "stacks": _stacks(module.temporary_parts[main.color] if main else None),
        "charted": [(str(part.space.color), part.space.name) for part in charts],
        "charts": charts,
        "live_table": table_in_scripts(module, ordered[0], links) if ordered else None,
        "hint": naming_hint(module.title, has_text=module.join.module is not None),
        "shown_findings": [finding for finding in analysis.findings if finding.severity != "note"],
        "certainty": certainty(analysis, main),
        "missing": [finding.message for finding in analysis.findings if finding.slug in MISSING_SECTIONS],
        "divided": _divided(module),
        "xla": _reconciliation(analysis.xla_peak),
        "moments": max(analysis.moments, 1),
        "recomputed": recomputed(module, links),
        "picture": picture_of_space(module, charts[0].space, links) if charts else "",
        "origin": ORIGIN_WORDS[analysis.dump.text.origin],
        "classes": HELD_CLASSES,
        "files": list(dict.fromkeys(part.label for part in analysis.dump.text.parts)),
    }


def _divided(module: Module) -> Divided | None:
    """Return what each device holds of the arguments; None for a program on one device, or without arguments."""
    found, unknown = module.divided, unknown_division(module)
    if not found and not unknown:
        return None
    return Divided(
        unknown=f"{unknown[:1].upper()}{unknown[1:]}." if unknown else "",
        devices=module.analysis.program.partitions.devices or 1,
        replicated_bytes=replicated_bytes(found),
        arguments=found[:_SHOWN],
        others=len(found[_SHOWN:]),
    )


def _stacks(parts: TemporaryParts | None) -> Sequence[tuple[str, str]]:
    """Return what the charts can be stacked by, as the state of the page calls it and in words; first what they are."""
    choices = [(word, word) for word in ("class", "scope", "shape", "value") if not parts or word != parts.kind]
    return [("", parts.kind), *choices] if parts else [("", "class"), *choices[1:]]


def _space_summary(module: Module, space: Space, links: Links) -> SpaceSummary:
    """Return what the page shows of a memory space; without live ranges it has no peaks and no chart."""
    resident, live = space.peak_resident, space.peak_live
    fit, parts = module.fits.get(space.color), module.temporary_parts[space.color]
    chart = memory_over_time(module.analysis, space, module.phases, fit, parts)
    return SpaceSummary(
        space=space,
        padding=peak_padding(module, space, links),
        resident=resident,
        resident_moment=resident.moment if resident and resident.amount else None,
        live=live,
        live_moment=live.moment if live and live.amount else None,
        temp=space.peak_temp,
        chart=chart,
        drawn=memory_chart(chart) if chart else None,
        fit=fit,
        icicle=icicle_of_space(module, space, links),
        tables=peak_tables(module, space, links),
        unnamed_bytes=module.attributed[space.color].unnamed_bytes(resident.amount) if resident else 0,
    )


def _reconciliation(xla: XlaPeak | None) -> dict[str, Any] | None:
    """Return why XLA's sum differs, and the steps that lead from it to the live bytes."""
    if xla is None:
        return None
    return {
        "moment": xla.moment,
        "sum_bytes": xla.sum_bytes,
        "live_bytes": xla.live_bytes,
        "reasons": [(slug, REASONS[slug]) for slug in xla.reasons],
        "adjustments": [(ADJUSTMENTS[step.slug], f"{step.change_bytes:+,} bytes") for step in xla.reconciliation],
        "is_correct": xla.is_correct,
    }
