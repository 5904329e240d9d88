"""Figures and the bars they are held to, as Markdown tables between two marks in a page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import Times

_START, _END = "<!-- results:start -->", "<!-- results:end -->"

_AT_HEADINGS = re.compile(r"^(?=### )", re.MULTILINE)

BARS = ("what", "measured", "bar", "")


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


def held(what: str, measured: float, bar: float, unit: str) -> tuple[str, ...]:
    """Return a row of `BARS` that is met by at most the bar."""
    return _row(what, measured, bar, unit, "at most", measured <= bar)


def reached(what: str, measured: float, bar: float, unit: str) -> tuple[str, ...]:
    """Return a row of `BARS` that is met by at least the bar."""
    return _row(what, measured, bar, unit, "at least", measured >= bar)


def noted(what: str, measured: str) -> tuple[str, ...]:
    """Return a row of `BARS` without a bar: what a ratio was made of."""
    return what, measured, "", ""


def _row(what: str, measured: float, bar: float, unit: str, side: str, is_met: bool) -> tuple[str, ...]:
    return what, _with_unit(measured, unit), f"{side} {_with_unit(bar, unit)}", "met" if is_met else "**missed**"


def _with_unit(amount: float, unit: str) -> str:
    places = {"×": 2, "s": 2, "GB": 2, "%": 1}.get(unit, 0)
    return f"{amount:,.{places}f}{'' if unit in '×%' else ' '}{unit}"


def spread(times: Times) -> str:
    """Return the median with the lowest and the highest: `1.20 s (1.18–1.31)`."""
    return f"{times.median:.2f} s ({min(times):.2f}–{max(times):.2f})"


def write_results(page: Path, results: Iterable[str]) -> None:
    """Put tables between the marks of a page: each replaces the one with its heading, or comes after all others."""
    before, rest = page.read_text(encoding="utf-8").split(f"{_START}\n")
    old, after = rest.split(_END)
    tables = {_heading(table): table for table in (*_AT_HEADINGS.split(old), *results) if table.startswith("### ")}
    text = "\n".join(table.rstrip("\n") + "\n" for table in tables.values())
    page.write_text(f"{before}{_START}\n{text}{_END}{after}", encoding="utf-8")


def _heading(table: str) -> str:
    return table.partition("\n")[0]
