"""A number that is marked as the largest of a column is the largest, and a line of a chart is the figure beside it."""

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.analyse.spaces import is_small, main_space
from reportgen.model import Dump
from reportgen.render.explore.instruction_rows import InstructionRows
from reportgen.render.html.links import Links
from reportgen.render.module.index import index_page
from reportgen.render.module.lifetimes_page import lifetimes_page
from tests.support.modules import module_of
from tests.support.samples import sample_analysis, sample_labels
from tests.support.strategies import consistent_dumps
from tests.support.tables import Row, Table, tables_of

_MARK = re.compile(r"Peak of (.*?): ")
_CHART = re.compile(r'<figure class="chart(?: later)?" data-chart="memory-over-time".*?</figure>', re.DOTALL)
_DATA = re.compile(r'<data value="?(\d+)')
_JSON = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)


def marked(schedule: Table) -> Iterator[tuple[Row, str, int]]:
    """Yield each mark with its row and the column that it is about."""
    for row in schedule.rows:
        for mark in row.marks:
            if found := _MARK.match(mark):
                yield row, mark, schedule.heads.index(found[1])


def check_all(analysis: Analysis) -> int:
    """Assert that each marked number is the largest of its column; return how many are marked."""
    module = module_of(analysis)
    made = InstructionRows(module, Links(module)).table([[moment] for moment in module.scheduled_moments])
    page = f"<table><caption>All</caption><thead><tr>{made.heads}</tr></thead><tbody>{made.rows}</tbody></table>"
    marks = [(table, *mark) for table in tables_of(page) for mark in marked(table)]
    for table, row, mark, column in marks:
        assert row.cells[column].amount == max(table.column(column)), mark
    lifetimes = tables_of(lifetimes_page(module, "Site").content.decode())
    ordered = [table for table in lifetimes if table.sorted_by is not None]
    for table in ordered:
        amounts = table.column(table.sorted_by or 0)
        assert amounts == sorted(amounts, reverse=True), table.label
    return len(marks) + len(ordered)


@pytest.mark.parametrize("label", sample_labels())
def test_what_is_marked_as_the_largest_of_a_sample_is_the_largest(label: str) -> None:
    analysis = sample_analysis(label)
    assert check_all(analysis) >= (2 if analysis.dump.schedule_length else 0)


@given(consistent_dumps())
def test_what_is_marked_as_the_largest_of_any_dump_is_the_largest(dump: Dump) -> None:
    check_all(analyse(dump))


@pytest.mark.parametrize("label", sample_labels())
def test_the_dashed_line_of_a_chart_is_what_is_needed(label: str) -> None:
    analysis = sample_analysis(label)
    charts = _CHART.findall(index_page(module_of(analysis), "Site").content.decode())
    main = main_space(analysis.spaces)
    assert len(charts) == sum(
        bool(space.live and space.needed_bytes)
        and (space is main or not is_small(space.name, space.needed_bytes, main.needed_bytes, is_short=False))
        for space in analysis.spaces.values()
        if main
    )
    for chart in charts:
        [data] = map(json.loads, _JSON.findall(chart))
        space = next(space for space in analysis.spaces.values() if f'data-space="{space.color}"' in chart)
        assert data["datasets"]["levels"] == [{"limit": space.needed_bytes}]
        assert space.peak_resident
        assert data["steps"]["static"] + max(data["steps"]["temp"]["amounts"]) == space.peak_resident.amount
