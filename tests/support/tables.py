"""The tables of a page as a reader sees them: heads, and rows of cells with their exact amounts."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Cell:
    """A cell: its text, and the number in its data, if it has one."""

    text: str = ""
    amount: int | None = None


@dataclass
class Row:
    """A row of the body; `marks` are the words that mark it as special."""

    cells: list[Cell] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


@dataclass
class Table:
    """A table without its foot; `sorted_by` is the column with the largest amounts first, if there is one."""

    label: str
    heads: list[str] = field(default_factory=list)
    sorted_by: int | None = None
    rows: list[Row] = field(default_factory=list)

    def column(self, place: int) -> list[int]:
        """Return the amounts of a column, without the cells that have none."""
        cells = (row.cells[place] for row in self.rows)
        return [cell.amount for cell in cells if cell.amount is not None]


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self._part = ""
        self._is_mark = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self._is_mark = tag == "strong" and attributes.get("class") == "mark"
        match tag:
            case "table":
                self.tables.append(Table(attributes.get("aria-label") or ""))
            case "thead" | "tbody" | "tfoot" | "caption":
                self._part = tag
            case "tr" if self._part == "tbody":
                self.tables[-1].rows.append(Row())
            case "th" if self._part == "thead":
                if attributes.get("aria-sort") == "descending":
                    self.tables[-1].sorted_by = len(self.tables[-1].heads)
                self.tables[-1].heads.append("")
            case "th" | "td" if self._part == "tbody":
                self.tables[-1].rows[-1].cells.append(Cell())
            case "data" if self._part == "tbody" and self.tables[-1].rows[-1].cells[-1].amount is None:
                self.tables[-1].rows[-1].cells[-1].amount = int(attributes["value"] or 0)

    def handle_endtag(self, tag: str) -> None:
        self._is_mark = False
        if tag == "table":
            self._part = ""

    def handle_data(self, data: str) -> None:
        if self._part == "thead" and self.tables[-1].heads:
            self.tables[-1].heads[-1] += data.strip()
        elif self._part == "tbody" and self.tables[-1].rows and self.tables[-1].rows[-1].cells:
            row = self.tables[-1].rows[-1]
            row.cells[-1].text += data
            if self._is_mark:
                row.marks.append(data)


def tables_of(html: str) -> list[Table]:
    reader = _Tables()
    reader.feed(html)
    return reader.tables
