"""A column of the peak is declared once and reaches every place that shows a peak."""

from collections.abc import Mapping, Sequence

import pytest

from reportgen.document import fields_of
from reportgen.render.module import peak_rows
from reportgen.render.module.module_pages import page_makers
from reportgen.render.single_file import single_file
from reportgen.render.view import Module
from reportgen.reports import peak_table
from reportgen.reports.column import Column
from reportgen.reports.explain_document import explained
from reportgen.reports.explain_markdown import explanation_markdown
from reportgen.reports.explain_sections import Section, sections
from reportgen.reports.explain_text import explanation_lines
from reportgen.reports.peak_table import PeakBuffers, PeakFigures, PeakPart, buffer_columns, peak_columns
from reportgen.reports.styled_text import plain
from reportgen.reports.summary_of_report import summary
from tests.support.markup_tree import Element, tree_of
from tests.support.modules import module_in

WIDE = 400
PAGES = ("own page", "single file")


@pytest.fixture
def module() -> Module:
    return module_in("tpu-train-step")


def tables(module: Module) -> Mapping[str, Sequence[Element]]:
    """Return the tables of a peak on each of `PAGES`."""
    makers, routes = page_makers(module, "Memory"), module.routes
    own = tree_of(makers[routes.index]().content.decode())
    file = tree_of(single_file(module, "Memory").decode())
    found = [
        # Not the tables of scripts: those of all values and of what is resident at an instruction.
        [table for table in page.all("table", class_="peak-groups") if "At once" not in heads(table)]
        for page in (own, file)
    ]
    return dict(zip(PAGES, found, strict=True))


def columns() -> Sequence[Column[PeakFigures]]:
    """Return the columns that all tables of a peak have."""
    return peak_columns()


def heads(table: Element) -> Sequence[str]:
    return [head.text for head in table.first("thead").all("th")]


def said(module: Module) -> Sequence[Section]:
    return [*sections([explained(summary(module))], ())]


def test_every_place_has_the_columns_that_all_tables_of_a_peak_have(module: Module) -> None:
    shown = {column.head for column in columns()}
    found = tables(module)
    assert all(len(found[page]) > 1 for page in PAGES)
    for page in PAGES:
        for table in found[page]:
            assert shown <= set(heads(table)), page
    [told] = [section.table for section in said(module) if section.title.startswith("Peak")]
    assert told
    assert shown <= {told.amount_head, "Share", *(column.head for column in told.columns)}


def test_a_column_that_is_declared_is_in_every_place(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a column needs beyond its declaration: a field where it shows a new figure."""

    def with_another(*own: Column[PeakFigures]) -> Sequence[Column[PeakFigures]]:
        return *peak_columns(*own), Column("twice", "Twice", "range", lambda row: (row.size_bytes, 2 * row.size_bytes))

    monkeypatch.setattr(peak_table, "peak_columns", with_another)
    monkeypatch.setattr(peak_rows, "peak_columns", with_another)
    for page, found in tables(module).items():
        for table in found:
            assert "Twice" in heads(table), page
    size = module.analysis.spaces[0].composition[0].size_bytes
    text, markdown = plain(explanation_lines(said(module), WIDE)), explanation_markdown(said(module))
    assert "Twice" in markdown
    for words in (text, markdown):
        assert f"{size:,} to {2 * size:,}" in words


def test_what_the_columns_show_is_in_the_documents(module: Module) -> None:
    """A column takes its cells from fields of report.json, so the terminal, which reads that, can show it."""
    assert fields_of(PeakFigures).keys() <= fields_of(PeakBuffers).keys()
    assert fields_of(PeakFigures).keys() <= fields_of(PeakPart).keys()
    stated = summary(module).figures.spaces[0].peak_resident_groups[0]
    assert all(column.of(stated) is not None for column in columns())
    assert {column.key for column in columns()} <= {column.key for column in buffer_columns()}
