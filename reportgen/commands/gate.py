"""Find the budgets of a gate, for `check`, `compare` and `history`."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.commands import settings
from reportgen.compare.growth import Growth
from reportgen.errors import InvalidBudget
from reportgen.input.toml_lines import MOST_CHARACTERS, why_refused

if TYPE_CHECKING:
    from reportgen.compare.budgets import Budgets


def budgets_of(
    path: Path | None,
    max_growth: Sequence[Growth] = (),
    max_recomputed: Fraction | None = None,
    *,
    default_growth: bool = False,
) -> "Budgets | None":
    """Return the budgets of a file, by default that of the current directory, and of flags; None if there are none.

    With `default_growth` and without any other limit on growth, not one byte more is allowed. Raises InvalidBudget.
    """
    stated, growth = _stated(path), tuple(max_growth)
    if not (stated or growth or default_growth) and max_recomputed is None:
        return None
    # Imported here, because reading budgets takes a twentieth of a small check, and few have any.
    from reportgen.compare.budgets import Budget, Budgets, parse_budgets, recomputation_budget

    in_file = parse_budgets(*stated[:2], settings=stated[2]) if stated else None
    listed = in_file.budgets if in_file else ()
    # Those of flags hold whatever modules there are, so none of them is missed.
    of_flags = list[Budget]()
    if growth or (default_growth and not any(budget.growth for budget in listed)):
        of_flags.append(Budget(growth=growth or (Growth(),), required=False))
    if max_recomputed is not None:
        of_flags.append(recomputation_budget(max_recomputed, Budget(required=False)))
    return replace(in_file or Budgets(), budgets=(*listed, *of_flags))


def _stated(path: Path | None) -> tuple[str, str, Collection[str] | None] | None:
    """Return the text of budgets, its file, and the other keys that its table may have. Raises InvalidBudget."""
    if path is not None:
        # In a pyproject.toml our table has other settings besides the budgets.
        keys = settings.KEYS if path.name == settings.FILE.name else None
        return _text(path), path.as_posix(), keys
    if Path(settings.BUDGETS_FILE).is_file():
        return _text(Path(settings.BUDGETS_FILE)), settings.BUDGETS_FILE, None
    table = settings.read_table()
    if table.values.keys() & set(settings.BUDGET_KEYS):
        return table.text, settings.FILE.name, settings.KEYS
    return None


def _text(path: Path) -> str:
    """Return the text of a file of budgets. Raises InvalidBudget if it cannot be read or is too long."""
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
