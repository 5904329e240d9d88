"""An explanation as Markdown, for the summary of a job, a comment or an issue."""

from collections.abc import Iterable, Iterator, Sequence

from reportgen.reports.explain_sections import Section, SizeRow
from reportgen.reports.formats import percent
from reportgen.reports.markdown_text import code, escaped

_LONGEST = 300


def explanation_markdown(sections: Iterable[Section]) -> str:
    """Return an explanation as Markdown that interprets nothing in the names of the program."""
    return "\n\n".join(block for section in sections for block in _blocks(section)) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    level = "###" if section.tone else "####"
    yield f"{level} {escaped(section.title, _LONGEST)}"
    if section.sentences:
        first, *rest = (escaped(sentence, _LONGEST) for sentence in section.sentences)
        yield " ".join([f"**{first}**" if section.tone else first, *rest])
    if section.rows:
        yield _table(section.rows)
    if section.items:
        yield "\n".join(_item(*item) for item in section.items)


def _table(rows: Sequence[SizeRow]) -> str:
    lines = ["| share | bytes | name | | line |", "| ---: | ---: | --- | --- | --- |"]
    for row in rows:
        cells = [
            percent(row.part, row.whole),
            row.size,
            code(row.name),
            row.what and code(row.what),
            row.line and code(row.line),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _item(text: str, detail: str, snippet: str) -> str:
    words = [escaped(text, _LONGEST), escaped(detail, _LONGEST), code(snippet, _LONGEST) if snippet else ""]
    return f"- {'; '.join(filter(None, words))}"
