"""The page of a module itself: its figures, its charts, and the largest of everything."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from reportgen.advice.advise import Advice
from reportgen.analyse.classes import HELD_CLASSES
from reportgen.analyse.contested import certainty
from reportgen.analyse.devices import capacity_example
from reportgen.analyse.divided import replicated_bytes
from reportgen.analyse.matmul_work import Recomputed
from reportgen.analyse.padding import padded_shapes
from reportgen.analyse.records import Space
from reportgen.analyse.temporary_parts import TemporaryParts
from reportgen.analyse.xla_peak import ALIASES, BIRTHS, LEAVES, PADDING, SPACES, UNEXPLAINED
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.render.drawings.chart_data import memory_over_time
from reportgen.render.drawings.icicle import icicle_of_space
from reportgen.render.drawings.memory_chart import memory_chart
from reportgen.render.drawings.packing import picture_of_space
from reportgen.render.explore.value_rows import ValueRows
from reportgen.render.html.links import Links, listed
from reportgen.render.html.markdown import note_markup
from reportgen.render.html.markup import bytes_markup
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.html.templates import view_page
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.need import need
from reportgen.render.module.peak_rows import peak_tables
from reportgen.render.module.verdict import fit_banner, verdict
from reportgen.render.value.layout import padded_words
from reportgen.render.view import Module
from reportgen.reports.advice_words import saving_words, title_words
from reportgen.reports.column import Column
from reportgen.reports.formats import cut, human_flops, percent
from reportgen.reports.report import ORIGIN_WORDS, unknown_division
from reportgen.reports.source_words import line_words, short_words
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
_LEAST = 100
"""Parts of a peak, of which padding has to be one to be said."""
_MOST_SHAPES, _LONGEST_SHAPE, _MOST_NAMED = 2, 60, 6
_OF_FRAMEWORKS = {
    "SyncTensorsGraph|IrToHlo": "For PyTorch/XLA, set XLA_IR_DEBUG=1 and XLA_HLO_DEBUG=1: they put the operation and"
    " the line of Python code into the HLO.",
    r"a_inference_|cluster_\d": "TensorFlow calls operations by their layers and tf.name_scope; arguments have no"
    " names.",
    "(jit|pjit|pmap|xmap)_": "Wrap code in jax.named_scope to name it.",
}
"""The hints by what the titles of modules begin with."""
_BESIDE_HINT = (
    "Keep the HLO text next to the dump (--xla_dump_hlo_as_text writes it): it names what loops and fusions make."
)


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
    charts = {
        color: memory_over_time(analysis, space, module.phases, module.fits.get(color), module.temporary_parts[color])
        for color, space in analysis.spaces.items()
    }
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


def _stacks(parts: TemporaryParts | None) -> Sequence[tuple[str, str]]:
    """Return what the charts can be stacked by, as the state of the page calls it and in words; first what they are."""
    choices = [(word, word) for word in ("class", "scope", "shape", "value") if not parts or word != parts.kind]
    return [("", parts.kind), *choices] if parts else [("", "class"), *choices[1:]]


def peak_padding(module: Module, space: Space, links: Links) -> Markup:
    """Return a sentence on the padding at the peak of a space; empty where it is next to nothing."""
    peak = space.peak_resident.amount if space.peak_resident else 0
    shapes = sorted(padded_shapes(module.analysis, space), key=lambda shape: -shape.at_peak_bytes)
    total = sum(shape.at_peak_bytes for shape in shapes)
    if not peak or total * _LEAST < peak:
        return Markup("")
    named = Markup("; ").join(
        Markup("{} in <code>{}</code>{}").format(
            bytes_markup(shape.at_peak_bytes), cut(shape.shape, _LONGEST_SHAPE), _why(shape.shape)
        )
        for shape in shapes[:_MOST_SHAPES]
        if shape.at_peak_bytes
    )
    words = Markup("<strong>{}</strong> of it is {} ({}): {}.").format(
        bytes_markup(total), links.term("padding", "padding"), percent(total, peak), named
    )
    found = module.advice.get(space.color, Advice()).best
    ends = next((suggestion for suggestion in found if suggestion.kind == "padding"), None)
    if ends is None:
        return words
    title, href = short_words(title_words(ends)), links.listing("suggestions")
    return words + Markup(' <a href="{}">{}</a>: {}.').format(href, title, saving_words(ends))


def _why(shape: str) -> str:
    try:
        words = padded_words(parse_shape(shape))
    except ShapeError:
        return ""
    return f", where {words}" if words else ""


def recomputed(module: Module, links: Links) -> PageTable:
    """Return what is recomputed, by scope and line."""
    work, moment_of = module.analysis.work, module.analysis.dump.moment_of

    def instructions(row: Recomputed) -> Markup:
        return Markup(listed([name for name in row.instructions if name in moment_of], row_of, _MOST_NAMED))

    def row_of(name: str) -> str:
        href = links.moment_href(moment_of[name])
        return f'<a href="{escape(href or "")}" title="{escape(name)}">{moment_of[name]:,}</a>'

    def line(row: Recomputed) -> Markup:
        words, href = escape(line_words(row.source)), links.line_href(row.source)
        return Markup(f'<a href="{href}">{words}</a>' if href else words)

    columns: Sequence[Column[Recomputed]] = (
        Column("part", "Part of all", "amount", lambda row: percent(row.flops, work.matmul_flops or 0)),
        Column("work", "Matrix work", "amount", lambda row: human_flops(row.flops)),
        Column("scope", "Scope", "code", lambda row: row.scope, names_rows=True),
        Column("line", "Line", "markup", line),
        Column("by", "By", "text", lambda row: row.by),
        Column("times", "Products", "count", lambda row: row.times),
        Column("instructions", "At instruction", "markup", instructions),
    )
    return table(columns, work.rows)


def naming_hint(title: str, *, has_text: bool) -> str:
    """Return how to get more names for a module with this title; `has_text` is whether its HLO text was read."""
    hints = [hint for pattern, hint in _OF_FRAMEWORKS.items() if re.match(pattern, title)]
    return " ".join(hints if has_text else [*hints, _BESIDE_HINT])
