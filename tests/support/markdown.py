"""A table in Markdown, which the programs beside the tests print."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a heading; rows are as long as the header."""

    heading: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        ruler = ["---", *("---:" if name else "---" for name in self.header[1:])]
        lines = ["| " + " | ".join(row) + " |" for row in (self.header, ruler, *self.rows)]
        return f"### {self.heading}\n\n" + "\n".join(lines) + "\n"
