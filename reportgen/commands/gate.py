"""Find the budgets of a gate, for `check` and for `compare`.

What compares modules is imported where there are budgets, because it takes a tenth of a small check, and few have any.
"""

import argparse
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.commands import settings
from reportgen.errors import InvalidBudget
from reportgen.input.toml_lines import MOST_CHARACTERS, why_refused

if TYPE_CHECKING:
    from reportgen.compare.budgets import Budgets


def budgets_of(options: argparse.Namespace, *, default_growth: bool = False) -> "Budgets | None":
    """Return the budgets of the file and the flags; None if there are none.

    With `default_growth` and without any other limit on growth, not one byte more is allowed. Raises InvalidBudget.
    """
    found = budgets_in_file(options.budgets)
    growth = tuple(options.max_growth)
    stated = found.budgets if found else ()
    if not growth and (not default_growth or any(budget.growth for budget in stated)):
        return found
    from reportgen.compare.budgets import Budget, Budgets
    from reportgen.compare.growth import Growth

    # It holds whatever modules there are, so none of them is missed.
    budget = Budget(growth=growth or (Growth(),), required=False)
    return replace(found or Budgets(), budgets=(*stated, budget))


def budgets_in_file(path: Path | None) -> "Budgets | None":
    """Return the budgets of a file, by default of the one in the current directory. Raises InvalidBudget."""
    if path is not None:
        # In a pyproject.toml our table has other settings beside the budgets.
        others = settings.KEYS if path.name == settings.FILE.name else None
        return _parsed(_text(path), path.as_posix(), others)
    if Path(settings.BUDGETS_FILE).is_file():
        return _parsed(_text(Path(settings.BUDGETS_FILE)), settings.BUDGETS_FILE)
    table = settings.read_table()
    if table.values.keys() & set(settings.BUDGET_KEYS):
        return _parsed(table.text, settings.FILE.name, settings.KEYS)
    return None


def _parsed(text: str, file: str, others: Collection[str] | None = None) -> "Budgets":
    from reportgen.compare.budgets import parse_budgets

    return parse_budgets(text, file, settings=others)


def _text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise OSError(None, "it is not a regular file")  # a pipe would be waited for
        with path.open(encoding="utf-8") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidBudget(f"{path}: cannot be read: {reason}") from error
    if why := why_refused(text, path.as_posix()):
        raise InvalidBudget(why)
    return text
