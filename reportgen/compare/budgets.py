"""Budgets: how much memory modules may need, and how much more than a baseline.

A size without a unit and a key that does not exist are refused: a budget that silently means something else is worse
than none.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, Literal, get_args

from reportgen.compare.figures import FIGURES, Figure
from reportgen.compare.growth import Growth, parse_growth, parse_share, parse_size
from reportgen.errors import LONGEST_OF_PARSER, InvalidBudget, quoted, shown
from reportgen.input.toml_lines import line_of_key, loaded
from reportgen.record import record
from reportgen.reports.report_document import GateModule

Level = Literal["note", "warn", "fail"]
"""How far a verdict counts."""

_HEADER = re.compile(r"^\s*\[\[\s*(?:tool\s*\.\s*xla-reportgen\s*\.\s*)?budget\s*\]\]", re.MULTILINE)
_OPTIONS = ("missing-baseline", "new-modules", "missing-modules")
_KEYS = ("module", "space", "backend", "figure", "max", "max-growth", "max-recomputed", "required")


@record
class Budget:
    """One budget; `growth` allows the most that any of its entries allows. `line` is where it is in `file`.

    One for what XLA recomputes is about a whole module, and `max_recomputed` is the part of the matrix work it allows.
    """

    module: str = "*"
    space: str | None = None
    backend: str | None = None
    figure: Figure | Literal["recomputed"] = "peak_resident"
    max_bytes: int | None = None
    growth: tuple[Growth, ...] = ()
    max_recomputed: Fraction | None = None
    required: bool = True
    file: str | None = None
    line: int | None = None

    def covers(self, module: GateModule) -> bool:
        """Return whether the budget is about this module."""
        return self.backend in {None, module.backend} and fnmatchcase(module.name, self.module)

    def covers_space(self, color: int, name: str) -> bool:
        """Return whether the budget is about this memory space."""
        return self.space is None or self.space == str(color) or self.space.casefold() == name.casefold()

    @property
    def title(self) -> str:
        """Return the budget in words."""
        parts = [self.module, self.backend, self.space and f"space {self.space}", self.figure.replace("_", " ")]
        return ", ".join(part for part in parts if part)


@record
class Budgets:
    """All budgets of a file and of the command line."""

    budgets: tuple[Budget, ...] = ()
    missing_baseline: Level = "warn"
    new_modules: Level = "note"
    missing_modules: Level = "warn"
    file: str | None = field(default=None)


def parse_budgets(text: str, file: str, *, settings: Collection[str] | None = None) -> Budgets:
    """Return the budgets of a TOML file, or of its `[tool.xla-reportgen]`, which may hold these `settings` as well.

    Raises InvalidBudget, naming `file` and the line.
    """
    try:
        document: Mapping[str, Any] = loaded(text)
    except (ValueError, RecursionError) as error:  # also of a number with thousands of digits
        raise InvalidBudget(f"{file}: not valid TOML: {shown(str(error), LONGEST_OF_PARSER)}") from error
    table = () if settings is None else ("tool", "xla-reportgen")
    for key in table:
        document = document.get(key, {})
        if not isinstance(document, dict):
            raise InvalidBudget(f"{file}: {key} is {quoted(document)}; a table is needed")
    if unknown := [key for key in document if key not in (*_OPTIONS, "budget", *(settings or ()))]:
        _refuse_unknown(unknown, (*_OPTIONS, "budget"), f"{file}:{line_of_key(text, (*table, unknown[0]))}")
    # Searched for in the text, because tomllib does not say where a table begins.
    lines = [text.count("\n", 0, header.end()) + 1 for header in _HEADER.finditer(text)]
    entries = document.get("budget", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidBudget(f"{file}: budgets are tables, [[budget]]")
    levels: dict[str, Any] = {option: document[option] for option in _OPTIONS if option in document}
    for option, level in levels.items():
        if level not in get_args(Level):
            raise InvalidBudget(f'{file}: {option} is {quoted(level)}; "note", "warn" or "fail" is needed')
    # Budgets may also be written inline; then no line is named rather than a wrong one.
    places = lines if len(lines) == len(entries) else [None] * len(entries)
    budgets = tuple(
        budget for entry, line in zip(entries, places, strict=True) for budget in _budgets(entry, file, line)
    )
    return Budgets(budgets=budgets, file=file, **{option.replace("-", "_"): level for option, level in levels.items()})


def _refuse_unknown(table: Iterable[str], known: Collection[str], where: str) -> None:
    if unknown := [key for key in table if key not in known]:
        raise InvalidBudget(f"{where}: unknown key {quoted(unknown[0])}; known are {', '.join(known)}")


def _confirm_types(table: Mapping[str, Any], where: str) -> None:
    """Raise InvalidBudget if the value of a key has the wrong type."""
    for key, types in (("module", str), ("backend", str), ("figure", str), ("space", (str, int)), ("required", bool)):
        # A bool is asked for by name, because it is an int in Python.
        if key in table and (not isinstance(table[key], types) or (key == "space" and isinstance(table[key], bool))):
            raise InvalidBudget(f"{where}: {key} is {quoted(table[key])}; {_NEEDED[key]} is needed")


def recomputation_budget(share: Fraction, budget: Budget) -> Budget:
    """Return the budget for what XLA recomputes in the modules of another budget."""
    return replace(budget, space=None, figure="recomputed", max_bytes=None, growth=(), max_recomputed=share)


def _budgets(table: Mapping[str, Any], file: str, line: int | None) -> Iterator[Budget]:
    """Yield the budgets that a table states; `line` is that of its heading. Raises InvalidBudget."""
    where = f"{file}:{line}" if line else file
    _refuse_unknown(table, _KEYS, where)
    _confirm_types(table, where)
    if table.get("figure", FIGURES[0]) not in FIGURES:
        raise InvalidBudget(f"{where}: figure {quoted(table['figure'])} does not exist; known are {', '.join(FIGURES)}")
    if not table.keys() & {"max", "max-growth", "max-recomputed"}:
        raise InvalidBudget(f"{where}: a budget needs max, max-growth or max-recomputed")
    stated = table.get("max-growth", [])
    growth = stated if isinstance(stated, list) else [stated]
    if not growth and "max-growth" in table:
        raise InvalidBudget(f"{where}: max-growth is empty; a share or a size with a unit is needed")
    budget = Budget(
        module=table.get("module", "*"),
        space=str(table["space"]) if "space" in table else None,
        backend=table.get("backend"),
        figure=table.get("figure", FIGURES[0]),
        max_bytes=parse_size(table["max"], f"{where}: max") if "max" in table else None,
        growth=tuple(parse_growth(text, f"{where}: max-growth") for text in growth),
        required=table.get("required", True),
        file=file,
        line=line,
    )
    if "max" in table or "max-growth" in table:
        yield budget
    if "max-recomputed" in table:
        yield recomputation_budget(parse_share(table["max-recomputed"], f"{where}: max-recomputed"), budget)


_NEEDED = {
    "module": "a name in quotes",
    "backend": "a name in quotes",
    "figure": "a name in quotes",
    "space": "a name in quotes or a number",
    "required": "true or false",
}
