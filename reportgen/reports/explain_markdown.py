"""An explanation as Markdown, for the summary of a job, a comment or an issue."""

from collections.abc import Iterable, Iterator

from reportgen.reports.column import TextTable
from reportgen.reports.explain_sections import Section
from reportgen.reports.formats import percent
from reportgen.reports.markdown_text import code, escaped

_LONGEST = 300
_CODE = ("name", "code", "line")
"""What comes from the program, in which Markdown must interpret nothing."""


def explanation_markdown(sections: Iterable[Section]) -> str:
    """Return an explanation as Markdown that interprets nothing in the names of the program."""
    return "\n\n".join(block for section in sections for block in _blocks(section)) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    level = "###" if section.tone else "####"
    yield f"{level} {escaped(section.title, _LONGEST)}"
    if section.sentences:
        first, *rest = (escaped(sentence, _LONGEST) for sentence in section.sentences)
        yield " ".join([f"**{first}**" if section.tone else first, *rest])
    if section.table:
        yield _table(section.table)
    if section.items:
        yield "\n".join(_item(*item) for item in section.items)


def _table(table: TextTable) -> str:
    heads = ["Share", table.amount_head, *(column.head for column in table.columns)]
    lines = [f"| {' | '.join(heads)} |", f"| ---: | ---: |{' --- |' * len(table.columns)}"]
    for row in table.rows:
        cells = (
            text and (code(text) if column.kind in _CODE else text)
            for column, text in zip(table.columns, row.cells, strict=True)
        )
        lines.append(f"| {' | '.join((percent(row.part, table.whole), row.amount, *cells))} |")
    return "\n".join(lines)


def _item(text: str, detail: str, snippet: str) -> str:
    words = [escaped(text, _LONGEST), escaped(detail, _LONGEST), code(snippet, _LONGEST) if snippet else ""]
    return f"- {'; '.join(filter(None, words))}"
