"""The page of a module itself: its figures, its charts, and the largest of everything."""

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.analyse.classes import HELD_CLASSES
from reportgen.analyse.contested import certainty
from reportgen.analyse.devices import capacity_example
from reportgen.analyse.divided import replicated_bytes
from reportgen.analyse.records import Space
from reportgen.analyse.temporary_parts import TemporaryParts
from reportgen.analyse.xla_peak import ALIASES, BIRTHS, LEAVES, PADDING, SPACES, UNEXPLAINED
from reportgen.render.drawings.chart_data import memory_over_time
from reportgen.render.drawings.icicle import icicle_of_space
from reportgen.render.drawings.memory_chart import memory_chart
from reportgen.render.drawings.packing import picture_of_space
from reportgen.render.explore.value_rows import ValueRows
from reportgen.render.html.hints import naming_hint
from reportgen.render.html.links import Links
from reportgen.render.html.markdown import note_markup
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.need import need
from reportgen.render.module.peak_padding import peak_padding
from reportgen.render.module.peak_rows import peak_tables
from reportgen.render.module.recomputed import recomputed
from reportgen.render.module.verdict import fit_banner, verdict
from reportgen.render.module.view_page import view_page
from reportgen.render.view import Module
from reportgen.reports.division_words import unknown_division
from reportgen.reports.formats import cut
from reportgen.reports.origin_words import ORIGIN_WORDS
from reportgen.reports.summary_of_report import badge_of, finding_counts
from reportgen.work import Page

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


def index_page(module: Module, site_title: str) -> Page:
    """Return the module's own page."""
    links = Links(module)
    context = index_context(module, links)
    return view_page(module, site_title, "index", "pages/module.html", links=links, **context)


def index_context(module: Module, links: Links) -> dict[str, Any]:
    """Return what the template of the module's own page needs to know."""
    analysis, evidence = module.analysis, module.analysis.backend_evidence
    main, answer = module.main_space, verdict(module)
    # The main memory first, whatever its color is.
    spaces = sorted(analysis.spaces.values(), key=lambda space: (space is not main, space.color))
    tables = {space.color: peak_tables(module, space, links) for space in spaces}
    charts = {space.color: _chart(module, space) for space in spaces}
    charted = [space for space in spaces if charts[space.color] and space.color not in module.small_spaces]
    return {
        "analysis": analysis,
        "backend_evidence": _BACKEND_EVIDENCE.get(evidence, f"inferred from {evidence}"),
        "notes": note_markup(module.notes),
        "notes_begin": cut(" ".join(module.notes.split()).lstrip("# "), _LONGEST_LEAD),
        "badge": badge_of(analysis),
        "finding_counts": finding_counts(analysis),
        "verdict": answer,
        "capacity_example": capacity_example(analysis.backend),
        "fit": fit_banner(module.device_fit, analysis, answer.fit if answer else None),
        "segments": need(analysis, answer.space, module.temporary_parts[answer.space.color]) if answer else (),
        "box": advice_box(module),
        "spaces": spaces,
        "tables": tables,
        "groupings": [(table.key, table.key) for table in max(tables.values(), key=len, default=())],
        "peak_padding": peak_padding,
        "icicle_of_space": icicle_of_space,
        "stacks": _stacks(module.temporary_parts[main.color] if main else None),
        "charts": charts,
        "charted": charted,
        "choices": [(space.color, space.name) for space in charted],
        "memory_chart": memory_chart,
        "live_table": ValueRows(module, links).table((), 0),
        "hint": naming_hint(module.title, has_text=module.join.module is not None),
        "shown_findings": [finding for finding in analysis.findings if finding.severity != "note"],
        "certainty": certainty(analysis, main),
        "missing": [finding.message for finding in analysis.findings if finding.slug in MISSING_SECTIONS],
        "unknown_division": unknown_division(module),
        "replicated_bytes": replicated_bytes(module.divided),
        "xla": analysis.xla_peak,
        "reasons": REASONS,
        "adjustments": ADJUSTMENTS,
        "moments": max(analysis.moments, 1),
        "recomputed": recomputed(module, links),
        "picture": picture_of_space(module, charted[0], links) if charted else "",
        "origin": ORIGIN_WORDS[analysis.dump.text.origin],
        "classes": HELD_CLASSES,
        "files": list(dict.fromkeys(part.label for part in analysis.dump.text.parts)),
    }


def _chart(module: Module, space: Space) -> Mapping[str, Any] | None:
    fit, parts = module.fits.get(space.color), module.temporary_parts[space.color]
    return memory_over_time(module.analysis, space, module.phases, fit, parts)


def _stacks(parts: TemporaryParts | None) -> Sequence[tuple[str, str]]:
    """Return what the charts can be stacked by, as the state of the page calls it and in words; first what they are."""
    choices = [(word, word) for word in ("class", "scope", "shape", "value") if not parts or word != parts.kind]
    return [("", parts.kind), *choices] if parts else [("", "class"), *choices[1:]]
