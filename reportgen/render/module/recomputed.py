"""The work that a program does twice, by scope and line."""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from reportgen.analyse.matmul_work import Recomputed
from reportgen.render.html.links import Links, listed
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import human_flops, percent
from reportgen.reports.source_words import line_words

_MOST_NAMED = 6


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
